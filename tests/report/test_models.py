"""Every model has a report, whatever it was fitted on."""

import json

import numpy as np
import pytest
from matplotlib.figure import Figure

import manifoldforest as mf
from manifoldforest.report import Report
from manifoldforest.report._text import columns
from report.pages import assert_good_page

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(60, 5))
HOLES = np.where(RNG.random(ROWS.shape) < 0.1, np.nan, ROWS)
LABELS = (ROWS[:, 0] > 0).astype(int) + (ROWS[:, 1] > 1)
NUMBERS = ROWS[:, 0] + 0.1 * RNG.normal(size=60)
IMAGES = RNG.integers(0, 256, size=(60, 6, 6)).astype(np.uint8)
COLOURS = RNG.integers(0, 256, size=(60, 6, 6, 3)).astype(np.uint8)
SERIES = RNG.normal(size=(60, 20)).cumsum(axis=1)
CHANNELS = RNG.normal(size=(60, 2, 12)).cumsum(axis=2)
VOLUMES = RNG.normal(size=(60, 3, 4, 3))
ANGLES = np.arctan2(ROWS[:, 1], ROWS[:, 0])
RING = np.eye(5, k=1) + np.eye(5, k=-1)
P = mf.projections


def classifier(X=ROWS, y=LABELS, **params):
    return mf.ForestClassifier(4, random_state=0, **params).fit(X, y)


def regressor(X=ROWS, y=NUMBERS, **params):
    return mf.ForestRegressor(4, random_state=0, **params).fit(X, y)


def boosted(X=ROWS, y=LABELS, **params):
    return mf.BoostedForestClassifier(4, random_state=0, **params).fit(X, y)


def index(kind, X=ROWS, **params):
    made = kind(**params)
    made.add(X)
    return made


MODELS = {
    "table": classifier,
    "bytes": lambda: classifier(IMAGES),
    "holes": lambda: classifier(HOLES),
    "one tree": lambda: mf.ForestClassifier(1, random_state=0).fit(ROWS, LABELS),
    "one class": lambda: classifier(y=np.zeros(60)),
    "one feature": lambda: classifier(ROWS[:, :1]),
    "labels of text": lambda: classifier(y=np.array(["ä", "$b$", "雪"])[LABELS]),
    "two classes": lambda: classifier(y=LABELS > 0),
    "many classes": lambda: classifier(y=np.arange(60) % 25),
    "several outputs": lambda: classifier(y=np.stack([LABELS, LABELS > 0], axis=1)),
    "out of bag": lambda: classifier(oob_score=True),
    "nothing out of bag": lambda: classifier(bootstrap=False),
    "no samples": lambda: classifier(keep_samples=False, oob_score=True),
    "honest": lambda: classifier(honest=True),
    "ranks": lambda: classifier(ranks=True),
    "refined": lambda: classifier(refine=True),
    "refined, two classes": lambda: classifier(y=LABELS > 0, refine=True),
    "hard votes": lambda: classifier(voting="hard", class_weight="balanced"),
    "a score": lambda: classifier(oob_score=lambda truth, found: 0.5),
    "axis": lambda: classifier(projection="axis"),
    "rotation": lambda: classifier(projection="rotation"),
    "rotation of images": lambda: classifier(IMAGES, projection=P.Rotation(max_dims=4)),
    "dense": lambda: classifier(np.tile(ROWS, 3), projection="mean_difference"),
    "dictionary": lambda: classifier(projection=P.Dictionary(np.tri(5))),
    "graph balls": lambda: classifier(projection=P.GraphBalls(RING, radius=1)),
    "graph edges": lambda: classifier(IMAGES, projection=P.GraphEdges()),
    "patches": lambda: classifier(IMAGES, projection=P.Patches(max_size=3)),
    "patches of flat rows": lambda: classifier(
        IMAGES.reshape(60, -1), projection=P.Patches(shape=(6, 6))
    ),
    "around": lambda: classifier(SERIES, projection=P.Patches(wrap=True)),
    "not contiguous": lambda: classifier(IMAGES, projection=P.Patches(contiguous=(False, True))),
    "gradients": lambda: classifier(IMAGES, projection=P.Patches(view=mf.views.Gradients())),
    "image recipe": lambda: mf.named_forest("image", n_estimators=3, random_state=0).fit(
        IMAGES, LABELS
    ),
    "colours": lambda: classifier(
        COLOURS, projection=P.Patches(view=mf.views.Gradients(), channel_axis=-1)
    ),
    "colours without patches": lambda: classifier(COLOURS),
    "series": lambda: classifier(SERIES, projection="patches"),
    "changes of a series": lambda: classifier(
        SERIES, projection=P.Patches(view=mf.views.Difference())
    ),
    "spectrum": lambda: classifier(SERIES, projection=P.Patches(view=mf.views.Spectrum())),
    "intervals": lambda: classifier(SERIES, projection="intervals"),
    "kernels": lambda: classifier(CHANNELS, projection=P.DilatedKernels(20) + P.Intervals("std")),
    "transformer": lambda: classifier(
        projection=P.Patches(view=mf.views.FromTransformer(lambda X: X[:, :3] ** 2))
    ),
    "channels": lambda: classifier(CHANNELS, projection=P.Patches(channel_axis=0)),
    "volumes": lambda: classifier(VOLUMES, projection="patches"),
    "axis and patches": lambda: classifier(SERIES, projection=P.Axis() + P.Patches()),
    "augmented": lambda: classifier(IMAGES, projection="patches", augment=1),
    "weights": lambda: mf.ForestClassifier(4, random_state=0).fit(
        ROWS, LABELS, sample_weight=RNG.random(60) * (np.arange(60) > 5)
    ),
    "numbers": regressor,
    "several numbers": lambda: regressor(y=ROWS[:, :2], honest=True),
    "many numbers": lambda: regressor(y=np.tile(ROWS, 3)),
    "constant numbers": lambda: regressor(y=np.ones(60)),
    "large numbers": lambda: regressor(y=1e200 * NUMBERS),
    "absolute error": lambda: regressor(criterion="absolute_error", oob_score=True),
    "boosted": boosted,
    "boosted, two classes": lambda: boosted(y=LABELS > 0, early_stopping=True),
    "boosted outputs": lambda: boosted(y=np.stack([LABELS, LABELS > 0], axis=1)),
    "boosted images": lambda: boosted(IMAGES),
    "boosted numbers": lambda: mf.BoostedForestRegressor(4, random_state=0).fit(ROWS, NUMBERS),
    "boosted counts": lambda: mf.BoostedForestRegressor(4, loss="poisson", random_state=0).fit(
        ROWS, LABELS
    ),
    "angles": lambda: mf.MetricForestRegressor(
        4, space="circle", oob_score=True, random_state=0
    ).fit(ROWS, ANGLES),
    "angles, no score": lambda: mf.MetricForestRegressor(4, space="circle", random_state=0).fit(
        ROWS, ANGLES
    ),
    "objects": lambda: mf.MetricForestRegressor(
        4,
        space=mf.spaces.FromCallable(lambda a, b: abs(len(a) - len(b))),
        oob_score=True,
        random_state=0,
    ).fit(ROWS, [("$" * (1 + label)) for label in LABELS]),
    "vectors": lambda: mf.MetricForestRegressor(4, random_state=0, oob_score=True).fit(
        IMAGES, ROWS[:, :2]
    ),
    "kernel": lambda: mf.KernelForestRegressor(4, random_state=0, oob_score=True).fit(
        ROWS, ROWS[:, :2]
    ),
    "boundary": lambda: mf.BoundaryForestClassifier(3, random_state=0).fit(IMAGES, LABELS),
    "boundary, colours": lambda: mf.BoundaryForestClassifier(3, random_state=0).fit(
        COLOURS, LABELS
    ),
    "boundary, rows": lambda: mf.BoundaryForestClassifier(3, random_state=0).fit(ROWS, LABELS),
    "boundary, words": lambda: mf.BoundaryForestClassifier(
        3, metric=lambda a, b: abs(len(a) - len(b)), random_state=0
    ).fit(["a", "$b_{", "ccc"], ["x", "y", "z"]),
    "boundary, passes": lambda: mf.BoundaryForestClassifier(3, passes=2, random_state=0).fit(
        ROWS, LABELS
    ),
    "boundary, one example": lambda: mf.BoundaryForestClassifier(3).fit(ROWS[:1], [1]),
    "boundary numbers": lambda: mf.BoundaryForestRegressor(3, random_state=0).fit(ROWS, NUMBERS),
    "boundary view": lambda: mf.BoundaryForestClassifier(
        3, embedding=mf.views.Gradients(), random_state=0
    ).fit(IMAGES, LABELS),
    "index": lambda: index(mf.BoundaryIndex, IMAGES),
    "empty index": mf.BoundaryIndex,
    "index of words": lambda: index(
        mf.BoundaryIndex, ["a", "bb"], metric=lambda a, b: abs(len(a) - len(b))
    ),
    "exact index": lambda: index(mf.boundary.BruteForceIndex),
    "empty exact index": mf.boundary.BruteForceIndex,
}


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB")
@pytest.mark.parametrize("name", MODELS)
def test_a_model_has_a_text_a_dictionary_and_pictures(name):
    model = MODELS[name]()
    report = model.describe()
    assert isinstance(report, Report)
    lines = str(report).splitlines()
    assert lines[0] == type(model).__name__
    assert max(map(columns, lines)) <= 80
    content = report.to_dict()
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    assert model.describe() == report
    for section in report.sections:
        for picture in section.pictures:
            axes = Figure(figsize=picture.size).subplots()
            picture.draw(axes)


# models whose pages are as different as can be
PAGES = (
    *("bytes", "labels of text", "several outputs", "gradients", "channels", "large numbers"),
    *("boosted, two classes", "angles", "boundary", "boundary, words", "empty index"),
)


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB")
@pytest.mark.parametrize("name", PAGES)
def test_pages_are_balanced_and_refer_to_nothing_else(name):
    model = MODELS[name]()
    report = model.describe()
    page = assert_good_page(report.to_html())
    assert [text for level, text in page.headings if level == "h1"] == [type(model).__name__]
    assert len([text for level, text in page.headings if level == "h2"]) == len(report.sections)
    assert len(page.pictures) == sum(len(section.pictures) for section in report.sections)


@pytest.mark.parametrize("name", ["one class", "boosted", "boundary, rows", "index"])
def test_a_notebook_shows_a_folded_report(name):
    model = MODELS[name]()
    page = assert_good_page(model._repr_html_())
    assert page.tags[:4] == ["div", "style", "details", "summary"]
    assert ("details", "open") not in [pair[:2] for pair in page.attributes]
    assert model.describe().summary in page.text


def test_a_differentiable_tree_has_a_report():
    pytest.importorskip("torch")
    tree = mf.DifferentiableBoundaryTree(2, hidden=(4,), n_epochs=2, random_state=0)
    report = tree.fit(ROWS, LABELS).describe()
    assert report.to_dict()["training"]["epochs"] == 2
    assert "tree of" in str(report)
    assert len(assert_good_page(report.to_html()).pictures) == 2
