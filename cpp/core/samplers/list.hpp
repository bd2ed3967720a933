// All samplers. To add one: a header here with a subclass of Sampler, a factory in
// bindings/bind_projections.cpp and a parameter object in src/manifoldforest/projections.
#pragma once

#include "samplers/axis.hpp"
#include "samplers/compose.hpp"
#include "samplers/dictionary.hpp"
#include "samplers/mean_difference.hpp"
#include "samplers/patches.hpp"
#include "samplers/principal_axes.hpp"
#include "samplers/rotation.hpp"
#include "samplers/sparse.hpp"
