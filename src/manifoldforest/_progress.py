"""Who is told of the trees that grow, while a forest is fitted.

A fit has no parameter for it: a listener is a matter of the call, not of the model, and must
neither be stored nor copied with the estimator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Progress = Callable[[int, int], None]  # trees that are there, and those that will be

_listener: ContextVar[Progress | None] = ContextVar("listener", default=None)


@contextmanager
def progress_told_to(listener: Progress | None) -> Iterator[None]:
    """Tell a function, or nobody, of the trees of all fits inside of the context.

    Parameters
    ----------
    listener : callable or None
        Called with the number of trees that are there and that of all to be grown, in the thread
        that fits.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from manifoldforest._progress import progress_told_to
    >>> with progress_told_to(lambda done, total: print(f"{done} of {total}")):
    ...     _ = mf.BoostedForestRegressor(2, random_state=0).fit([[0.0], [1.0]], [0.0, 1.0])
    1 of 2
    2 of 2
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def current_listener() -> Progress | None:
    """Return who is to be told, if anyone is."""
    return _listener.get()
