"""What tasks share that run on workers."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from distributed import get_worker
from joblib import parallel_backend

from .._progress import Progress

# Filters of warnings belong to the whole process, in which other tasks run.
_recording = threading.Lock()

# Seconds between two messages of a worker that grows trees.
_PAUSE = 0.2


class Message(NamedTuple):
    """A warning that a worker has for the user."""

    category: type[Warning]
    text: str


@contextmanager
def recorded_warnings() -> Iterator[list[Message]]:
    """Collect the warnings of a worker, to be given on the client."""
    messages: list[Message] = []
    with _recording, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield messages
    messages += [Message(warning.category, str(warning.message)) for warning in caught]


@contextmanager
def threads_of_task(n_threads: int | None = None) -> Iterator[None]:
    """Let ``n_jobs=None`` stand for a number of threads, by default all those of the worker.

    Joblib's own backends start no threads in the processes of Dask.
    """
    if n_threads is None:
        n_threads = int(get_worker().state.nthreads)
    with parallel_backend("threading", n_jobs=n_threads):
        yield


def progress_sent(topic: str | None, first_tree: int) -> Progress | None:
    """Return a hook that tells the subscribers of a topic how many trees of a range are there."""
    if topic is None:
        return None
    worker, name, last = get_worker(), topic, 0.0

    def progress(done: int, total: int) -> None:
        nonlocal last
        if done == total or time.monotonic() - last > _PAUSE:
            last = time.monotonic()
            worker.log_event(name, {"first_tree": first_tree, "done": done})

    return progress
