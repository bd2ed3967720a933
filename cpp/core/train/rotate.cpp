#include "train/rotate.hpp"

#include <algorithm>
#include <atomic>

namespace mf::train {
namespace {

// Multiplications between two checks for `stop` and for idle workers: milliseconds.
constexpr std::size_t kProductsAtOnce = std::size_t{1} << 24;

// Rows that no worker has taken yet.
struct Rows {
  // Said because make_shared needs it before Clang 16, which initialises no aggregates in
  // parentheses.
  Rows(std::size_t n, std::size_t chunk) : n_rows(n), at_once(chunk) {}

  const std::size_t n_rows, at_once;
  std::atomic<std::size_t> next{0};
};

template <class BeforeEach>
void rotate_rows(Worker& worker, GrowingTree& growing, Rows& rows, const BeforeEach& before_each) {
  while (true) {
    if (worker.inputs.stop) throw Stopped{};
    const std::size_t begin = rows.next.fetch_add(rows.at_once);
    if (begin >= rows.n_rows) return;
    before_each();
    worker.projector->rotate(begin, std::min(begin + rows.at_once, rows.n_rows), *growing.rotated);
  }
}

}  // namespace

void rotate_data(Worker& worker, const std::shared_ptr<GrowingTree>& growing) {
  const Rotation& rotation = growing->tree().rotation;
  if (rotation.empty()) return;
  growing->rotated = worker.projector->new_rotated(rotation);
  const std::size_t products = rotation.dims.size() * rotation.dims.size();
  const auto rows = std::make_shared<Rows>(worker.inputs.rows.n_rows,
                                           std::max<std::size_t>(1, kProductsAtOnce / products));
  JobQueue<Worker>& jobs = worker.inputs.jobs;
  rotate_rows(worker, *growing, *rows, [&] {
    if (jobs.has_idle_worker())
      jobs.push(growing->given,
                [growing, rows](Worker& other) { rotate_rows(other, *growing, *rows, [] {}); });
  });
  jobs.work_until_done(worker, growing->given);
}

}  // namespace mf::train
