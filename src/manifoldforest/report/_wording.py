"""Numbers and names as readers see them."""

from __future__ import annotations

from typing import Any

_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def count(n: int) -> str:
    """Return a number of things; large ones in groups of three digits."""
    return f"{n:,}".replace(",", " ") if abs(n) >= 10_000 else str(n)


def number_of(n: int, thing: str, things: str | None = None) -> str:
    """Return a number and what is counted, in the singular or the plural."""
    return f"{count(n)} {thing if n == 1 else things or thing + 's'}"


def size_in_bytes(n: int) -> str:
    """Return a size of memory."""
    size, unit = float(n), 0
    while size >= 999.5 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.3g} {_UNITS[unit]}"


def spread(low: float, high: float, mean: float) -> str:
    """Return a range of whole numbers and their mean."""
    if low == high:
        return f"{low:.0f}"
    return f"{low:.0f} to {high:.0f} (mean {mean:.1f})"


def shape_text(shape: tuple[int, ...]) -> str:
    """Return the shape of an example."""
    return " × ".join(map(str, shape))


def one_line(value: Any, length: int) -> str:
    """Return a text, or the representation of something else, on one line."""
    text = value if isinstance(value, str) else repr(value)
    text = " ".join(text.split())
    return text if len(text) <= length else text[: length - 1] + "…"


def listed(words: list[str], length: int) -> str:
    """Return words with commas between them, as many as there is room for."""
    text = ""
    for place, word in enumerate(words):
        longer = f"{text}, {word}" if text else word
        if len(longer) > length and text:
            return f"{text}, … ({len(words) - place} more)"
        text = longer
    return text
