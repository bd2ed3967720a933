"""A report as plain text of at most 80 columns."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from ._content import Section, Table

if TYPE_CHECKING:
    from ._report import Report

WIDTH = 80  # columns of a terminal
_INDENT = "  "
_BAR = 16  # columns of the longest bar
_MAX_NAME = 34  # columns of the name of a row


def as_text(report: Report) -> str:
    """Return the whole report."""
    lines = [*wrapped(report.title, ""), *wrapped(report.summary, "")]
    for section in report.sections:
        lines += ["", section.title, "-" * columns(section.title)]
        lines += _section_lines(section)
    return "\n".join(line.rstrip() for line in lines)


def _section_lines(section: Section) -> Iterable[str]:
    blocks = [_fact_lines(section)]
    blocks += [_table_lines(table) for table in section.tables]
    blocks.append([cut(_INDENT + printable(line), WIDTH) for line in section.lines])
    if section.details is not None:
        cells = ", ".join("=".join(row[:2]) for row in section.details.rows)
        blocks.append(wrapped(f"{section.details.caption}: {cells}", _INDENT))
    blocks += [wrapped(note, _INDENT) for note in section.notes]
    first = True
    for block in blocks:
        if block:
            yield from block if first else ["", *block]
            first = False


def _fact_lines(section: Section) -> list[str]:
    lines = []
    width = max((columns(fact.label) for fact in section.facts), default=0) + 2
    for fact in section.facts:
        label = _INDENT + fact.label + " " * (width - columns(fact.label))
        lines += wrapped(fact.text, label, " " * columns(label))
    return lines


def _table_lines(table: Table) -> list[str]:
    """Return a table whose columns are as wide as their widest cell."""
    rows = [[cut(printable(cell), _MAX_NAME) for cell in row] for row in table.rows]
    header = [*map(printable, table.header)]
    widths = [
        max(columns(cell) for cell in cells) for cells in zip_longest(header, *rows, fillvalue="")
    ]
    if table.bars:
        header.append("")
    lines = [*wrapped(f"{table.caption}:", _INDENT), _row(header, widths)]
    for place, row in enumerate(rows):
        bar = " " + "█" * round(_BAR * table.bars[place]) if table.bars else ""
        lines.append(_row(row, widths) + bar)
    return [cut(line, WIDTH) for line in lines]


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    text = _INDENT
    for place, (cell, width) in enumerate(zip(cells, widths, strict=False)):
        gap = " " * (width - columns(cell))
        text += cell + gap if place == 0 else "  " + gap + cell
    return text


# ------------------------------------------------------------------------------- columns


def printable(text: str) -> str:
    """Return a text without characters that would move the cursor of a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes; letters of East Asia take two."""
    return sum(_width(letter) for letter in text)


def _width(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def cut(text: str, width: int) -> str:
    """Return as much of a text as there are columns for."""
    if columns(text) <= width:
        return text
    kept, used = "", 0
    for letter in text:
        if used + _width(letter) > width - 1:
            break
        kept, used = kept + letter, used + _width(letter)
    return kept + "…"


def wrapped(text: str, first: str, others: str | None = None) -> list[str]:
    """Return a text in lines that begin with `first`, those after it with `others`."""
    begin = first if others is None else others
    lines, line, is_empty = [], first, True
    for word in printable(text).split():
        rest = word
        if not is_empty and columns(f"{line} {rest}") > WIDTH:
            lines.append(line)
            line, is_empty = begin, True
        while columns(line) + columns(rest) > WIDTH:  # longer than a line: a path, a parameter
            part = ""
            while columns(line) + columns(part) + _width(rest[0]) <= WIDTH:
                part, rest = part + rest[0], rest[1:]
            lines.append(line + part)
            line = begin
        line = line + rest if is_empty else f"{line} {rest}"
        is_empty = False
    return [*lines, line] if not is_empty else lines or [first]
