// Growing a forest: the same trees for any number of threads.
#pragma once

#include <functional>
#include <vector>

#include "data/table.hpp"
#include "tree/grower.hpp"

namespace mf::train {

// Called from the calling thread, about every 50 ms and at the end, with the number of finished
// trees; an exception stops the growth.
using Progress = std::function<void(int done, int total)>;

template <class T>
std::vector<Tree> grow_forest(const Matrix<T>& X, const Response& response, const RowWeights& rows,
                              const Geometry& geometry, const Sampler& sampler,
                              const GrowOptions& options, const Progress& progress);

}  // namespace mf::train
