"""Small tables for notebooks, without scripts or style sheets."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_NAME = 'style="text-align:left;padding:2px 12px 2px 0"'
_NUMBER = 'style="text-align:right;padding:2px 12px 2px 0"'


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]], bold: int | None = None) -> str:
    """Return a table: names in the first column, numbers in all others.

    All texts are escaped. `bold` is the number of a row that stands out.
    """
    lines = [_row(rows[i], "th" if i == bold else "td") for i in range(len(rows))]
    return (
        '<table style="margin:0 0 12px 0">'
        f"<thead>{_row(head, 'th')}</thead><tbody>{''.join(lines)}</tbody></table>"
    )


def _row(cells: Sequence[str], tag: str) -> str:
    styles = [_NAME, *[_NUMBER] * (len(cells) - 1)]
    texts = [
        f"<{tag} {style}>{escape(cell)}</{tag}>" for cell, style in zip(cells, styles, strict=True)
    ]
    return f"<tr>{''.join(texts)}</tr>"
