"""Pages and notebooks: nothing from outside, nothing that was not escaped, nothing restyled."""

import os
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from sklearn import config_context
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr

import manifoldforest as mf
from manifoldforest.report._style import NOTEBOOK_STYLE, STYLE
from report.pages import assert_good_page, drawing, selectors

X, Y = load_iris(return_X_y=True)
EVIL = "<script>alert('x')</script>&\"'$x_{"
FOREST = mf.ForestClassifier(3, random_state=0).fit(X, Y)
STUMP = mf.ForestClassifier(1, max_depth=1, random_state=0).fit(X[:, :2], Y)


def evil_forest():
    pandas = pytest.importorskip("pandas")
    names = [f"{EVIL}{i}" for i in range(4)]
    labels = np.array([f"{EVIL}{i}" for i in range(3)])[Y]
    return mf.ForestClassifier(3, random_state=0).fit(pandas.DataFrame(X, columns=names), labels)


def test_what_comes_from_users_is_escaped():
    forest = evil_forest()
    for text in (forest.describe().to_html(), forest._repr_html_()):
        page = assert_good_page(text)
        assert "<script" not in text
        assert f"{EVIL}0" in page.text
        assert any("&lt;script&gt;" in drawing(picture) for picture in page.pictures)


def test_a_page_has_headings_and_pictures_with_words():
    page = assert_good_page(FOREST.describe().to_html())
    assert page.headings[0] == ("h1", "ForestClassifier")
    titles = [text for level, text in page.headings if level == "h2"]
    assert titles[:4] == ["Data", "Parameters", "Size", "Out of bag"]
    assert titles[4:] == ["Calibration", "Importance", "What splits look at", "The first tree"]
    assert len(page.pictures) == 4
    assert ("html", "lang", "en") in page.attributes
    assert any(name == "viewport" for _, _, name in page.attributes)


def test_equal_reports_are_equal_pages():
    again = mf.ForestClassifier(1, max_depth=1, random_state=0).fit(X[:, :2], Y)
    assert again.describe().to_html() == STUMP.describe().to_html()


def test_settings_of_matplotlib_stay_as_they_are_and_do_not_matter():
    plain = STUMP.describe().to_html()
    with mpl.rc_context({"font.size": 31, "axes.facecolor": "red", "text.usetex": True}):
        before = dict(mpl.rcParams)
        assert STUMP.describe().to_html() == plain
        assert dict(mpl.rcParams) == before


def test_every_rule_of_the_style_is_about_reports():
    found = selectors(STYLE + NOTEBOOK_STYLE)
    assert len(found) > 40
    assert all(selector.startswith(".mf-report") for selector in found)
    for part in ("prefers-color-scheme: dark", "@media print", "max-width"):
        assert part in STYLE


# ---------------------------------------------------------------------------------- files


def test_a_report_is_saved_as_a_whole(tmp_path):
    path = tmp_path / "forest.html"
    STUMP.describe().save(path)
    assert path.read_text(encoding="utf-8") == STUMP.describe().to_html()
    STUMP.describe().save(str(path))
    assert os.listdir(tmp_path) == ["forest.html"]


def test_a_report_that_cannot_be_saved_leaves_nothing(tmp_path):
    with pytest.raises(OSError, match="forest.html"):
        STUMP.describe().save(tmp_path / "missing" / "forest.html")
    with pytest.raises(TypeError, match="path must be a path, got 3"):
        STUMP.describe().save(3)
    assert os.listdir(tmp_path) == []


# ------------------------------------------------------------------------------ notebooks


def test_notebooks_show_the_report_of_a_fitted_forest():
    bundle = STUMP._repr_mimebundle_()
    assert bundle["text/html"] == STUMP._repr_html_()
    assert bundle["text/plain"] == repr(STUMP)
    page = assert_good_page(bundle["text/html"])
    assert "html" not in page.tags
    assert not page.headings  # they would be in the table of contents of the notebook
    assert all(selector.startswith(".mf-report") for selector in selectors("".join(page.styles)))
    assert "<details open><summary>" in STUMP.describe()._repr_html_()


def test_notebooks_show_the_diagram_of_a_forest_that_is_not_fitted():
    forest = mf.ForestClassifier()
    assert "sk-top-container" in forest._repr_html_()
    assert "mf-report" not in forest._repr_html_()
    assert "mf-report" not in forest._repr_mimebundle_()["text/html"]


def test_notebooks_show_text_if_scikit_learn_is_told_to():
    with config_context(display="text"):
        assert not hasattr(STUMP, "_repr_html_")
        assert STUMP._repr_mimebundle_() == {"text/plain": repr(STUMP)}


def test_the_diagram_of_a_pipeline_stays_as_it_is():
    pipeline = make_pipeline(StandardScaler(), mf.ForestClassifier(2)).fit(X, Y)
    assert "mf-report" not in pipeline._repr_html_()
    assert "sk-top-container" in estimator_html_repr(STUMP)


# ---------------------------------------------------------------------- without matplotlib

SCRIPT = """
import sys
sys.modules["matplotlib"] = None  # as if it were not installed
import manifoldforest as mf
from sklearn.datasets import load_iris

forest = mf.ForestClassifier(3, random_state=0).fit(*load_iris(return_X_y=True))
report = forest.describe()
assert report.to_dict()["size"]["trees"] == 3
assert "Out of bag" in str(report)
page = report.to_html()
assert "<img" not in page
assert "pip install &#x27;manifoldforest[plot]&#x27;" in page
assert "Error over trees" in page  # what a picture would have shown
assert "yes: " in page  # the tree in words
assert "<img" not in forest._repr_html_()
"""


def test_reports_need_no_matplotlib():
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_reports_are_imported_when_they_are_asked_for():
    script = (
        "import sys, manifoldforest as mf; mf.ForestClassifier; "
        "assert 'manifoldforest.report' not in sys.modules; "
        "mf.report.Report; assert 'matplotlib' not in sys.modules"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
