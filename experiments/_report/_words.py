"""What the page, the Markdown and the terminal say alike: verdicts, counts and states in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from .._experiment import Finding, Paper, Preset
from ._model import About, Section

Verdict = Literal["agrees", "differs", "not judged", "try-out"]

TRY_OUT = (
    "A try-out: small sizes, and stand-ins in place of data sets. "
    "It shows that every experiment runs; its verdicts are not judged."
)
FULL_COMMAND = "manifoldforest reproduce --preset full"


def verdict(finding: Finding, preset: Preset) -> Verdict:
    """Return how ours stands to the published; sizes of a try-out are too small to tell."""
    if preset == "quick":
        return "try-out"
    if finding.agrees is None:
        return "not judged"
    return "agrees" if finding.agrees else "differs"


@dataclass(frozen=True)
class Tally:
    """How many findings have each verdict."""

    agree: int
    differ: int
    not_judged: int

    @classmethod
    def of(cls, sections: Iterable[Section]) -> Tally:
        """Count the findings of some sections."""
        answers = [finding.agrees for section in sections for finding in section.findings]
        return cls(answers.count(True), answers.count(False), answers.count(None))

    @property
    def total(self) -> int:
        """All findings."""
        return self.agree + self.differ + self.not_judged

    def in_words(self, preset: Preset) -> str:
        """Return the counts that are not zero."""
        if preset == "quick" or not self.total:
            return count(self.total, "finding")
        parts = (
            (self.agree, "agrees" if self.agree == 1 else "agree"),
            (self.differ, "differs" if self.differ == 1 else "differ"),
            (self.not_judged, "not judged"),
        )
        return ", ".join(f"{number} {word}" for number, word in parts if number)


def count(number: int, noun: str) -> str:
    """Return a number and its noun: `1 run`, `2 runs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def by_paper(sections: Iterable[Section]) -> list[tuple[Paper, list[Section]]]:
    """Group sections by paper; both keep the order in which they come."""
    groups: dict[Paper, list[Section]] = {}
    for section in sections:
        groups.setdefault(section.experiment.paper, []).append(section)
    return list(groups.items())


def differences(sections: Iterable[Section], preset: Preset) -> list[tuple[Section, Finding]]:
    """Return what contradicts the papers; nothing does in a try-out."""
    return [
        (section, finding)
        for section in sections
        for finding in section.findings
        if verdict(finding, preset) == "differs"
    ]


def missing_data(sections: Iterable[Section]) -> dict[tuple[str, str], list[Section]]:
    """Return which sections lack each data set, by its name and the place to put it."""
    missing: dict[tuple[str, str], list[Section]] = {}
    for section in sections:
        for lack in section.lacks:
            missing.setdefault((lack.needs, lack.place), []).append(section)
    return missing


def runs_in_words(section: Section) -> str:
    """Return how many runs are finished and how long they took."""
    if section.n_finished == section.n_runs:
        done = count(section.n_runs, "run")
    else:
        done = f"{section.n_finished} of {count(section.n_runs, 'run')}"
    more = [f"{n} more need {package}" for package, n in section.left_out.items()]
    return "; ".join([f"{done}, {duration(section.seconds)} in all", *more])


def state_in_words(sections: Sequence[Section]) -> str:
    """Return one sentence on how much of all experiments is done."""
    if all(section.statuses == ("finished",) for section in sections):
        return f"{count(len(sections), 'experiment')}, finished."
    parts = [
        f"{number} {word}"
        for status, word in (
            ("finished", "finished"),
            ("incomplete", "incomplete"),
            ("lacks data", "lacking data"),
            ("failed", "with errors"),
        )
        if (number := sum(status in section.statuses for section in sections))
    ]
    return f"{count(len(sections), 'experiment')}: {', '.join(parts)}." if parts else ""


def machine_in_words(about: About) -> str:
    """Return processor, cores and Python."""
    return f"{about.processor}, {count(about.n_cores, 'core')}, Python {about.python}"


def facts(about: About) -> list[tuple[str, str]]:
    """Return what is to be known about the results beside the command line, as name and value."""
    found = [
        ("Preset", about.preset),
        ("Date", about.date),
        ("manifoldforest", about.version),
        ("Machine", machine_in_words(about)),
    ]
    return [*found, ("Data sets", about.data or "no folder given")]


def duration(seconds: float) -> str:
    """Return seconds in the unit that reads best."""
    if seconds < 0.1:
        return "under 0.1 s"
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
