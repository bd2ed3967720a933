"""What the tool that looks at the built documentation says of links."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture
def complaints(tmp_path, monkeypatch):
    """Return what is wrong with the links of a page, beside another page with an anchor."""
    monkeypatch.syspath_prepend(TOOLS)
    tool = importlib.import_module("check_docs")

    def look(body):
        (tmp_path / "part").mkdir()
        (tmp_path / "part" / "other.html").write_text('<h2 id="here">Here</h2>')
        (tmp_path / "page.html").write_text(body)
        pages = {path: tool.read(path) for path in tmp_path.rglob("*.html")}
        return tool.wrong_links(tmp_path, pages, tmp_path / "page.html")

    return look


def test_links_that_lead_somewhere_are_fine(complaints):
    body = """
        <p id="top"><a href="#top">top</a> <a href="part/other.html#here">there</a>
        <a href="https://example.org/x#y">web</a> <a href="part/other.html">page</a>
        <img src="data:image/png;base64,AA=="> <link href="page.html">
    """
    assert complaints(body) == []


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ('<a href="gone.html">', "page.html: gone.html leads nowhere"),
        ('<img src="gone.png">', "page.html: gone.png leads nowhere"),
        ('<a href="#gone">', "page.html: #gone: there is no such anchor"),
        (
            '<a href="part/other.html#gone">',
            "page.html: part/other.html#gone: there is no such anchor",
        ),
        ('<script src="https://cdn.org/a.js">', "page.html: loads https://cdn.org/a.js"),
        ('<link href="//cdn.org/a.css">', "page.html: loads //cdn.org/a.css"),
    ],
)
def test_what_is_wrong_is_named(complaints, body, complaint):
    assert complaints(body) == [complaint]
