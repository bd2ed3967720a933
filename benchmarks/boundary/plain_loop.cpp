// The yardstick: a Boundary Forest (Mathy et al. 2015) as one would first write it.
//
// A loop over trees, rows and the children of a node, in this order: with the rows outside, 50
// trees push each other out of the cache and everything takes three to four times as long. Every
// distance is computed anew and the compiler does what it can with it (g++ -O3 -march=native).
// Points lie in one table, trees share nothing else. The core of the package has to be faster than
// this on one core.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace {

std::int64_t squared_distance(const std::uint8_t* a, const std::uint8_t* b, std::size_t n) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const int difference = a[i] - b[i];
    sum += difference * difference;
  }
  return sum;
}

// -ffast-math for this function only: without it the sum may not be split over the lanes of a
// register.
__attribute__((optimize("fast-math"))) float squared_distance(const float* a, const float* b,
                                                              std::size_t n) {
  float sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const float difference = a[i] - b[i];
    sum += difference * difference;
  }
  return sum;
}

struct Node {
  std::int32_t point;  // row of the table
  std::int32_t label;
  std::vector<std::int32_t> children;
};

using Tree = std::vector<Node>;  // the root comes first

template <class Value>
struct Found {
  std::int32_t node;
  decltype(squared_distance(static_cast<const Value*>(nullptr), nullptr, 0)) distance;  // squared
};

class AnyForest {
 public:
  virtual ~AnyForest() = default;
  virtual void train(const void* rows, const std::int32_t* labels, std::size_t n,
                     const std::int32_t* orders) = 0;
  virtual void predict(const void* rows, std::size_t n, std::int32_t n_labels,
                       std::int32_t* labels) = 0;
  virtual std::size_t point_bytes() const = 0;

  std::vector<Tree> trees;
  std::int64_t comparisons = 0;  // distances computed so far
};

template <class Value>
class Forest : public AnyForest {
 public:
  Forest(std::size_t n_trees, std::size_t max_children, std::size_t n_features)
      : n_trees_(n_trees), max_children_(max_children), n_features_(n_features) {}

  // `orders` is read in the first call only: n_trees rows of the order in which a tree sees the
  // roots of the others. A first call with fewer rows than trees makes as many trees as there are
  // rows.
  void train(const void* rows, const std::int32_t* labels, std::size_t n,
             const std::int32_t* orders) override {
    const auto* X = static_cast<const Value*>(rows);
    std::size_t start = 0;
    if (trees.empty()) {
      start = std::min(n, n_trees_);
      for (std::size_t i = 0; i < start; ++i) {
        trees.push_back({Node{static_cast<std::int32_t>(i), labels[i], {}}});
        append(X + i * n_features_);
      }
      for (std::size_t t = 0; t < start; ++t) {
        for (std::size_t i = 0; i + 1 < start; ++i) {
          const std::int32_t row = orders[t * (start - 1) + i];
          const std::int32_t found = walk(trees[t], X + row * n_features_).node;
          if (trees[t][found].label != labels[row]) attach(trees[t], found, row, labels[row]);
        }
      }
    }
    std::vector<std::int32_t> point(n, -1);  // until a tree wants it
    for (Tree& tree : trees) {
      for (std::size_t i = start; i < n; ++i) {
        const std::int32_t found = walk(tree, X + i * n_features_).node;
        if (tree[found].label == labels[i]) continue;
        if (point[i] < 0) point[i] = append(X + i * n_features_);
        attach(tree, found, point[i], labels[i]);
      }
    }
  }

  // Shepard's weights: every tree votes with one over its distance; points at distance 0 vote
  // alone.
  void predict(const void* rows, std::size_t n, std::int32_t n_labels,
               std::int32_t* labels) override {
    const auto* X = static_cast<const Value*>(rows);
    const std::size_t width = n_labels;
    std::vector<double> votes(n * width), exact(n * width);
    std::vector<bool> any_exact(n);
    for (const Tree& tree : trees) {
      for (std::size_t i = 0; i < n; ++i) {
        const Found<Value> found = walk(tree, X + i * n_features_);
        const std::size_t label = tree[found.node].label;
        if (found.distance == 0) {
          exact[i * width + label] += 1;
          any_exact[i] = true;
        } else {
          votes[i * width + label] += 1 / std::sqrt(static_cast<double>(found.distance));
        }
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double* first = (any_exact[i] ? exact : votes).data() + i * width;
      labels[i] = static_cast<std::int32_t>(std::max_element(first, first + width) - first);
    }
  }

  std::size_t point_bytes() const override { return points_.size() * sizeof(Value); }

 private:
  // Descend to the closest child while there is one closer than, or as close as, the node itself; a
  // full node is always left.
  Found<Value> walk(const Tree& tree, const Value* x) {
    Found<Value> at{0, squared_distance(x, &points_[tree[0].point * n_features_], n_features_)};
    comparisons += 1;
    while (true) {
      const Node& node = tree[at.node];
      Found<Value> best = at;
      bool stays = true, may_stay = node.children.size() < max_children_;
      for (const std::int32_t child : node.children) {
        const auto distance =
            squared_distance(x, &points_[tree[child].point * n_features_], n_features_);
        if (stays ? (!may_stay || distance <= best.distance) : distance < best.distance) {
          best = {child, distance};
          stays = false;
        }
      }
      comparisons += static_cast<std::int64_t>(node.children.size());
      if (stays) return at;
      at = best;
    }
  }

  static void attach(Tree& tree, std::int32_t parent, std::int32_t point, std::int32_t label) {
    tree[parent].children.push_back(static_cast<std::int32_t>(tree.size()));
    tree.push_back(Node{point, label, {}});
  }

  std::int32_t append(const Value* x) {
    points_.insert(points_.end(), x, x + n_features_);
    return static_cast<std::int32_t>(points_.size() / n_features_) - 1;
  }

  std::size_t n_trees_, max_children_, n_features_;
  std::vector<Value> points_;
};

}  // namespace

// What ctypes calls. Rows are uint8 or float32, C-contiguous; labels count from 0.
extern "C" {

void* forest_new(std::size_t n_trees, std::size_t max_children, std::size_t n_features,
                 int floats) {
  if (floats) return static_cast<AnyForest*>(new Forest<float>(n_trees, max_children, n_features));
  return static_cast<AnyForest*>(new Forest<std::uint8_t>(n_trees, max_children, n_features));
}

void forest_delete(void* forest) { delete static_cast<AnyForest*>(forest); }

void forest_train(void* forest, const void* rows, const std::int32_t* labels, std::size_t n,
                  const std::int32_t* orders) {
  static_cast<AnyForest*>(forest)->train(rows, labels, n, orders);
}

void forest_predict(void* forest, const void* rows, std::size_t n, std::int32_t n_labels,
                    std::int32_t* labels) {
  static_cast<AnyForest*>(forest)->predict(rows, n, n_labels, labels);
}

std::size_t forest_size(void* forest) { return static_cast<AnyForest*>(forest)->trees.size(); }

std::size_t forest_nodes(void* forest, std::size_t tree) {
  return static_cast<AnyForest*>(forest)->trees[tree].size();
}

std::size_t forest_point_bytes(void* forest) {
  return static_cast<AnyForest*>(forest)->point_bytes();
}

std::int64_t forest_comparisons(void* forest) {
  return static_cast<AnyForest*>(forest)->comparisons;
}
}
