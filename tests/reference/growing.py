"""One forest from the core, with all that a trainer and its call to grow take, and its options."""

from manifoldforest import _core


def grow_options(criterion="gini", **settings):
    """Return options of the core; the criterion is the name of the objective."""
    options = _core.GrowOptions()
    options.objective = _core.objective(criterion)
    for name, value in settings.items():
        assert hasattr(options, name), name
        setattr(options, name, value)
    return options


def grow(
    X, y, strata, draw_weight, row_weight, row_count, geometry, sampler, options, *rest, n_threads=1
):
    """Return the arrays of a forest; `rest` is progress, signs and squared distances."""
    trainer = _core.Trainer(X, geometry, sampler, n_threads)
    return trainer.grow(y, strata, draw_weight, row_weight, row_count, options, *rest)
