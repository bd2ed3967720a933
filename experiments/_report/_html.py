"""The report as one page that needs nothing else: no scripts, no fonts, no files beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files

from .._experiment import Finding, Preset, Sheet
from . import _words
from ._markup import Markup, element, join, lines
from ._model import About, Section
from ._pictures import Pictures, SavedPicture

TITLE = "Experiments of the papers, reproduced"
SIGNS = {"agrees": "✓", "differs": "≠", "not judged": "–", "try-out": "○"}
# A page that asks for anything from outside is stopped by the browser.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def page(sections: Sequence[Section], about: About, pictures: Pictures) -> str:
    """Return the whole page."""
    body = lines(
        _header(sections, about),
        _contents(sections, about.preset),
        element(
            "main",
            lines(
                "",
                _differences(sections, about.preset),
                *(
                    _paper(paper.title, paper.authors, of_paper, about.preset, pictures)
                    for paper, of_paper in _words.by_paper(sections)
                ),
                "",
            ),
        ),
        element("footer", _footer(about)),
    )
    document = element("html", lines(_head(), element("body", body)), lang="en")
    return f"<!doctype html>\n{document}\n"


def _head() -> Markup:
    style = files(__package__).joinpath("report.css").read_text(encoding="utf-8")
    return element(
        "head",
        lines(
            element("meta", charset="utf-8"),
            element("meta", http_equiv="Content-Security-Policy", content=POLICY),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("meta", name="color-scheme", content="light dark"),
            element("title", f"{TITLE} · manifoldforest"),
            element("link", rel="icon", href="data:,"),
            Markup(f"<style>\n{style}</style>"),
        ),
    )


# ------------------------------------------------------------------------- the top of the page


def _header(sections: Sequence[Section], about: About) -> Markup:
    return element(
        "header",
        lines(
            element("p", "manifoldforest", class_="over"),
            element("h1", TITLE),
            _banner() if about.preset == "quick" else "",
            element("h2", "Summary"),
            _totals(sections, about.preset),
            element("p", _words.state_in_words(sections)),
            _missing_data(sections),
            _facts(about),
        ),
        id="top",
    )


def _banner() -> Markup:
    full = join("For the sizes of the papers: ", _command(_words.FULL_COMMAND))
    return element("p", _words.TRY_OUT + " ", full, class_="banner", role="note")


def _totals(sections: Sequence[Section], preset: Preset) -> Markup:
    """Return the numbers that sum up all findings."""
    tally = _words.Tally.of(sections)
    if preset == "quick":
        return element("p", f"{_words.count(tally.total, 'finding')}, not judged.")
    cells = (
        ("agrees", tally.agree, "agree with the papers"),
        ("differs", tally.differ, "differ from the papers"),
        ("open", tally.not_judged, "not judged"),
    )
    items = (
        element("li", element("b", str(number)), " ", element("span", words), class_=kind)
        for kind, number, words in cells
    )
    return element("ul", *items, class_="totals", aria_label="Findings by verdict")


def _missing_data(sections: Sequence[Section]) -> Markup:
    missing = _words.missing_data(sections)
    if not missing:
        return Markup()
    items = (
        element("li", element("code", needs), ": ", place, " (", _links(waiting), ")")
        for (needs, place), waiting in missing.items()
    )
    return element(
        "div", element("h3", "Data sets that are missing"), element("ul", *items), class_="missing"
    )


def _links(sections: Sequence[Section]) -> Markup:
    links = [_link(section) for section in sections]
    return join(*[piece for link in links for piece in (", ", link)][1:])


def _link(section: Section) -> Markup:
    name = section.experiment.id
    return element("a", name, href=f"#{name}")


def _facts(about: About) -> Markup:
    items = (
        element("div", element("dt", name), element("dd", value))
        for name, value in _words.facts(about)
    )
    return element("dl", *items, class_="facts")


def _contents(sections: Sequence[Section], preset: Preset) -> Markup:
    groups = (
        lines(
            element("h3", paper.title),
            element("ol", lines(*(_contents_item(section, preset) for section in of_paper))),
        )
        for paper, of_paper in _words.by_paper(sections)
    )
    heading = element("h2", "Contents")
    return element("nav", lines(heading, *groups), id="contents", aria_label="Contents")


def _contents_item(section: Section, preset: Preset) -> Markup:
    name = section.experiment.id
    tally = _words.Tally.of([section])
    judged = tally.total > 0 and preset == "full"
    states = [status for status in section.statuses if status != "finished"]
    words = ", ".join([*states, tally.in_words(preset)] if judged else states)
    kind = "differs" if tally.differ and judged else None
    title = join(element("b", name), " ", element("span", section.experiment.title))
    return element(
        "li",
        element("a", title, href=f"#{name}"),
        join(" ", element("small", words, class_=kind)) if words else "",
    )


def _differences(sections: Sequence[Section], preset: Preset) -> Markup:
    """Return all contradictions in one place, or the sentence that there are none."""
    if preset == "quick":
        return Markup()
    found = _words.differences(sections, preset)
    if not found:
        content = element("p", "No finding that could be judged contradicts the papers.")
    else:
        content = element(
            "ol", lines(*(_difference(*pair) for pair in found)), class_="differences"
        )
    return element(
        "section",
        lines(element("h2", "Where our results differ from the papers"), content),
        class_="contradictions",
    )


def _difference(section: Section, finding: Finding) -> Markup:
    so_far = "" if section.n_finished == section.n_runs else _words.runs_in_words(section)
    return element(
        "li",
        element("p", _link(section), " ", _unbroken(finding.claim), class_="claim"),
        _numbers(finding),
        element("p", _unbroken(finding.note), class_="note") if finding.note else "",
        element("p", f"So far: {so_far}.", class_="note") if so_far else "",
    )


# -------------------------------------------------------------------------------- experiments


def _paper(
    title: str, authors: str, sections: Sequence[Section], preset: Preset, pictures: Pictures
) -> Markup:
    return element(
        "section",
        lines(
            element("h2", title, " ", element("small", authors)),
            *(_section(section, preset, pictures[section.experiment.id]) for section in sections),
        ),
        class_="paper",
    )


def _section(section: Section, preset: Preset, pictures: Sequence[SavedPicture]) -> Markup:
    experiment = section.experiment
    stand_in = experiment.stand_in if preset == "quick" else ""
    heading = join(element("span", experiment.id, class_="id"), " ", experiment.title)
    findings = (_finding(finding, preset) for finding in section.findings)
    return element(
        "article",
        lines(
            element("h3", heading, id=f"{experiment.id}-title"),
            element("p", f"{experiment.paper.name}, {experiment.source}", class_="source"),
            element("p", experiment.question, class_="question"),
            element("p", element("b", "Stand-in: "), stand_in, class_="stand-in")
            if stand_in
            else "",
            _states(section),
            *(_figure(picture) for picture in pictures),
            element("h4", "Findings") if section.findings else "",
            element("ul", lines(*findings), class_="findings") if section.findings else "",
            _sheets(section.sheets),
            _rerun(section),
        ),
        id=experiment.id,
        aria_labelledby=f"{experiment.id}-title",
    )


def _states(section: Section) -> Markup:
    """Return what keeps this section from being complete, if anything does."""
    items = []
    if "incomplete" in section.statuses:
        done = f"{section.n_finished} of {_words.count(section.n_runs, 'run')} finished."
        items.append(join(element("b", "Incomplete: "), done))
    items += [
        join(
            element("b", "Lacks data: "),
            element("code", lack.needs),
            f", for {_words.count(lack.n_runs, 'run')}. {lack.place}",
        )
        for lack in section.lacks
    ]
    items += [
        join(element("b", "Failed: "), element("code", failure)) for failure in section.failures
    ]
    if not items:
        return Markup()
    return element("ul", *(element("li", item) for item in items), class_="states")


def _figure(picture: SavedPicture) -> Markup:
    """Return a figure; on narrow windows a checkbox enlarges it in its box, without scripts."""
    width, height = picture.size
    image = element("img", src=picture.address, alt=picture.caption, width=width, height=height)
    box = element("input", type="checkbox", class_="enlarge")
    label = element("label", box, element("span", image), class_="picture")
    return element("figure", label, element("figcaption", picture.caption))


def _finding(finding: Finding, preset: Preset) -> Markup:
    return element(
        "li",
        element("p", _badge(finding, preset), " ", _unbroken(finding.claim), class_="claim"),
        _numbers(finding),
        element("p", _unbroken(finding.note), class_="note") if finding.note else "",
    )


def _badge(finding: Finding, preset: Preset) -> Markup:
    verdict = _words.verdict(finding, preset)
    kind = {"not judged": "open", "try-out": "tryout"}.get(verdict, verdict)
    sign = element("span", SIGNS[verdict], aria_hidden="true")
    return element("span", sign, " ", verdict, class_=f"badge {kind}")


def _numbers(finding: Finding) -> Markup:
    return element(
        "dl",
        element("div", element("dt", "ours"), element("dd", _parts(finding.ours))),
        element("div", element("dt", "published"), element("dd", _parts(finding.published))),
        class_="numbers",
    )


def _parts(text: str) -> Markup:
    """Return `n = 10: 0.5; n = 50: 0.4`, or the same with a comma, with a line for each part."""
    parts = re.split(r"(?<=;) |(?<=,) (?=\w+ ?= ?[\d ]+:)", text)
    return join(*(element("span", _unbroken(part)) for part in parts))


def _unbroken(text: str) -> str:
    """Keep the sides of `n = 400` and `0.05 ± 0.01` on one line."""
    return re.sub(r"(?<=\S) ([=≥≤<>±]) (?=\S)", "\u00a0\\1\u00a0", text)


def _sheets(sheets: Sequence[Sheet]) -> Markup:
    if not sheets:
        return Markup()
    summary = element("summary", "All numbers (the published ones in brackets)")
    return element("details", lines(summary, *(_sheet(sheet) for sheet in sheets)))


def _sheet(sheet: Sheet) -> Markup:
    head = element("tr", *(element("th", column, scope="col") for column in sheet.columns))
    rows = (
        element(
            "tr",
            element("th", row[0], scope="row") if row else "",
            *(element("td", _cell(cell)) for cell in row[1:]),
        )
        for row in sheet.rows
    )
    table = element(
        "table",
        lines(
            element("thead", head),
            element("tbody", lines(*rows)),
        ),
    )
    # Only what can have the focus is scrolled with the keyboard.
    box = element(
        "div", table, class_="scroll", tabindex="0", role="region", aria_label=sheet.title
    )
    return lines(element("h4", sheet.title), box)


def _cell(cell: str) -> Markup:
    """Return a cell, with the published number of `ours (published)` set apart."""
    found = re.fullmatch(r"(.*\S)\s*(\([^()]*\d[^()]*\))", cell)
    if not found:
        return join(cell)
    return join(found[1], " ", element("span", found[2], class_="published"))


def _rerun(section: Section) -> Markup:
    return element(
        "div",
        element("p", "Run it again: ", _command(section.command)),
        element(
            "p",
            f"{_words.runs_in_words(section)}. ",
            element("a", "Contents", href="#contents"),
        ),
        class_="rerun",
    )


def _command(line: str) -> Markup:
    """Return a command line that breaks between its words only, not at their hyphens."""
    words = [element("span", word) for word in line.split()]
    return element(
        "code", *[piece for word in words for piece in (" ", word)][1:], class_="command"
    )


def _footer(about: About) -> Markup:
    top = element("a", "To the top", href="#top")
    return join(element("p", "Written by ", _command(about.command)), element("p", top))
