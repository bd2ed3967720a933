"""What a report says in all its forms: a section per experiment, verdicts, counts and states."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..experiment import Experiment, Finding, Paper, Picture, Preset, Sheet

TITLE = "Experiments of the papers, reproduced"
TRY_OUT = (
    "A try-out: small sizes, and stand-ins in place of data sets. "
    "It shows that every experiment runs; its findings are not judged."
)
COMMAND = "python -m experiments"
FULL_COMMAND = f"{COMMAND} --preset full"
DATA_PLACE = "Put it into the folder given by --data; experiments/README.md describes its arrays."
NO_DIFFERENCES = "No finding that could be judged contradicts the papers."
NO_NUMBER = ("", "-", "–")


@dataclass(frozen=True)
class SavedPicture:
    path: Path
    caption: str
    png: bytes


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
    pictures: Sequence[SavedPicture] = ()
    lacks: Mapping[str, int] = field(default_factory=dict)  # runs, by data set not there
    left_out: Mapping[str, int] = field(default_factory=dict)  # runs, by package not installed
    absent: Mapping[str, str] = field(default_factory=dict)  # package, by method without any run
    failures: Sequence[str] = ()  # messages of runs, or of drawing, that raised an error

    @property
    def statuses(self) -> tuple[str, ...]:
        """What holds of this section: "finished", or some of the others."""
        found = (
            ("incomplete", self.n_finished + sum(self.lacks.values()) < self.n_runs),
            ("lacks data", bool(self.lacks)),
            ("not measured", not self.n_runs and bool(self.left_out)),
            ("failed", bool(self.failures)),
        )
        return tuple(status for status, holds in found if holds) or ("finished",)


@dataclass(frozen=True)
class About:
    preset: Preset
    command: str  # the command line that wrote the report
    facts: Mapping[str, str]  # version, date, machine and so on, by their names


def mark_finding(finding: Finding, absent: Mapping[str, str]) -> Finding:
    """Say why there is no result of ours, if the claim names a method that was not measured."""
    if finding.ours.strip() not in NO_NUMBER:
        return finding
    lacking = [p for m, p in absent.items() if re.search(rf"\b{re.escape(m)}\b", finding.claim)]
    ours = f"not measured: {lacking[0]} is not installed" if lacking else finding.ours
    return replace(finding, ours=ours.strip() or "not measured")


def mark_sheet(sheet: Sheet, absent: Mapping[str, str]) -> Sheet:
    """Write `not measured` into the row or column of a method that was not; no cell is empty."""

    def marked(row: str, column: str, cell: str) -> str:
        no_number = re.fullmatch(r"\s*[-–]?\s*(\(.*\))?\s*", cell)
        if no_number and (row in absent or column in absent):
            return f"not measured {no_number[1] or ''}".rstrip()
        return cell if cell.strip() else "–"

    rows = (
        (row, *(marked(row, *pair) for pair in zip(sheet.columns[1:], cells, strict=True)))
        for row, *cells in sheet.rows
    )
    return replace(sheet, rows=tuple(rows))


def mark_caption(picture: Picture, absent: Mapping[str, str]) -> Picture:
    """Say below a figure which methods are not in it."""
    missing = ", ".join(f"{m} ({package} is not installed)" for m, package in absent.items())
    more = f" Not measured: {missing}." if missing else ""
    return replace(picture, caption=picture.caption + more)


def verdict(finding: Finding, preset: Preset) -> str:
    """Return how ours stands to the published; sizes of a try-out are too small to tell."""
    if preset == "quick":
        return "try-out"
    return {True: "agrees", False: "differs", None: "not judged"}[finding.agrees]


def tally(sections: Iterable[Section]) -> Counter[str]:
    return Counter(verdict(f, "full") for section in sections for f in section.findings)


def findings_in_words(sections: Iterable[Section], preset: Preset) -> str:
    counts = tally(sections)
    if preset == "quick":
        return count(counts.total(), "finding")
    plural = {"agrees": "agree", "differs": "differ"}
    parts = ((v, counts[v]) for v in ("agrees", "differs", "not judged") if counts[v])
    return ", ".join(f"{n} {v if n == 1 else plural.get(v, v)}" for v, n in parts) or "none"


def by_paper(sections: Iterable[Section]) -> list[tuple[Paper, list[Section]]]:
    groups: dict[Paper, list[Section]] = {}
    for section in sections:
        groups.setdefault(section.experiment.paper, []).append(section)
    return list(groups.items())


def differences(sections: Iterable[Section], preset: Preset) -> list[tuple[Section, Finding]]:
    """Return what contradicts the papers; nothing does in a try-out."""
    pairs = [(section, finding) for section in sections for finding in section.findings]
    return [pair for pair in pairs if verdict(pair[1], preset) == "differs"]


def missing_data(sections: Sequence[Section]) -> dict[str, list[Section]]:
    """Return by data set which sections lack it."""
    names = dict.fromkeys(name for section in sections for name in section.lacks)
    return {name: [section for section in sections if name in section.lacks] for name in names}


def missing_packages(sections: Iterable[Section]) -> list[str]:
    """Say for each package that is not installed what was not measured, and how to add it."""
    parts: dict[str, list[str]] = {}
    for section in sections:
        for package, n_runs in section.left_out.items():
            methods = [method for method, needed in section.absent.items() if needed == package]
            what = ", ".join(methods) or count(n_runs, "run")
            parts.setdefault(package, []).append(f"{what} of {section.experiment.id}")
    return [
        f"{package} is not installed. It is needed for {'; '.join(some)}. To add it: pip install "
        + ("'.[torch]'" if package == "torch" else package)
        for package, some in parts.items()
    ]


def count(number: int, noun: str) -> str:
    """Return a number and its noun: `1 run`, `2 runs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def runs_in_words(section: Section) -> str:
    so_far = "" if section.n_finished == section.n_runs else f"{section.n_finished} of "
    done = f"{so_far}{count(section.n_runs, 'run')}, {duration(section.seconds)} in all"
    left_out = section.left_out.items()
    more = [f"{n} more not measured: {package} is not installed" for package, n in left_out]
    return "; ".join([done, *more])


def state_in_words(sections: Sequence[Section]) -> str:
    counts = Counter(status for section in sections for status in section.statuses)
    if set(counts) == {"finished"}:
        return f"{count(len(sections), 'experiment')}, finished."
    words = {"lacks data": "lacking data", "failed": "with errors"}
    order = ("finished", "incomplete", "lacks data", "not measured", "failed")
    parts = [f"{counts[s]} {words.get(s, s)}" for s in order if counts[s]]
    return f"{count(len(sections), 'experiment')}: {', '.join(parts)}."


def duration(seconds: float) -> str:
    if seconds < 0.1:
        return "under 0.1 s"
    if seconds < 120:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
