"""Laws of the random projections against enumeration, derived ones against NumPy.

The false-alarm rate of the distribution tests is stated in reference/chance.py.
Within a node equal patches are rejected by drawing again, so exact laws are tested with one
candidate per node and, for laws of a whole node, with so many features that atoms hardly ever
agree.
"""

from collections import Counter
from itertools import combinations, pairwise, product
from math import e

import numpy as np
import pytest
from scipy import stats

import stages
from manifoldforest import _core
from reference.chance import (
    FALSE_ALARM,
    assert_continuous,
    assert_equally_likely,
    assert_follows,
    assert_mean,
)
from reference.samplers import (
    class_mean_differences,
    column_sizes_law,
    coverage,
    edges_law,
    multiplied,
    nonempty_columns_law,
    patch_law,
    poisson_size_law,
    principal_axes,
)


def draw(sampler, n_candidates, n_nodes, *, n_features, geometry=None, seed=0):
    """Atoms of independent nodes: one list per node of (features, weights), features ascending."""
    geometry = geometry or _core.Geometry(n_features)
    nodes, offsets, features, weights = stages.draw_atoms(
        sampler, geometry, n_candidates, seed, n_nodes
    )
    assert len(nodes) == n_nodes + 1
    atoms = []
    for start, stop in pairwise(offsets.tolist()):
        pairs = sorted(
            zip(features[start:stop].tolist(), weights[start:stop].tolist(), strict=True)
        )
        atoms.append(tuple(zip(*pairs, strict=True)) if pairs else ((), ()))
    return [atoms[start:stop] for start, stop in pairwise(nodes.tolist())]


def single(sampler, n_nodes, **keywords):
    """The one atom of each of n_nodes independent nodes."""
    nodes = draw(sampler, 1, n_nodes, **keywords)
    assert all(len(node) == 1 for node in nodes)
    return [node[0] for node in nodes]


def sizes(node):
    return tuple(sorted((len(features) for features, _ in node), reverse=True))


# --- all samplers -----------------------------------------------------------------------------


def grid_geometry(shape, summed=None):
    geometry = _core.Geometry(int(np.prod(shape)))
    grid = geometry.add_grid(list(shape), list(summed or [True] * len(shape)))
    return geometry, grid


def every_sampler():
    geometry, grid = grid_geometry([4, 5])
    yield "axis", _core.axis_sampler(20), geometry
    yield "forest_rc", _core.forest_rc_sampler(20, 3), geometry
    yield "rerf", _core.rerf_sampler(20, "paper"), geometry
    yield "rerf 2016", _core.rerf_sampler(20, "2016"), geometry
    yield "sporf fixed", _core.sporf_sampler(20, 1.5, "fixed"), geometry
    yield "sporf poisson", _core.sporf_sampler(20, 1.5, "poisson"), geometry
    patches = _core.patch_sampler([4, 5], grid, ["contiguous", "wrap"], [1, 1], [3, 4], "uniform")
    yield "patches", patches, geometry
    yield "mixture", _core.mixture_sampler([patches, _core.axis_sampler(20)], [0.5, 0.5]), geometry


SAMPLERS = {name: (sampler, geometry) for name, sampler, geometry in every_sampler()}


@pytest.mark.parametrize("name", SAMPLERS)
def test_the_same_seed_draws_the_same_atoms_and_another_seed_others(name):
    sampler, geometry = SAMPLERS[name]
    one = draw(sampler, 4, 50, n_features=20, geometry=geometry, seed=1)
    assert one == draw(sampler, 4, 50, n_features=20, geometry=geometry, seed=1)
    assert one != draw(sampler, 4, 50, n_features=20, geometry=geometry, seed=2)


@pytest.mark.parametrize("name", SAMPLERS)
def test_no_atom_of_a_node_is_empty(name):
    sampler, geometry = SAMPLERS[name]
    for node in draw(sampler, 6, 500, n_features=20, geometry=geometry):
        assert 1 <= len(node) <= 6
        for features, weights in node:
            assert len(features) >= 1
            assert len(set(features)) == len(features)
            assert all(0 <= feature < 20 for feature in features)
            assert all(weight != 0 for weight in weights)


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_single_feature_has_weight_one(name):
    sampler, geometry = SAMPLERS[name]
    nodes = draw(sampler, 6, 500, n_features=20, geometry=geometry)
    lonely = [weights for node in nodes for features, weights in node if len(features) == 1]
    assert set(lonely) <= {(1.0,)}
    assert lonely or name == "forest_rc"


@pytest.mark.parametrize("name", SAMPLERS)
def test_more_candidates_than_distinct_atoms_end(name):
    sampler, geometry = SAMPLERS[name]
    for node in draw(sampler, 3000, 3, n_features=20, geometry=geometry):
        assert 1 <= len(node) <= 3000


@pytest.mark.parametrize("name", ["axis", "patches"])
@pytest.mark.parametrize("n_candidates", [6, 40, 3000])
def test_axes_and_patches_of_a_node_differ(name, n_candidates):
    sampler, geometry = SAMPLERS[name]
    for node in draw(sampler, n_candidates, 50, n_features=20, geometry=geometry):
        assert len(set(node)) == len(node) >= 6


def test_nodes_are_independent():
    nodes = single(_core.axis_sampler(5), 20000, n_features=5)
    chosen = [features[0] for features, _ in nodes]
    assert_equally_likely(zip(chosen[::2], chosen[1::2], strict=True), product(range(5), range(5)))


def test_trees_or_nodes_with_neighbouring_seeds_are_independent():
    sampler = _core.axis_sampler(5)
    first = [single(sampler, 1, n_features=5, seed=seed)[0][0][0] for seed in range(4000)]
    assert_equally_likely(zip(first[::2], first[1::2], strict=True), product(range(5), range(5)))


# --- axis and Forest-RC -----------------------------------------------------------------------


@pytest.mark.parametrize("n_candidates", [1, 2, 4])
def test_axis_draws_distinct_features_uniformly(n_candidates):
    nodes = draw(_core.axis_sampler(6), n_candidates, 5000, n_features=6)
    assert {weights for node in nodes for _, weights in node} == {(1.0,)}
    chosen = [tuple(sorted(features[0] for features, _ in node)) for node in nodes]
    assert_equally_likely(chosen, combinations(range(6), n_candidates))


@pytest.mark.parametrize("n_candidates", [6, 7, 100])
def test_axis_with_enough_candidates_takes_every_feature(n_candidates):
    for node in draw(_core.axis_sampler(6), n_candidates, 100, n_features=6):
        assert sorted(features for features, _ in node) == [(f,) for f in range(6)]


@pytest.mark.parametrize("n_nonzeros", [2, 3])
def test_forest_rc_combines_distinct_features_with_uniform_weights(n_nonzeros):
    atoms = single(_core.forest_rc_sampler(7, n_nonzeros), 6000, n_features=7)
    assert_equally_likely([features for features, _ in atoms], combinations(range(7), n_nonzeros))
    weights = np.array([weights for _, weights in atoms])
    assert np.all(np.abs(weights) <= 1)
    assert_continuous(weights, stats.uniform(-1, 2).cdf)
    quarters = [tuple(np.floor(2 * row).astype(int).tolist()) for row in weights]
    assert_equally_likely(quarters, product(range(-2, 2), repeat=n_nonzeros))


def test_forest_rc_draws_as_many_atoms_as_asked_for():
    assert {len(node) for node in draw(_core.forest_rc_sampler(7, 2), 5, 200, n_features=7)} == {5}


def test_forest_rc_of_one_feature_is_an_axis():
    atoms = single(_core.forest_rc_sampler(4, 1), 2000, n_features=4)
    assert_equally_likely(atoms, [((f,), (1.0,)) for f in range(4)])


# --- RerF and SPORF ---------------------------------------------------------------------------

WIDE = 200_000  # features; two of a handful of columns agree with probability below 1e-4


@pytest.mark.parametrize("n_candidates", [1, 2, 5])
def test_rerf_places_as_many_nonzeros_as_candidates(n_candidates):
    nodes = draw(_core.rerf_sampler(WIDE, "paper"), n_candidates, 5000, n_features=WIDE)
    law = column_sizes_law(WIDE, n_candidates, n_candidates)
    assert_follows([sizes(node) for node in nodes], law)


def test_rerf_of_2016_restores_about_as_many_columns_as_candidates():
    d = 5
    grid = round(d / (1 - 1 / e))
    filled = nonempty_columns_law(WIDE, grid, grid)
    law = {k: filled[k] for k in range(1, d)}
    law[d] = 1 - sum(law.values())
    nodes = draw(_core.rerf_sampler(WIDE, "2016"), d, 5000, n_features=WIDE)
    assert_follows([len(node) for node in nodes], law)
    # All nonzeros are seen when no column had to be left out, fewer otherwise.
    assert all(sum(sizes(node)) == grid for node in nodes if len(node) < d)
    assert max(sum(sizes(node)) for node in nodes) == grid


@pytest.mark.parametrize(
    ("rate", "n_candidates", "n_nonzeros"), [(1.5, 4, 6), (0.1, 4, 1), (2.0, 1, 2), (3.0, 3, 9)]
)
def test_sporf_places_a_fixed_number_of_nonzeros(rate, n_candidates, n_nonzeros):
    sampler = _core.sporf_sampler(WIDE, rate, "fixed")
    nodes = draw(sampler, n_candidates, 5000, n_features=WIDE)
    law = column_sizes_law(WIDE, n_candidates, n_nonzeros)
    assert_follows([sizes(node) for node in nodes], law)


def test_sporf_places_no_more_nonzeros_than_there_are_cells():
    for node in draw(_core.sporf_sampler(3, 50.0, "fixed"), 2, 100, n_features=3):
        assert all(features == (0, 1, 2) for features, _ in node)


@pytest.mark.parametrize("rate", [0.3, 1.5, 4.0])
def test_sporf_with_poisson_counts_has_poisson_column_sizes(rate):
    atoms = single(_core.sporf_sampler(5, rate, "poisson"), 10000, n_features=5)
    assert_follows([len(features) for features, _ in atoms], poisson_size_law(rate, 5))


def test_sporf_with_poisson_counts_drops_empty_columns():
    rate, d = 0.7, 4
    nodes = draw(_core.sporf_sampler(WIDE, rate, "poisson"), d, 10000, n_features=WIDE)
    # Binomial(d, 1 - exp(-rate)) columns are not empty; a node without any is drawn again.
    law = {k: stats.binom.pmf(k, d, 1 - np.exp(-rate)) for k in range(1, d + 1)}
    total = sum(law.values())
    assert_follows([len(node) for node in nodes], {k: law[k] / total for k in law})


SPARSE = {
    "rerf": lambda p: _core.rerf_sampler(p, "paper"),
    "rerf 2016": lambda p: _core.rerf_sampler(p, "2016"),
    "sporf fixed": lambda p: _core.sporf_sampler(p, 3.0, "fixed"),
    "sporf poisson": lambda p: _core.sporf_sampler(p, 3.0, "poisson"),
}


@pytest.mark.parametrize("name", SPARSE)
def test_signs_of_sparse_columns_are_independent_coins(name):
    nodes = draw(SPARSE[name](10), 3, 10000, n_features=10)
    pairs = [weights for node in nodes for _, weights in node[:1] if len(weights) == 2]
    assert len(pairs) > 300
    assert_equally_likely(pairs, product([-1.0, 1.0], repeat=2))


@pytest.mark.parametrize("name", SPARSE)
def test_sparse_columns_choose_features_uniformly(name):
    nodes = draw(SPARSE[name](8), 3, 10000, n_features=8)
    first = [node[0][0] for node in nodes]
    assert_equally_likely([f for f in first if len(f) == 1], [(f,) for f in range(8)])
    assert_equally_likely([f for f in first if len(f) == 2], combinations(range(8), 2))


FACTORS = np.array([0.25, 3.0, 1.0, 1e30, 1e-30, 0.1, 7.0, 2.0**-126], dtype=np.float32)
WITH_FACTORS = {
    "forest_rc": lambda factors: _core.forest_rc_sampler(8, 3, factors),
    "rerf": lambda factors: _core.rerf_sampler(8, "paper", factors),
    "rerf 2016": lambda factors: _core.rerf_sampler(8, "2016", factors),
    "sporf fixed": lambda factors: _core.sporf_sampler(8, 3.0, "fixed", factors),
    "sporf poisson": lambda factors: _core.sporf_sampler(8, 3.0, "poisson", factors),
}


@pytest.mark.parametrize("name", WITH_FACTORS)
def test_factors_multiply_the_weights_of_sums_and_change_nothing_else(name):
    plain = draw(WITH_FACTORS[name](None), 5, 300, n_features=8)
    for node, whole in zip(
        draw(WITH_FACTORS[name](FACTORS), 5, 300, n_features=8), plain, strict=True
    ):
        assert node == [multiplied(atom, FACTORS) for atom in whole]
    assert any(len(features) > 1 for node in plain for features, _ in node)


@pytest.mark.parametrize("name", WITH_FACTORS)
def test_factors_must_be_one_positive_number_per_feature(name):
    for wrong in (FACTORS[:7], np.append(FACTORS, FACTORS[:1])):
        with pytest.raises(ValueError, match="factors must be one number per feature, 8, got"):
            WITH_FACTORS[name](wrong)
    for wrong in (0.0, -1.0, np.inf, np.nan):
        factors = FACTORS.copy()
        factors[3] = wrong
        with pytest.raises(ValueError, match="factors must be positive and finite, got"):
            WITH_FACTORS[name](factors)


# --- patches ----------------------------------------------------------------------------------

PATCHES = {
    "line corner": ([20], ["contiguous"], [1], [5], "corner"),
    "line corner, larger minimum": ([9], ["contiguous"], [3], [6], "corner"),
    "line interior": ([9], ["contiguous"], [2], [5], "interior"),
    "line uniform": ([9], ["contiguous"], [2], [5], "uniform"),
    "line uniform, whole axis": ([6], ["contiguous"], [6], [6], "uniform"),
    "line of one cell": ([1], ["contiguous"], [1], [1], "uniform"),
    "circle": ([9], ["wrap"], [2], [5], "uniform"),
    "circle, whole axis": ([5], ["wrap"], [1], [5], "corner"),
    "image corner": ([4, 5], ["contiguous"] * 2, [1, 2], [3, 4], "corner"),
    "image interior": ([4, 5], ["contiguous"] * 2, [1, 2], [3, 4], "interior"),
    "image uniform": ([4, 5], ["contiguous"] * 2, [1, 2], [3, 4], "uniform"),
    "cylinder": ([4, 5], ["contiguous", "wrap"], [1, 2], [3, 4], "corner"),
    "torus": ([4, 5], ["wrap", "wrap"], [1, 2], [3, 4], "interior"),
    "channels last": ([3, 4, 2], ["contiguous"] * 2 + ["channel"], [1] * 3, [2] * 3, "corner"),
    "channels first": ([3, 3, 3], ["channel", "wrap", "contiguous"], [1] * 3, [2] * 3, "interior"),
    "series": ([4, 6], ["free", "contiguous"], [1, 2], [3, 3], "uniform"),
    "free circle": ([4, 5], ["free", "wrap"], [2, 2], [4, 3], "uniform"),
    "free axis last": ([5, 4], ["contiguous", "free"], [1, 2], [2, 2], "interior"),
    "volume corner": ([3, 2, 4], ["contiguous"] * 3, [1, 1, 2], [2, 2, 3], "corner"),
    "volume uniform": ([3, 2, 4], ["contiguous"] * 3, [1, 1, 2], [2, 2, 3], "uniform"),
}


def patch_sampler(shape, axes, min_size, max_size, placement):
    geometry, grid = grid_geometry(shape, [axis in ("contiguous", "wrap") for axis in axes])
    sampler = _core.patch_sampler(shape, grid, axes, min_size, max_size, placement)
    return sampler, geometry


@pytest.mark.parametrize("name", PATCHES)
def test_patches_follow_their_enumerated_law(name):
    sampler, geometry = patch_sampler(*PATCHES[name])
    atoms = single(sampler, 20000, n_features=geometry.n_features, geometry=geometry)
    assert {weight for _, weights in atoms for weight in weights} == {1.0}
    assert_follows([features for features, _ in atoms], patch_law(*PATCHES[name]))


@pytest.mark.parametrize("name", [name for name in PATCHES if "uniform" in name or "torus" in name])
def test_uniform_and_wrapped_patches_cover_every_cell_equally(name):
    sampler, geometry = patch_sampler(*PATCHES[name])
    p = geometry.n_features
    atoms = single(sampler, 20000, n_features=p, geometry=geometry, seed=3)
    # Cells of one patch are not independent: one test per cell, at a level shared among them.
    share = coverage(patch_law(*PATCHES[name]), p)
    assert share == pytest.approx(share[0])
    covered = Counter(feature for features, _ in atoms for feature in features)
    for cell in range(p):
        p_value = stats.binomtest(covered[cell], len(atoms), min(share[0], 1.0)).pvalue
        assert p_value > FALSE_ALARM / p


def test_corner_coverage_is_the_published_one():
    covered = coverage(patch_law([20], ["contiguous"], [1], [5], "corner"), 20)
    assert covered[:5] == pytest.approx([0.05, 0.09, 0.12, 0.14, 0.15], abs=1e-9)
    assert covered[-3:] == pytest.approx([0.1475, 0.138, 0.114], abs=5e-4)


def test_patches_of_a_node_use_up_the_distinct_ones_without_repeats():
    sampler, geometry = patch_sampler([3], ["contiguous"], [1], [2], "interior")
    seen = set()
    for node in draw(sampler, 5, 200, n_features=3, geometry=geometry):
        features = [features for features, _ in node]
        assert len(set(features)) == len(features) <= 5
        seen.update(features)
    assert seen == {(0,), (1,), (2,), (0, 1), (1, 2)}


def test_a_second_candidate_is_drawn_from_the_other_patches():
    sampler, geometry = patch_sampler([4], ["contiguous"], [1], [1], "interior")
    nodes = draw(sampler, 2, 6000, n_features=4, geometry=geometry)
    assert_equally_likely(
        [tuple(features[0] for features, _ in node) for node in nodes if len(node) == 2],
        [(a, b) for a, b in product(range(4), repeat=2) if a != b],
    )
    # Eleven draws in a row hit the first patch with probability 4**-10.
    assert sum(len(node) == 2 for node in nodes) >= 5990


# --- dictionaries, edges, sums, mixtures ------------------------------------------------------


def dictionary_geometry():
    """Five atoms in two blocks over six features."""
    geometry = _core.Geometry(6)
    first = geometry.add_dictionary(
        np.array([0, 1, 3]), np.array([5, 0, 2], np.int32), np.array([2.0, 1.0, -3.0], np.float32)
    )
    second = geometry.add_dictionary(
        np.array([0, 3, 4, 5]),
        np.array([1, 2, 3, 4, 0], np.int32),
        np.array([0.5, 0.25, 0.125, 1.0, 1.0], np.float32),
    )
    return geometry, first, second


def test_dictionary_atoms_are_drawn_uniformly():
    geometry, first, second = dictionary_geometry()
    atoms = single(_core.dictionary_sampler(second, 3), 6000, n_features=6, geometry=geometry)
    rows = [((1, 2, 3), (0.5, 0.25, 0.125)), ((4,), (1.0,)), ((0,), (1.0,))]
    assert_equally_likely(atoms, rows)
    atoms = single(_core.dictionary_sampler(first, 2), 6000, n_features=6, geometry=geometry)
    assert_equally_likely(atoms, [((5,), (2.0,)), ((0, 2), (1.0, -3.0))])


def test_dictionary_candidates_of_a_node_are_distinct():
    geometry, _, second = dictionary_geometry()
    nodes = draw(_core.dictionary_sampler(second, 3), 2, 6000, n_features=6, geometry=geometry)
    subsets = [tuple(sorted(features for features, _ in node)) for node in nodes]
    assert_equally_likely(subsets, combinations(sorted([(1, 2, 3), (4,), (0,)]), 2))
    nodes = draw(_core.dictionary_sampler(second, 3), 50, 20, n_features=6, geometry=geometry)
    assert {len(node) for node in nodes} == {3}


def test_edges_of_one_node_of_a_graph_are_summed():
    neighbours = [[0, 1, 2], [1, 3, 4, 5], [6, 7, 8]]
    offsets = np.cumsum([0] + [len(edges) for edges in neighbours])
    sampler = _core.edge_sampler(offsets, np.concatenate(neighbours).astype(np.int32), 1, 3)
    atoms = single(sampler, 10000, n_features=9)
    assert {weight for _, weights in atoms for weight in weights} == {1.0}
    assert_follows([features for features, _ in atoms], edges_law(neighbours, 1, 3))


def test_a_node_with_few_edges_gives_those_it_has():
    neighbours = [[0], [1, 2, 3, 4]]
    offsets = np.cumsum([0] + [len(edges) for edges in neighbours])
    sampler = _core.edge_sampler(offsets, np.concatenate(neighbours).astype(np.int32), 2, 3)
    atoms = [f for node in draw(sampler, 1, 3000, n_features=5) for f, _ in node]
    assert all(f == (0,) or (2 <= len(f) <= 3 and set(f) <= {1, 2, 3, 4}) for f in atoms)
    assert {f for f in atoms if len(f) > 1} == {
        f for size in (2, 3) for f in combinations((1, 2, 3, 4), size)
    }


def test_a_node_without_edges_gives_no_empty_candidate():
    sampler = _core.edge_sampler(np.array([0, 0, 2]), np.array([0, 1], np.int32), 1, 2)
    nodes = draw(sampler, 3, 200, n_features=2)
    assert all(features for node in nodes for features, _ in node)


def test_mixture_draws_the_kind_of_each_candidate_by_its_weight():
    p = 2000
    parts = [_core.axis_sampler(p), _core.forest_rc_sampler(p, 2), _core.forest_rc_sampler(p, 3)]
    sampler = _core.mixture_sampler(parts, [1.0, 3.0, 6.0])
    law = {1: 0.1, 2: 0.3, 3: 0.6}
    assert_follows([len(f) for f, _ in single(sampler, 6000, n_features=p)], law)
    nodes = draw(sampler, 2, 6000, n_features=p)
    assert_follows(
        [sizes(node) for node in nodes if len(node) == 2],
        {
            (a, b): law[a] * law[b] * (2 if a != b else 1)
            for a, b in product(law, repeat=2)
            if a >= b
        },
    )
    assert sum(len(node) == 2 for node in nodes) >= 5980


def test_a_mixture_component_of_weight_zero_is_never_drawn():
    sampler = _core.mixture_sampler(
        [_core.axis_sampler(5), _core.forest_rc_sampler(5, 2)], [0.0, 1.0]
    )
    assert {len(f) for f, _ in single(sampler, 500, n_features=5)} == {2}


def derived(sampler, X, y, weight, n_classes, n_candidates, seed=0):
    """Atoms at a node that holds all rows, as dense rows."""
    geometry = _core.Geometry(X.shape[1])
    offsets, features, weights = stages.derive_atoms(
        sampler, geometry, X, y, weight, n_classes, n_candidates, seed
    )
    dense = np.zeros((len(offsets) - 1, X.shape[1]))
    for atom, (start, stop) in enumerate(pairwise(offsets.tolist())):
        dense[atom, features[start:stop]] = weights[start:stop]
    return dense


def labelled_rows(dtype, n=200, p=6):
    rng = np.random.default_rng(4)
    y = rng.choice([0, 1, 3], p=[0.2, 0.5, 0.3], size=n).astype(np.int32)  # class 2 is absent
    X = rng.integers(0, 200, size=(n, p)) + 10 * y[:, None] * np.arange(p)
    X = X.astype(np.uint8) if dtype == np.uint8 else (X / 7).astype(np.float32)
    return X, y[:, None], rng.integers(1, 4, size=n).astype(np.float64)


def test_a_sum_has_the_candidates_of_its_parts():
    X, y, weight = labelled_rows(np.float32)
    sampler = _core.sum_sampler([_core.axis_sampler(6), _core.mean_difference_sampler(6)])
    dense = derived(sampler, X, y, weight, [4], 4)
    axis = [row for row in dense if np.count_nonzero(row) == 1]
    others = [row for row in dense if np.count_nonzero(row) > 1]
    assert len(axis) == 4
    assert len({tuple(row) for row in axis}) == 4
    assert len(others) == 2


# --- directions that depend on the data -------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_mean_difference_is_the_mean_of_each_class_minus_the_heaviest(dtype):
    X, y, weight = labelled_rows(dtype)
    found = derived(_core.mean_difference_sampler(6), X, y, weight, [4], 3)
    expected = class_mean_differences(X.astype(np.float64), y[:, 0], weight)
    assert found.shape == expected.shape == (2, 6)
    order = np.lexsort(found.T[::-1]), np.lexsort(expected.T[::-1])
    assert found[order[0]] == pytest.approx(expected[order[1]], rel=1e-5, abs=1e-4)


def test_mean_difference_looks_for_the_heaviest_class_by_weight():
    X, y, _ = labelled_rows(np.float32)
    weight = np.where(y[:, 0] == 0, 10.0, 1.0)
    found = derived(_core.mean_difference_sampler(6), X, y, weight, [4], 3)
    expected = class_mean_differences(X.astype(np.float64), y[:, 0], weight)
    mean_of = {k: X[y[:, 0] == k].mean(axis=0, dtype=np.float64) for k in (0, 1, 3)}
    assert expected == pytest.approx(np.array([mean_of[1] - mean_of[0], mean_of[3] - mean_of[0]]))
    order = np.lexsort(found.T[::-1]), np.lexsort(expected.T[::-1])
    assert found[order[0]] == pytest.approx(expected[order[1]], rel=1e-4, abs=1e-3)


def test_mean_difference_of_one_class_is_nothing():
    X, y, weight = labelled_rows(np.float32)
    only = y[:, 0] == 1
    sampler = _core.mean_difference_sampler(6)
    assert len(derived(sampler, X[only], y[only], weight[only], [4], 3)) == 0


def test_mean_difference_in_regression_compares_the_halves_around_the_median():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(100, 5)).astype(np.float32)
    y = X @ np.arange(5) + rng.normal(size=100)
    high = y > np.median(y)
    expected = X[high].mean(axis=0) - X[~high].mean(axis=0)
    sampler = _core.mean_difference_sampler(5)
    found = derived(sampler, X, y.astype(np.float64)[:, None], np.ones(100), [], 3)
    assert found.shape == (1, 5)
    found = found[0] * np.sign(found[0] @ expected)
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_mean_difference_in_regression_separates_two_values():
    # Most responses are the larger value, so it is the median; the halves are still the two values.
    rng = np.random.default_rng(8)
    y = np.repeat([0.0, 1.0], [40, 60])
    X = (rng.normal(size=(100, 3)) + y[:, None]).astype(np.float32)
    expected = X[40:].mean(axis=0) - X[:40].mean(axis=0)
    found = derived(_core.mean_difference_sampler(3), X, y[:, None], np.ones(100), [], 3)
    assert found.shape == (1, 3)
    found = found[0] * np.sign(found[0] @ expected)
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-5)


def separated_rows(n=150, p=6):
    """Rows whose spectrum has a factor of two between neighbours, in a random basis."""
    rng = np.random.default_rng(7)
    basis = np.linalg.qr(rng.normal(size=(p, p)))[0]
    X = rng.normal(size=(n, p)) * 2.0 ** -np.arange(p) @ basis.T + 5 * rng.normal(size=p)
    return X.astype(np.float32), rng.integers(1, 4, size=n).astype(np.float64)


@pytest.mark.parametrize(("n_components", "n_candidates", "expected"), [(3, 1, 3), (0, 4, 4)])
def test_principal_axes_are_those_of_the_singular_value_decomposition(
    n_components, n_candidates, expected
):
    X, weight = separated_rows()
    y = np.zeros((len(X), 1), np.int32)
    sampler = _core.principal_axes_sampler(6, n_components, 1000)
    found = derived(sampler, X, y, weight, [2], n_candidates)
    assert len(found) == expected
    axes = principal_axes(X.astype(np.float64), weight)[:expected]
    unit = found / np.linalg.norm(found, axis=1, keepdims=True)
    assert np.abs(np.sum(unit * axes, axis=1)) == pytest.approx(1, abs=1e-4)


def test_principal_axes_are_no_more_than_features():
    X, weight = separated_rows()
    y = np.zeros((len(X), 1), np.int32)
    sampler = _core.principal_axes_sampler(6, 0, 1000)
    assert len(derived(sampler, X, y, weight, [2], 50)) == 6


@pytest.mark.parametrize("sampler", ["mean_difference", "principal_axes"])
def test_derived_directions_are_finite_where_values_are_missing(sampler):
    X, y, weight = labelled_rows(np.float32)
    X[::7, 2] = np.nan
    if sampler == "mean_difference":
        found = derived(_core.mean_difference_sampler(6), X, y, weight, [4], 2)
    else:
        found = derived(_core.principal_axes_sampler(6, 2, 1000), X, y, weight, [4], 2)
    assert len(found) == 2
    assert np.isfinite(found).all()


# --- rotations --------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [1, 2, 3, 10, 60])
def test_a_rotation_is_orthogonal_with_determinant_one(p):
    for seed in range(5):
        Q = stages.haar_rotation(p, seed).astype(np.float64)
        assert Q.shape == (p, p)
        assert np.max(np.abs(Q.T @ Q - np.eye(p))) < 2e-6
        assert np.linalg.det(Q) == pytest.approx(1, abs=1e-4)


def test_every_entry_of_a_rotation_in_space_is_uniform():
    # A column is uniform on the sphere, whose coordinates are uniform (Archimedes).
    Q = np.array([stages.haar_rotation(3, seed) for seed in range(3000)])
    for i, j in product(range(3), repeat=2):
        assert_continuous(Q[:, i, j], stats.uniform(-1, 2).cdf)


def test_the_angle_of_a_plane_rotation_is_uniform():
    Q = np.array([stages.haar_rotation(2, seed) for seed in range(3000)])
    assert_continuous(np.arctan2(Q[:, 1, 0], Q[:, 0, 0]), stats.uniform(-np.pi, 2 * np.pi).cdf)


@pytest.mark.parametrize("entry", [(0, 0), (0, 4), (4, 0), (4, 4), (2, 3)])
def test_moments_of_an_entry_of_a_rotation_are_those_of_haar_measure(entry):
    p = 5
    q = np.array([stages.haar_rotation(p, seed)[entry] for seed in range(4000)], np.float64)
    # The square of an entry is Beta(1/2, (p - 1)/2).
    square = stats.beta(0.5, (p - 1) / 2)
    assert_mean(q, 0, np.sqrt(1 / p))
    assert_mean(q**2, 1 / p, square.std())
    assert_mean(q**4, 3 / (p * (p + 2)), np.sqrt(square.moment(4) - square.moment(2) ** 2))
    assert_continuous(q**2, square.cdf)


def test_traces_of_products_of_rotations_are_those_of_haar_measure():
    """The trace of a rotation times any fixed one has mean 0 and mean square 1."""
    p, n = 6, 4000
    fixed = np.linalg.qr(np.random.default_rng(0).normal(size=(p, p)))[0]
    traces = np.array([np.trace(stages.haar_rotation(p, seed) @ fixed) for seed in range(n)])
    assert_mean(traces, 0, 1)
    # The fourth moment of a trace is 3 where p is at least 4: the variance of the square is 2.
    assert_mean(traces**2, 1, np.sqrt(2))


@pytest.mark.parametrize("p", [1, 2, 15, 16, 17, 40])
def test_every_instruction_set_draws_the_same_rotation(p):
    sets = _core.supported_kernels()
    try:
        drawn = []
        for name in sets:
            stages.use_kernels(name)
            drawn.append(stages.haar_rotation(p, 3))
    finally:
        stages.use_kernels(sets[-1])
    for other in drawn[1:]:
        np.testing.assert_array_equal(other, drawn[0])


def test_large_rotations_are_orthogonal():
    Q = stages.haar_rotation(300, 0).astype(np.float64)
    assert np.max(np.abs(Q.T @ Q - np.eye(300))) < 1e-6


@pytest.mark.parametrize("kind", ["axis", "dictionary"])
def test_every_atom_is_equally_likely_at_every_place_among_the_candidates(kind):
    # On ties the first best candidate wins, so the order must favour nobody.
    p, d = 12, 5
    geometry = _core.Geometry(p)
    if kind == "axis":
        sampler = _core.axis_sampler(p)
    else:
        offsets = np.arange(p + 1, dtype=np.int64)
        geometry.add_dictionary(offsets, np.arange(p, dtype=np.int32), np.ones(p, np.float32))
        sampler = _core.dictionary_sampler(0, p)
    _, _, features, _ = stages.draw_atoms(sampler, geometry, d, 8, 20000)
    for place in features.reshape(-1, d).T:
        assert_equally_likely(place.tolist(), range(p))
