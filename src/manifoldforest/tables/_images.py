"""Reading a folder of images: each folder in it is a class, and its name the label."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from ._errors import TableError
from ._image_data import ImageForm, Images, Pixels

Progress = Callable[[int, int], None]

_GREY = ("1", "L", "LA", "La")
_DEEP = ("I", "F")  # and I;16 in its forms
_PILLOW_MODE = {"grey": "L", "colour": "RGB", "deep": "F"}
# What Pillow raises for files that are damaged or no images.
_DECODING_ERRORS = (
    *(OSError, SyntaxError, ValueError, EOFError, struct.error),
    *(Image.DecompressionBombError,),
)


def read_images(
    folder: Path, form: ImageForm, *, labelled: bool, progress: Progress | None = None
) -> Images:
    """Read all images in a folder, in the order of their names.

    Parameters
    ----------
    folder : Path
        A folder of folders whose names are labels; without labels, images may also lie in it.
    form : ImageForm
        What the images should be.
    labelled : bool
        Whether each image must lie in the folder of its label.
    progress : callable, optional
        Told how many images were read, and of how many.
    """
    files, n_left_out = _image_files(folder)
    if not files:
        raise TableError(
            f"{folder} has no images: put them into one folder for each class, such as "
            f"{folder / 'cat' / '1.png'}"
        )
    parts = [file.relative_to(folder).parts for file in files]
    loose = [file for file, part in zip(files, parts, strict=True) if len(part) != 2]
    if loose and labelled:
        raise TableError(
            f"{loose[0]} is not in the folder of a class: images must be in folders such as "
            f"{folder / 'cat' / '1.png'}, where 'cat' is the label"
        )
    arrays: list[NDArray[Any]] = []
    kinds: list[Pixels] = []
    for i, file in enumerate(files):
        image, kind = _opened(file, form)
        if arrays and image.shape[:2] != arrays[0].shape[:2]:
            raise TableError(
                f"{file} has {_size(image)} pixels and {files[0]} {_size(arrays[0])}: all "
                "images must have one size, or give one, such as "
                f"--resize {arrays[0].shape[0]}x{arrays[0].shape[1]}"
            )
        arrays.append(image)
        kinds.append(kind)
        if progress is not None:
            progress(i + 1, len(files))
    pixels = _common(files, kinds, form.pixels)
    stacked = np.stack([_with_channels(image) if pixels == "colour" else image for image in arrays])
    labels = None if loose else np.array([part[0] for part in parts])
    names = ["/".join(part) for part in parts]
    return Images(str(folder), stacked, pixels, names, labels, n_left_out)


def _image_files(folder: Path) -> tuple[list[Path], int]:
    """Return the images in a folder and its folders, and the number of other files."""
    suffixes = set(Image.registered_extensions())
    inside = [path for path in sorted(folder.iterdir()) if not path.name.startswith(".")]
    files = [path for path in inside if path.is_file()]
    for part in inside:
        if part.is_dir():
            files += [path for path in sorted(part.iterdir()) if not path.name.startswith(".")]
    images = [path for path in files if path.suffix.lower() in suffixes and path.is_file()]
    return images, len(files) - len(images)


def _opened(file: Path, form: ImageForm) -> tuple[NDArray[Any], Pixels]:
    """Return the pixels of one file, scaled if that is wanted, and what they are."""
    try:
        with Image.open(file) as opened:
            image = ImageOps.exif_transpose(opened)
            image.load()
    except _DECODING_ERRORS as error:
        reason = " ".join(str(error).split())
        raise TableError(
            f"{file} cannot be read as an image: {reason}. Replace it or take it away"
        ) from error
    kind = _pixels(image.mode)
    image = image.convert(_PILLOW_MODE[kind])
    if form.size is not None:
        height, width = form.size
        if form.resize:
            image = image.resize((width, height))
        elif image.size != (width, height):
            raise TableError(
                f"{file} has {image.height} × {image.width} pixels, and the forest was fitted on "
                f"images of {height} × {width}: fit it with --resize {height}x{width}, which "
                "makes predictions scale images too"
            )
    return np.asarray(image), kind


def _pixels(mode: str) -> Pixels:
    if mode in _GREY:
        return "grey"
    return "deep" if mode in _DEEP or mode.startswith("I;") else "colour"


def _common(files: list[Path], kinds: list[Pixels], wanted: Pixels | None) -> Pixels:
    """Return what all images can be read as without loss; grey images may become coloured."""
    pixels = wanted or ("colour" if "colour" in kinds else kinds[0])
    for file, kind in zip(files, kinds, strict=True):
        if kind != pixels and (kind, pixels) != ("grey", "colour"):
            name = {"grey": "grey", "colour": "coloured", "deep": "of more than 8 bits"}
            others = "those of the fit" if wanted else "others"
            raise TableError(f"{file} is {name[kind]} and {others} are {name[pixels]}: convert it")
    return pixels


def _with_channels(image: NDArray[Any]) -> NDArray[Any]:
    return image if image.ndim == 3 else np.repeat(image[:, :, None], 3, axis=2)


def _size(image: NDArray[Any]) -> str:
    return f"{image.shape[0]} × {image.shape[1]}"
