"""Tasks that go where their rows are, and what is done when a worker leaves with the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from distributed import Client, Future

from ._cluster import WorkerLeft, give_up, results_of, wait_for
from ._told_progress import ToldProgress

# A step of a fit begins anew so many times at most: tasks that need more memory than there is kill
# one worker after the other.
MOST_LOSSES = 10

Result = TypeVar("Result")


class Tasks:
    """The tasks of a step of a fit; as a context manager it lets go of them at its end.

    Dask moves a task away from a busy worker, and the rows it reads with it: copies of partitions,
    which workers then hold as well as their own. A task that is given a place therefore stays
    there. If the worker leaves, what waits for the task raises `WorkerLeft`.

    Parameters
    ----------
    client : distributed.Client
        The client.
    progress : ToldProgress or None
        Who is told of trees while the client waits.
    """

    def __init__(self, client: Client, progress: ToldProgress | None) -> None:
        self.client, self.progress = client, progress
        self._kept: list[Future] = []
        self._places: set[str] = set()

    def __enter__(self) -> Tasks:
        return self

    def __exit__(self, *error: object) -> None:
        give_up(self._kept)

    def submit(
        self, function: Callable[..., Any], *args: Any, kept: bool = True, place: str | None = None
    ) -> Future:
        """Return a new task; one that is not kept is dropped when no other task needs it."""
        pinned = {} if place is None else {"workers": [place], "allow_other_workers": False}
        task = self.client.submit(function, *args, pure=False, **pinned)
        if kept:
            self._kept.append(task)
        if place is not None:
            self._places.add(place)
        return task

    def results_of(self, futures: Sequence[Future]) -> list[Any]:
        """Wait for results."""
        return results_of(self.client, futures, self._tell, self._places)

    def wait_for(self, futures: Sequence[Future], *, one: bool = False) -> None:
        """Wait for all tasks, or for one."""
        wait_for(self.client, futures, self._tell, self._places, one=one)

    @property
    def topic(self) -> str | None:
        """Where workers tell of trees."""
        return None if self.progress is None else self.progress.topic

    @property
    def _tell(self) -> Callable[[], None] | None:
        return None if self.progress is None else self.progress.tell


def lasting(step: Callable[[], Result]) -> Result:
    """Return what a step returns, which begins anew whenever a worker leaves that it needs."""
    for _ in range(MOST_LOSSES):
        try:
            return step()
        except WorkerLeft as error:
            left = str(error)  # not the error, which holds on to the tasks of the step
    raise RuntimeError(
        f"client must have workers that stay, got {MOST_LOSSES} that left while they held rows of "
        f"the fit: their memory may be too small (the last: {left})"
    )
