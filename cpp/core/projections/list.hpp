// All samplers. To add one: a header here with a subclass of Sampler, a factory in
// bindings/bind_projections.cpp and a parameter object in src/manifoldforest/projections.
#pragma once

#include "projections/axis.hpp"
#include "projections/compose.hpp"
#include "projections/dictionary.hpp"
#include "projections/mean_difference.hpp"
#include "projections/patches.hpp"
#include "projections/principal_axes.hpp"
#include "projections/rotation.hpp"
#include "projections/sparse.hpp"
