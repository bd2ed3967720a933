"""A bar with the time left, for what takes longer than a second."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from rich.console import Console

if TYPE_CHECKING:
    from rich.progress import Progress


class Report(Protocol):
    """Told what is done, how much there is to do and, in words, what comes next."""

    def __call__(self, done: int, total: int, doing: str | None = None, /) -> None: ...


# Seconds before a bar appears.
DELAY = 1.0


@contextmanager
def progress_bar(doing: str) -> Iterator[Report]:
    """Yield a function that is told what is done, and how much there is to do.

    The bar is on standard error, and only if that is a terminal. As long as nothing is told, it
    only shows that the program is at work.

    Parameters
    ----------
    doing : str
        What takes the time, in a few words.
    """
    console = Console(stderr=True)
    if not console.is_terminal:  # some versions of rich end even a disabled bar with a line break
        yield lambda done, total, doing=None: None
        return
    bar = _bar(console)
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


def _bar(console: Console) -> Progress:
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.text import Text

    class TimeLeft(ProgressColumn):
        """Minutes and seconds, or nothing as long as they are not known."""

        max_refresh = 0.5

        def render(self, task: Task) -> Text:
            if task.finished or task.time_remaining is None:
                return Text("")
            minutes, seconds = divmod(int(task.time_remaining), 60)
            hours, minutes = divmod(minutes, 60)
            return Text(f"{hours}:{minutes:02}:{seconds:02} left", "cyan")

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        TextColumn("{task.fields[amount]}"),
        TimeLeft(),
        console=console,
        transient=True,
    )
