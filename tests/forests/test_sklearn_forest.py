"""scikit-learn's ``ensemble/tests/test_forest.py`` on our classes.

``python tools/sklearn_table.py`` prints what passes and, by reason, what does not.
"""

from __future__ import annotations

import pytest

from sklearn_suite.suite import expect, load, patterns_without_test

pytestmark = pytest.mark.filterwarnings("ignore")  # as scikit-learn has it, nearly

FORESTS = (
    *("RandomForestClassifier", "ExtraTreesClassifier"),
    *("RandomForestRegressor", "ExtraTreesRegressor"),
)

NOT_APPLICABLE = {
    "sparse X is not supported": [
        "test_forest_classifier_oob[sparse_csr]",
        "test_forest_classifier_oob[sparse_csc]",
        "test_forest_regressor_oob[sparse_csr]",
        "test_forest_regressor_oob[sparse_csc]",
        *(f"test_sparse_input[{name}]" for name in FORESTS),
        "test_memory_layout",  # its last layouts are sparse
        "test_read_only_buffer",
    ],
    "there is no criterion friedman_mse, or given as an object": [
        "test_regression_criterion[friedman_mse]",
        "test_mse_criterion_object_segfault_smoke_test",
        "test_missing_values_is_resilient[friedman_mse]",
        "test_missing_value_is_predictive[friedman_mse]",
        "test_friedman_mse_deprecation",
    ],
    "calls private methods of scikit-learn's forests": [
        "test_validate_y_class_weight",
        "test_class_weights_forest",
        "test_oob_not_computed_twice",
    ],
    "the trees of a forest are arrays, not estimators with a seed that can be fitted again": [
        "test_forest_multioutput_integral_regression_target",
        "test_estimators_samples",
        *(f"test_warm_start[{name}]" for name in FORESTS),
    ],
    "trees grow in threads of the core, not in joblib's backends": ["test_backend_respected"],
}

DIFFERENT = {
    "out-of-bag scores of several outputs with many classes are computed, not refused": [
        "test_classifier_error_oob_score_multiclass_multioutput"
    ],
    "out-of-bag probabilities of several outputs are a list, as those of predict_proba": [
        "test_forest_classifier_oob[X3-array]"
    ],
    "max_samples draws without replacement where bootstrap is False, instead of being refused": [
        "test_max_samples_bootstrap"
    ],
    "warm_start with another y is an error, not a warning": ["test_class_weight_errors"],
    "the seed decides: 3 of 12 seeds exceed the bound, and 4 of 12 with scikit-learn's own trees": [
        "test_importances_asymptotic"
    ],
    "the message has other words": [
        "test_poisson_y_positive_check",
        "test_forest_oob_score_requires_bootstrap",
        "test_forest_y_sparse",
    ],
}

REASONS = (NOT_APPLICABLE, DIFFERENT)


@pytest.fixture(autouse=True)
def _expected(request):
    expect(request, *REASONS)


@pytest.fixture
def global_random_seed():
    return 0


globals().update(load("sklearn.ensemble.tests.test_forest"))


def test_every_reason_belongs_to_a_test(request):
    assert patterns_without_test(request.node.parent, *REASONS) == []
