"""scikit-learn's ``tree/tests/test_tree.py`` on our classes.

``python tools/sklearn_table.py`` prints what passes and, by reason, what does not.
"""

from __future__ import annotations

import pytest

from sklearn_suite.suite import expect, load, patterns_without_test

pytestmark = pytest.mark.filterwarnings("ignore")  # as scikit-learn has it, nearly

WITH_CRITERIA = (
    "test_regression_toy",
    "test_diabetes_overfit",
    "test_diabetes_underfit",
    "test_min_impurity_decrease",
    "test_multioutput",
    "test_balance_property",
    "test_missing_values_best_splitter_on_equal_nodes_no_missing",
    "test_missing_values_random_splitter_on_equal_nodes_no_missing",
    "test_regression_tree_missing_values_toy",
)
SPARSE = ("csc_matrix", "csc_array", "csr_matrix", "csr_array")

NOT_APPLICABLE = {
    "sparse X is not supported": [
        "test_min_weight_fraction_leaf_on_sparse_input",
        "test_min_weight_fraction_leaf_with_min_samples_leaf_on_sparse_input",
        "test_min_weight_leaf_split_level[csc_matrix]",
        "test_min_weight_leaf_split_level[csc_array]",
        "test_memory_layout",  # its last layouts are sparse
        "test_sparse_input",
        "test_sparse_input_reg_trees",
        "test_sparse_parameters",
        "test_sparse_criteria",
        "test_explicit_sparse_zeros",
        "test_public_apply_sparse_trees",
        "test_empty_leaf_infinite_threshold[csc_matrix]",
        "test_empty_leaf_infinite_threshold[csc_array]",
        *(f"test_apply_path_readonly_all_trees[{kind}]" for kind in SPARSE),
        "test_missing_value_errors",
    ],
    "there is no criterion friedman_mse": [
        *(f"{test}[friedman_mse]" for test in WITH_CRITERIA),
        "test_friedman_mse_deprecation",
    ],
    "needs the class and the buffers of scikit-learn's tree": [
        "test_pickle",
        "test_arrays_persist",
        "test_build_pruned_tree_py",
        "test_build_pruned_tree_infinite_loop",
    ],
}

DIFFERENT = {
    "a feature that varies by less than 1e-7 is used like any other": [
        "test_almost_constant_feature"
    ],
    "of children of equal weight the left one gets values not seen missing, not the right one": [
        "test_missing_values_best_splitter_on_equal_nodes_no_missing[squared_error]",
        "test_missing_values_best_splitter_on_equal_nodes_no_missing[absolute_error]",
        "test_missing_values_best_splitter_on_equal_nodes_no_missing[poisson]",
    ],
    "any large max_leaf_nodes is fine: memory is not reserved before": ["test_huge_allocations"],
    "the message has other words, or the error another class": [
        "test_error",
        "test_class_weight_errors",
        "test_min_sample_split_1_error",
        "test_sample_weight_invalid",
    ],
}

REASONS = (NOT_APPLICABLE, DIFFERENT)


@pytest.fixture(autouse=True)
def _expected(request):
    expect(request, *REASONS)


@pytest.fixture
def global_random_seed():
    return 0


globals().update(load("sklearn.tree.tests.test_tree"))


def test_every_reason_belongs_to_a_test(request):
    assert patterns_without_test(request.node.parent, *REASONS) == []
