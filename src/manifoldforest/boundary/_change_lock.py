"""The lock that is held while a boundary forest or an index changes."""

from __future__ import annotations

import functools
import os
import threading
import weakref
from collections.abc import Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar


class ChangeLock:
    """A reentrant lock that is free in a forked child, whichever thread of the parent held it.

    That thread does not exist in the child. The core knows whether it was in the middle of a
    change, and then refuses to be used.

    Attributes
    ----------
    mutex : RLock
        The lock. It is used by its own ``with`` statement, as an interrupt between a call of
        `acquire` and the block it guards would leave it locked.
    changing : bool
        Whether the thread that holds it is inside a method that :func:`exclusive` guards.
    """

    def __init__(self) -> None:
        self._reset()
        _all_locks.add(self)

    def _reset(self) -> None:
        self.mutex = threading.RLock()
        self.changing = False


class Lockable(Protocol):
    """An object whose changes :func:`exclusive` guards."""

    _lock: ChangeLock

    @property
    def _mutex(self) -> threading.RLock:
        """The mutex of the lock; raises a RuntimeError if the caller must not wait for it."""
        ...


Owner = TypeVar("Owner", bound=Lockable)
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def exclusive(
    method: Callable[Concatenate[Owner, Arguments], Result],
) -> Callable[Concatenate[Owner, Arguments], Result]:
    """Make a method hold the lock of its object, and raise a RuntimeError if it is called again.

    If a metric or an embedding changed the index that calls it, one of the two changes would be
    lost.
    """

    @functools.wraps(method)
    def locked(self: Owner, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        with self._mutex:
            lock = self._lock
            if lock.changing:
                raise RuntimeError(
                    "a metric must not change the forest or index that calls it, nor may an "
                    "embedding"
                )
            lock.changing = True
            try:
                return method(self, *args, **kwargs)
            finally:
                lock.changing = False

    return locked


_all_locks: weakref.WeakSet[ChangeLock] = weakref.WeakSet()


def _reset_all() -> None:
    for lock in list(_all_locks):
        lock._reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_all)
