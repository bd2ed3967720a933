"""Folders of images: labels are folders, all images have one size, damage is named."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from PIL import Image

from manifoldforest.tables._errors import TableError
from manifoldforest.tables._image_data import ImageForm
from manifoldforest.tables._images import read_images

RNG = np.random.default_rng(0)


def put(folder, name, array, **options):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(array).save(path, **options)
    return path


def grey(*size):
    return RNG.integers(0, 256, size=size or (4, 5), dtype=np.uint8)


def colour(*size):
    return RNG.integers(0, 256, size=(*(size or (4, 5)), 3), dtype=np.uint8)


def read(folder, *, labelled=True, **form):
    return read_images(folder, ImageForm(**form), labelled=labelled)


def test_images_come_in_the_order_of_their_names(tmp_path):
    first, second, third = grey(), grey(), grey()
    put(tmp_path, "dog/2.png", third)
    put(tmp_path, "cat/b.png", second)
    put(tmp_path, "cat/a.bmp", first)
    images = read(tmp_path)
    assert_array_equal(images.X, [first, second, third])
    assert images.X.dtype == np.uint8
    assert images.labels.tolist() == ["cat", "cat", "dog"]
    assert images.files == ["cat/a.bmp", "cat/b.png", "dog/2.png"]
    assert images.pixels == "grey"


def test_hidden_files_do_not_count_and_others_are_counted(tmp_path):
    put(tmp_path, "cat/a.png", grey())
    for name in (".DS_Store", "cat/.hidden.png", "cat/notes.txt", "readme.md"):
        (tmp_path / name).write_text("text")
    images = read(tmp_path)
    assert images.n_rows == 1
    assert images.n_left_out == 2


def test_colour_and_grey_images_are_colour_images(tmp_path):
    grey_one, coloured = grey(), colour()
    put(tmp_path, "a/1.png", grey_one)
    put(tmp_path, "a/2.png", coloured)
    images = read(tmp_path)
    assert images.pixels == "colour"
    assert_array_equal(images.X[0], np.stack([grey_one] * 3, axis=2))
    assert_array_equal(images.X[1], coloured)


def test_images_of_16_bits_keep_them(tmp_path):
    deep = RNG.integers(0, 2**16, size=(4, 5), dtype=np.uint16)
    put(tmp_path, "a/1.png", deep)
    images = read(tmp_path)
    assert images.pixels == "deep"
    assert_array_equal(images.X[0], deep)


def test_photographs_are_turned_as_viewers_do(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6  # turn by a quarter
    upright = grey(4, 6)
    put(tmp_path, "a/1.png", upright, exif=exif)
    assert_array_equal(read(tmp_path).X[0], np.rot90(upright, -1))


def test_images_can_be_scaled(tmp_path):
    put(tmp_path, "a/1.png", np.full((8, 8), 7, np.uint8))
    put(tmp_path, "a/2.png", np.full((3, 9), 9, np.uint8))
    images = read(tmp_path, size=(2, 3), resize=True)
    assert_array_equal(images.X, np.stack([np.full((2, 3), 7), np.full((2, 3), 9)]))


def test_without_labels_images_may_lie_anywhere(tmp_path):
    put(tmp_path, "1.png", grey())
    put(tmp_path, "cat/2.png", grey())
    images = read(tmp_path, labelled=False)
    assert images.labels is None
    assert images.files == ["1.png", "cat/2.png"]
    with pytest.raises(TableError, match=r"1\.png is not in the folder of a class"):
        read(tmp_path)


def test_progress_is_told(tmp_path):
    for i in range(3):
        put(tmp_path, f"a/{i}.png", grey())
    told = []
    read_images(
        tmp_path, ImageForm(), labelled=True, progress=lambda *numbers: told.append(numbers)
    )
    assert told == [(1, 3), (2, 3), (3, 3)]


# --------------------------------------------------------------------------------- errors


def test_the_first_image_of_another_size_is_named(tmp_path):
    for name, size in {"a/1": (4, 5), "a/2": (4, 5), "b/1": (5, 4), "b/2": (6, 6)}.items():
        put(tmp_path, f"{name}.png", grey(*size))
    with pytest.raises(TableError, match=r"b/1\.png has 5 × 4 pixels and .*a/1\.png 4 × 5.*4x5"):
        read(tmp_path)


def test_a_folder_without_images(tmp_path):
    (tmp_path / "cat").mkdir()
    with pytest.raises(TableError, match="has no images: put them into one folder for each class"):
        read(tmp_path)


@pytest.mark.parametrize(
    "damage",
    [lambda content: b"", lambda content: b"hello", lambda content: content[: len(content) // 2]],
    ids=["empty", "other", "cut"],
)
@pytest.mark.parametrize("suffix", ["png", "jpg", "bmp", "gif", "tif"])
def test_a_damaged_image_is_named(tmp_path, damage, suffix):
    path = put(tmp_path, f"a/1.{suffix}", grey(40, 40))
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(TableError, match=rf"a/1\.{suffix} cannot be read as an image"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("array", "form", "message"),
    [
        (grey(3, 3), {"size": (4, 5)}, "has 3 × 3 pixels, and the forest was fitted on .* 4 × 5"),
        (colour(), {"pixels": "grey"}, "is coloured and those of the fit are grey: convert it"),
        (grey(), {"pixels": "deep"}, "is grey and those of the fit are of more than 8 bits"),
    ],
)
def test_images_must_be_like_those_of_the_fit(tmp_path, array, form, message):
    put(tmp_path, "a/1.png", array)
    with pytest.raises(TableError, match=message):
        read(tmp_path, **form)
