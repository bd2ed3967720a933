"""The report in GitHub's Markdown, with links to the figures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .._experiment import Experiment, Finding, Preset, Sheet
from . import _words
from ._html import TITLE
from ._model import About, Section
from ._pictures import Pictures, SavedPicture


def document(sections: Sequence[Section], about: About, pictures: Pictures) -> str:
    """Return the whole text."""
    blocks = [
        f"# {TITLE}",
        f"> **{_words.TRY_OUT}** For the sizes of the papers: `{_words.FULL_COMMAND}`"
        if about.preset == "quick"
        else "",
        *_summary(sections, about),
        *_contents(sections, about.preset),
        *_differences(sections, about.preset),
    ]
    for paper, of_paper in _words.by_paper(sections):
        blocks.append(f"## {_text(paper.title)} ({_text(paper.authors)})")
        for section in of_paper:
            blocks += _section(section, about.preset, pictures[section.experiment.id])
    return "\n\n".join(block for block in blocks if block) + "\n"


def summary(sections: Sequence[Section], about: About) -> str:
    """Return what was found and how it stands to the papers, without figures and tables."""
    blocks = [
        f"# {TITLE}",
        *_summary(sections, about),
        *_contents(sections, about.preset),
        *_differences(sections, about.preset),
        "## All findings",
    ]
    for section in sections:
        blocks += [
            _heading(section.experiment),
            "" if "incomplete" in section.statuses else f"{_words.runs_in_words(section)}.",
            _states(section),
            _findings(section.findings, about.preset),
        ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _text(text: str) -> str:
    """Return text on one line in which nothing is markup; pipes do not end cells."""
    line = " ".join(text.split())
    escaped = re.sub(r"([\\`*\[\]<|~$]|(?<!\w)_|_(?!\w))", r"\\\1", line)
    return re.sub(r"^([#>+-]|\d+[.)])(?=\s|$)", _escape_last, escaped)


def _escape_last(found: re.Match[str]) -> str:
    return found[0][:-1] + "\\" + found[0][-1]


def _code(text: str) -> str:
    """Return code on one line, fenced by more backquotes than it has in a row."""
    line = " ".join(text.split())
    fence = "`" * (1 + max((len(run) for run in re.findall(r"`+", line)), default=0))
    return f"{fence} {line} {fence}" if "`" in line else f"`{line}`"


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of cells that are Markdown already."""
    body = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in body)


def _bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _link(section: Section) -> str:
    # An anchor of our own: GitHub derives those of headings in a way that others do not share.
    name = section.experiment.id
    return f"[{name}](#{name.lower()})"


# --------------------------------------------------------------------- the top of the document


def _summary(sections: Sequence[Section], about: About) -> list[str]:
    tally = _words.Tally.of(sections)
    missing = (
        f"{_code(needs)}: {_text(place)} ({', '.join(map(_link, waiting))})"
        for (needs, place), waiting in _words.missing_data(sections).items()
    )
    facts = [(name, _text(value)) for name, value in _words.facts(about)]
    counts = f"**Findings: {tally.in_words(about.preset)}.**"
    if about.preset == "quick":
        counts = f"**{_words.count(tally.total, 'finding')}, not judged.**"
    listed = _bullets(missing)
    return [
        "## Summary",
        f"{counts} {_words.state_in_words(sections)}",
        "Data sets that are missing:" if listed else "",
        listed,
        _table(["", ""], [*facts, ("Command", _code(about.command))]),
    ]


def _contents(sections: Sequence[Section], preset: Preset) -> list[str]:
    rows = [
        (
            _link(section),
            _text(section.experiment.title),
            _text(paper.name),
            ", ".join(section.statuses),
            _words.Tally.of([section]).in_words(preset),
        )
        for paper, of_paper in _words.by_paper(sections)
        for section in of_paper
    ]
    return ["## Contents", _table(["", "experiment", "paper", "state", "findings"], rows)]


def _differences(sections: Sequence[Section], preset: Preset) -> list[str]:
    if preset == "quick":
        return []
    rows = [
        (
            _link(section),
            _text(finding.claim),
            _text(finding.ours),
            _text(finding.published),
            _note(section, finding),
        )
        for section, finding in _words.differences(sections, preset)
    ]
    if rows:
        content = _table(["", "claim", "ours", "published", "note"], rows)
    else:
        content = "No finding that could be judged contradicts the papers."
    return ["## Where our results differ from the papers", content]


def _note(section: Section, finding: Finding) -> str:
    """Return the reason, and how much of the experiment it rests on unless it is all."""
    if section.n_finished == section.n_runs:
        return _text(finding.note)
    stop = "." if finding.note and not finding.note.endswith((".", "?")) else ""
    return f"{_text(finding.note)}{stop} So far: {_words.runs_in_words(section)}.".strip()


# -------------------------------------------------------------------------------- experiments


def _section(section: Section, preset: Preset, pictures: Sequence[SavedPicture]) -> list[str]:
    experiment = section.experiment
    stand_in = experiment.stand_in if preset == "quick" else ""
    return [
        _heading(experiment),
        f"**Stand-in:** {_text(stand_in)}" if stand_in else "",
        _states(section),
        *(_figure(picture) for picture in pictures),
        _findings(section.findings, preset),
        *(block for sheet in section.sheets for block in _sheet(sheet)),
        f"```sh\n{section.command}\n```",
        f"{_words.runs_in_words(section)}.",
    ]


def _heading(experiment: Experiment) -> str:
    """Return the title, where the experiment comes from, and its question."""
    title = f"### {experiment.id} {_text(experiment.title)}"
    source = _text(f"{experiment.paper.name}, {experiment.source}")
    anchor = f'<a id="{experiment.id.lower()}"></a>'
    return f"{anchor}\n\n{title}\n\n*{source}.* {_text(experiment.question)}"


def _states(section: Section) -> str:
    items = []
    if "incomplete" in section.statuses:
        items.append(f"**Incomplete:** {_words.runs_in_words(section)}.")
    items += [
        f"**Lacks data:** {_code(lack.needs)}, for {_words.count(lack.n_runs, 'run')}. "
        + _text(lack.place)
        for lack in section.lacks
    ]
    items += [f"**Failed:** {_code(failure)}" for failure in section.failures]
    return _bullets(items)


def _figure(picture: SavedPicture) -> str:
    caption = _text(picture.caption)
    return f"![{caption}](figures/{picture.path.name})\n\n*{caption}*"


def _findings(findings: Sequence[Finding], preset: Preset) -> str:
    if not findings:
        return ""
    rows = [
        (
            _text(finding.claim),
            _text(finding.ours),
            _text(finding.published),
            f"**{verdict}**" if verdict == "differs" else verdict,
            _text(finding.note),
        )
        for finding in findings
        for verdict in [_words.verdict(finding, preset)]
    ]
    return _table(["claim", "ours", "published", "verdict", "note"], rows)


def _sheet(sheet: Sheet) -> list[str]:
    rows = [[_text(cell) for cell in row] for row in sheet.rows]
    columns = [_text(column) for column in sheet.columns]
    return [f"**{_text(sheet.title)}**:", _table(columns, rows)]
