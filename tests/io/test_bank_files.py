"""Files of forests on statistics of series that say what cannot be are refused, never believed."""

import numpy as np
import pytest

import manifoldforest as mf
from manifoldforest.projections import DilatedKernels, Intervals
from manifoldforest.views import Identity
from reference.forged_files import repacked

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2, 12)).astype(np.float32)
Y = (X[:, 1, 4:8].std(axis=1) > 0.9).astype(int)
INTERVALS = Intervals(("mean", "quantile"), depth=2, views=[Identity()])
KERNELS = DilatedKernels(5)
LARGEST = 2**31 - 1
NAN = int(np.float32(np.nan).view(np.int32))
INFINITE = int(np.float32(np.inf).view(np.int32))


def stored(projection, tmp_path):
    path = tmp_path / "forest.mf"
    mf.ForestClassifier(3, projection=projection, random_state=0).fit(X, Y).save(path)
    return path


def assert_refused(path, change):
    repacked(path, change)
    with pytest.raises(mf.ModelFileError):
        mf.load(path)


def numbered(place, number):
    """Return a change of one of the numbers of the first view."""

    def change(content, arrays):
        content["bank"][0][2][place] = number

    return change


def of_bank(change):
    return lambda content, arrays: change(content["bank"])


# numbers of intervals: three of the base, statistics, spacing, then begin and end of each interval
OF_INTERVALS = {
    "unknown base": numbered(0, 3),
    "negative base": numbered(0, -1),
    "an order of no differences": numbered(1, 1),
    "a smoothing of no differences": numbered(2, 3),
    "no statistics": numbered(3, 0),
    "unknown statistics": numbered(3, 1 << 8),
    "negative statistics": numbered(3, -1),
    "all bits": numbered(3, LARGEST),
    "quantiles of both kinds": numbered(3, 0b11000000),
    "no points for a quantile": numbered(4, 0),
    "negative points for a quantile": numbered(4, -4),
    "an interval that begins before the series": numbered(5, -1),
    "an interval that ends behind the series": numbered(6, 13),
    "an interval that ends far behind the series": numbered(6, LARGEST),
    "an interval that ends before it begins": numbered(6, 0),
    "an interval that ends at a negative place": numbered(6, -LARGEST - 1),
    "an interval without an end": of_bank(lambda bank: bank[0][2].pop()),
    "no interval": of_bank(lambda bank: bank[0][2].__delitem__(slice(5, None))),
    "too few numbers": of_bank(lambda bank: bank[0][2].__delitem__(slice(2, None))),
    "no numbers": of_bank(lambda bank: bank[0][2].clear()),
    "more intervals than cells can be": of_bank(lambda bank: bank[0][2].extend([0, 12] * 2**20)),
    "more cells than trees know": of_bank(lambda bank: bank[0][2].__setitem__(slice(7, None), [])),
    "differences of an order that is too high": of_bank(
        lambda bank: bank[0][2].__setitem__(slice(0, 3), [1, 12, 1])
    ),
    "differences with even smoothing": of_bank(
        lambda bank: bank[0][2].__setitem__(slice(0, 3), [1, 1, 2])
    ),
}
# numbers of kernels: base, pools, then series, weights, dilation, begin, end, threshold, weights
OF_KERNELS = {
    "no pools": numbered(3, 0),
    "unknown pools": numbered(3, 1 << 4),
    "negative pools": numbered(3, -1),
    "a negative series": numbered(4, -1),
    "a series that is not there": numbered(4, 2),
    "no weights": numbered(5, 0),
    "negative weights": numbered(5, -3),
    "more weights than follow": numbered(5, 64),
    "too many weights": numbered(5, LARGEST),
    "no dilation": numbered(6, 0),
    "negative dilation": numbered(6, -1),
    "a dilation beyond the series": numbered(6, 13),
    "a huge dilation": numbered(6, LARGEST),
    "a negative begin": numbered(7, -1),
    "an end behind the series": numbered(8, 13),
    "a huge end": numbered(8, LARGEST),
    "an end before the begin": numbered(8, 0),
    "a threshold that is no number": numbered(9, NAN),
    "an infinite threshold": numbered(9, INFINITE),
    "a weight that is no number": numbered(10, NAN),
    "an infinite weight": numbered(-1, INFINITE),
    "a weight too few": of_bank(lambda bank: bank[0][2].pop()),
    "a number too many": of_bank(lambda bank: bank[0][2].append(0)),
    "no kernels": of_bank(lambda bank: bank[0][2].__delitem__(slice(4, None))),
    "no numbers": of_bank(lambda bank: bank[0][2].clear()),
}
OF_BOTH = {
    "no views": of_bank(lambda bank: bank.clear()),
    "no bank": lambda content, arrays: content.pop("bank"),
    "the format of forests without one": lambda content, arrays: content.update(format_version=4),
    "a bank of nothing": lambda content, arrays: content.update(bank=None),
    "a bank of a number": lambda content, arrays: content.update(bank=3),
    "a view twice": of_bank(lambda bank: bank.append(bank[0])),
    "a view of code": of_bank(lambda bank: bank.append(["columns", [3], [0]])),
    "only a view of code": of_bank(lambda bank: bank.__setitem__(0, ["columns", [3], [0]])),
    "an unknown view": of_bank(lambda bank: bank[0].__setitem__(0, "shapelets")),
    "a view without numbers": of_bank(lambda bank: bank[0].pop()),
    "a view of no shape": of_bank(lambda bank: bank[0].__setitem__(1, [])),
    "a view of another shape": of_bank(lambda bank: bank[0].__setitem__(1, [2, 13])),
    "a view of fewer features": of_bank(lambda bank: bank[0].__setitem__(1, [12])),
    "a view of negative lengths": of_bank(lambda bank: bank[0].__setitem__(1, [-2, -12])),
    "a view of no series": of_bank(lambda bank: bank[0].__setitem__(1, [0, 12])),
    "a view of huge lengths": of_bank(lambda bank: bank[0].__setitem__(1, [2**16] * 4)),
    "numbers that are no whole ones": numbered(3, 0.5),
    "numbers that are words": numbered(3, "1"),
    "numbers that are too large": numbered(3, 2**40),
    "other examples": lambda content, arrays: content.update(feature_shape=[2, 11]),
    "a split on a cell that is not there": lambda content, arrays: arrays.update(
        {"trees.atom_ints": arrays["trees.atom_ints"] + 10**6}
    ),
}


@pytest.mark.parametrize("change", (OF_INTERVALS | OF_BOTH).values(), ids=OF_INTERVALS | OF_BOTH)
def test_a_forged_bank_of_intervals_is_refused(change, tmp_path):
    assert_refused(stored(INTERVALS, tmp_path), change)


@pytest.mark.parametrize("change", (OF_KERNELS | OF_BOTH).values(), ids=OF_KERNELS | OF_BOTH)
def test_a_forged_bank_of_kernels_is_refused(change, tmp_path):
    assert_refused(stored(KERNELS, tmp_path), change)


def test_a_file_without_a_bank_does_not_have_the_format_of_banks(tmp_path):
    path = tmp_path / "forest.mf"
    mf.ForestClassifier(3, projection="axis", random_state=0).fit(X, Y).save(path)
    assert_refused(path, lambda content, arrays: content.update(format_version=5))


@pytest.mark.parametrize(
    "change",
    [
        numbered(9, 0),
        of_bank(lambda bank: bank.append(["intervals", [2, 12], [0, 0, 0, 1, 0, 0, 12]])),
        of_bank(lambda bank: bank.append(["spectrum", [2, 12], []])),
        of_bank(lambda bank: bank.append(["gradients", [2, 12], [-1, 4, 0]])),
        of_bank(lambda bank: bank.append(["gradients", [2, 12], [-1, 4, 1]])),
    ],
    ids=["another threshold", "intervals besides", "a spectrum", "gradients", "rounded gradients"],
)
def test_other_cells_in_a_bank_are_no_danger(change, tmp_path):
    path = stored(KERNELS, tmp_path)
    repacked(path, change)
    forest = mf.load(path)
    assert np.isfinite(forest.predict_proba(X)).all()
    assert forest.feature_importances_.shape == (2, 12)


@pytest.mark.parametrize("projection", [INTERVALS, KERNELS], ids=["intervals", "kernels"])
def test_random_numbers_in_a_bank_are_refused_or_answer(projection, tmp_path):
    path = stored(projection, tmp_path)
    whole = path.read_bytes()
    rng = np.random.default_rng(1)
    n_loaded = 0
    for _ in range(60):
        path.write_bytes(whole)
        place = int(rng.integers(0, 12))
        number = int(rng.choice([-LARGEST, -7, -1, 0, 1, 2, 3, 5, 11, 12, 13, 200, LARGEST]))
        repacked(path, numbered(place, number))
        try:
            forest = mf.load(path)
        except mf.ModelFileError:
            continue
        n_loaded += 1
        assert np.isfinite(forest.predict_proba(X)).all()
        assert forest.feature_importances_.shape == (2, 12)
        assert forest.trees_[0].split_text(0)
    assert n_loaded > 0
