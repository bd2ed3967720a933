"""The cells of views against short NumPy versions."""

import numpy as np
import pytest

from manifoldforest.views import Difference, Gradients, Identity, Spectrum
from reference import views as reference

RNG = np.random.default_rng(0)
BYTES = RNG.integers(0, 256, size=(12, 9, 7), dtype=np.uint8)
REALS = RNG.normal(size=(12, 9, 7)).astype(np.float32)
COLOURS = RNG.integers(0, 256, size=(10, 6, 5, 3), dtype=np.uint8)
ORIENTATIONS = (2, 4, 6, 8, 12, 64)


def all_pairs():
    """One image, 3 x 3, for each pair of differences of bytes, which its middle has."""
    x, y = (part.ravel() for part in np.meshgrid(np.arange(-255, 256), np.arange(-255, 256)))
    images = np.zeros((len(x), 3, 3), dtype=np.uint8)
    images[:, 1, 2], images[:, 1, 0] = np.maximum(x, 0), np.maximum(-x, 0)
    images[:, 2, 1], images[:, 0, 1] = np.maximum(y, 0), np.maximum(-y, 0)
    return x, y, images


@pytest.mark.parametrize("orientations", ORIENTATIONS)
def test_bytes_of_all_gradients_are_those_of_high_precision(orientations):
    x, y, images = all_pairs()
    cells = Gradients(orientations).transform(images)[:, :, 1, 1]
    channel, first, second = reference.shares(x, y, orientations, np.longdouble)
    expected = np.zeros_like(cells)
    rows = np.arange(len(x))
    # added, as a direction may be rounded to either side of an orientation
    np.add.at(expected, (rows, channel), reference.as_bytes(first).astype(np.uint8))
    np.add.at(
        expected, (rows, (channel + 1) % orientations), reference.as_bytes(second).astype(np.uint8)
    )
    assert np.array_equal(cells, expected)


@pytest.mark.parametrize("orientations", ORIENTATIONS)
def test_no_gradient_of_bytes_is_so_close_to_a_tie_that_rounding_depends_on_the_machine(
    orientations,
):
    x, y, _ = all_pairs()
    for part in reference.shares(x, y, orientations, np.longdouble)[1:]:
        from_tie = np.abs(part % 1 - 0.5)
        along_axis = (x == 0) | (y == 0)  # whose shares are halves and quarters, and exact
        assert from_tie[~along_axis].min() > 1e-9


@pytest.mark.parametrize("orientations", ORIENTATIONS)
def test_gradients_of_bytes(orientations):
    expected = reference.as_bytes(reference.gradients(BYTES, orientations))
    cells = Gradients(orientations).transform(BYTES)
    assert cells.dtype == np.uint8
    assert np.array_equal(cells, expected)


@pytest.mark.parametrize("orientations", ORIENTATIONS)
def test_gradients_of_floats_are_neither_rounded_nor_cut(orientations):
    cells = Gradients(orientations).transform(REALS)
    assert cells.dtype == np.float32
    np.testing.assert_allclose(
        cells, reference.gradients(REALS, orientations), rtol=2e-6, atol=1e-6
    )
    assert np.array_equal(Gradients(orientations).transform(1024 * REALS), 1024 * cells)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_the_strongest_channel_of_a_colour_image_counts(axis):
    images = np.moveaxis(COLOURS, -1, axis + 1 if axis >= 0 else axis)
    expected = reference.gradients(images, 8, axis)
    cells = Gradients().transform(images, channel_axis=axis)
    assert np.array_equal(cells, reference.as_bytes(expected))
    floats = Gradients().transform(images.astype(np.float64), channel_axis=axis)
    np.testing.assert_allclose(floats, expected, rtol=2e-6)


def test_the_first_of_equally_strong_channels_counts():
    image = np.zeros((1, 3, 3, 2), dtype=np.uint8)
    image[0, 1, 2, 0] = image[0, 2, 1, 1] = 100  # to the right, and down
    cells = Gradients(4).transform(image, channel_axis=-1)
    assert cells[0, :, 1, 1].tolist() == [100, 0, 0, 0]


def test_views_fitted_on_bytes_make_the_same_cells_of_all_types():
    fitted = Gradients().fit(BYTES)
    cells = fitted.transform(BYTES.astype(np.float64))
    assert cells.dtype == np.float32
    assert np.array_equal(cells, Gradients().transform(BYTES))
    of_floats = Gradients().fit(REALS)
    assert of_floats.transform(BYTES).dtype == np.float32
    assert np.array_equal(of_floats.transform(BYTES), Gradients().transform(BYTES.astype(float)))


def test_gradients_are_missing_where_a_neighbour_is():
    image = REALS[:1].copy()
    image[0, 4, 3] = np.nan
    cells = Gradients().transform(image)
    expected = np.zeros((9, 7), dtype=bool)
    expected[[3, 5, 4, 4], [3, 3, 2, 4]] = True  # the pixel itself takes no part in its gradient
    assert np.array_equal(np.isnan(cells[0]), np.broadcast_to(expected, (8, 9, 7)))
    colours = np.stack([REALS[:1], image], axis=-1)
    missing = np.isnan(Gradients().transform(colours, channel_axis=-1)[0])
    assert np.array_equal(missing, np.broadcast_to(expected, (8, 9, 7)))


def test_images_of_one_row_column_or_pixel_have_gradients():
    assert not Gradients().transform(BYTES[:, :1, :1]).any()
    for thin in (BYTES[:, :1], BYTES[:, :, :1]):
        expected = reference.as_bytes(reference.gradients(thin, 8))
        assert np.array_equal(Gradients().transform(thin), expected)


def test_gradients_larger_than_all_floats_are_cut_there():
    largest = np.finfo(np.float32).max
    image = np.zeros((1, 3, 3), dtype=np.float32)
    image[0, 1, 0], image[0, 1, 2] = -largest, largest
    assert Gradients(4).transform(image)[0, 0, 1, 1] == largest


SERIES = RNG.normal(size=(5, 3, 30)).astype(np.float32)


@pytest.mark.parametrize("order", [1, 2, 5])
@pytest.mark.parametrize("smoothing", [1, 3, 5, 99])
def test_differences(order, smoothing):
    cells = Difference(order, smoothing).transform(SERIES)
    expected = reference.difference(SERIES, order, smoothing)
    assert cells.shape == expected.shape
    assert cells.dtype == np.float32
    np.testing.assert_allclose(cells, expected, atol=1e-6)


@pytest.mark.parametrize("length", [1, 2, 3, 7, 8, 12, 30, 64, 97, 150, 360, 1001])
def test_spectra_of_series_of_any_length(length):
    series = RNG.normal(size=(4, length)).astype(np.float32)
    expected = reference.spectrum(series)
    cells = Spectrum().transform(series)
    assert cells.shape == expected.shape
    np.testing.assert_allclose(cells, expected, rtol=1e-6, atol=1e-6 * np.sqrt(length))


def test_bytes_become_floats_in_views_of_series():
    assert np.array_equal(Spectrum().transform(BYTES), Spectrum().transform(BYTES.astype(float)))
    assert np.array_equal(
        Difference().transform(BYTES), Difference().transform(BYTES.astype(float))
    )


def test_cells_of_series_are_missing_where_a_point_is():
    series = SERIES.copy()
    series[0, 1, 10] = np.nan
    spectra = np.isnan(Spectrum().transform(series))
    assert spectra[0, 1].all()
    assert spectra.sum() == spectra[0, 1].size
    found = np.isnan(Difference(1, 3).transform(series))
    expected = np.isnan(reference.difference(series, 1, 3))
    assert np.array_equal(found, expected)
    assert found.any()


def test_the_identity_is_the_example():
    assert np.array_equal(Identity().transform(BYTES), BYTES)


def test_cells_do_not_depend_on_the_number_of_threads():
    from joblib import parallel_backend

    many = RNG.integers(0, 256, size=(500, 9, 7), dtype=np.uint8)
    alone = Gradients().transform(many)
    with parallel_backend("threading", n_jobs=3):
        assert np.array_equal(Gradients().transform(many), alone)


@pytest.mark.parametrize(
    ("view", "shape", "channel_axis"),
    [
        (Gradients(), (9,), None),
        (Gradients(), (9, 7, 3), None),
        (Gradients(), (9, 7), 0),
        (Gradients(), (2, 9, 7, 3), -1),
        (Difference(), (3, 9), -1),
        (Difference(9), (3, 9), 0),
        (Spectrum(), (3, 9), 1),
    ],
)
def test_examples_of_another_shape_are_refused(view, shape, channel_axis):
    with pytest.raises(ValueError, match=r"must .*, got "):
        view.transform(np.zeros((2, *shape)), channel_axis=channel_axis)
