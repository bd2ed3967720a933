"""The lock of whoever changes a boundary forest or an index."""

from __future__ import annotations

import functools
import os
import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

if TYPE_CHECKING:
    from ._core_forest import CoreForest

Owner = TypeVar("Owner")
Given = ParamSpec("Given")
Result = TypeVar("Result")


class ChangeLock:
    """A lock that is free in the child of a fork, whoever held it.

    The threads that held it are not there. The core knows whether one of them was in the middle of
    a change.

    Attributes
    ----------
    mutex : RLock
        What is held; its own `with` statement cannot be interrupted at the wrong moment.
    changing : bool
        Whether the thread that holds it is inside a method that :func:`one_change` guards.
    """

    def __init__(self) -> None:
        self._free()
        _all_locks.add(self)

    def mutex_outside(self, forest: CoreForest | None) -> threading.RLock:
        """Return the mutex, unless a method of the forest has called the caller.

        A metric that a query calls must not wait: whoever holds the mutex may wait for the query.
        """
        if forest is not None:
            forest.core.refuse_from_inside()
        return self.mutex

    def _free(self) -> None:
        self.mutex = threading.RLock()
        self.changing = False


_all_locks: weakref.WeakSet[ChangeLock] = weakref.WeakSet()


def one_change(
    method: Callable[Concatenate[Owner, Given], Result],
) -> Callable[Concatenate[Owner, Given], Result]:
    """Make a method hold the lock `_lock` of its object, and refuse to be called from inside.

    A metric or an embedding that changes the index which calls it would lose one of the changes.
    """

    @functools.wraps(method)
    def changes(self: Owner, /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        lock: ChangeLock = self._lock  # type: ignore[attr-defined]
        with lock.mutex_outside(self._forest):  # type: ignore[attr-defined]
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

    return changes


def _free_all() -> None:
    for lock in list(_all_locks):
        lock._free()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_all)
