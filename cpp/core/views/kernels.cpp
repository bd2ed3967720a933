#include "views/kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace mf {
namespace {

constexpr std::size_t kBeforeKernels = SeriesBase::kNumbers + 1;
constexpr std::size_t kBeforeWeights = 6;  // numbers of a kernel
constexpr std::size_t kLanes = 8;          // answers that are pooled apart, in vectors

void require_kernels(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(std::string("view: kernels: ") + what);
}

float finite_float(int bits) {
  const auto value = std::bit_cast<float>(bits);
  require_kernels(std::isfinite(value), "weights and thresholds must be finite");
  return value;
}

}  // namespace

ViewPtr KernelView::make(const ViewSpec& spec, std::size_t, std::size_t) {
  return std::shared_ptr<const View>(new KernelView(spec, plan_of(spec)));
}

KernelView::Plan KernelView::plan_of(const ViewSpec& spec) {
  const std::vector<int>& numbers = spec.numbers;
  require_kernels(numbers.size() > kBeforeKernels, "there must be a kernel");
  Plan plan;
  plan.base = SeriesBase(spec);
  plan.n_base = plan.base.n_cells_of(plan.base.length());
  const int pools = numbers[SeriesBase::kNumbers];
  require_kernels(pools > 0 && pools < 1 << kPools, "unknown pools");
  plan.pools = static_cast<unsigned>(pools);
  plan.n_pools = std::popcount(plan.pools);
  for (std::size_t at = kBeforeKernels; at < numbers.size();) {
    require_kernels(at + kBeforeWeights <= numbers.size(), "a kernel lacks numbers");
    const int* const of = numbers.data() + at;
    const int n_weights = of[1];
    require_kernels(n_weights >= 1 && n_weights <= kMostWeights,
                    "a kernel must have 1 to 64 weights");
    require_kernels(at + kBeforeWeights + static_cast<std::size_t>(n_weights) <= numbers.size(),
                    "a kernel lacks weights");
    Kernel kernel{of[0], of[2], of[3], of[4], finite_float(of[5]), {}};
    for (int j = 0; j < n_weights; ++j)
      kernel.weights.push_back(finite_float(of[kBeforeWeights + static_cast<std::size_t>(j)]));
    require_kernels(
        kernel.series >= 0 && static_cast<std::size_t>(kernel.series) < plan.base.n_series(),
        "a kernel must look at a series");
    require_kernels(kernel.dilation >= 1 && kernel.dilation <= plan.n_base,
                    "dilations must fit the series");
    require_kernels(
        kernel.begin >= 0 && kernel.begin < kernel.end &&
            std::int64_t{kernel.end} + std::int64_t{n_weights - 1} * kernel.dilation <= plan.n_base,
        "intervals must fit the series");
    at += kBeforeWeights + static_cast<std::size_t>(n_weights);
    plan.kernels.push_back(std::move(kernel));
  }
  require_kernels(plan.kernels.size() * static_cast<std::size_t>(plan.n_pools) <= kMostCells,
                  "there must be at most 2**23 cells");
  return plan;
}

KernelView::KernelView(const ViewSpec& spec, Plan plan)
    : View(spec, {static_cast<int>(plan.kernels.size()) * plan.n_pools}), plan_(std::move(plan)) {}

// The series of an example, each made when a kernel first asks for it, and the answers of a kernel.
class KernelView::Scratch {
 public:
  Scratch(const Plan& plan, const float* example)
      : plan_(plan),
        example_(example),
        length_(plan.base.length_of(example)),
        n_(plan.base.n_cells_of(length_)),
        series_(plan.base.n_series()),
        answers_(static_cast<std::size_t>(plan.n_base) + kLanes) {}

  void compute(const Kernel& kernel, float* cells) {
    const Values& values = values_of(static_cast<std::size_t>(kernel.series));
    int dilation = kernel.dilation, begin = kernel.begin, end = kernel.end;
    if (n_ < plan_.n_base) {
      const auto scaled = [](int number, int to, int from) {
        return static_cast<int>(std::int64_t{number} * to / from);
      };
      dilation = std::max(1, scaled(dilation, n_, plan_.n_base));
      const int n_places = plan_.n_base - kernel.reach(kernel.dilation);
      const int places_left = n_ - kernel.reach(dilation);
      if (places_left > 0) {
        begin = std::min(scaled(begin, places_left, n_places), places_left - 1);
        end = std::max(scaled(end, places_left, n_places), begin + 1);
      } else {
        end = begin;
      }
    }
    if (begin == end || values.has_missing(begin, end + kernel.reach(dilation))) {
      std::fill_n(cells, plan_.n_pools, std::numeric_limits<float>::quiet_NaN());
      return;
    }
    answer(kernel, dilation, values.values.data() + begin, static_cast<std::size_t>(end - begin));
    pool(kernel.threshold, static_cast<std::size_t>(end - begin), cells);
  }

 private:
  struct Values {
    std::vector<float> values;
    bool some_missing = false;

    bool has_missing(int begin, int end) const {
      return some_missing && std::any_of(values.begin() + begin, values.begin() + end,
                                         [](float x) { return std::isnan(x); });
    }
  };

  const Values& values_of(std::size_t number) {
    Values& series = series_[number];
    if (series.values.empty()) {
      series.values.resize(static_cast<std::size_t>(plan_.n_base));
      if (n_ > 0)
        plan_.base.compute(plan_.base.series(example_, number), length_, series.values.data());
      series.some_missing = std::any_of(series.values.begin(), series.values.begin() + n_,
                                        [](float x) { return std::isnan(x); });
    }
    return series;
  }

  // In the order of the weights, for many places at once.
  void answer(const Kernel& kernel, int dilation, const float* values, std::size_t n) {
    float* __restrict const out = answers_.data();
    std::fill_n(out, n, 0.0F);
    for (std::size_t j = 0; j < kernel.weights.size(); ++j) {
      const float weight = kernel.weights[j];
      const float* __restrict const from = values + j * static_cast<std::size_t>(dilation);
      for (std::size_t t = 0; t < n; ++t) out[t] += weight * from[t];
    }
  }

  // Lanes are pooled apart, so that the order does not depend on the machine.
  void pool(float threshold, std::size_t n, float* cells) {
    float* const answers = answers_.data();
    const float lowest = *std::min_element(answers, answers + n);
    std::array<float, kLanes> largest;
    std::array<double, kLanes> sums{};
    std::array<std::int32_t, kLanes> above{};
    largest.fill(lowest);
    std::size_t t = 0;
    for (; t + kLanes <= n; t += kLanes)
      for (std::size_t k = 0; k < kLanes; ++k) {
        const float x = answers[t + k];
        largest[k] = x > largest[k] ? x : largest[k];
        sums[k] += static_cast<double>(x);
        above[k] += x > threshold ? 1 : 0;
      }
    for (std::size_t k = 0; t < n; ++t, ++k) {
      const float x = answers[t];
      largest[k] = x > largest[k] ? x : largest[k];
      sums[k] += static_cast<double>(x);
      above[k] += x > threshold ? 1 : 0;
    }
    const float maximum = *std::max_element(largest.begin(), largest.end());
    double sum = 0.0;
    std::int64_t count = 0;
    for (std::size_t k = 0; k < kLanes; ++k) {
      sum += sums[k];
      count += above[k];
    }
    const auto size = static_cast<double>(n);
    if (plan_.has(kMaximum)) *cells++ = to_cell(static_cast<double>(maximum));
    if (plan_.has(kShare)) *cells++ = static_cast<float>(static_cast<double>(count) / size);
    if (plan_.has(kMean)) *cells++ = to_cell(sum / size);
    if (plan_.has(kPosition)) {
      const auto place = std::find(answers, answers + n, maximum) - answers;
      *cells++ = n > 1 ? static_cast<float>(static_cast<double>(place) / (size - 1.0)) : 0.0F;
    }
  }

  const Plan& plan_;
  const float* example_;
  int length_, n_;  // of its series, and of what the base makes of them
  std::vector<Values> series_;
  std::vector<float> answers_;
};

void KernelView::compute(const float* example, float* cells) const {
  Scratch scratch(plan_, example);
  for (const Kernel& kernel : plan_.kernels) {
    scratch.compute(kernel, cells);
    cells += plan_.n_pools;
  }
}

void KernelView::append_features(std::int32_t number, std::vector<std::int32_t>& out) const {
  const Kernel& kernel = plan_.kernels[static_cast<std::size_t>(number)];
  plan_.base.append_features(kernel.series, kernel.begin,
                             kernel.end + kernel.reach(kernel.dilation), out);
}

const char* KernelView::axis_name(std::size_t, bool plural) const {
  return plural ? "answers" : "answer";
}

std::string KernelView::cell_text(std::int32_t cell) const {
  static constexpr std::array kNames{"largest answer", "share above a threshold", "mean answer",
                                     "place of the largest answer"};
  const auto number = static_cast<std::size_t>(cell / plan_.n_pools);
  int rest = cell % plan_.n_pools;
  std::string text;
  for (int p = 0; p < kPools && text.empty(); ++p)
    if (plan_.has(static_cast<Pool>(p)) && rest-- == 0) text = kNames[static_cast<std::size_t>(p)];
  const Kernel& kernel = plan_.kernels[number];
  return text + " of kernel " + std::to_string(number) + ", " +
         plan_.base.text(kernel.series, kernel.begin, kernel.end + kernel.reach(kernel.dilation));
}

}  // namespace mf
