"""The booster of the core: what it refuses, and that it is used up once."""

import numpy as np
import pytest

from manifoldforest import _core
from manifoldforest.forests._forest_model import make_sampler
from manifoldforest.projections import Axis

N = 30
X = np.random.default_rng(0).normal(size=(N, 2)).astype(np.float32)
GEOMETRY, SAMPLER = make_sampler(Axis(), (2,))[:2]


def options(**params):
    made = _core.GrowOptions()
    made.bootstrap = False
    made.max_depth = 2
    for name, value in params.items():
        setattr(made, name, value)
    return made


def booster(loss="squared_error", **changes):
    given = {
        "y": X[:, :1].astype(np.float64),
        "strata": np.zeros(N, np.int32),
        "row_weight": np.ones(N),
        "row_count": np.ones(N, np.int64),
        "held_out_weight": np.zeros(N),
        "sums": None,
        "options": options(),
        "learning_rate": 0.5,
        "l2": 1.0,
    }
    trainer = _core.Trainer(X, GEOMETRY, SAMPLER, 1)
    return _core.Booster(trainer, loss, **(given | changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"loss": "none"}, "unknown loss none"),
        ({"loss": "log_loss"}, "y must hold classes"),
        ({"held_out_weight": np.zeros(3)}, "held_out_weight must have one entry per row"),
        ({"held_out_weight": np.full(N, -1.0)}, "held_out_weight must not be negative"),
        ({"held_out_weight": np.broadcast_to(-1.0, N)}, "held_out_weight must not be negative"),
        ({"row_count": np.broadcast_to(np.int64(2**27), N)}, "row_count must not .* sum to more"),
        ({"row_weight": np.broadcast_to(1e307, N)}, "row_weight must have finite sums"),
        ({"row_weight": np.zeros(N), "row_count": np.zeros(N, np.int64)}, "zero for all rows"),
        ({"row_count": np.zeros(N, np.int64)}, "both a weight and a count"),
        ({"sums": np.zeros((N, 2))}, "sums must be rows x scores"),
        ({"learning_rate": 0.0}, "learning_rate must be"),
        ({"l2": np.inf}, "l2 must be"),
        ({"options": options(bootstrap=True)}, "no bootstrap"),
        ({"options": options(honest=True)}, "no honesty"),
    ],
)
def test_what_makes_no_sense_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        booster(**changes)


def test_trees_can_be_taken_once():
    one = booster()
    before = one.losses
    after = one.grow_tree()
    assert after[0] < before[0]
    assert np.isnan(after[1])
    one.grow_tree()
    trees = one.take_trees(1)
    assert len(trees["tree_offsets"]) == 2
    assert "leaf_of_row" not in trees
    for ask in (one.grow_tree, lambda: one.take_trees(1), lambda: one.losses):
        with pytest.raises(ValueError, match="given its trees away"):
            ask()


def in_one_number(arrays):
    return {name: np.broadcast_to(array[0], N) for name, array in arrays.items()}


@pytest.mark.parametrize("weight", [1.0, 3.0, 0.1])
@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson", "log_loss"])
def test_weights_in_one_number_are_those_of_all_rows(loss, weight):
    y = np.abs(X[:, :1]).astype(np.float64)
    given = {"y": y}
    if loss == "log_loss":
        labels = (3 * y).astype(np.int32).clip(0, 2)
        given = {"y": labels, "options": options(n_classes=[3])}
    weights = {
        "strata": np.zeros(N, np.int32),
        "row_weight": np.full(N, weight),
        "row_count": np.ones(N, np.int64),
        "held_out_weight": np.zeros(N),
    }
    one, other = booster(loss, **given, **weights), booster(loss, **given, **in_one_number(weights))
    np.testing.assert_array_equal(one.start, other.start)
    assert one.grow_tree()[0] == other.grow_tree()[0]
    trees, others = one.take_trees(1), other.take_trees(1)
    assert trees.keys() == others.keys()
    for name in trees:
        np.testing.assert_array_equal(trees[name], others[name], name)


def test_sums_of_former_trees_count():
    start = booster().start
    known = booster(sums=X[:, :1].astype(np.float64) - start)
    assert known.losses[0] == pytest.approx(0, abs=1e-12)


def test_derivatives_are_for_boosting_only():
    trainer = _core.Trainer(X, GEOMETRY, SAMPLER, 1)
    grow = options()
    grow.objective = _core.objective("second_order", {"l2": 2.0})
    ones = np.ones(N)
    with pytest.raises(ValueError, match="learns derivatives of a loss only"):
        trainer.grow(
            X[:, :1].astype(float),
            np.zeros(N, np.int32),
            ones,
            ones,
            ones.astype(np.int64),
            grow,
        )
    with pytest.raises(ValueError, match="has no parameter l3"):
        _core.objective("second_order", {"l3": 2.0})
    with pytest.raises(ValueError, match="l2 must be a finite number"):
        _core.objective("second_order", {"l2": -1.0})
