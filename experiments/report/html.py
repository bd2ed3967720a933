"""The report as one page that needs nothing else: no scripts, no fonts, no files beside it.

All functions return HTML; data go through `escape` or `unbroken`. The frame is ``page.html``.
"""

import base64
import html
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from string import Template

from ..experiment import Finding, Paper, Preset, Sheet
from . import content as content
from .content import About, SavedPicture, Section

DOTS_PER_INCH = 144  # of the figures
CSS_PIXELS_PER_INCH = 96
SIGNS = {"agrees": "✓", "differs": "≠", "not judged": "–", "try-out": "○"}
CLASSES = {"not judged": "open", "try-out": "tryout"}

escape = html.escape


def unbroken(text: str) -> str:
    """Escape text, and keep the sides of `n = 400` and `0.05 ± 0.01` on one line."""
    return escape(re.sub(r"(?<=\S) ([=≥≤<>±]) (?=\S)", "\u00a0\\1\u00a0", text))


def page(sections: Sequence[Section], about: About) -> str:
    here = Path(__file__).parent
    full = f"For the sizes of the papers: {_command(content.FULL_COMMAND)}"
    banner = f'<p class="banner" role="note">{escape(content.TRY_OUT)} {full}</p>'
    facts = (f"<div><dt>{k}</dt><dd>{escape(v)}</dd></div>" for k, v in about.facts.items())
    papers = content.by_paper(sections)
    return Template((here / "page.html").read_text(encoding="utf-8")).substitute(
        title=content.TITLE,
        style=(here / "report.css").read_text(encoding="utf-8"),
        banner=banner if about.preset == "quick" else "",
        totals=_totals(sections, about.preset),
        state=content.state_in_words(sections),
        missing=_missing(sections),
        facts="".join(facts),
        contents=_lines(_contents(*group, about.preset) for group in papers),
        differences=_differences(sections, about.preset),
        papers=_lines(_paper(*group, about.preset) for group in papers),
        command=_command(about.command),
    )


def _lines(pieces: Iterable[str]) -> str:
    return "\n".join(piece for piece in pieces if piece)


def _list(items: Iterable[str], kind: str = "") -> str:
    listed = "".join(f"<li>{item}</li>" for item in items)
    return f'<ul class="{kind}">{listed}</ul>' if kind else f"<ul>{listed}</ul>"


def _command(line: str) -> str:
    """Return a command line that breaks between its words only, not at their hyphens."""
    words = " ".join(f"<span>{escape(word)}</span>" for word in line.split())
    return f'<code class="command">{words}</code>'


def _totals(sections: Sequence[Section], preset: Preset) -> str:
    tally = content.tally(sections)
    if preset == "quick":
        return f"<p>{content.count(tally.total(), 'finding')}, not judged.</p>"
    words = {"agrees": "agree with the papers", "differs": "differ from the papers"}
    items = "".join(
        f'<li class="{CLASSES.get(v, v)}"><b>{tally[v]}</b> <span>{words.get(v, v)}</span></li>'
        for v in ("agrees", "differs", "not judged")
    )
    return f'<ul class="totals" aria-label="Findings by verdict">{items}</ul>'


def _missing(sections: Sequence[Section]) -> str:
    data = [
        f"<code>{escape(name)}</code>: {content.DATA_PLACE} ({', '.join(map(_link, waiting))})"
        for name, waiting in content.missing_data(sections).items()
    ]
    packages = [escape(text) for text in content.missing_packages(sections)]
    return _lines(
        f'<div class="missing"><h3>{title}</h3>{_list(found)}</div>'
        for title, found in (("Data sets that are missing", data), ("Not measured", packages))
        if found
    )


def _link(section: Section) -> str:
    id = section.experiment.id
    return f'<a href="#{id}">{id}</a>'


def _contents(paper: Paper, sections: Sequence[Section], preset: Preset) -> str:
    items = _lines(_contents_item(section, preset) for section in sections)
    return f"<h3>{escape(paper.title)}</h3>\n<ol>{items}</ol>"


def _contents_item(section: Section, preset: Preset) -> str:
    id = section.experiment.id
    judged = preset == "full" and section.findings
    states = [status for status in section.statuses if status != "finished"]
    in_words = content.findings_in_words([section], preset)
    words = ", ".join([*states, in_words] if judged else states)
    kind = ' class="differs"' if content.differences([section], preset) else ""
    title = f"<b>{id}</b> <span>{escape(section.experiment.title)}</span>"
    note = f" <small{kind}>{words}</small>" if words else ""
    return f'<li><a href="#{id}">{title}</a>{note}</li>'


def _differences(sections: Sequence[Section], preset: Preset) -> str:
    """Return all contradictions in one place, or the sentence that there are none."""
    if preset == "quick":
        return ""
    items = []
    for section, finding in content.differences(sections, preset):
        done = section.n_finished == section.n_runs
        so_far = "" if done else f"So far: {content.runs_in_words(section)}."
        items.append(_finding(_link(section), finding, so_far))
    found = f'<ol class="differences">{_lines(items)}</ol>'
    return f"""<section class="contradictions">
<h2>Where our results differ from the papers</h2>
{found if items else f"<p>{content.NO_DIFFERENCES}</p>"}
</section>"""


def _paper(paper: Paper, sections: Sequence[Section], preset: Preset) -> str:
    return f"""<section class="paper">
<h2>{escape(paper.title)} <small>{escape(paper.authors)}</small></h2>
{_lines(_section(section, preset) for section in sections)}
</section>"""


def _section(section: Section, preset: Preset) -> str:
    experiment = section.experiment
    id = experiment.id
    findings = _lines(_finding(_badge(f, preset), f) for f in section.findings)
    summary = "<summary>All numbers (the published ones in brackets)</summary>"
    sheets = _lines(map(_sheet, section.sheets))
    stand_in = experiment.stand_in if preset == "quick" else ""
    parts = [
        f'<h3 id="{id}-title"><span class="id">{id}</span> {escape(experiment.title)}</h3>',
        f'<p class="source">{escape(f"{experiment.paper.name}, {experiment.source}")}</p>',
        f'<p class="question">{escape(experiment.question)}</p>',
        f'<p class="stand-in"><b>Stand-in: </b>{escape(stand_in)}</p>' if stand_in else "",
        _states(section),
        *map(_figure, section.pictures),
        f'<h4>Findings</h4>\n<ul class="findings">{findings}</ul>' if findings else "",
        f"<details>{summary}\n{sheets}</details>" if sheets else "",
        f'<div class="rerun"><p>Run it again: {_command(section.command)}</p>'
        f"<p>{escape(content.runs_in_words(section))}. "
        '<a href="#contents">Contents</a></p></div>',
    ]
    return f'<article id="{id}" aria-labelledby="{id}-title">{_lines(parts)}</article>'


def _states(section: Section) -> str:
    """Return what keeps this section from being complete, if anything does."""
    done = f"{section.n_finished} of {content.count(section.n_runs, 'run')} finished."
    items = ["<b>Incomplete: </b>" + done] if "incomplete" in section.statuses else []
    for name, n in section.lacks.items():
        place = f"for {content.count(n, 'run')}. {content.DATA_PLACE}"
        items.append(f"<b>Lacks data: </b><code>{escape(name)}</code>, {place}")
    items += [f"<b>Failed: </b><code>{escape(failure)}</code>" for failure in section.failures]
    return _list(items, "states") if items else ""


def _figure(picture: SavedPicture) -> str:
    """Return a figure; on narrow windows a checkbox enlarges it in its box, without scripts."""
    # The first chunk of a PNG begins at byte 8 and holds width and height.
    pixels = (int.from_bytes(picture.png[start : start + 4], "big") for start in (16, 20))
    width, height = (round(n * CSS_PIXELS_PER_INCH / DOTS_PER_INCH) for n in pixels)
    source = "data:image/png;base64," + base64.b64encode(picture.png).decode("ascii")
    caption = escape(picture.caption)
    image = f'<img src="{source}" alt="{caption}" width="{width}" height="{height}">'
    box = f'<input type="checkbox" class="enlarge"><span>{image}</span>'
    label = f'<label class="picture">{box}</label>'
    return f"<figure>{label}<figcaption>{caption}</figcaption></figure>"


def _finding(mark: str, finding: Finding, so_far: str = "") -> str:
    notes = (unbroken(note) for note in (finding.note, so_far) if note)
    return (
        f'<li><p class="claim">{mark} {unbroken(finding.claim)}</p><dl class="numbers">'
        f"<div><dt>ours</dt><dd>{_parts(finding.ours)}</dd></div>"
        f"<div><dt>published</dt><dd>{_parts(finding.published)}</dd></div></dl>"
        + "".join(f'<p class="note">{note}</p>' for note in notes)
        + "</li>"
    )


def _badge(finding: Finding, preset: Preset) -> str:
    verdict = content.verdict(finding, preset)
    sign = f'<span aria-hidden="true">{SIGNS[verdict]}</span>'
    return f'<span class="badge {CLASSES.get(verdict, verdict)}">{sign} {verdict}</span>'


def _parts(text: str) -> str:
    """Return `n = 10: 0.5; n = 50: 0.4`, or the same with a comma, with a line for each part."""
    parts = re.split(r"(?<=;) |(?<=,) (?=\w+ ?= ?[\d ]+:)", text)
    return "".join(f"<span>{unbroken(part)}</span>" for part in parts)


def _sheet(sheet: Sheet) -> str:
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in sheet.columns)
    rows = _lines(
        f'<tr><th scope="row">{escape(first)}</th>{"".join(map(_cell, rest))}</tr>'
        for first, *rest in sheet.rows
    )
    table = f"<table><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>"
    # Only what can have the focus is scrolled with the keyboard.
    return (
        f"<h4>{escape(sheet.title)}</h4>\n"
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(sheet.title)}">'
        f"{table}</div>"
    )


def _cell(cell: str) -> str:
    """Return a cell, with the published number of `ours (published)` set apart."""
    found = re.fullmatch(r"(.*\S)\s*(\([^()]*\d[^()]*\))", cell)
    if not found:
        return f"<td>{escape(cell)}</td>"
    return f'<td>{escape(found[1])} <span class="published">{escape(found[2])}</span></td>'
