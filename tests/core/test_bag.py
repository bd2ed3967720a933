"""The law of the in-bag sample; the false-alarm rate is stated in reference/chance.py."""

from itertools import combinations, product
from math import factorial

import numpy as np
import pytest
from scipy import stats

import stages
from manifoldforest import _core
from reference import growing
from reference.chance import LEVEL, assert_equally_likely, assert_follows, assert_mean


def bags(n, n_trees, *, strata=None, draw_weight=None, row_count=None, **options):
    """In-bag counts (trees, rows)."""
    settings = _core.GrowOptions()
    for name, value in {"seed": 3, "bootstrap": True, **options}.items():
        assert hasattr(settings, name), name
        setattr(settings, name, value)
    strata = np.zeros(n, np.int32) if strata is None else np.asarray(strata, np.int32)
    draw_weight = np.ones(n) if draw_weight is None else np.asarray(draw_weight, np.float64)
    row_count = np.ones(n, np.int64) if row_count is None else np.asarray(row_count, np.int64)
    return np.array(
        [stages.draw_bag(settings, strata, draw_weight, row_count, t) for t in range(n_trees)]
    )


def multinomial_law(n, draws):
    """Probability of every vector of counts of `draws` draws among n rows."""
    law = {}
    for counts in product(range(draws + 1), repeat=n):
        if sum(counts) == draws:
            ways = factorial(draws)
            for count in counts:
                ways //= factorial(count)
            law[counts] = ways / n**draws
    return law


def test_a_bootstrap_draws_as_many_rows_as_there_are():
    drawn = bags(40, 50)
    assert (drawn.sum(axis=1) == 40).all()
    assert (drawn >= 0).all()
    assert len(np.unique(drawn, axis=0)) == 50


def test_bootstrap_counts_are_multinomial():
    law = multinomial_law(4, 4)
    # Samples without an out-of-bag row are drawn again, up to ten times.
    full = law.pop((1, 1, 1, 1))
    law = {counts: p * (1 - full**11) / (1 - full) for counts, p in law.items()}
    law[(1, 1, 1, 1)] = full**11
    assert_follows([tuple(row) for row in bags(4, 6000).tolist()], law)


def test_a_bootstrap_of_many_rows_has_the_moments_of_a_multinomial():
    drawn = bags(60, 3000)
    count = stats.binom(60, 1 / 60)
    for row in (0, 17, 59):
        counts = drawn[:, row].astype(float)
        assert_mean(counts, 1, count.std())
        fourth = count.expect(lambda k: (k - 1) ** 4)
        assert_mean((counts - 1) ** 2, count.var(), np.sqrt(fourth - count.var() ** 2))
    assert_mean((drawn[:, 3] - 1) * (drawn[:, 4] - 1), -1 / 60, 1.05)


def test_the_number_of_draws_can_be_given():
    drawn = bags(4, 6000, n_draws=3)
    assert_follows([tuple(row) for row in drawn.tolist()], multinomial_law(4, 3))
    assert (bags(5, 20, n_draws=12).sum(axis=1) == 12).all()


def test_a_sample_that_leaves_no_row_out_is_drawn_again():
    # Half of the samples of two rows leave none out, eleven in a row hardly ever do.
    full = np.count_nonzero((bags(2, 4000) > 0).all(axis=1))
    assert full <= stats.binom.isf(LEVEL, 4000, 0.5**11)


def test_rows_are_drawn_in_proportion_to_their_weight():
    weight = np.array([1.0, 2.0, 0.0, 4.0, 0.5, 2.5])
    drawn = bags(6, 4000, draw_weight=weight, n_draws=1)
    law = {row: weight[row] / weight.sum() for row in range(6) if weight[row] > 0}
    assert_follows([int(np.argmax(counts)) for counts in drawn], law)
    many = bags(6, 4000, draw_weight=weight, n_draws=10)
    assert (many.sum(axis=1) == 10).all()
    assert not many[:, 2].any()
    totals = dict(enumerate(many.sum(axis=0).tolist()))
    del totals[2]
    assert_follows(totals, law)


def test_the_scale_of_draw_weights_does_not_matter():
    weight = np.array([1.0, 2.0, 0.0, 4.0, 0.5, 2.5])
    one = bags(6, 50, draw_weight=weight)
    assert np.array_equal(one, bags(6, 50, draw_weight=4 * weight))


def test_a_stratified_bootstrap_keeps_the_size_of_every_class():
    strata = np.repeat([0, 1, 3], [5, 12, 3])
    drawn = bags(20, 3000, strata=strata, stratify=True)
    for stratum in (0, 1, 3):
        inside = drawn[:, strata == stratum]
        assert (inside.sum(axis=1) == inside.shape[1]).all()
    rare = [tuple(row) for row in drawn[:, strata == 3].tolist()]
    assert_follows(rare, multinomial_law(3, 3))


@pytest.mark.parametrize("bootstrap", [True, False])
def test_a_stratified_sample_of_another_size_keeps_the_shares(bootstrap):
    strata = np.repeat([0, 1, 2], [50, 30, 21])
    drawn = bags(101, 30, strata=strata, stratify=True, bootstrap=bootstrap, n_draws=40)
    assert (drawn.sum(axis=1) == 40).all()
    for stratum in range(3):
        share = np.mean(strata == stratum)
        assert (np.abs(drawn[:, strata == stratum].sum(axis=1) - 40 * share) < 1).all()
    if not bootstrap:
        assert drawn.max() == 1


def test_an_unstratified_bootstrap_does_not_keep_the_size_of_a_class():
    drawn = bags(20, 50, strata=np.repeat([0, 1], 10))
    assert len(np.unique(drawn[:, :10].sum(axis=1))) > 3


def test_without_bootstrap_every_row_is_taken_as_often_as_it_counts():
    count = np.array([1, 0, 3, 2, 1])
    assert (bags(5, 4, bootstrap=False, row_count=count) == count).all()


@pytest.mark.parametrize("n_draws", [2, 3, 4, 5])
def test_a_subsample_without_replacement_is_uniform_over_subsets(n_draws):
    drawn = bags(6, 5000, bootstrap=False, n_draws=n_draws)
    assert set(np.unique(drawn)) == {0, 1}
    subsets = [tuple(np.flatnonzero(row).tolist()) for row in drawn]
    assert_equally_likely(subsets, combinations(range(6), n_draws))


@pytest.mark.parametrize("n_draws", [2, 4])
def test_a_subsample_leaves_absent_rows_out(n_draws):
    count = np.array([1, 0, 2, 1, 0, 1, 3])
    drawn = bags(7, 200, bootstrap=False, n_draws=n_draws, row_count=count)
    assert ((drawn == 0) | (drawn == count)).all()
    assert (np.count_nonzero(drawn, axis=1) == n_draws).all()


@pytest.mark.parametrize("n_draws", [4096, 4097, 9999, 10_000, 10_001, 15_903, 15_904, 19_999])
def test_a_large_subsample_is_the_same_by_any_list_of_the_rows(n_draws):
    """Drawn without a list of the rows, from one stratum, and past a row that is absent."""
    n, options = 20_000, {"bootstrap": False, "n_draws": n_draws}
    drawn = bags(n, 2, **options)
    assert (drawn.sum(axis=1) == n_draws).all()
    assert set(np.unique(drawn)) == {0, 1}
    assert np.array_equal(drawn, bags(n, 2, stratify=True, **options))
    one_more = bags(n + 1, 2, row_count=np.append(np.ones(n), 0), **options)
    assert np.array_equal(np.column_stack([drawn, [0, 0]]), one_more)


@pytest.mark.parametrize("n_draws", [5000, 10_000])
def test_a_large_subsample_takes_all_parts_of_the_rows_alike(n_draws):
    n, n_parts = 20_000, 20
    drawn = bags(n, 200, bootstrap=False, n_draws=n_draws)
    law = stats.hypergeom(n, n_draws, n // n_parts)
    for part in drawn.reshape(200, n_parts, -1).sum(axis=2).T:
        assert_mean(part, law.mean(), law.std())


def test_honest_halves_are_drawn_at_random():
    strata = np.repeat([0, 1], [4, 2])
    drawn = bags(6, 4000, strata=strata, honest=True, bootstrap=False)
    assert set(np.unique(drawn)) == {-1, 1}
    halves = [tuple(np.flatnonzero(row < 0).tolist()) for row in drawn]
    expected = [(*a, b) for a in combinations(range(4), 2) for b in (4, 5)]
    assert_equally_likely(halves, expected)


def test_honest_bags_hold_distinct_rows_unless_draws_tell_weights():
    drawn = bags(20, 200, honest=True)
    assert set(np.unique(drawn)) == {-1, 0, 1}
    weighted = bags(20, 200, honest=True, draw_weight=np.repeat([1.0, 9.0], 10))
    assert weighted[:, 10:].max() > 1


def test_an_odd_row_of_a_class_goes_either_way():
    drawn = bags(5, 4000, honest=True, bootstrap=False)
    assert_equally_likely(np.count_nonzero(drawn < 0, axis=1).tolist(), [2, 3])


def test_the_bag_of_a_grown_tree_is_the_one_drawn():
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 3)).astype(np.float32), rng.integers(0, 2, (30, 1)).astype(np.int32)
    settings = _core.GrowOptions()
    settings.n_trees, settings.first_tree, settings.seed = 4, 2, 3
    settings.n_classes, settings.stratify = [2], True
    ones = np.ones(30)
    arrays = growing.grow(
        X,
        y,
        y[:, 0].copy(),
        ones,
        ones,
        np.ones(30, np.int64),
        _core.Geometry(3),
        _core.axis_sampler(3),
        settings,
    )
    drawn = bags(30, 6, strata=y[:, 0], stratify=True, n_classes=[2])
    assert np.array_equal(arrays["inbag"], drawn[2:])


# ------------------------------------------------------------------ honesty


@pytest.mark.parametrize("fraction", [1e-9, 0.05, 0.3, 0.5, 0.7, 0.9, 0.95, 1 - 1e-9, 1 - 2**-53])
@pytest.mark.parametrize("n", [1, 2, 3, 10, 20, 21])
def test_the_honest_fraction_of_the_rows_chooses_the_splits(n, fraction):
    drawn = bags(n, 500, bootstrap=False, honest=True, honest_fraction=fraction)
    choosing = (drawn == -1).sum(axis=1)
    assert (choosing + (drawn == 1).sum(axis=1) == n).all()
    whole = int(fraction * n)
    more = fraction * n - whole
    if more < 1e-6 or more > 1 - 1e-6:
        assert (choosing == max(1, round(fraction * n))).all()
    elif whole > 0:
        assert_follows(choosing.tolist(), {whole: 1 - more, whole + 1: more})
    else:  # no tree is without such a row
        assert (choosing == 1).all()


@pytest.mark.parametrize("fraction", [0.0, 1.0])
def test_the_core_takes_the_ends_of_honest_fractions(fraction):
    drawn = bags(10, 20, bootstrap=False, honest=True, honest_fraction=fraction)
    assert ((drawn == -1).sum(axis=1) == (10 if fraction else 1)).all()


def test_honest_fractions_hold_in_each_stratum():
    strata = np.repeat([0, 1], [30, 10])
    drawn = bags(40, 30, strata=strata, bootstrap=False, honest=True, honest_fraction=0.9)
    assert ((drawn[:, :30] == -1).sum(axis=1) == 27).all()
    assert ((drawn[:, 30:] == -1).sum(axis=1) == 9).all()
