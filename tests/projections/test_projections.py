"""Projections as parameter objects: values, nested parameters, refusals, the core's view."""

import json
import pickle
import tracemalloc
from collections import deque

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV, ParameterGrid

import stages
from manifoldforest import ForestClassifier, _core
from manifoldforest.projections import (
    NAMES,
    Axis,
    Dictionary,
    DilatedKernels,
    ForestRC,
    GraphBalls,
    GraphEdges,
    Intervals,
    MeanDifference,
    Mixture,
    Patches,
    PrincipalAxes,
    Projection,
    RerF,
    Rotation,
    Sporf,
    Sum,
    as_projection,
    projection_from_dict,
    projection_to_dict,
)
from manifoldforest.projections._graphs import graph_balls, node_edges
from manifoldforest.projections._matrices import read_adjacency
from manifoldforest.views import Difference, Spectrum

RING = np.roll(np.eye(9, dtype=int), 1, axis=1)

# One factory per kind, all for examples of nine features, a 3×3 image or a graph of three nodes.
EXAMPLES = {
    "Axis": lambda: Axis(),
    "ForestRC": lambda: ForestRC(n_features=3),
    "RerF": lambda: RerF("2016"),
    "Sporf": lambda: Sporf(rate=np.float64(2.5), count="poisson"),
    "Sporf with scale": lambda: Sporf(scale="std"),
    "Rotation": lambda: Rotation(max_dims=4),
    "PrincipalAxes": lambda: PrincipalAxes(2, max_rows=100),
    "MeanDifference": lambda: MeanDifference(),
    "Patches": lambda: Patches(
        min_size=(1, 2), max_size=[2, None], shape=(3, 3), wrap=(True, False)
    ),
    "GraphBalls": lambda: GraphBalls(sparse.csr_array(RING), radius=(0, 2)),
    "GraphBalls dense": lambda: GraphBalls(RING, radius=1),
    "GraphEdges": lambda: GraphEdges(2),
    "GraphEdges with adjacency": lambda: GraphEdges((1, 2), adjacency=np.ones((3, 3), bool)),
    "Intervals": lambda: Intervals(["std", "quantile"], depth=2, views=[Spectrum(), Difference()]),
    "random Intervals": lambda: Intervals("mean", intervals="random", n_intervals=np.int64(4)),
    "DilatedKernels": lambda: DilatedKernels(4, pool="mean", view=Difference(order=2)),
    "Sum of Intervals and DilatedKernels": lambda: Intervals() + DilatedKernels(3),
    "Dictionary": lambda: Dictionary(sparse.coo_matrix(np.eye(9)[:, :4])),
    "Sum": lambda: Patches(max_size=2) + Sporf() + Dictionary(np.ones((9, 1))),
    "Mixture": lambda: Mixture([("axis", Axis(), 0.1), ("balls", GraphBalls(RING), np.int64(1))]),
    "Sum of mixtures": lambda: Mixture([("axis", Axis(), 1), ("rerf", RerF(), 1)]) + Axis(),
}
every_projection = pytest.mark.parametrize("make", EXAMPLES.values(), ids=EXAMPLES)


def build(projection, shape=(9,)):
    geometry = _core.Geometry(int(np.prod(shape)))
    rows = np.zeros((2, geometry.n_features), dtype=np.float32)
    projection = projection._learned(rows, tuple(shape), np.ones(2))
    return geometry, projection._build(geometry, tuple(shape))


def drawn_atoms(projection, shape=(9,), n_nodes=2000):
    """The features of atoms drawn one per node, ascending, with their weights."""
    geometry, sampler = build(projection, shape)
    _, offsets, features, weights = stages.draw_atoms(sampler, geometry, 1, 0, n_nodes)
    atoms = []
    for a, b in zip(offsets[:-1], offsets[1:], strict=True):
        order = a + np.argsort(features[a:b])
        atoms.append((tuple(features[order].tolist()), tuple(weights[order].tolist())))
    return atoms


# Values


@every_projection
def test_equal_parameters_make_equal_objects(make):
    projection = make()
    assert projection == make()
    assert hash(projection) == hash(make())
    assert clone(projection) == projection
    assert clone(projection) is not projection
    assert pickle.loads(pickle.dumps(projection)) == projection


def test_different_projections_are_not_equal():
    projections = [make() for make in EXAMPLES.values()]
    for i, a in enumerate(projections):
        assert [a == b for b in projections] == [i == j for j in range(len(projections))]
        assert a != "axis"


def test_values_count_and_not_their_container():
    assert (
        Patches(min_size=(2, 3)) == Patches(min_size=[2, 3]) == Patches(min_size=np.array([2, 3]))
    )
    assert GraphBalls(RING) == GraphBalls(RING.tolist())
    assert GraphBalls(sparse.csr_array(RING)) == GraphBalls(sparse.coo_matrix(RING))
    assert Dictionary(np.eye(3)) != Dictionary(np.eye(4))
    assert Dictionary(sparse.csc_array(np.eye(3))) != Dictionary(sparse.csc_array(2 * np.eye(3)))
    assert Dictionary(sparse.csc_array(np.eye(3))) != Dictionary(sparse.csc_array(np.eye(4)))
    assert Dictionary(sparse.csc_array(np.eye(3))) != Dictionary(np.eye(3))


def test_a_changed_parameter_changes_the_value_but_not_the_hash():
    projection = Patches()
    before = hash(projection)
    assert projection.set_params(max_size=4) != Patches()
    assert hash(projection) == before


def test_constructors_only_store():
    size = [5, "nonsense"]
    assert Patches(min_size=size).min_size is size
    message = r"Patches.min_size must be an integer >= 1 or a sequence, .* got \[5, 'nonsense'\]"
    with pytest.raises(TypeError, match=message):
        build(Patches(min_size=size), (9, 9))


@every_projection
def test_building_changes_no_parameter(make):
    projection = make()
    build(projection, (3, 3))
    assert projection == make()


# Names


def test_names_stand_for_projections_without_arguments():
    assert list(NAMES) == [
        "axis",
        "forest_rc",
        "rerf",
        "sporf",
        "rotation",
        "principal_axes",
        "mean_difference",
        "patches",
        "image_patches",
        "intervals",
        "dilated_kernels",
    ]
    for name, kind in NAMES.items():
        assert as_projection(name) == kind()
        shapes = [(4, 5), (1, 1)] if name == "image_patches" else [(5,), (1,)]
        for shape in shapes:
            build(as_projection(name), shape)


def test_as_projection_returns_projections_as_they_are():
    projection = Patches(min_size=3)
    assert as_projection(projection) is projection


def test_unknown_specifications_are_refused():
    with pytest.raises(ValueError, match=r"'axis', 'forest_rc', .*'patches'.*got 'Axis'"):
        as_projection("Axis")
    with pytest.raises(TypeError, match=r"projection must be one of 'axis', .* got 3"):
        as_projection(3)
    with pytest.raises(TypeError, match=r"a Projection object, got .*: write Axis\(\)"):
        as_projection(Axis)


@pytest.mark.parametrize(
    ("spec", "meant"),
    [
        ("Axis", "'axis'"),
        ("SPORF", "'sporf'"),
        ("ForestRC", "'forest_rc'"),
        ("patch", "'patches'"),
        ("MORF", "'patches'"),
        ("graph_balls", r"GraphBalls\(adjacency\)"),
    ],
)
def test_other_spellings_name_the_projection_that_was_meant(spec, meant):
    with pytest.raises(ValueError, match=f"got '{spec}': did you mean {meant}"):
        as_projection(spec)


def test_near_misses_of_words_and_objects_are_named():
    with pytest.raises(TypeError, match=r"write Sporf\(\), with parentheses"):
        as_projection(Sporf)
    with pytest.raises(ValueError, match="got 'Poisson': did you mean 'poisson'"):
        build(Sporf(count="Poisson"))
    with pytest.raises(ValueError, match=r"got 'quadratic'$"):
        build(Sporf(count="quadratic"))


# Sums and mixtures


def test_a_sum_is_flat_and_its_names_are_distinct():
    def names(projection):
        return [name for name, _ in projection.parts]

    assert names(Sporf() + MeanDifference()) == ["sporf", "mean_difference"]
    assert names(ForestRC() + GraphEdges()) == ["forest_rc", "graph_edges"]
    assert [names(kind() + Sum([("other", Axis())]))[0] for kind in NAMES.values()] == list(NAMES)
    total = Axis() + Patches(min_size=1) + Patches(min_size=2)
    assert names(total) == ["axis", "patches-1", "patches-2"]
    assert total == Axis() + (Patches(min_size=1) + Patches(min_size=2))
    assert names(total + Patches(min_size=3)) == ["axis", "patches-1", "patches-2", "patches-3"]
    assert names((Axis() + Patches(min_size=1)) + (Patches(min_size=2) + Axis())) == [
        "axis-1",
        "patches-1",
        "patches-2",
        "axis-2",
    ]
    mixture = Mixture([("axis", Axis(), 1)])
    assert names(mixture + mixture) == ["mixture-1", "mixture-2"]


def test_names_given_by_the_user_survive_a_sum():
    small = Sum([("small", Patches(min_size=1)), ("axis-1", Sporf())])
    total = small + Axis() + Axis()
    assert [name for name, _ in total.parts] == ["small", "axis-1", "axis-2", "axis-3"]
    assert [name for name, _ in (small + small).parts] == [
        "small-1",
        "axis-1-1",
        "small-2",
        "axis-1-2",
    ]


def test_a_sum_shares_nothing_with_its_terms():
    patches = Patches()
    total = patches + patches
    total.set_params(**{"patches-1__max_size": 4})
    assert (patches, total.parts[1][1]) == (Patches(), Patches())


@pytest.mark.parametrize("other", [3, "axis", None, Axis])
def test_only_projections_can_be_added(other):
    with pytest.raises(TypeError, match="unsupported operand"):
        Axis() + other


class Holder(BaseEstimator):
    """An estimator with a projection, as a search sees it."""

    def __init__(self, projection="sporf"):
        self.projection = projection


@pytest.mark.parametrize(
    "composite",
    [
        Axis() + Patches(max_size=2),
        Mixture([("axis", Axis(), 0.1), ("patches", Patches(max_size=2), 0.9)]),
    ],
    ids=["Sum", "Mixture"],
)
def test_nested_parameters(composite):
    holder = Holder(composite)
    params = holder.get_params(deep=True)
    assert params["projection__patches__max_size"] == 2
    assert params["projection__patches"] == Patches(max_size=2)
    assert params["projection__parts"] is composite.parts
    assert "patches" not in composite.get_params(deep=False)

    grid = ParameterGrid(
        {
            "projection__patches": [Patches(min_size=3), Patches(min_size=4)],
            "projection__patches__max_size": [5, 6],
            "projection__axis": [Axis(), RerF()],
        }
    )
    for candidate in grid:
        tuned = clone(holder).set_params(**clone(candidate, safe=False)).projection
        expected = clone(candidate["projection__patches"])
        expected.max_size = candidate["projection__patches__max_size"]
        assert [part[:2] for part in tuned.parts] == [
            ("axis", candidate["projection__axis"]),
            ("patches", expected),
        ]
        assert [part[2:] for part in tuned.parts] == [part[2:] for part in composite.parts]
    assert holder.projection.parts[1][1] == Patches(max_size=2)


def test_parts_are_replaced_from_the_outside_in():
    total = Axis() + Axis()
    total.set_params(
        a__max_size=7, a=Patches(min_size=3), parts=[("a", Axis()), ("b", Sporf())], b__rate=3
    )
    assert total == Sum([("a", Patches(min_size=3, max_size=7)), ("b", Sporf(3))])


def test_deeply_nested_parameters():
    inner = Mixture([("patches", Patches(), 1), ("axis", Axis(), 1)])
    total = Sum([("inner", inner), ("sporf", Sporf())])
    holder = Holder(total).set_params(projection__inner__patches__max_size=3)
    assert holder.projection.parts[0][1].parts[0][1] == Patches(max_size=3)
    assert holder.get_params()["projection__inner__patches__max_size"] == 3


def test_weights_of_a_mixture_are_parameters_of_its_parts():
    mixture = Mixture([("axis", Axis(), 1), ("patches", Patches(), 3)])
    assert mixture.get_params()["patches__weight"] == 3
    assert "patches__weight" not in mixture.get_params(deep=False)
    holder = Holder(Sum([("inner", mixture)]))
    assert holder.get_params()["projection__inner__axis__weight"] == 1
    tuned = clone(holder).set_params(
        projection__inner__patches__weight=5,
        projection__inner__patches__max_size=2,
        projection__inner__axis=Sporf(),
    )
    expected = Mixture([("axis", Sporf(), 1), ("patches", Patches(max_size=2), 5)])
    assert tuned.projection.parts[0][1] == clone(tuned).projection.parts[0][1] == expected
    assert holder.projection.parts[0][1].parts[1] == ("patches", Patches(), 3)
    mixture.set_params(parts=[("a", Axis(), 1)], a__weight=2)
    assert mixture == Mixture([("a", Axis(), 2)])
    with pytest.raises(ValueError, match="Invalid parameter"):
        mixture.set_params(b__weight=2)
    for parts in (None, [("a", Axis())], [Axis()]):
        assert Mixture(parts).get_params(deep=True)["parts"] is parts


def test_a_search_over_projections_and_their_parameters():
    X = np.random.default_rng(0).uniform(size=(40, 3, 3))
    y = X[:, 1].sum(axis=1) > 1.5
    grid = [
        {"projection": ["axis", Axis() + GraphBalls(RING), Mixture([("rerf", RerF(), 1)])]},
        {"projection": [Sporf() + Patches()], "projection__patches__max_size": [1, 3]},
    ]
    search = GridSearchCV(ForestClassifier(2, random_state=0), grid, cv=2, error_score="raise")
    search.fit(X, y)
    assert len(search.cv_results_["params"]) == 5
    sizes = [params.get("projection__patches__max_size") for params in search.cv_results_["params"]]
    assert sizes == [None, None, None, 1, 3]


def test_unknown_nested_parameters_are_refused():
    with pytest.raises(ValueError, match="Invalid parameter 'sporf'"):
        (Axis() + Patches()).set_params(sporf__rate=1)
    with pytest.raises(ValueError, match="Invalid parameter 'rate'"):
        (Axis() + Patches()).set_params(patches__rate=1)


@pytest.mark.parametrize(
    ("parts", "error", "message"),
    [
        ([], ValueError, "Sum.parts must have at least one part"),
        (Axis(), TypeError, r"Sum.parts must be a list of \(name, projection\), got Axis\(\)"),
        ([Axis()], TypeError, r"Sum.parts must be a list of .* got Axis\(\) in it"),
        ([("a", Axis(), 1)], TypeError, r"Sum.parts must be a list of \(name, projection\)"),
        ([("a", "axis")], TypeError, r"Sum.parts must be .* got \('a', 'axis'\) in it"),
        ([(1, Axis())], TypeError, r"Sum.parts must be .* got \(1, Axis\(\)\) in it"),
        ([("a", Axis()), ("a", RerF())], ValueError, "distinct names, got 'a' 2 times"),
        ([("a__b", Axis())], ValueError, "without '__', got 'a__b'"),
        ([("parts", Axis())], ValueError, "not 'parts' or .* got 'parts'"),
        ([("weight", Axis())], ValueError, "not 'parts' or 'weight' .* got 'weight'"),
        ([("", Axis())], ValueError, "not empty"),
        ([("a", Sum([]))], ValueError, "Sum.parts must have at least one part"),
        (
            [("a", Rotation(2)), ("b", Mixture([("c", Rotation(3), 1)]))],
            ValueError,
            "Sum.parts must have at most one Rotation, got 2",
        ),
    ],
)
def test_malformed_sums_are_refused(parts, error, message):
    total = Sum(parts)
    assert total.get_params(deep=True)["parts"] is parts
    assert isinstance(repr(total), str)
    with pytest.raises(error, match=message):
        build(total)


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ((1, -1), ValueError, r"the weight of 'b' must be a number in \[0, inf\), got -1"),
        ((np.nan, 1), ValueError, r"the weight of 'a' must be a number in \[0, inf\), got nan"),
        ((1, np.inf), ValueError, r"the weight of 'b' must be a number in \[0, inf\), got inf"),
        (
            (1, "1"),
            TypeError,
            r"Mixture.parts: the weight of 'b' must be a number in \[0, inf\), got '1'",
        ),
        ((True, 1), TypeError, r"the weight of 'a' must be a number in \[0, inf\), got True"),
        ((0, 0.0), ValueError, r"the sum of weights must be a number in \(0, inf\), got 0"),
    ],
)
def test_malformed_weights_are_refused(weights, error, message):
    a, b = weights
    with pytest.raises(error, match=message):
        build(Mixture([("a", Axis(), a), ("b", Axis(), b)]))
    with pytest.raises(TypeError, match=r"Mixture.parts must be .*\(name, projection, weight\)"):
        build(Mixture([("a", Axis())]))


# Refusals of single parameters


@pytest.mark.parametrize(
    ("projection", "error", "message"),
    [
        (ForestRC(0), ValueError, "ForestRC.n_features must be an integer >= 1, got 0"),
        (ForestRC(1.5), TypeError, "ForestRC.n_features must be an integer >= 1, got 1.5"),
        (ForestRC(True), TypeError, "ForestRC.n_features must be an integer >= 1, got True"),
        (RerF("2017"), ValueError, "RerF.variant must be one of 'paper', '2016', got '2017'"),
        (RerF(2016), TypeError, "RerF.variant must be one of 'paper', '2016', got 2016"),
        (Sporf(0), ValueError, r"Sporf.rate must be a number in \(0, inf\), got 0"),
        (Sporf(np.nan), ValueError, r"Sporf.rate must be a number in \(0, inf\), got nan"),
        (Sporf(-1), ValueError, r"Sporf.rate must be a number in \(0, inf\), got -1"),
        (Sporf("2"), TypeError, r"Sporf.rate must be a number in \(0, inf\), got '2'"),
        (Sporf(count="random"), ValueError, "Sporf.count must be one of 'fixed', 'poisson'"),
        (Rotation(0), ValueError, "Rotation.max_dims must be an integer >= 1 or None, got 0"),
        (
            Rotation("all"),
            TypeError,
            "Rotation.max_dims must be an integer >= 1 or None, got 'all'",
        ),
        (PrincipalAxes(0), ValueError, "PrincipalAxes.n_components must be an integer >= 1"),
        (PrincipalAxes(10), ValueError, "n_components must be at most .* features, 9, got 10"),
        (PrincipalAxes(max_rows=1), ValueError, "PrincipalAxes.max_rows must be .* >= 2, got 1"),
        (PrincipalAxes(max_rows=None), TypeError, "max_rows must be an integer >= 2, got None"),
    ],
)
def test_parameters_out_of_range_are_refused(projection, error, message):
    with pytest.raises(error, match=message):
        build(projection)


@pytest.mark.parametrize("projection", [ForestRC(20), Rotation(20), PrincipalAxes(9)])
def test_what_exceeds_the_features_harmlessly_is_capped(projection):
    build(projection)


# Patches


def axes_of(projection, shape):
    axes = projection._axes(shape)
    return [axis.kind for axis in axes], [(axis.min_size, axis.max_size) for axis in axes]


@pytest.mark.parametrize(
    ("projection", "shape", "sizes"),
    [
        (Patches(), (100,), [(1, 10)]),
        (Patches(), (28, 28), [(1, 5), (1, 5)]),
        (Patches(), (1, 2, 3, 4, 10), [(1, 1), (1, 2), (1, 2), (1, 2), (1, 3)]),
        (Patches(min_size=7), (28, 28), [(7, 7), (7, 7)]),
        (Patches(min_size=2, max_size=3), (28, 28), [(2, 3), (2, 3)]),
        (Patches(min_size=(2, 1), max_size=(2, 5)), (28, 28), [(2, 2), (1, 5)]),
        (Patches(min_size=np.array([2, 1]), max_size=[None, 28]), (28, 28), [(2, 5), (1, 28)]),
        (Patches(min_size=3, channel_axis=-1), (28, 28, 3), [(3, 5), (3, 5), (1, 1)]),
        (Patches(max_size=(4, 6), channel_axis=0), (3, 28, 28), [(1, 1), (1, 4), (1, 6)]),
        (Patches(shape=[4, 25]), (100,), [(1, 2), (1, 5)]),
        (Patches(shape=(4, 25)), (4, 25), [(1, 2), (1, 5)]),
    ],
)
def test_sizes_of_patches(projection, shape, sizes):
    assert axes_of(projection, shape)[1] == sizes
    build(projection, shape)


@pytest.mark.parametrize(
    ("projection", "kinds"),
    [
        (Patches(), ["contiguous"] * 3),
        (Patches(wrap=True), ["wrap"] * 3),
        (Patches(contiguous=False), ["free"] * 3),
        (Patches(wrap=(False, True, False)), ["contiguous", "wrap", "contiguous"]),
        (Patches(channel_axis=1), ["contiguous", "channel", "contiguous"]),
        (Patches(channel_axis=-2, wrap=(False, True)), ["contiguous", "channel", "wrap"]),
        (Patches(channel_axis=0, wrap=True), ["channel", "wrap", "wrap"]),
        (
            Patches(channel_axis=2, contiguous=(False, True), wrap=np.array([False, True])),
            ["free", "wrap", "channel"],
        ),
    ],
)
def test_kinds_of_axes(projection, kinds):
    assert axes_of(projection, (5, 6, 7))[0] == kinds
    build(projection, (5, 6, 7))


@pytest.mark.parametrize(
    ("projection", "shape", "error", "message"),
    [
        (Patches(max_size=29), (28, 28), ValueError, "a patch larger than the image"),
        (Patches(max_size=5), (3, 28), ValueError, r"max_size .* at most 3 along axis 0 .* got 5"),
        (Patches(min_size=29), (28, 28), ValueError, r"min_size must be at most 28 .* got 29"),
        (
            Patches(min_size=(1, 29)),
            (28, 28),
            ValueError,
            r"axis 1 of examples of shape \(28, 28\), got 29",
        ),
        (
            Patches(min_size=5, max_size=3),
            (28, 28),
            ValueError,
            "min_size must be at most max_size, got 5 and 3",
        ),
        (
            Patches(min_size=0),
            (28, 28),
            ValueError,
            "Patches.min_size must be an integer >= 1 or a sequence, .* got 0",
        ),
        (
            Patches(min_size=None),
            (28, 28),
            TypeError,
            "Patches.min_size must be an integer >= 1 or a sequence, .* got None",
        ),
        (Patches(max_size=2.0), (28, 28), TypeError, "Patches.max_size must be an integer >= 1"),
        (
            Patches(min_size=(1, 2, 3)),
            (28, 28),
            ValueError,
            r"min_size must have 2 entries.*\(1, 2, 3\)",
        ),
        (Patches(max_size=(3,)), (28, 28), ValueError, r"max_size must have 2 entries.*\(3,\)"),
        (
            Patches(max_size=(3, 3, 1), channel_axis=-1),
            (28, 28, 3),
            ValueError,
            r"max_size must have 2 entries, one per axis \(the channel axis has none\)",
        ),
        (Patches(wrap=(True,)), (28, 28), ValueError, "Patches.wrap must have 2 entries"),
        (
            Patches(wrap="yes"),
            (28, 28),
            TypeError,
            "Patches.wrap must be True or False .* got 'yes'",
        ),
        (Patches(contiguous=[True] * 3), (28, 28), ValueError, "contiguous must have 2 entries"),
        (
            Patches(contiguous=1),
            (28, 28),
            TypeError,
            "contiguous must be True or False or .* got 1",
        ),
        (
            Patches(wrap=True, contiguous=(False, True)),
            (8, 8),
            ValueError,
            r"Patches.wrap must be False along free axes \(contiguous=False\)",
        ),
        (Patches(placement="centre"), (8, 8), ValueError, "'uniform', 'corner', 'interior', got"),
        (Patches(channel_axis=2), (8, 8), ValueError, r"channel_axis .* shape \(8, 8\), got 2"),
        (Patches(channel_axis=-3), (8, 8), ValueError, r"channel_axis .* shape \(8, 8\), got -3"),
        (
            Patches(channel_axis="c"),
            (8, 8),
            ValueError,
            "channel_axis must be an integer .* got 'c'",
        ),
        (
            Patches(channel_axis=0.5),
            (8, 8),
            TypeError,
            "channel_axis must be an integer .* got 0.5",
        ),
        (Patches(channel_axis=0), (8,), ValueError, "channel_axis must leave at least one axis"),
        (Patches(shape=(8, 9)), (64,), ValueError, r"64 elements.*got \(8, 9\) with 72"),
        (Patches(shape=(4, 16)), (8, 8), ValueError, r"the shape of the examples, \(8, 8\)"),
        (
            Patches(shape=64),
            (64,),
            TypeError,
            "Patches.shape must be None or a sequence, .* got 64",
        ),
        (Patches(shape=(-8, -8)), (64,), ValueError, "Patches.shape must be .* integer >= 1, got"),
        (Patches(shape=(8.0, 8)), (64,), TypeError, "Patches.shape must be .* integer >= 1, got"),
    ],
)
def test_patches_that_do_not_fit_are_refused(projection, shape, error, message):
    with pytest.raises(error, match=message):
        build(projection, shape)


def test_patches_reach_the_core_with_their_axes():
    colour = Patches(min_size=2, max_size=2, channel_axis=-1, placement="interior")
    everywhere = {
        tuple((row * 4 + column) * 3 + c for row in (r, r + 1) for column in (k, k + 1))
        for r in range(4)
        for k in range(3)
        for c in range(3)
    }
    # Rows 0..3 and columns 0..2 are corners where a patch fits in a 5×4 image.
    assert {features for features, _ in drawn_atoms(colour, (5, 4, 3))} == everywhere

    series = Patches(min_size=2, max_size=2, contiguous=(False, True), placement="interior")
    subsets = {
        tuple(channel * 5 + t for channel in pair for t in (start, start + 1))
        for pair in [(0, 1), (0, 2), (1, 2)]
        for start in range(4)
    }
    assert {features for features, _ in drawn_atoms(series, (3, 5))} == subsets

    ring = {tuple(sorted({s, (s + 1) % 6})) for s in range(6)}
    assert {
        features for features, _ in drawn_atoms(Patches(min_size=2, max_size=2, wrap=True), (6,))
    } == ring


def fitted_on_noise(projection, shape):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, *shape)), np.arange(20) % 2
    return ForestClassifier(2, projection=projection, random_state=0).fit(X, y)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Patches(3),
        lambda: GraphEdges((1, 3), RING),
        lambda: PrincipalAxes(3, 100),
    ],
)
def test_what_a_number_means_must_be_said(make):
    with pytest.raises(TypeError, match="positional argument"):
        make()


@pytest.mark.parametrize(
    ("projection", "shape", "axis", "n_channels"),
    [
        (Patches(), (8, 6, 3), -1, 3),
        (Patches(max_size=2), (5, 5, 4), -1, 4),
        (Patches(shape=(8, 6, 3)), (144,), -1, 3),
        (Patches(), (3, 8, 6), 0, 3),
        (Patches(), (6, 5, 7, 3), -1, 3),
        (Axis() + Patches(wrap=True), (8, 6, 3), -1, 3),
        (Mixture([("axis", Axis(), 1), ("patches", Patches(), 1)]), (8, 6, 3), -1, 3),
    ],
)
def test_colours_without_a_channel_axis_warn(projection, shape, axis, n_channels):
    message = f"{n_channels} channels, .* set channel_axis of Patches to {axis}, or to None"
    with pytest.warns(UserWarning, match=message) as caught:
        forest = fitted_on_noise(projection, shape)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert forest.predict(np.zeros((1, *shape))).shape == (1,)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("projection", "shape"),
    [
        (Patches(channel_axis=-1), (8, 6, 3)),
        (Patches(channel_axis=None), (8, 6, 3)),
        (Patches(max_size=(2, 2, 1)), (8, 6, 3)),
        (Patches(contiguous=(True, True, False)), (8, 6, 3)),
        (Patches(), (8, 6, 2)),
        (Patches(), (8, 6, 5)),
        (Patches(), (8, 3)),
        (Patches(), (4, 4, 4)),
        (Patches(), (3, 3, 3)),
        (Sporf(), (8, 6, 3)),
    ],
)
def test_other_shapes_do_not_warn(projection, shape):
    fitted_on_noise(projection, shape)


@pytest.mark.filterwarnings("error")
def test_no_channel_axis_is_the_same_as_none():
    with pytest.warns(UserWarning, match="channel_axis"):
        silent = fitted_on_noise(Patches(), (8, 6, 3))
    spoken = fitted_on_noise(Patches(channel_axis=None), (8, 6, 3))
    X = np.random.default_rng(1).normal(size=(30, 8, 6, 3))
    assert_array_equal(silent.predict_proba(X), spoken.predict_proba(X))
    pickle.loads(pickle.dumps(silent)).predict(X)  # warns no more


@pytest.mark.parametrize(
    ("projection", "shape", "line"),
    [
        (Patches(), (28, 28), "28 × 28, patches of 1 to 5 × 1 to 5"),
        (Patches(min_size=2, max_size=2, shape=(4, 5)), (20,), "4 × 5, patches of 2 × 2"),
        (Patches(channel_axis=0), (3, 9, 9), "3 × 9 × 9, patches of 1 channel × 1 to 3 × 1 to 3"),
        (
            Patches(wrap=(False, True), contiguous=(False, True)),
            (4, 9),
            "4 × 9, patches of 1 to 2 (any) × 1 to 3 (around)",
        ),
        (
            Axis() + Patches() + Patches(max_size=4),
            (9,),
            "9, patches of 1 to 3; 9, patches of 1 to 4",
        ),
    ],
)
def test_forests_describe_their_grids(projection, shape, line):
    described = fitted_on_noise(projection, shape).describe()
    assert "; ".join(described.to_dict()["parameters"]["grid"]) == line


def test_forests_without_grids_describe_none():
    assert "grid" not in fitted_on_noise(Sporf(), (4, 4)).describe().to_dict()["parameters"]


# Graphs and dictionaries


def distances_by_search(adjacency):
    """Breadth-first search from every node of an undirected graph."""
    joined = (adjacency != 0) | (adjacency != 0).T
    distances = np.full(joined.shape, np.inf)
    for start in range(len(joined)):
        distances[start, start] = 0
        queue = deque([start])
        while queue:
            node = queue.popleft()
            for other in np.flatnonzero(joined[node]):
                if np.isinf(distances[start, other]):
                    distances[start, other] = distances[start, node] + 1
                    queue.append(other)
    return distances


@pytest.fixture(params=[0, 1, 2])
def directed_graph(request):
    """A sparse directed graph with self-loops, negative weights and lonely nodes."""
    rng = np.random.default_rng(request.param)
    return np.where(rng.uniform(size=(15, 15)) < 0.08, rng.normal(size=(15, 15)), 0)


@pytest.mark.parametrize(("smallest", "largest"), [(0, 0), (1, 3), (2, 2), (0, 20)])
def test_balls_are_those_of_a_breadth_first_search(directed_graph, smallest, largest):
    distances = distances_by_search(directed_graph)
    expected = [
        np.flatnonzero(distances[node] <= radius)
        for node in range(15)
        for radius in range(smallest, min(largest, 15) + 1)
    ]
    for matrix in (directed_graph, sparse.csr_matrix(directed_graph)):
        balls = graph_balls(read_adjacency("adjacency", matrix, 15), smallest, largest)
        assert balls.shape == (15, len(expected))
        assert (balls.data == 1).all()
        for j, ball in enumerate(expected):
            assert_array_equal(np.sort(balls.indices[balls.indptr[j] : balls.indptr[j + 1]]), ball)


def test_balls_are_what_the_core_draws(directed_graph):
    distances = distances_by_search(directed_graph)
    expected = {
        tuple(np.flatnonzero(distances[node] <= radius).tolist())
        for node in range(15)
        for radius in (1, 2)
    }
    drawn = drawn_atoms(GraphBalls(directed_graph, radius=(1, 2)), (15,))
    assert {features for features, _ in drawn} == expected
    assert {weight for _, weights in drawn for weight in weights} == {1.0}


def test_explicit_zeros_are_no_edges():
    zero = sparse.csr_array((np.array([0.0, 1.0]), ([0, 1], [1, 2])), shape=(3, 3))
    atoms = drawn_atoms(GraphBalls(zero, radius=1), (3,))
    assert {features for features, _ in atoms} == {(0,), (1, 2)}


def test_edges_of_each_node():
    offsets, features = node_edges(3, None)
    assert_array_equal(offsets, [0, 2, 4, 6])
    assert_array_equal(features, [1, 2, 3, 5, 6, 7])

    adjacency = sparse.csr_array([[1, 1, 0], [0, 1, 0], [1, -1, 0]])
    offsets, features = node_edges(3, adjacency)  # node 1 has no edge but to itself
    assert_array_equal(offsets, [0, 1, 3])
    assert_array_equal(features, [1, 6, 7])
    assert (offsets.dtype, features.dtype) == (np.int64, np.int32)


@pytest.mark.parametrize("shape", [(4, 4), (16,)])
def test_edges_are_what_the_core_draws(shape):
    drawn = {features for features, _ in drawn_atoms(GraphEdges((2, 3)), shape)}
    nodes = {tuple({f // 4 for f in features}) for features in drawn}
    assert nodes == {(0,), (1,), (2,), (3,)}
    assert {len(features) for features in drawn} == {2, 3}
    assert len(drawn) == 4 * (3 + 1)  # two or all three of a node's three edges
    assert not any(f // 4 == f % 4 for features in drawn for f in features)


def test_dictionary_atoms_are_what_the_core_draws():
    atoms = np.array([[1.5, 0, -1], [0, 2, 1], [0, 0, 1]])
    expected = {((0,), (1.5,)), ((1,), (2.0,)), ((0, 1, 2), (-1.0, 1.0, 1.0))}
    for matrix in (atoms, sparse.csc_matrix(atoms), sparse.csr_array(atoms), atoms.tolist()):
        assert set(drawn_atoms(Dictionary(matrix), (3,))) == expected


def test_dictionaries_of_several_parts_do_not_mix():
    parts = [("ones", Dictionary(np.ones((9, 1))), 1), ("balls", GraphBalls(RING, 1), 1)]
    expected = {tuple(sorted({(i - 1) % 9, i, (i + 1) % 9})) for i in range(9)} | {tuple(range(9))}
    assert {features for features, _ in drawn_atoms(Mixture(parts))} == expected


@pytest.mark.parametrize(
    ("projection", "shape", "error", "message"),
    [
        (GraphBalls(RING), (10,), ValueError, r"adjacency must have shape \(10, 10\).*\(9, 9\)"),
        (GraphBalls(RING[:8]), (9,), ValueError, r"adjacency must have shape \(9, 9\)"),
        (GraphBalls(RING.ravel()), (9,), ValueError, r"adjacency must have two axes.*\(81,\)"),
        (GraphBalls(RING * 1j), (9,), TypeError, "adjacency must hold real numbers, got complex"),
        (GraphBalls(np.full((9, 9), np.nan)), (9,), ValueError, "adjacency must hold finite"),
        (GraphBalls(None), (9,), TypeError, "GraphBalls.adjacency must be a matrix .* got None"),
        (GraphBalls(RING, -1), (9,), ValueError, "GraphBalls.radius must be an integer >= 0"),
        (GraphBalls(RING, (3, 1)), (9,), ValueError, r"min <= max, got \(3, 1\)"),
        (GraphBalls(RING, (1, 2, 3)), (9,), ValueError, r"a pair \(min, max\) .*, got \(1, 2, 3\)"),
        (GraphBalls(RING, 1.0), (9,), TypeError, "GraphBalls.radius must be an integer"),
        (
            GraphEdges(0),
            (9,),
            ValueError,
            r"GraphEdges.n_edges must be an integer in \[1, 2147483647\] or .* got 0",
        ),
        (
            GraphEdges((1, 2**31)),
            (9,),
            ValueError,
            r"GraphEdges.n_edges must be an integer in \[1, 2147483647\] or .* got \(1, 2147483648",
        ),
        (
            GraphEdges(RING),
            (9,),
            TypeError,
            r"n_edges must be an integer in \[1, 2147483647\] or a pair .*"
            r"got an array of shape \(9, 9\)$",
        ),
        (GraphEdges((2, 1)), (9,), ValueError, "n_edges must be .* a pair .* min <= max"),
        (GraphEdges(), (10,), ValueError, r"\(N, N\) or flat rows .* got examples .* \(10,\)"),
        (GraphEdges(), (2, 8), ValueError, r"got examples of shape \(2, 8\)"),
        (GraphEdges(), (1, 1), ValueError, "N >= 2"),
        (GraphEdges(adjacency=RING), (4, 4), ValueError, r"shape \(4, 4\) .* got \(9, 9\)"),
        (GraphEdges(adjacency=np.eye(4)), (4, 4), ValueError, "edge off the diagonal, got none"),
        (Dictionary(np.eye(8)), (9,), ValueError, r"shape \(9, n_atoms\) .* got \(8, 8\)"),
        (Dictionary(np.ones((9, 0))), (9,), ValueError, r"at least one atom, got \(9, 0\)"),
        (Dictionary(np.diag([1, 0] * 4 + [1])), (9,), ValueError, "got 4 without.* column 1"),
        (Dictionary(np.full((9, 1), 1e-60)), (9,), ValueError, "nonzero weight in every column"),
        (Dictionary(np.full((9, 1), 1e60)), (9,), ValueError, "must hold finite numbers"),
        (Dictionary(np.full((9, 1), np.inf)), (9,), ValueError, "must hold finite numbers"),
        (Dictionary(np.full((9, 1), "a")), (9,), TypeError, "must hold real numbers"),
    ],
)
def test_graphs_and_dictionaries_that_do_not_fit_are_refused(projection, shape, error, message):
    with pytest.raises(error, match=message):
        build(projection, shape)


# Stored forms


def through_json(projection):
    config, arrays = projection_to_dict(projection)
    return projection_from_dict(json.loads(json.dumps(config, allow_nan=False)), arrays)


@every_projection
def test_a_stored_projection_comes_back(make):
    projection = make()
    restored = through_json(projection)
    assert type(restored) is type(projection)
    assert restored == projection
    build(restored, (3, 3))


def test_the_stored_form_does_not_depend_on_chance():
    for make in EXAMPLES.values():
        (config, arrays), (again, arrays_again) = map(projection_to_dict, (make(), make()))
        assert config == again
        assert list(arrays) == list(arrays_again)
        for key, array in arrays.items():
            assert array.flags.c_contiguous
            assert_array_equal(array, arrays_again[key])


def test_tuples_and_lists_come_back_as_they_were():
    restored = through_json(Patches(min_size=(1, 2), max_size=[2, None], shape=(3, 3)))
    assert (restored.min_size, restored.max_size, restored.shape) == ((1, 2), [2, None], (3, 3))
    assert through_json(Axis() + RerF()).parts == [("axis", Axis()), ("rerf", RerF())]


def test_arrays_of_several_parts_have_their_own_keys():
    total = GraphBalls(RING) + GraphBalls(sparse.csr_array(RING)) + Dictionary(np.eye(9))
    config, arrays = projection_to_dict(total)
    assert len(arrays) == 1 + 4 + 1
    assert all(isinstance(array, np.ndarray) for array in arrays.values())
    assert projection_from_dict(config, arrays) == total


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"class": "os.system", "params": {}}, "unknown class of projection: 'os.system'"),
        ({"class": "Projection", "params": {}}, "unknown class of projection"),
        ({"class": ["Axis"], "params": {}}, "damaged description of a projection"),
        ({"class": "Axis"}, "damaged description of a projection: KeyError"),
        ({"class": "Axis", "params": {"depth": 3}}, "damaged description of a projection"),
        ({"class": "Axis", "params": [1]}, "damaged description of a projection"),
        ({"class": "Sporf", "params": {"rate": {"eval": "1"}}}, "unknown kind of value .* 'eval'"),
        ({"class": "Sporf", "params": {"rate": {"array": "x"}}}, "damaged .* KeyError"),
        ({"class": "Sporf", "params": {"rate": {}}}, "not enough values"),
    ],
)
def test_damaged_stored_forms_are_refused(config, message):
    with pytest.raises(ValueError, match=message):
        projection_from_dict(config, {})


def test_stored_forms_are_mappings():
    with pytest.raises(TypeError, match="config must be a mapping, got 'Axis'"):
        projection_from_dict("Axis", {})
    with pytest.raises(TypeError, match=r"arrays must be a mapping, got \[\]"):
        projection_from_dict({"class": "Axis", "params": {}}, [])


def test_damaged_sparse_matrices_are_refused():
    config, arrays = projection_to_dict(Dictionary(sparse.csc_array(np.eye(3))))
    key = next(key for key in arrays if key.endswith(".indices"))
    with pytest.raises(ValueError, match="ind(ex|ices)"):
        projection_from_dict(config, {**arrays, key: np.array([0, 1, 7], dtype=np.int32)})


def test_foreign_projections_and_values_cannot_be_stored():
    class Own(Projection):
        def _build(self, geometry, feature_shape):
            raise NotImplementedError

    with pytest.raises(TypeError, match=r"projection must be one of .* own .* got Own\(\)"):
        projection_to_dict(Own())
    with pytest.raises(TypeError, match=r"projection.max_size cannot be stored"):
        projection_to_dict(Patches(max_size={1, 2}))
    with pytest.raises(TypeError, match=r"projection.atoms cannot be stored"):
        projection_to_dict(Dictionary(np.array([[None]])))


# Bounds


def path_graph(n):
    return sparse.csc_array(sparse.diags([np.ones(n - 1)], [1]))


def star_graph(n):
    return sparse.csc_array((np.ones(n - 1), (np.zeros(n - 1, int), np.arange(1, n))), shape=(n, n))


def test_huge_radii_are_those_that_cover_the_graph():
    _, huge = build(GraphBalls(RING, radius=10**9))
    assert huge is not None
    everything = tuple(range(9))
    assert {f for f, _ in drawn_atoms(GraphBalls(RING, radius=10**9), n_nodes=50)} == {everything}
    edges = read_adjacency("adjacency", RING, 9)
    expected = graph_balls(edges, 0, 9)
    assert (graph_balls(edges, 0, 10**9) != expected).nnz == 0


@pytest.mark.parametrize(
    ("graph", "radius"),
    [(star_graph(6000), 2), (path_graph(6000), (0, 10**9)), (path_graph(60_000), (1, 400))],
)
def test_balls_that_would_fill_the_memory_are_refused(graph, radius):
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"radius must give balls .* at most 16777216 .* got"):
            build(GraphBalls(graph, radius=radius), (graph.shape[0],))
        assert tracemalloc.get_traced_memory()[1] < 350e6
    finally:
        tracemalloc.stop()


def test_balls_that_are_just_allowed_take_half_a_gigabyte():
    graph = star_graph(4090)  # 4090² is just below 2**24
    tracemalloc.start()
    try:
        build(GraphBalls(graph, radius=2), (4090,))
        assert tracemalloc.get_traced_memory()[1] < 500e6
    finally:
        tracemalloc.stop()


def test_graphs_with_many_edges_may_have_large_balls():
    n = 1500
    dense = sparse.random(n, n, density=0.02, random_state=0, format="csc")
    build(GraphBalls(dense, radius=(1, 3)), (n,))


def test_balls_grow_in_chunks_as_at_once(directed_graph, monkeypatch):
    edges = read_adjacency("adjacency", directed_graph, 15)
    expected = graph_balls(edges, 0, 4)
    monkeypatch.setattr("manifoldforest.projections._graphs._STEPS_AT_ONCE", 7)
    assert (graph_balls(edges, 0, 4) != expected).nnz == 0


def test_all_edges_of_large_graphs_take_little_memory():
    n = 1500
    tracemalloc.start()
    try:
        offsets, features = node_edges(n, None)
        assert tracemalloc.get_traced_memory()[1] < 40 * n * n
    finally:
        tracemalloc.stop()
    some = node_edges(5, np.ones((5, 5)))
    for mine, other in zip(node_edges(5, None), some, strict=True):
        assert_array_equal(mine, other)
        assert mine.dtype == other.dtype
    assert (len(offsets), len(features)) == (n + 1, n * (n - 1))


@pytest.mark.parametrize("shape", [(2,) * 17, (1,) * 64, (1,) * 33])
def test_tables_that_would_fill_the_memory_are_refused(shape):
    with pytest.raises(ValueError, match="too many axes"):
        build(Patches(shape=shape), (int(np.prod(shape)),))


def joined_through(n_between, n_ends):
    """A graph of nodes that have all of `n_between` neighbours in common, and no other edge."""
    n = n_ends + n_between
    matrix = np.zeros((n, n), dtype=bool)
    matrix[:n_ends, n_ends:] = True
    return matrix


@pytest.mark.parametrize(
    "adjacency",
    [
        joined_through(255, 1),
        joined_through(256, 2),
        joined_through(512, 3),
        ~np.eye(258, k=1, dtype=bool) & ~np.eye(258, k=-1, dtype=bool),
    ],
    ids=["star", "two ends", "three ends", "nearly complete"],
)
def test_graph_balls_hold_nodes_that_many_paths_lead_to(adjacency):
    edges = read_adjacency("adjacency", adjacency, len(adjacency))
    step = (edges + edges.T).toarray() + np.eye(len(adjacency))
    balls = graph_balls(edges, 0, 3).toarray().reshape(len(adjacency), -1, 4)
    for radius in range(4):
        expected = np.linalg.matrix_power(step, radius) > 0
        np.testing.assert_array_equal(balls[:, :, radius], expected.T)
