"""What a report consists of, whatever it is written as."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Fact:
    """One fact: its key in dictionaries, its value, how that is written, its name for readers."""

    key: str
    value: Any
    text: str
    name: str = ""

    @property
    def label(self) -> str:
        """Name for readers; the key if there is no other."""
        return self.name or self.key.replace("_", " ")


@dataclass(frozen=True)
class Table:
    """Rows of texts under a header.

    Attributes
    ----------
    caption : str
        What the rows are.
    header : sequence of str
        Names of the columns.
    rows : sequence of sequences of str
        Cells; the first of a row is its name, all others are numbers or short words.
    bars : sequence of float
        Lengths of bars from 0 to 1, one for each row, in a column of their own; empty for none.
    is_drawn : bool
        Whether a picture of the section shows the same: pages with pictures leave the table out.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    bars: Sequence[float] = ()
    is_drawn: bool = False


@dataclass(frozen=True)
class Picture:
    """A picture that is drawn when a page is written.

    Attributes
    ----------
    alt : str
        What is to be seen, for those who do not see it.
    caption : str
        What it means.
    draw : callable
        Draws into the axes that it is given.
    size : (width, height)
        In inches.
    wide : bool
        Whether the picture takes the whole width of a page.
    is_bare : bool
        Whether it has no scales: its axes take all of the picture.
    natural : bool
        Whether its colours mean something by themselves, as those of a photograph, and must not be
        changed for a dark page.
    """

    alt: str
    caption: str
    draw: Callable[[Any], Any]
    size: tuple[float, float] = (4.6, 3.2)
    wide: bool = False
    is_bare: bool = False
    natural: bool = False


@dataclass(frozen=True)
class Section:
    """One section of a report.

    Attributes
    ----------
    key, title : str
        Its key in dictionaries, and its heading.
    facts : sequence of Fact
        Short facts.
    tables : sequence of Table
        Tables.
    pictures : sequence of Picture
        Pictures, on pages only.
    lines : sequence of str
        Lines of equal letters, in texts, and on pages that have no pictures.
    details : Table or None
        What only few readers want to know: folded on pages, a paragraph in texts.
    notes : sequence of str
        Sentences, such as those that say how to get what is missing.
    data : mapping
        Further content of dictionaries.
    """

    key: str
    title: str
    facts: Sequence[Fact] = ()
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    lines: Sequence[str] = ()
    details: Table | None = None
    notes: Sequence[str] = ()
    data: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the content as JSON can hold it."""
        content = {fact.key: as_json(fact.value) for fact in self.facts}
        content |= {key: as_json(value) for key, value in self.data.items()}
        return content | ({"notes": list(self.notes)} if self.notes else {})


def as_json(value: Any) -> Any:
    """Return a value as JSON can hold it: NaN and infinity are None, other objects their text."""
    if isinstance(value, Mapping):
        return {str(key): as_json(entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray):
        return as_json(value.tolist())
    if isinstance(value, list | tuple):
        return [as_json(entry) for entry in value]
    if isinstance(value, np.generic):
        return as_json(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    return repr(value)
