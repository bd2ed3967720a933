"""HTML from data: text is escaped unless it is markup already."""

from __future__ import annotations

from html import escape

EMPTY_ELEMENTS = {"img", "meta", "link", "input"}


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(name: str, /, *content: str, **attributes: object) -> Markup:
    """Return an element; ``class_`` is its class, ``data_x`` the attribute ``data-x``.

    Attributes that are None or False are left out; those that are True have no value.

    >>> element("p", "1 < 2", element("b", "so"), class_="note")
    '<p class="note">1 &lt; 2<b>so</b></p>'
    """
    start = name
    for key, value in attributes.items():
        attribute = key.rstrip("_").replace("_", "-")
        if value is True:
            start += f" {attribute}"
        elif value is not None and value is not False:
            start += f' {attribute}="{escape(str(value))}"'
    if name in EMPTY_ELEMENTS:
        return Markup(f"<{start}>")
    return Markup(f"<{start}>{join(*content)}</{name}>")


def join(*content: str) -> Markup:
    """Return pieces in a row."""
    return Markup("".join(map(_escaped, content)))


def lines(*content: str) -> Markup:
    """Return pieces on a line each; empty ones are left out."""
    return Markup("\n".join(_escaped(piece) for piece in content if piece))


def _escaped(piece: str) -> str:
    return piece if isinstance(piece, Markup) else escape(piece, quote=False)
