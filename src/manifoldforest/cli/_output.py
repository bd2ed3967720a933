"""What commands say: summaries for people, JSON for machines, and notes."""

from __future__ import annotations

import json
import os
import sys
import textwrap
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ._errors import CommandError
from ._progress import Report, progress_bar

_NO_BREAK = "\u00a0"  # a space at which lines are not broken


class Stopwatch:
    """Seconds that the parts of a command took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, part: str, doing: str | None = None) -> Iterator[Report]:
        """Measure one part, with a bar that says what it is doing."""
        start = time.perf_counter()
        with progress_bar(doing or part) as report:
            yield report
        self.seconds[part] = self.seconds.get(part, 0.0) + time.perf_counter() - start

    def __str__(self) -> str:
        """Return the sum, and the parts that can be seen in it."""
        seen = {part: value for part, value in self.seconds.items() if value >= 0.05}
        parts = [unbroken(f"{part} {_seconds(value)}") for part, value in seen.items()]
        listed = f" ({', '.join(parts)})" if len(parts) > 1 else ""
        return _seconds(sum(self.seconds.values())) + listed


def _seconds(value: float) -> str:
    if value < 9.95:
        return f"{value:.1f} s"
    minutes, seconds = divmod(round(value), 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


@contextmanager
def warnings_as(notes: list[str]) -> Iterator[None]:
    """Add what the package warns of to notes; warnings for programmers stay warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        # rows are taken by name before the forest sees them
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        yield
    for warning in caught:
        if issubclass(warning.category, UserWarning):
            notes.append(str(warning.message))
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )


def print_json(command: str, content: Mapping[str, Any]) -> None:
    """Print one JSON object."""
    from importlib.metadata import version

    head = {"command": command, "version": version("manifoldforest")}
    print(json.dumps(head | dict(content), allow_nan=False, ensure_ascii=False))


def print_summary(
    rows: Sequence[tuple[str, str]], notes: Sequence[str] = (), *, stderr: bool = False
) -> None:
    """Print words with what belongs to them, one below the other, and notes."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=stderr, highlight=False)
    lines = [*rows, *(("note", note) for note in notes)]
    indent = 2 + max(len(word) for word, _ in lines)
    for word, text in lines:
        style = "yellow" if word == "note" else ""
        for i, part in enumerate(textwrap.wrap(text, max(20, console.width - indent))):
            head = Text(f"{'' if i else word:<{indent}}", "dim")
            console.print(head + Text(part.replace(_NO_BREAK, " "), style), soft_wrap=True)


def unbroken(text: str) -> str:
    """Return a text that a summary keeps on one line."""
    return text.replace(" ", _NO_BREAK)


def print_text(text: str) -> None:
    """Print a text as it is."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def check_output(path: str, option: str) -> None:
    """Raise an error unless a file can be written, before work is done for it."""
    file = Path(path)
    folder = file.parent
    try:
        if not folder.is_dir():
            raise CommandError(
                f"{option}: there is no folder {folder} for {file.name}: make it first, or write "
                "to another place"
            )
        if file.exists() and not file.is_file():  # a device would be replaced by a file
            raise CommandError(f"{option}: {path} is a folder or a device: name a file")
        if not os.access(folder, os.W_OK):
            raise CommandError(f"{option}: you may not write to the folder {folder}")
        _try_to_write(file)
    except OSError as error:
        raise CommandError(f"{option}: cannot write {path}: {error.strerror}") from error


def _try_to_write(path: Path) -> None:
    """Raise OSError unless a file can be written; neither it nor its absence is changed."""
    existed = path.exists()
    with path.open("ab"):
        pass
    if not existed:
        path.unlink()


def file_size(path: str) -> str:
    """Return the size of a file in words."""
    size = Path(path).stat().st_size
    if size < 1000:
        return f"{size} bytes"
    return f"{size / 1e3:.0f} kB" if size < 1e6 else f"{size / 1e6:.1f} MB"


def plural(number: int, word: str) -> str:
    """Return a number with a word in the right form."""
    ending = "" if number == 1 else "es" if word.endswith("s") else "s"
    return f"{number:,} {word}{ending}".replace(",", " ")
