"""The report in the terminal: a line per experiment, and what differs from the papers in words.

This module needs rich, so only the command line imports it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from .._experiment import Experiment, Finding
from . import _words
from ._model import About, Section

STATUS_STYLES = {"finished": "", "incomplete": "yellow", "lacks data": "yellow", "failed": "red"}

HEADLINE_LENGTH = 30


def print_list(experiments: Sequence[Experiment]) -> None:
    """Print which experiments there are."""
    table = _new_table()
    table.add_column("id", style="bold", no_wrap=True)
    table.add_column("experiment", ratio=3)
    table.add_column("source", ratio=2, style="dim")
    last_of_paper = [a.paper != b.paper for a, b in pairwise(experiments)]
    for experiment, is_last in zip(experiments, [*last_of_paper, False], strict=False):
        source = f"{experiment.paper.name}, {experiment.source}"
        table.add_row(*map(Text, (experiment.id, experiment.title, source)), end_section=is_last)
    Console(highlight=False).print(table)


def print_summary(sections: Sequence[Section], about: About, page: Path | None = None) -> None:
    """Print a line per experiment, what differs, what is missing, and where the report lies."""
    console = Console(highlight=False)
    console.print(_summary_table(sections, about))
    for section, finding in _words.differences(sections, about.preset):
        console.print(_difference(section, finding))
    for (needs, place), waiting in _words.missing_data(sections).items():
        names = ", ".join(section.experiment.id for section in waiting)
        console.print(_marked("Missing data", "yellow", f"{needs} for {names}. {place}"))
    for section in sections:
        for failure in section.failures:
            console.print(_marked("Failed", "red", f"{section.experiment.id}: {failure}"))
    console.print(Text(_closing_words(sections, about)))
    if page is not None:
        # No line break inside the path: it can be selected and opened as it is.
        console.print(Text(f"Report: {page}", "bold"), soft_wrap=True)


def _new_table() -> Table:
    return Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)


def _summary_table(sections: Sequence[Section], about: About) -> Table:
    table = _new_table()
    table.add_column("id", style="bold", no_wrap=True)
    table.add_column("experiment", ratio=4, no_wrap=True)
    table.add_column("state", no_wrap=True)
    for name in ("agree", "differ") if about.preset == "full" else ("findings",):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("ours", ratio=3, no_wrap=True)
    table.add_column("published", ratio=2, no_wrap=True, style="dim")
    for section in sections:
        first = _headline(section)
        table.add_row(
            Text(section.experiment.id),
            Text(section.experiment.title),
            _state(section),
            *_counts(section, about),
            Text(first.ours if first else ""),
            Text(first.published if first else ""),
        )
    return table


def _state(section: Section) -> Text:
    shown = {"incomplete": f"{section.n_finished} of {section.n_runs}"}
    words = [Text(shown.get(s, s), STATUS_STYLES[s]) for s in section.statuses]
    return Text(", ").join(words)


def _counts(section: Section, about: About) -> list[Text]:
    tally = _words.Tally.of([section])
    if about.preset == "quick":
        return [Text(str(tally.total))]
    pairs = ((tally.agree, "green"), (tally.differ, "bold red"))
    return [Text(str(number), style if number else "dim") for number, style in pairs]


def _headline(section: Section) -> Finding | None:
    """Return the first finding that fits a line and has numbers on both sides, or the first."""
    for finding in section.findings:
        texts = (finding.ours, finding.published)
        if all(len(text) <= HEADLINE_LENGTH and re.search(r"\d", text) for text in texts):
            return finding
    return next(iter(section.findings), None)


def _difference(section: Section, finding: Finding) -> Padding:
    note = f" {finding.note}" if finding.note else ""
    words = (
        f"{section.experiment.id}: {finding.claim} "
        f"Ours: {finding.ours}; published: {finding.published}.{note}"
    )
    return _marked("Differs", "bold red", words)


def _marked(mark: str, style: str, words: str) -> Padding:
    """Return a paragraph that begins with a coloured word."""
    return Padding(Text.assemble((mark, style), " ", " ".join(words.split())), (0, 0, 1, 0))


def _closing_words(sections: Sequence[Section], about: About) -> str:
    if about.preset == "quick":
        return f"{_words.state_in_words(sections)} {_words.TRY_OUT}"
    tally = _words.Tally.of(sections)
    return f"{_words.state_in_words(sections)} Findings: {tally.in_words(about.preset)}."
