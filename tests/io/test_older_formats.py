"""Parameters of older files, in the meaning that they have now."""

import pytest

import manifoldforest as mf
from manifoldforest.io._older_formats import in_present_meaning
from reference.forged_files import rewritten

PATCHES = {"class": "Patches", "params": {"max_size": 2, "kernel": "ones"}}
NOW = {"class": "Patches", "params": {"max_size": 2}}


def content(kind, params, version=3, **more):
    return {"format_version": version, "class": kind, "params": params, **more}


FORESTS = ["ForestClassifier", "ForestRegressor", "MetricForestRegressor", "KernelForestRegressor"]


@pytest.mark.parametrize("kind", FORESTS)
@pytest.mark.parametrize("version", [2, 3, 4])
def test_honest_fractions_of_all_forests(kind, version):
    found = in_present_meaning(content(kind, {"honest_fraction": 0.2}, version))
    assert found["params"] == {"honest_fraction": 0.2 if version == 4 else 0.8}
    assert found["format_version"] == version


@pytest.mark.parametrize("kind", FORESTS)
def test_parameters_that_a_file_lacks_stay_out(kind):
    assert in_present_meaning(content(kind, {}))["params"] == {}


def test_only_metric_forests_had_a_bandwidth_that_divides():
    params = {"bandwidth": 8.0}
    assert in_present_meaning(content("MetricForestRegressor", params))["params"] == {
        "bandwidth": 2.0
    }
    assert in_present_meaning(content("KernelForestRegressor", params))["params"] == params
    default = {"bandwidth": None}
    assert in_present_meaning(content("MetricForestRegressor", default))["params"] == default


@pytest.mark.parametrize(("rule", "order"), [("paper", "decreasing"), ("increasing", "increasing")])
def test_the_rule_became_an_order(rule, order):
    found = in_present_meaning(content("MetricForestRegressor", {"rule": rule}))
    assert found["params"] == {"distance_order": order}


def test_parameters_with_one_value_are_left_out():
    assert in_present_meaning(content("ForestRegressor", {"stratify": False}))["params"] == {}
    kept = {"stratify": True}
    assert in_present_meaning(content("ForestClassifier", kept))["params"] == kept


def test_projections_are_found_wherever_they_are():
    sum_of = {"class": "Sum", "params": {"parts": [{"tuple": ["a", {"projection": PATCHES}]}]}}
    sum_now = {"class": "Sum", "params": {"parts": [{"tuple": ["a", {"projection": NOW}]}]}}
    old = content("ForestClassifier", {}, projection=sum_of, param_projection=PATCHES)
    found = in_present_meaning(old)
    assert (found["projection"], found["param_projection"]) == (sum_now, NOW)
    assert old["projection"]["params"]["parts"][0]["tuple"][1] == {"projection": PATCHES}


def test_a_projection_that_was_set_after_the_fit(tmp_path):
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    forest = mf.ForestClassifier(2, random_state=0).fit(X, y)
    forest.set_params(projection=mf.projections.Patches(max_size=1)).save(tmp_path / "model.mf")

    def as_format_3(content, _):
        content["format_version"] = 3
        content["param_projection"]["params"]["kernel"] = "ones"

    rewritten(tmp_path / "model.mf", as_format_3)
    assert mf.load(tmp_path / "model.mf").projection == mf.projections.Patches(max_size=1)


def test_a_damaged_parameter_is_an_error_of_the_file(tmp_path):
    forest = mf.ForestClassifier(2, random_state=0).fit([[0.0], [1.0]], [0, 1])
    forest.save(tmp_path / "model.mf")
    rewritten(
        tmp_path / "model.mf",
        lambda c, _: (c.update(format_version=3), c["params"].update(honest_fraction="half")),
    )
    with pytest.raises(mf.ModelFileError, match="not a whole model file"):
        mf.load(tmp_path / "model.mf")
