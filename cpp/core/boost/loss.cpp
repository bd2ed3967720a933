#include "boost/loss.hpp"

#include <array>
#include <stdexcept>

namespace mf::boost {

std::span<const std::shared_ptr<const Loss>> losses() {
  static const auto all = std::to_array<std::shared_ptr<const Loss>>(
      {log_loss(), squared_loss(), absolute_loss(), poisson_loss()});
  return all;
}

std::shared_ptr<const Loss> find_loss(std::string_view name) {
  for (const auto& loss : losses())
    if (loss->name() == name) return loss;
  throw std::invalid_argument("unknown loss " + std::string(name));
}

}  // namespace mf::boost
