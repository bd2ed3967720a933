"""A report as a page, or as a part of a notebook. Whatever comes from users is escaped."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from importlib.metadata import version
from typing import TYPE_CHECKING

from ._content import Picture, Section, Table
from ._pictures import can_draw, data_uri
from ._style import NOTEBOOK_STYLE, PAGE_STYLE, STYLE

if TYPE_CHECKING:
    from ._report import Report

_NO_PICTURES = (
    "Pictures are left out, as they need matplotlib, which is not installed: "
    "pip install 'manifoldforest[plot]'"
)
_REM_PER_INCH = 6.0  # so that letters of all pictures have the same size, nearly that of the text
_LARGE = 6.5  # inches; wider pictures are scrolled on a telephone, not shrunk


def as_page(report: Report) -> str:
    """Return a document that refers to nothing outside of itself."""
    body = "\n".join(_body(report, is_page=True))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(report.title)}: {escape(report.summary)}</title>\n"
        f"<style>{PAGE_STYLE}{STYLE}</style>\n</head>\n<body>\n"
        f'<main class="mf-report">\n{body}\n</main>\n</body>\n</html>\n'
    )


def as_fragment(report: Report, *, is_open: bool) -> str:
    """Return a part of a page that can be folded, and changes nothing around it."""
    body = "\n".join(_body(report, is_page=False))
    return (
        f'<div class="mf-report mf-report-notebook"><style>{STYLE}{NOTEBOOK_STYLE}</style>\n'
        f"<details{' open' if is_open else ''}><summary><b>{escape(report.title)}</b>: "
        f"{escape(report.summary)}</summary>\n{body}\n</details></div>\n"
    )


def _heading(text: str, *, is_page: bool) -> str:
    """Return a heading, in notebooks one that is not in their tables of contents."""
    begin, end = ("<h2", "</h2>") if is_page else ('<div role="heading" aria-level="4"', "</div>")
    return f'{begin} class="mf-report-heading">{escape(text)}{end}'


def _body(report: Report, *, is_page: bool) -> Iterator[str]:
    with_pictures = can_draw()
    yield '<div class="mf-report-body">'
    yield "<header>"
    if is_page:  # what is folded has them outside
        yield f'<h1 class="mf-report-title">{escape(report.title)}</h1>'
        yield f'<p class="mf-report-summary">{escape(report.summary)}</p>'
    if report.highlights:
        yield '<dl class="mf-report-highlights">'
        for fact in report.highlights:
            yield (
                f'<div class="mf-report-highlight"><dt>{escape(fact.label)}</dt>'
                f"<dd>{escape(fact.text)}</dd></div>"
            )
        yield "</dl>"
    yield "</header>"
    for section in report.sections:
        yield '<section class="mf-report-section">'
        yield _heading(section.title, is_page=is_page)
        yield from _section(section, with_pictures=with_pictures)
        yield "</section>"
    foot = f"Written by manifoldforest {version('manifoldforest')}."
    if not with_pictures:
        foot += f" {_NO_PICTURES}."
    yield f'<footer class="mf-report-foot">{escape(foot)}</footer>'
    yield "</div>"


def _section(section: Section, *, with_pictures: bool) -> Iterator[str]:
    if section.facts:
        yield '<dl class="mf-report-facts">'
        for fact in section.facts:
            yield f"<dt>{escape(fact.label)}</dt><dd>{escape(fact.text)}</dd>"
        yield "</dl>"
    if section.pictures and with_pictures:
        yield '<div class="mf-report-pictures">'
        for picture in section.pictures:
            yield _picture(picture)
        yield "</div>"
    for table in section.tables:
        if not (table.is_drawn and with_pictures):
            yield from _table(table)
    if section.lines and not (section.pictures and with_pictures):
        lines = "\n".join(section.lines)
        yield f'<pre class="mf-report-lines" tabindex="0">{escape(lines)}</pre>'
    if section.details is not None:
        caption = escape(section.details.caption)
        yield f'<details class="mf-report-details"><summary>{caption}</summary>'
        yield from _table(section.details, with_caption=False)
        yield "</details>"
    for note in section.notes:
        yield f'<p class="mf-report-note">{escape(note)}</p>'


def _table(table: Table, *, with_caption: bool = True) -> Iterator[str]:
    yield '<div class="mf-report-scroll" tabindex="0"><table class="mf-report-table">'
    if with_caption:
        yield f"<caption>{escape(table.caption)}</caption>"
    header = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.header)
    if table.bars:
        header += "<td></td>"
    yield f"<thead><tr>{header}</tr></thead><tbody>"
    for place, row in enumerate(table.rows):
        cells = f'<th scope="row">{escape(row[0])}</th>'
        cells += "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        if table.bars:
            length = max(0.0, min(1.0, table.bars[place]))
            cells += (
                '<td class="mf-report-bar" aria-hidden="true">'
                f'<span style="width:{100 * length:.1f}%"></span></td>'
            )
        yield f"<tr>{cells}</tr>"
    yield "</tbody></table></div>"


def _picture(picture: Picture) -> str:
    shape = "mf-report-picture mf-report-wide" if picture.wide else "mf-report-picture"
    color = "mf-report-natural" if picture.natural else "mf-report-drawn"
    if picture.size[0] > _LARGE:
        color += " mf-report-large"
    return (
        f'<figure class="{shape}"><div class="mf-report-scroll" tabindex="0">'
        f'<img class="{color}" style="max-width:{_REM_PER_INCH * picture.size[0]:.1f}rem" '
        f'alt="{escape(picture.alt)}" src="{data_uri(picture)}"></div>'
        f"<figcaption>{escape(picture.caption)}</figcaption></figure>"
    )
