"""Pictures of responses: what is drawn, not how it looks."""

import math

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.collections import EllipseCollection, LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.quiver import Quiver

from manifoldforest import plot, spaces
from manifoldforest.plot import COLORS
from manifoldforest.plot._ellipsoids import direction_colors, shaded_ellipsoid
from manifoldforest.plot._sphere_map import SphereMap, frame, great_circle

mpl.use("Agg")

POINTS = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 9.0]])
TWO = {"RF": POINTS + [1, 2, 3], "dRF": POINTS - 1}
ANGLES = np.array([0.1, 2.0, 6.2])
AXES = np.eye(3)
TILTED = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.6, 0.0, 0.8]])
SPD3 = np.array([np.diag([4.0, 1.0, 1.0]), np.diag([1.0, 9.0, 1.0]), np.eye(3)])
SPD2 = SPD3[:, :2, :2]


@pytest.fixture
def ax():
    return Figure().subplots()


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def only(ax, kind):
    """Return the only artist of a kind among the collections of the axes."""
    found = [artist for artist in ax.collections if isinstance(artist, kind)]
    assert len(found) == 1
    return found[0]


def drawn_without_warning(ax):
    np.asarray(ax, dtype=object).ravel()[0].figure.canvas.draw()


# --------------------------------------------------------------------------------------- vectors


def test_an_arrow_goes_from_every_true_point_to_its_prediction(ax):
    assert plot.responses(POINTS, TWO["RF"], plane=(0, 2), ax=ax) is ax
    arrows = only(ax, Quiver)
    np.testing.assert_array_equal(arrows.get_offsets(), POINTS[:, [0, 2]])
    np.testing.assert_array_equal(arrows.U, [1, 1, 1])
    np.testing.assert_array_equal(arrows.V, [3, 3, 3])
    assert (arrows.angles, arrows.scale_units, arrows.scale) == ("xy", "xy", 1)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("$y_{1}$", "$y_{3}$")


def test_the_truth_is_in_the_background_or_other_points(ax):
    plot.responses(POINTS, TWO["RF"], ax=ax)
    np.testing.assert_array_equal(ax.collections[0].get_offsets(), POINTS[:, :2])
    other = Figure().subplots()
    plot.responses(POINTS, TWO["RF"], background=np.full((5, 3), 40.0), ax=other)
    np.testing.assert_array_equal(other.collections[0].get_offsets(), np.full((5, 2), 40.0))
    assert other.get_xlim()[0] < 0
    assert other.get_xlim()[1] > 40


def test_every_method_has_a_panel_with_the_same_limits():
    panels = plot.responses(POINTS, TWO)
    assert [panel.get_title() for panel in panels] == ["RF", "dRF"]
    assert panels[0].get_xlim() == panels[1].get_xlim()
    assert panels[0].get_xlim()[0] < -1
    assert panels[0].get_xlim()[1] > 7
    colors = [to_hex(only(panel, Quiver).get_facecolor()[0]).upper() for panel in panels]
    assert colors == [COLORS["RF"], COLORS["dRF"]]
    assert panels[0].texts[0].get_text() == f"mean error {math.sqrt(14):#.3g}"


def test_only_outer_panels_of_a_new_figure_have_labels():
    panels = plot.responses(POINTS, {str(i): POINTS + i for i in range(5)})  # 3 above 2
    assert [bool(panel.get_xlabel()) for panel in panels] == [False, False, True, True, True]
    assert [bool(panel.get_ylabel()) for panel in panels] == [True, False, False, True, False]
    drawn_without_warning(panels)


def test_a_new_figure_has_a_legend_and_given_axes_only_if_asked(ax):
    panel = plot.responses(POINTS, TWO["RF"])
    assert len(panel.figure.legends) == 1
    plot.responses(POINTS, TWO["RF"], ax=ax)
    assert ax.get_legend() is None
    plot.responses(POINTS, TWO["RF"], legend=True, ax=ax)
    assert ax.get_legend() is not None
    assert not plot.responses(POINTS, TWO["RF"], legend=False).figure.legends


@pytest.mark.parametrize(
    ("truth", "predicted", "params", "message"),
    [
        (ANGLES, ANGLES, {}, r"truth must have the shape \(n, n_coordinates\), got \(3,\)"),
        (ANGLES[:, None], ANGLES, {}, "truth must have at least 2 coordinates"),
        (POINTS, POINTS[:2], {}, r"predicted must have the shape \(3, 3\), got \(2, 3\)"),
        (POINTS, {"RF": POINTS[:2]}, {}, r"predicted\['RF'\] must have the shape \(3, 3\)"),
        (POINTS, {}, {}, "predicted must hold at least one method"),
        (POINTS, {"truth": POINTS}, {}, "predicted must have no method that is called 'truth'"),
        ([[1.0], [1.0, 2.0]], POINTS, {}, "truth must be an array of numbers"),
        (POINTS, POINTS * np.nan, {}, "predicted must hold finite numbers"),
        (POINTS, POINTS, {"plane": (0, 3)}, r"plane must be two different .* in 0..2, got \(0, 3"),
        (POINTS, POINTS, {"plane": (1, 1)}, "plane must be two different coordinates"),
        (POINTS, POINTS, {"background": ANGLES}, "background must have the shape"),
        (POINTS, TWO, {"ax": Figure().subplots()}, "ax must be 2 axes, .* methods, got 1"),
        (POINTS, POINTS, {"period": 3.0}, "period is no option of kind='vectors'"),
        (POINTS, POINTS, {"kind": "map"}, "kind must be one of 'vectors', 'images', .* got 'map'"),
    ],
)
def test_vectors_refuse(truth, predicted, params, message):
    with pytest.raises(ValueError, match=message):
        plot.responses(truth, predicted, **params)


def test_text_is_no_array_of_numbers():
    with pytest.raises(TypeError, match="truth must be an array of numbers, got entries of type"):
        plot.responses(["a", "b"], POINTS)


def test_ax_must_be_axes():
    with pytest.raises(TypeError, match="ax must be matplotlib axes or an array of these, got 3"):
        plot.responses(POINTS, POINTS, ax=3)


# ---------------------------------------------------------------------------------------- images


@pytest.fixture
def halves():
    rng = np.random.default_rng(0)
    return rng.random((5, 2, 6)), rng.random((5, 3, 6))


def images_of(ax):
    return np.array([image.get_array() for image in ax.images])


def test_rows_are_the_truth_and_the_methods_and_columns_are_examples(halves):
    known, truth = halves
    ax = plot.responses(truth, {"1NN": truth + 1, "dRF": truth - 1}, known=known)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["truth", "1NN", "dRF"]
    expected = [np.concatenate([known, part], axis=1) for part in (truth, truth + 1, truth - 1)]
    np.testing.assert_array_equal(images_of(ax), np.concatenate(expected))
    left, right, bottom, top = np.array([image.get_extent() for image in ax.images]).T
    np.testing.assert_allclose(right - left, 6)
    np.testing.assert_allclose(bottom - top, 5)
    assert len(np.unique(left)) == 5
    assert len(np.unique(top)) == 3
    assert len({image.get_clim() for image in ax.images}) == 1
    drawn_without_warning(ax)


@pytest.mark.parametrize("side", ["below", "above", "left", "right"])
def test_the_seam_is_where_the_known_part_ends(side, halves, ax):
    known, truth = halves
    axis = 1 if side in ("below", "above") else 2
    if axis == 2:
        known, truth = known.transpose(0, 2, 1), truth.transpose(0, 2, 1)
    plot.responses(truth, truth, known=known, side=side, ax=ax)
    parts = (known, truth) if side in ("below", "right") else (truth, known)
    np.testing.assert_array_equal(images_of(ax)[:5], np.concatenate(parts, axis=axis))
    (seams,) = (artist for artist in ax.collections if artist.get_gid() == "seams")
    segments = np.array(seams.get_segments())
    assert segments.shape == (10, 2, 2)
    left, _, _, top = ax.images[0].get_extent()
    first = 2 if side in ("below", "right") else 3  # pixels before the seam
    along = (segments[0] - (left, top))[:, 2 - axis]
    np.testing.assert_allclose(along, first)


def test_flat_rows_take_the_shape_of_a_whole_image(halves, ax):
    known, truth = halves
    plot.responses(
        truth.reshape(5, -1), truth.reshape(5, -1), known=known.reshape(5, -1), shape=(5, 6), ax=ax
    )
    np.testing.assert_array_equal(images_of(ax)[:5], np.concatenate([known, truth], axis=1))


def test_examples_that_do_not_fit_go_below(halves, ax):
    known, truth = halves
    plot.responses(truth, {"RF": truth}, known=known, columns=3, ax=ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["truth", "RF"] * 2
    top = [image.get_extent()[3] for image in ax.images[:5]]
    assert top[0] == top[2] < top[3] == top[4]
    assert len({(image.get_extent()[0], image.get_extent()[3]) for image in ax.images}) == 10


def test_marked_images_have_a_frame(halves, ax):
    known, truth = halves
    marked = {"RF": np.array([False, True, False, True, False])}
    plot.responses(truth, {"RF": truth}, known=known, marked=marked, ax=ax)
    (frames,) = (artist for artist in ax.collections if artist.get_gid() == "marked")
    corners = [path.vertices[0] for path in frames.get_paths()]
    expected = [ax.images[5 + i].get_extent() for i in (1, 3)]
    np.testing.assert_allclose(corners, [(extent[0], extent[3]) for extent in expected])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"known": None, "kind": "images"}, "known must be given for kind='images'"),
        ({"known": np.ones((5, 2, 7))}, r"known must have as many .* \(5, 2, 7\) for \(5, 3, 6\)"),
        ({"known": np.ones((4, 2, 6))}, "known must have as many images as truth"),
        ({"known": np.ones((5, 12))}, "shape must be given where known holds flat rows"),
        ({"known": np.ones((5, 13)), "shape": (5, 6)}, "known must hold .* multiple of 6 .* 13"),
        ({"known": np.ones((5, 12)), "shape": (30,)}, "shape must be .* of a whole image"),
        ({"side": "under"}, "side must be one of 'below', 'above', 'right', 'left', got 'under'"),
        ({"marked": {"kRF": np.ones(5, bool)}}, r"marked must name the methods .* got 'kRF'"),
        ({"marked": {"RF": np.ones(4, bool)}}, r"marked\['RF'\] must be 5 booleans"),
        ({"columns": 0}, "columns must be an integer >= 1, got 0"),
        ({"predicted": {"RF": np.ones((5, 2, 6))}}, r"predicted\['RF'\] must have the shape"),
    ],
)
def test_images_refuse(params, message, halves):
    known, truth = halves
    arguments = {"known": known, "predicted": {"RF": truth}, **params}
    with pytest.raises(ValueError, match=message):
        plot.responses(truth, **arguments)


def test_marks_must_be_booleans(halves):
    known, truth = halves
    with pytest.raises(TypeError, match=r"marked\['RF'\] must be 5 booleans.* got float64"):
        plot.responses(truth, {"RF": truth}, known=known, marked={"RF": np.ones(5)})


# ---------------------------------------------------------------------------------------- angles


def test_angles_are_wrapped_and_the_rose_counts_errors():
    turns = 2 * math.pi
    predicted = ANGLES + [0.0, math.pi / 2, -math.pi / 2 + 3 * turns]
    panel, rose = plot.responses(ANGLES - turns, predicted, kind="angles")
    (points,) = (c for c in panel.collections if c.get_label() == "prediction")
    expected = np.stack([ANGLES, predicted % turns], axis=1)
    np.testing.assert_allclose(points.get_offsets(), expected)
    heights = np.array([bar.get_height() for bar in rose.patches])
    assert np.flatnonzero(heights).tolist() == [0, 6, 18]
    np.testing.assert_allclose((heights**2).sum(), 1)  # areas are shares
    assert panel.texts[0].get_text() == f"mean error {math.pi / 3:#.3g} rad"


def test_the_band_is_the_median_error_and_goes_on_at_the_other_end(ax):
    plot.responses([10.0, 20.0, 350.0], [12.0, 25.0, 1.0], kind="angles", period=360, ax=ax)
    bands = [c for c in ax.collections if c.get_label() != "prediction"]
    assert len(bands) == 3
    x, y = bands[1].get_paths()[0].vertices.T
    np.testing.assert_allclose(np.ptp(y[x == x.min()]), 2 * 5)
    assert [label.get_text() for label in ax.get_xticklabels()][:2] == ["0°", "90°"]
    assert ax.get_xlim() == ax.get_ylim() == (0, 360)


def test_roses_of_methods_have_one_scale():
    panels = plot.responses(ANGLES, {"RF": ANGLES, "dRF": ANGLES + [0, 1, 2]}, kind="angles")
    assert panels.shape == (2, 2)
    assert panels[1, 0].get_ylim() == panels[1, 1].get_ylim()
    drawn_without_warning(panels)


def test_given_axes_have_roses_if_there_are_polar_ones(ax):
    assert plot.responses(ANGLES, ANGLES, kind="angles", ax=ax) is ax
    figure = Figure()
    both = [figure.add_subplot(2, 1, 1), figure.add_subplot(2, 1, 2, polar=True)]
    assert list(plot.responses(ANGLES, ANGLES, kind="angles", ax=both)) == both
    with pytest.raises(ValueError, match="ax must be polar for the errors, from the axes 1 on"):
        plot.responses(ANGLES, ANGLES, kind="angles", ax=Figure().subplots(2))
    with pytest.raises(ValueError, match="ax must be 1 axes, .* or 2 with polar .* got 3"):
        plot.responses(ANGLES, ANGLES, kind="angles", ax=Figure().subplots(3))


def test_the_ring_leads_from_the_truth_inside_to_the_prediction_outside(ax):
    predicted = ANGLES + [0.5, 1.0, 0.5]  # the last across zero
    assert plot.responses(ANGLES, predicted, kind="ring", ax=ax) is ax
    lines = np.array(only(ax, LineCollection).get_segments())
    assert len(lines) == 3
    inside, outside = lines[:, 0], lines[:, -1]
    np.testing.assert_allclose(np.arctan2(*inside.T[::-1]) % (2 * math.pi), ANGLES)
    np.testing.assert_allclose(np.arctan2(*outside.T[::-1]) % math.tau, predicted % math.tau)
    np.testing.assert_allclose(np.linalg.norm(outside, axis=1), 1)
    assert (np.linalg.norm(lines, axis=2) > 0.5).all()  # never through the middle


@pytest.mark.parametrize("kind", ["angles", "ring"])
@pytest.mark.parametrize(
    ("truth", "params", "message"),
    [
        (POINTS, {}, r"truth must have the shape \(n,\), got \(3, 3\)"),
        (ANGLES, {"period": 0}, r"period must be a number in \(0, inf\), got 0"),
    ],
)
def test_angles_refuse(kind, truth, params, message):
    with pytest.raises(ValueError, match=message):
        plot.responses(truth, ANGLES, kind=kind, **params)


# ---------------------------------------------------------------------------------------- sphere


def test_great_circles_are_the_shortest_ways():
    arc = great_circle(AXES[0], AXES[1])
    np.testing.assert_allclose(arc[[0, -1]], AXES[:2], atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(arc, axis=1), 1)
    np.testing.assert_allclose(arc[:, 2], 0)
    np.testing.assert_allclose(great_circle(AXES[0], AXES[0]), np.tile(AXES[0], (64, 1)))
    opposite = great_circle(AXES[2], -AXES[2])
    np.testing.assert_allclose(opposite[-1], -AXES[2], atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(opposite, axis=1), 1)


def test_a_mollweide_map_has_true_areas():
    sphere = SphereMap("mollweide", AXES[0])
    height = np.linspace(-1, 1, 201)  # equal steps cut zones of equal area
    flat = np.sqrt(1 - height**2)
    y = sphere(np.stack([flat, 0 * flat, height], axis=1))[:, 1]
    area = np.arcsin(y) + y * np.sqrt(np.maximum(1 - y**2, 0))  # of the ellipse below y
    np.testing.assert_allclose(area, np.pi / 2 * height, atol=1e-7)
    np.testing.assert_allclose(sphere(AXES), [[0, 0], [1, 0], [0, 1]], atol=1e-7)


def test_an_orthographic_map_shows_what_one_sees():
    sphere = SphereMap("orthographic", [0, 0, 5])
    np.testing.assert_allclose(sphere(AXES), [[1, 0], [0, 1], [0, 0]], atol=1e-15)
    assert sphere.in_sight(np.array([AXES[2], -AXES[2]])).tolist() == [True, False]
    np.testing.assert_allclose(frame([1, 1, 1]) @ frame([1, 1, 1]).T, np.eye(3), atol=1e-15)


def test_lines_break_at_the_edge_of_a_map():
    behind = -AXES[0]
    start, end = behind + [0, 0.3, 0.1], behind - [0, 0.3, -0.1]
    arc = great_circle(start / np.linalg.norm(start), end / np.linalg.norm(end))
    near, far = SphereMap("mollweide", AXES[0]).pieces(arc)
    assert (len(near), len(far)) == (2, 0)
    near, far = SphereMap("orthographic", AXES[0]).pieces(arc)
    assert (len(near), len(far)) == (0, 1)
    near, far = SphereMap("orthographic", AXES[1]).pieces(arc)
    assert (len(near), len(far)) == (1, 1)


@pytest.mark.parametrize("projection", ["mollweide", "orthographic"])
def test_truth_and_prediction_are_joined_by_an_arc(projection, ax):
    view = [1, 1, 1]
    plot.responses(AXES, TILTED, kind="sphere", projection=projection, view=view, ax=ax)
    sphere = SphereMap(projection, view)
    places = {c.get_label(): c.get_offsets() for c in ax.collections}
    np.testing.assert_allclose(places["truth"], sphere(AXES))
    np.testing.assert_allclose(places["prediction"], sphere(TILTED))
    arcs = [c for c in ax.collections if isinstance(c, LineCollection) and c.get_alpha()]
    near = arcs[0].get_segments()
    assert len(near) == 3
    np.testing.assert_allclose([line[0] for line in near], sphere(AXES), atol=1e-12)
    np.testing.assert_allclose([line[-1] for line in near], sphere(TILTED), atol=1e-12)


def test_an_orthographic_map_looks_at_the_mean_of_the_truth():
    panels = plot.responses(AXES, {"RF": TILTED}, kind="sphere", projection="orthographic")
    (truth,) = (c for c in panels[0].collections if c.get_label() == "truth")
    np.testing.assert_allclose(truth.get_offsets().sum(axis=0), 0, atol=1e-15)
    drawn_without_warning(panels)


@pytest.mark.parametrize(
    ("truth", "predicted", "params", "message"),
    [
        (AXES[:, :2], TILTED, {}, r"truth must have the shape \(n, 3\), got \(3, 2\)"),
        (AXES, 2 * TILTED, {}, "predicted must hold unit vectors, got the norm 2 at index 0"),
        (AXES, {"RF": TILTED[:2]}, {}, r"predicted\['RF'\] must have the shape \(3, 3\)"),
        (
            AXES,
            TILTED,
            {"projection": "globe"},
            "projection must be one of 'mollweide', 'orthographic', got 'globe'",
        ),
        (AXES, TILTED, {"view": [0, 0, 0]}, "view must be a direction, got zeros"),
        (AXES, TILTED, {"view": [0, 1]}, r"view must have the shape \(3,\), got \(2,\)"),
    ],
)
def test_sphere_refuses(truth, predicted, params, message):
    with pytest.raises(ValueError, match=message):
        plot.responses(truth, predicted, kind="sphere", **params)


@pytest.mark.parametrize("projection", [np.array(["mollweide"] * 2), 3])
def test_the_map_of_a_sphere_is_a_word(projection):
    with pytest.raises(TypeError, match="projection must be one of 'mollweide', 'orthographic'"):
        plot.responses(AXES, TILTED, kind="sphere", projection=projection)


# ------------------------------------------------------------------------------------ ellipsoids


def test_ellipses_have_the_axes_of_their_matrices(ax):
    turned = np.array([[[2.5, 1.5], [1.5, 2.5]]])  # half axes 2 along (1, 1) and 1
    plot.responses(turned, turned, kind="ellipsoids", positions=[[0.0, 0.0]], ax=[ax, ax])
    ellipses = ax.collections[0]
    np.testing.assert_allclose(np.rad2deg(ellipses._angles) % 180, 45)
    assert ellipses._widths[0] == pytest.approx(2 * ellipses._heights[0])


def test_a_grid_has_a_scale_for_every_example():
    ax = plot.responses(SPD2, {"RF": 4 * SPD2}, kind="ellipsoids")
    rows = [c for c in ax.collections if isinstance(c, EllipseCollection)]
    truth, predicted = (row._widths for row in rows)
    np.testing.assert_allclose(predicted, 2 * truth)
    np.testing.assert_allclose(predicted, predicted[0])
    assert predicted[0] < 0.5  # half axes are stored; the cell is 1 wide
    np.testing.assert_allclose(rows[1].get_offsets(), [[0.5, 1.5], [1.5, 1.5], [2.5, 1.5]])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["truth", "RF"]
    drawn_without_warning(ax)


def test_in_a_grid_the_second_coordinate_points_up(ax):
    turned = np.array([[[2.5, 1.5], [1.5, 2.5]]])
    plot.responses(turned, turned, kind="ellipsoids", ax=ax)
    assert ax.yaxis_inverted()
    np.testing.assert_allclose(np.rad2deg(ax.collections[0]._angles) % 180, 135)
    left, right, bottom, top = plot.responses(SPD3, SPD3, kind="ellipsoids").images[0].get_extent()
    assert left < right
    assert bottom > top


def test_ellipsoids_are_pictures_at_their_positions():
    positions = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    panels = plot.responses(SPD3, {"RF": SPD3}, kind="ellipsoids", positions=positions)
    assert [panel.get_title() for panel in panels] == ["truth", "RF"]
    extents = np.array([image.get_extent() for image in panels[0].images])
    middles = np.stack([extents[:, :2].mean(axis=1), extents[:, 2:].mean(axis=1)], axis=1)
    np.testing.assert_allclose(middles, positions, atol=1e-12)
    width, height = extents[:, 1] - extents[:, 0], extents[:, 3] - extents[:, 2]
    np.testing.assert_allclose(width / height, [2, 1 / 3, 1])  # seen along the third axis
    assert max(width.max(), height.max()) < 2.05  # neighbours hardly touch
    drawn_without_warning(panels)


def test_the_nearest_ellipsoid_is_drawn_last(ax):
    positions = np.array([[0.0, 0.0, 3.0], [1.0, 0.0, 0.0], [2.0, 0.0, 1.0]])
    params = {"kind": "ellipsoids", "positions": positions, "view": [0, 0, 1]}
    axes = plot.responses(SPD3, SPD3, **params)[0]
    middles = [np.mean(image.get_extent()[:2]) for image in axes.images]
    np.testing.assert_allclose(middles, [1, 2, 0], atol=1e-12)


def test_a_picture_of_a_ball_is_a_disc_lit_from_above():
    picture, (width, height) = shaded_ellipsoid(np.eye(3), (1.0, 0.5, 0.0))
    assert width == height
    share = (picture[..., 3] > 0.5).mean()
    assert share == pytest.approx(math.pi / 4 / width**2, rel=0.03)
    np.testing.assert_allclose(picture[..., 1], picture[..., 0] / 2, atol=0.04)
    assert picture[70, 48, 0] > picture[20, 48, 0]
    flat, size = shaded_ellipsoid(np.diag([4.0, 1.0, 9.0]), (1.0, 1.0, 1.0))
    assert size[0] == pytest.approx(2 * size[1])


@pytest.mark.parametrize("d", [2, 3])
def test_colours_tell_the_longest_axis_and_round_ones_are_grey(d):
    along = [np.diag(np.where(np.arange(d) == i, 1e6, 1.0)) for i in range(d)]
    colors = direction_colors(np.array([*along, np.eye(d)]))
    assert (np.ptp(colors[:d], axis=1) > 0.5).all()
    assert np.abs(colors[0] - colors[1]).max() > 0.5
    np.testing.assert_allclose(np.ptp(colors[d]), 0, atol=1e-6)


@pytest.mark.parametrize(
    ("truth", "predicted", "params", "message"),
    [
        (POINTS, POINTS, {}, r"truth must have the shape \(n, 2, 2\) or \(n, 3, 3\), got \(3, 3\)"),
        (np.ones((2, 4, 4)), 0, {}, r"truth must have the shape .* got \(2, 4, 4\)"),
        (SPD3, SPD2, {}, r"predicted must have the shape \(3, 3, 3\), got \(3, 2, 2\)"),
        (SPD3, -SPD3, {}, "predicted must be positive definite, got the eigenvalue -4 at index 0"),
        (
            SPD2,
            {"RF": SPD2 + [[0, 1], [0, 0]]},
            {},
            r"predicted\['RF'\] must be symmetric, index 0",
        ),
        (SPD2, SPD2, {"view": [1, 0, 0]}, "view must not be given for 2 x 2 matrices"),
        (SPD2, SPD2, {"positions": POINTS[:2]}, r"positions must have the shape \(3, 2\) or"),
        (SPD2, SPD2, {"positions": np.zeros((3, 2))}, "positions must be different"),
        (
            SPD2,
            SPD2,
            {"positions": POINTS, "ax": Figure().subplots()},
            "ax must be 2 axes, .* got 1",
        ),
        (SPD2, SPD2, {"columns": -1}, "columns must be an integer >= 1"),
    ],
)
def test_ellipsoids_refuse(truth, predicted, params, message):
    with pytest.raises(ValueError, match=message):
        plot.responses(truth, predicted, kind="ellipsoids", **params)


# -------------------------------------------------------------------------------- spaces, colours


def test_the_space_chooses_the_picture():
    panel, _ = plot.responses([1.0, 2.0], [2.0, 3.0], space=spaces.Circle(period=24))
    assert panel.get_xlim() == (0, 24)
    assert plot.responses([1.0, 2.0], [2.0, 3.0], space="circle")[1].name == "polar"
    assert only(plot.responses(POINTS, POINTS + 1, space=spaces.Isomap()), Quiver)
    assert len(plot.responses(SPD3, SPD3, space=spaces.SPD()).images) == 6
    assert plot.responses(AXES, TILTED, space=spaces.Sphere()).get_title() == "prediction"
    ring = plot.responses([1.0], [2.0], space=spaces.Circle(period=24), kind="ring")
    assert "18" in [text.get_text() for text in ring.texts]


def test_a_space_without_a_picture():
    with pytest.raises(
        ValueError, match="space must be one of Euclidean, .* got Precomputed: give"
    ):
        plot.responses([0, 1], [1, 0], space=spaces.Precomputed(np.zeros((2, 2))))
