"""What an experiment is: runs to do, how one is measured, and what the results say.

An experiment never prints, saves or loops over its runs; `runner` does. Its findings, sheets and
figures read finished rows and nothing else, so a report can be drawn again at any time.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .results import Results

Preset = Literal["quick", "full"]
Value = str | int | float | bool | None
Size = TypeVar("Size")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Paper:
    name: str
    title: str
    authors: str


@dataclass(frozen=True)
class Setting:
    preset: Preset
    data: Path | None = None  # the folder of the data sets


@dataclass(frozen=True)
class Run:
    """One piece of work, finished as a whole or not at all."""

    seed: int  # runs that differ in nothing else are repetitions of each other
    parameters: Mapping[str, Value]  # all that decide the result, with the seed
    needs: str | None = None  # a file or folder below that of the data sets
    package: str | None = None  # an optional Python package


@dataclass(frozen=True)
class Outcome:
    metrics: Mapping[str, float]
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)  # which only figures need


@dataclass(frozen=True)
class Finding:
    """One statement of a paper beside our result; `agrees` is None if there is nothing to judge."""

    claim: str
    ours: str
    published: str
    agrees: bool | None
    note: str = ""  # what was compared, or the reason for the difference


@dataclass(frozen=True)
class Sheet:
    """A table of the report. Cells are text: `ours (published)` where both are there."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Picture:
    figure: Figure
    caption: str  # the sentence below it


@dataclass(frozen=True, kw_only=True)
class Experiment(ABC):
    """One figure or table of a paper."""

    id: str
    title: str
    paper: Paper
    source: str  # the figure or table of the paper
    question: str  # what it shows, in a sentence or two
    stand_in: str = ""  # what the quick preset takes in place of a data set
    rows_of: tuple[str, ...] = ()  # other experiments whose rows this one reads, too

    @abstractmethod
    def runs(self, setting: Setting) -> list[Run]:
        """Return all runs of a preset, those that lack their data included."""

    @abstractmethod
    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Do one run, on one thread."""

    @abstractmethod
    def findings(self, results: Results) -> list[Finding]:
        """Compare with the paper. Some runs may be missing, but never all."""

    @abstractmethod
    def figures(self, results: Results) -> list[Picture]:
        """Draw like the paper. Some runs may be missing, but never all."""

    def sheets(self, results: Results) -> list[Sheet]:
        """Return tables of all numbers beside the published ones."""
        return []


@dataclass(frozen=True, kw_only=True)
class Sized(Experiment, Generic[Size]):
    """An experiment that does the same in both presets, at different sizes."""

    quick: Size
    full: Size

    def size(self, of: Setting | Results) -> Size:
        return self.quick if of.preset == "quick" else self.full


@dataclass(frozen=True, kw_only=True)
class Reading(Experiment):
    """A figure or table that has no runs of its own, and reads the rows of other experiments."""

    def runs(self, setting: Setting) -> list[Run]:
        return []

    def measure(self, run: Run, setting: Setting) -> Outcome:
        raise TypeError(f"{self.id} reads the rows of {', '.join(self.rows_of)}, and has no runs")


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Return what a function returns and the CPU seconds it took; runs have one thread."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Let torch compute on one thread, as all methods do that are timed."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
