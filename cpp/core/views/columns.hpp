// Columns that Python has computed of an example and put behind its features: the view of a
// transformer. Nothing is known of which features they come from, so they belong to all.
//
// shape    that of the cells
// numbers  how many columns of other views come before them
#pragma once

#include "views/view.hpp"

namespace mf {

class ColumnsView final : public View {
 public:
  static constexpr const char* kKind = "columns";
  static ViewPtr make(const ViewSpec& spec, std::size_t n_features, std::size_t n_columns);

  std::size_t n_columns() const override { return n_cells(); }
  void compute(const float* example, float* cells) const override;
  const char* axis_name(std::size_t axis, bool plural) const override;

 protected:
  std::int32_t group_of(std::int32_t /*cell*/) const override { return 0; }
  void append_features(std::int32_t group, std::vector<std::int32_t>& out) const override;

 private:
  ColumnsView(const ViewSpec& spec, std::size_t n_features, std::size_t before);

  std::size_t n_features_, first_;
};

}  // namespace mf
