"""The report in GitHub's Markdown, with links to the figures."""

import re
from collections.abc import Iterable, Sequence

from ..experiment import Experiment, Finding, Preset, Sheet
from . import content as content
from .content import About, SavedPicture, Section


def document(sections: Sequence[Section], about: About) -> str:
    paragraphs = _top(sections, about)
    if about.preset == "quick":
        full = f"For the sizes of the papers: `{content.FULL_COMMAND}`"
        paragraphs.insert(1, f"> **{content.TRY_OUT}** {full}")
    for paper, of_paper in content.by_paper(sections):
        paragraphs.append(f"## {_text(paper.title)} ({_text(paper.authors)})")
        for section in of_paper:
            paragraphs += _section(section, about.preset)
    return "\n\n".join(filter(None, paragraphs)) + "\n"


def summary(sections: Sequence[Section], about: About) -> str:
    paragraphs = [*_top(sections, about), "## All findings"]
    for section in sections:
        runs = "" if "incomplete" in section.statuses else f"{content.runs_in_words(section)}."
        findings = _findings(section.findings, about.preset)
        paragraphs += [_heading(section.experiment), runs, _states(section), findings]
    return "\n\n".join(filter(None, paragraphs)) + "\n"


def _text(text: str) -> str:
    """Return text on one line in which nothing is markup; pipes do not end cells."""
    line = " ".join(text.split())
    escaped = re.sub(r"([\\`*\[\]<|~$]|(?<!\w)_|_(?!\w))", r"\\\1", line)
    # A line must not begin like a heading, a quotation or an item of a list.
    return re.sub(r"^(\d+(?=[.)])|)([#>+-]|(?<=\d)[.)])(?=\s|$)", r"\1\\\2", escaped)


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


def _top(sections: Sequence[Section], about: About) -> list[str]:
    """Return summary, contents, and where results differ from the papers."""
    counts = content.findings_in_words(sections, about.preset)
    counts = f"Findings: {counts}" if about.preset == "full" else f"{counts}, not judged"
    data = _bullets(
        f"{_code(name)}: {content.DATA_PLACE} ({', '.join(map(_link, waiting))})"
        for name, waiting in content.missing_data(sections).items()
    )
    packages = _bullets(map(_text, content.missing_packages(sections)))
    facts = [(name, _text(value)) for name, value in about.facts.items()]
    rows = [
        (
            _link(section),
            _text(section.experiment.title),
            _text(paper.name),
            ", ".join(section.statuses),
            content.findings_in_words([section], about.preset),
        )
        for paper, of_paper in content.by_paper(sections)
        for section in of_paper
    ]
    return [
        f"# {content.TITLE}",
        "## Summary",
        f"**{counts}.** {content.state_in_words(sections)}",
        f"Data sets that are missing:\n\n{data}" if data else "",
        f"Not measured:\n\n{packages}" if packages else "",
        _table(["", ""], [*facts, ("Command", _code(about.command))]),
        "## Contents",
        _table(["", "experiment", "paper", "state", "findings"], rows),
        _differences(sections, about.preset) if about.preset == "full" else "",
    ]


def _differences(sections: Sequence[Section], preset: Preset) -> str:
    rows = [
        (_link(section), *map(_text, (f.claim, f.ours, f.published)), _note(section, f))
        for section, f in content.differences(sections, preset)
    ]
    table = _table(["", "claim", "ours", "published", "note"], rows)
    found = table if rows else content.NO_DIFFERENCES
    return f"## Where our results differ from the papers\n\n{found}"


def _note(section: Section, finding: Finding) -> str:
    """Return the reason, and how much of the experiment it rests on unless it is all."""
    if section.n_finished == section.n_runs:
        return _text(finding.note)
    stop = "." if finding.note and not finding.note.endswith((".", "?")) else ""
    return f"{_text(finding.note)}{stop} So far: {content.runs_in_words(section)}.".strip()


def _section(section: Section, preset: Preset) -> list[str]:
    stand_in = section.experiment.stand_in if preset == "quick" else ""
    return [
        _heading(section.experiment),
        f"**Stand-in:** {_text(stand_in)}" if stand_in else "",
        _states(section),
        *map(_figure, section.pictures),
        _findings(section.findings, preset),
        *map(_sheet, section.sheets),
        f"```sh\n{section.command}\n```",
        f"{content.runs_in_words(section)}.",
    ]


def _heading(experiment: Experiment) -> str:
    title = f"### {experiment.id} {_text(experiment.title)}"
    source = _text(f"{experiment.paper.name}, {experiment.source}")
    anchor = f'<a id="{experiment.id.lower()}"></a>'
    return f"{anchor}\n\n{title}\n\n*{source}.* {_text(experiment.question)}"


def _states(section: Section) -> str:
    runs = content.runs_in_words(section)
    items = [f"**Incomplete:** {runs}."] if "incomplete" in section.statuses else []
    for name, n in section.lacks.items():
        place = f"for {content.count(n, 'run')}. {content.DATA_PLACE}"
        items.append(f"**Lacks data:** {_code(name)}, {place}")
    return _bullets([*items, *(f"**Failed:** {_code(failure)}" for failure in section.failures)])


def _figure(picture: SavedPicture) -> str:
    caption = _text(picture.caption)
    return f"![{caption}](figures/{picture.path.name})\n\n*{caption}*"


def _findings(findings: Sequence[Finding], preset: Preset) -> str:
    if not findings:
        return ""
    rows = []
    for finding in findings:
        verdict = content.verdict(finding, preset)
        judged = f"**{verdict}**" if verdict == "differs" else verdict
        cells = map(_text, (finding.claim, finding.ours, finding.published))
        rows.append((*cells, judged, _text(finding.note)))
    return _table(["claim", "ours", "published", "verdict", "note"], rows)


def _sheet(sheet: Sheet) -> str:
    rows = ([_text(cell) for cell in row] for row in sheet.rows)
    return f"**{_text(sheet.title)}**:\n\n{_table([*map(_text, sheet.columns)], rows)}"
