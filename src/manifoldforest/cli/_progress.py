"""A bar with the time left, for what takes longer than a second."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console


class Report(Protocol):
    """Told what is done, how much there is to do and, in words, what comes next."""

    def __call__(self, done: int, total: int, doing: str | None = None, /) -> None: ...


# Seconds before a bar appears.
DELAY = 1.0


@contextmanager
def progress_bar(doing: str) -> Iterator[Report]:
    """Yield a function that is told what is done, and how much there is to do.

    The bar is on standard error, and only if that is a terminal.

    Parameters
    ----------
    doing : str
        What takes the time, in a few words.
    """
    console = Console(stderr=True)
    if not console.is_terminal:  # some versions of rich end even a disabled bar with a line break
        yield lambda done, total, doing=None: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[amount]}"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    task = bar.add_task(doing, total=None, amount="")
    timer = threading.Timer(DELAY, bar.start)
    timer.daemon = True
    timer.start()

    def report(done: int, total: int, doing: str | None = None, /) -> None:
        bar.update(task, completed=done, total=total, amount=f"{done} of {total}")
        if doing is not None:
            bar.update(task, description=doing)

    try:
        yield report
    finally:
        timer.cancel()
        timer.join()  # it may just be starting the bar
        bar.stop()
