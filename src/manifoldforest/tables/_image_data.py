"""Images in memory, and what they should be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:  # the command line imports this module at its start, and not NumPy
    from numpy.typing import NDArray

# Bytes of grey, bytes of red, green and blue, or numbers of more than 8 bits.
Pixels = Literal["grey", "colour", "deep"]


@dataclass(frozen=True)
class Images:
    """Images of one size, the files they are from, and their labels if they have any."""

    source: str
    X: NDArray[Any]
    pixels: Pixels
    files: list[str]  # relative to the folder
    labels: NDArray[Any] | None
    n_left_out: int  # files that are no images by their names

    @property
    def n_rows(self) -> int:
        """Number of images."""
        return len(self.X)


@dataclass(frozen=True)
class ImageForm:
    """What images should be: size, whether they are scaled to it, and pixels; None is any."""

    size: tuple[int, int] | None = None  # height, width
    resize: bool = False
    pixels: Pixels | None = None
