// All criteria. A criterion is a class with
//   start(node)       all rows of a node are on the right; computes totals
//   pure()            nothing is left to split
//   reset()           back to all rows on the right
//   move_left(i)      row i of the node changes sides
//   left_weight()     of the rows on the left
//   score()           larger is better; score - node_score() is the gain
//   scale()           size of the terms of a score; gains far below it are rounding noise
//   perfect(score)    no other split can be better
// and, if kAdditive, bin_size / add_to_bin / move_bin_left to move many rows at once.
#pragma once

#include "split/criteria/absolute_error.hpp"
#include "split/criteria/entropy.hpp"
#include "split/criteria/gini.hpp"
#include "split/criteria/squared_error.hpp"
