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
    "images": ("digits_edges", "colour", "grid_search", "what_splits_see", "shap_digits"),
    "series": ("channels", "impulse", "time_curves"),
    "geometry": ("circle_torus", "graph", "dictionary"),
    "tables": (
        *("honest_posteriors", "intervals", "missing_values", "boosting", "proximity"),
        *("speed", "units"),
    ),
    "responses": ("wind", "spd", "rotations", "half_faces"),
    "boundary": ("stream", "retrieval", "words"),
    "tools": ("suggest", "report", "pictures"),
}

# NAME = value  # smaller value in tests
_SMALL = re.compile(r"^([A-Z_]+) = .+?  # (.+) in tests$", re.MULTILINE)


def _cells(code, path):
    """Return the compiled cells, with the line numbers of the file."""
    cells, line = [], 0
    for cell in re.split(r"^(?=# %%$)", code, flags=re.MULTILINE):
        cells.append(compile("\n" * line + cell, str(path), "exec"))
        line += cell.count("\n")
    return cells


def _check_figure(figure):
    figure.draw_without_rendering()
    texts = [
        text for axes in figure.axes for text in (axes.title, axes.xaxis.label, axes.yaxis.label)
    ]
    assert any(text.get_text() for text in texts)
    for axes in figure.axes:
        _check_drawing(axes)


def _check_drawing(axes):
    """Check that something is drawn, and that all of it has a place: NaN is drawn as nothing."""
    assert axes.lines or axes.images or axes.collections or axes.patches or axes.tables
    drawn = [
        *(line.get_xydata() for line in axes.lines),
        *(image.get_array() for image in axes.images),
        *(collection.get_offsets() for collection in axes.collections),
        *(patch.get_path().vertices for patch in axes.patches),
    ]
    for numbers in drawn:
        assert np.isfinite(np.ma.getdata(numbers).astype(float)).all()


@pytest.fixture
def _pyplot(monkeypatch):
    monkeypatch.setattr(plt, "show", lambda: None)  # which warns that nobody can see it
    plt.close("all")
    yield
    plt.close("all")


@pytest.mark.usefixtures("_pyplot")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_example_runs_and_draws(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, n_smaller = _SMALL.subn(r"\1 = \2", path.read_text(encoding="utf-8"))
    assert n_smaller
    assert "in tests" not in code  # a remark that the pattern above does not know
    names, n_figures = {"__name__": "__main__"}, 0
    for cell in _cells(code, path):
        exec(cell, names)
        for number in plt.get_fignums():  # a page shows the figures of a cell below it
            _check_figure(plt.figure(number))
            n_figures += 1
        plt.close("all")
    assert n_figures


def test_gallery_has_the_files_that_pages_link_to():
    expected = {f"{folder}/plot_{name}.py" for folder, names in NAMES.items() for name in names}
    assert {path.relative_to(ROOT).as_posix() for path in FILES} == expected


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
    assert underline == ("-" if folder else "=") * len(title)  # sections of one page
    assert not blank
    assert text
