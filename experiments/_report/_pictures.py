"""Figures of the experiments as PNG files."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from .._experiment import Picture
from ._model import Section

DOTS_PER_INCH = 144
CSS_PIXELS_PER_INCH = 96


@dataclass(frozen=True)
class SavedPicture:
    """A figure that has been drawn."""

    path: Path
    caption: str
    png: bytes

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels of a page, where an inch of the figure is an inch."""
        # The first chunk of a PNG begins at byte 8 and holds width and height.
        pixels = (int.from_bytes(self.png[start : start + 4], "big") for start in (16, 20))
        width, height = (round(n * CSS_PIXELS_PER_INCH / DOTS_PER_INCH) for n in pixels)
        return width, height

    @property
    def address(self) -> str:
        """The picture itself as the address of an image."""
        return "data:image/png;base64," + base64.b64encode(self.png).decode("ascii")


Pictures = Mapping[str, Sequence[SavedPicture]]  # by the id of the experiment


def save_pictures(folder: Path, sections: Sequence[Section]) -> dict[str, list[SavedPicture]]:
    """Draw every figure once, as ``<id>-<number>.png``; older ones of these experiments go."""
    folder.mkdir(parents=True, exist_ok=True)
    saved = {}
    for section in sections:
        name = section.experiment.id
        for old in folder.glob(f"{name}-[0-9]*.png"):
            old.unlink()
        saved[name] = [
            _save(folder / f"{name}-{number}.png", picture)
            for number, picture in enumerate(section.pictures, start=1)
        ]
    return saved


def _save(path: Path, picture: Picture) -> SavedPicture:
    drawn = BytesIO()
    picture.figure.savefig(
        drawn,
        format="png",
        dpi=DOTS_PER_INCH,
        facecolor="white",
        bbox_inches="tight",
        pad_inches=0.12,
        metadata={"Software": None},  # else another version of matplotlib gives other bytes
    )
    path.write_bytes(drawn.getvalue())
    return SavedPicture(path, picture.caption, drawn.getvalue())
