"""One forest from the core, with all that a trainer and its call to grow take."""

from manifoldforest import _core


def grow(
    X, y, strata, draw_weight, row_weight, row_count, geometry, sampler, options, *rest, n_threads=1
):
    """Return the arrays of a forest; `rest` is progress, signs and squared distances."""
    trainer = _core.Trainer(X, geometry, sampler, n_threads)
    return trainer.grow(y, strata, draw_weight, row_weight, row_count, options, *rest)
