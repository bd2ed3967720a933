"""The projection for images, what it stands for, and what "auto" stands for."""

from __future__ import annotations

import numpy as np
import pytest

import manifoldforest as mf
from manifoldforest.projections import ImagePatches, Mixture, Patches, Sporf
from manifoldforest.projections._auto import auto_projection
from manifoldforest.views import Gradients

RNG = np.random.default_rng(0)


def striped(n, *, pixel=False, shape=(10, 12)):
    """Return images of noise with a horizontal or a vertical step, or of a level that tells y."""
    y = np.arange(n) % 2
    images = RNG.integers(0, 40, (n, *shape))
    for image, label in zip(images, y, strict=True):
        if pixel:
            image += 60 * label
        elif label:
            image[RNG.integers(2, shape[0] - 2) :, :] += 120
        else:
            image[:, RNG.integers(2, shape[1] - 2) :] += 120
    return images.astype(np.uint8), y


@pytest.mark.parametrize(
    ("shape", "channel_axis", "largest"),
    [
        ((28, 28), None, 12),
        ((64, 80), None, 12),
        ((8, 8), None, 4),
        ((8, 30), None, 4),
        ((3, 3), None, 2),
        ((1, 5), None, 1),
        ((20, 21, 3), -1, 10),
        ((20, 21, 1), -1, 10),
    ],
)
def test_sizes_and_channels_follow_the_shape_of_images(shape, channel_axis, largest):
    gradients, mixed = ImagePatches()._alternatives(shape)
    assert gradients == Patches(
        view=Gradients(),
        min_size=min(2, largest),
        max_size=largest,
        placement="interior",
        channel_axis=channel_axis,
    )
    assert isinstance(mixed, Mixture)
    assert mixed.parts[0][1] == gradients
    assert mixed.parts[1][1] == gradients.set_params(view=None)
    assert [part[2] for part in mixed.parts] == [0.75, 0.25]


def test_parameters_decide_what_is_left_to_decide():
    (only,) = ImagePatches(raw=False, orientations=6, max_size=3)._alternatives((9, 9))
    assert (only.view, only.max_size) == (Gradients(orientations=6), 3)
    (mixed,) = ImagePatches(raw=True, channel_axis=0)._alternatives((3, 9, 8))
    assert mixed.parts[1][1].channel_axis == 0
    assert mixed.parts[1][1].max_size == 4


@pytest.mark.parametrize(
    ("params", "shape", "message"),
    [
        ({}, (9,), "reshape flat rows"),
        ({}, (9, 8, 5), r"at most 4 channels, got examples of shape \(9, 8, 5\)"),
        ({"channel_axis": None}, (9, 8, 3), "channel_axis must leave two axes"),
        ({"channel_axis": 0}, (9, 8), "channel_axis must leave two axes"),
        ({"channel_axis": 3}, (9, 8, 3), "channel_axis must leave two axes"),
        ({"max_size": 30}, (9, 8), "a patch larger than the image"),
    ],
)
def test_examples_that_are_no_images_are_refused(params, shape, message):
    forest = mf.ForestClassifier(2, projection=ImagePatches(**params))
    with pytest.raises(ValueError, match=message):
        forest.fit(np.zeros((4, *shape)), [0, 1, 0, 1])


def test_auto_goes_by_the_shape():
    assert auto_projection((7,)) == Sporf(scale="std")
    assert auto_projection((7, 9)) == auto_projection((7, 9, 4)) == ImagePatches()
    for shape in [(7, 9, 5), (2, 3, 4, 5)]:
        with pytest.raises(ValueError, match="projection must not be 'auto' for examples of shape"):
            auto_projection(shape)


@pytest.mark.parametrize("kind", ["forest", "boosted"])
def test_pixels_are_looked_at_where_they_tell_more(kind):
    def fitted(images, y):
        if kind == "forest":
            return mf.named_forest("image", n_estimators=5, random_state=0).fit(images, y)
        return mf.BoostedForestClassifier(3, random_state=0).fit(images, y)

    assert isinstance(fitted(*striped(200, pixel=True)).projection_, Mixture)
    assert isinstance(fitted(*striped(200)).projection_, Patches)


def test_the_choice_depends_on_the_data_alone():
    images, y = striped(100, pixel=True)
    forests = [
        mf.ForestClassifier(2, projection="auto", random_state=seed, n_jobs=n_jobs).fit(images, y)
        for seed, n_jobs in ((0, 1), (1, 2), (np.random.RandomState(3), 1))
    ]
    assert len({repr(forest.projection_) for forest in forests}) == 1
    # and the generator is used as often as without a choice
    generators = [np.random.RandomState(0), np.random.RandomState(0)]
    mf.ForestClassifier(2, projection="auto", random_state=generators[0]).fit(images, y)
    mf.ForestClassifier(2, random_state=generators[1]).fit(images, y)
    assert generators[0].randint(2**31) == generators[1].randint(2**31)


@pytest.mark.parametrize("kind", [mf.ForestClassifier, mf.BoostedForestClassifier])
def test_a_trial_needs_no_row_of_every_class(kind):
    """Trials see 2000 of these rows, and not the only one of the class that has a weight."""
    images = RNG.integers(0, 256, (2100, 4, 4), dtype=np.uint8)
    y = np.arange(2100) % 2
    left_out = np.random.RandomState(0).permutation(2100)[2000:]
    y[left_out[0]] = 2
    forest = kind(2, projection="auto", class_weight={2: 5.0}, random_state=0).fit(images, y)
    assert forest.classes_.tolist() == [0, 1, 2]


def test_a_trial_needs_no_event():
    images = RNG.integers(0, 256, (2100, 4, 4), dtype=np.uint8)
    counts = np.zeros(2100)
    counts[np.random.RandomState(0).permutation(2100)[2000:]] = 1
    forest = mf.ForestRegressor(2, projection="auto", criterion="poisson", random_state=0)
    assert isinstance(forest.fit(images, counts).projection_, Patches)
    boosted = mf.BoostedForestRegressor(2, loss="poisson", random_state=0).fit(images, counts)
    assert isinstance(boosted.projection_, Patches)


def test_a_warm_start_keeps_the_choice():
    images, y = striped(100, pixel=True)
    grown = mf.ForestClassifier(4, projection=ImagePatches(), random_state=0, warm_start=True)
    grown.fit(images, y).set_params(n_estimators=8).fit(images, y)
    at_once = mf.ForestClassifier(8, projection=ImagePatches(), random_state=0).fit(images, y)
    assert isinstance(grown.projection_, Mixture)
    assert (grown.predict_proba(images) == at_once.predict_proba(images)).all()


def test_a_few_rows_and_regression_and_metric_responses_are_fine():
    images, y = striped(30)
    tiny = mf.named_forest("image", n_estimators=3, random_state=0).fit(images[:4], y[:4])
    assert isinstance(tiny.projection_, Patches)
    numbers = mf.named_forest("image", "regression", n_estimators=10, random_state=0)
    assert numbers.fit(images, y).score(images, y) > 0.9
    angles = mf.MetricForestRegressor(5, space="circle", projection="auto", random_state=0)
    assert angles.fit(images, 3.0 * y).predict(images).shape == (30,)


def test_it_can_be_a_part_of_a_mixture_and_be_saved(tmp_path):
    images, y = striped(60)
    projection = Mixture([("image", ImagePatches(), 0.5), ("axis", mf.projections.Axis(), 0.5)])
    for chosen in (projection, ImagePatches(), "auto"):
        forest = mf.ForestClassifier(3, projection=chosen, random_state=0).fit(images, y)
        forest.save(tmp_path / "forest.mf")
        loaded = mf.load(tmp_path / "forest.mf")
        assert (loaded.predict_proba(images) == forest.predict_proba(images)).all()
        assert (loaded.projection, loaded.projection_) == (forest.projection, forest.projection_)
