"""The examples of the gallery run, at a small size, and draw what can be seen."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("agg")

import matplotlib.pyplot as plt

ROOT = Path(__file__).parents[2] / "examples"
FILES = sorted(ROOT.rglob("*.py"))

# Pages link to these names.
NAMES = {
    "images": ("digits_edges", "colour", "grid_search", "what_splits_see"),
    "series": ("channels", "impulse"),
    "geometry": ("circle_torus", "graph", "dictionary"),
    "tables": (
        *("honest_posteriors", "intervals", "missing_values", "boosting", "proximity"),
        *("speed", "units"),
    ),
    "responses": ("wind", "spd", "rotations", "half_faces"),
    "boundary": ("stream", "retrieval", "words"),
    "tools": ("suggest", "report"),
}

# NAME = value  # smaller value in tests
_SMALL = re.compile(r"^([A-Z_]+) = .+?  # (.+) in tests$", re.MULTILINE)


def _has_words(figure):
    texts = [
        text for axes in figure.axes for text in (axes.title, axes.xaxis.label, axes.yaxis.label)
    ]
    return any(text.get_text() for text in texts)


def _assert_finite(axes):
    """Check that everything that is drawn has a place; NaN would be drawn as nothing."""
    for line in axes.lines:
        assert np.isfinite(np.asarray(line.get_xydata(), dtype=float)).all(), line
    for image in axes.images:
        assert np.isfinite(np.ma.getdata(image.get_array()).astype(float)).all(), image
    for collection in axes.collections:
        assert np.isfinite(np.ma.getdata(collection.get_offsets()).astype(float)).all(), collection
    assert axes.lines or axes.images or axes.collections or axes.patches


@pytest.fixture
def _no_figures():
    plt.close("all")
    yield
    plt.close("all")


@pytest.mark.usefixtures("_no_figures")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_example_runs_and_draws(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plt, "show", lambda: None)
    code, n_smaller = _SMALL.subn(r"\1 = \2", path.read_text(encoding="utf-8"))
    assert n_smaller
    assert "in tests" not in code  # a remark that the pattern above does not know
    exec(compile(code, str(path), "exec"), {"__name__": "__main__"})
    figures = [plt.figure(number) for number in plt.get_fignums()]
    assert figures
    for figure in figures:
        figure.draw_without_rendering()
        assert _has_words(figure)
        for axes in figure.axes:
            _assert_finite(axes)


def test_gallery_has_the_files_that_pages_link_to():
    expected = {f"{folder}/plot_{name}.py" for folder, names in NAMES.items() for name in names}
    assert {path.relative_to(ROOT).as_posix() for path in FILES} <= expected
    assert len(FILES) >= 20


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_example_begins_with_a_title_and_an_introduction(path):
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    title, underline, blank, *introduction = docstring.splitlines()
    assert underline == "=" * len(title)
    assert not blank
    assert len(" ".join(introduction)) > 80


@pytest.mark.parametrize("folder", ["", *NAMES])
def test_folder_has_a_header(folder):
    title, underline, blank, *text = (
        (ROOT / folder / "GALLERY_HEADER.rst").read_text(encoding="utf-8").splitlines()
    )
    assert underline == "=" * len(title)
    assert not blank
    assert text
