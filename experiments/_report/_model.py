"""What a report is written from: one section per experiment, and how the results came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .._experiment import Experiment, Finding, Picture, Preset, Sheet


@dataclass(frozen=True)
class Lack:
    """A data set that some runs need and that is not there."""

    needs: str  # file or folder below that of the data sets, as in `Run.needs`
    n_runs: int  # runs that wait for it
    place: str  # where to put it and where it comes from, in words


@dataclass(frozen=True)
class Section:
    """One experiment in the report; `n_runs` counts runs that lack data, not those left out."""

    experiment: Experiment
    command: str  # the command line that runs this experiment again
    n_finished: int
    n_runs: int
    seconds: float  # of all finished runs, added up
    findings: Sequence[Finding] = ()
    sheets: Sequence[Sheet] = ()
    pictures: Sequence[Picture] = ()
    lacks: Sequence[Lack] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)  # runs, by package not installed
    failures: Sequence[str] = ()  # messages of runs, or of drawing, that raised an error

    @property
    def statuses(self) -> tuple[str, ...]:
        """What holds of this section: "finished", or some of the others."""
        lacking = sum(lack.n_runs for lack in self.lacks)
        incomplete = self.n_finished + lacking < self.n_runs
        found = (
            ("incomplete", incomplete),
            ("lacks data", bool(self.lacks)),
            ("failed", bool(self.failures)),
        )
        return tuple(status for status, holds in found if holds) or ("finished",)


@dataclass(frozen=True)
class About:
    """How the results came about."""

    preset: Preset
    date: str
    version: str  # of manifoldforest
    processor: str  # its model
    n_cores: int
    python: str  # version
    command: str  # the command line that wrote the report
    data: str = ""  # the name of the folder of data sets, not where it lies; "" for none
