"""The code that pages of the documentation show runs."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from markdown_examples import blocks_of, run

DOCS = Path(__file__).parents[2] / "docs"
# what builds of the site leave in the folder is no page
MADE = ("_build", "auto_examples", "api/generated")


def _pages():
    for path in sorted(DOCS.rglob("*.md")):
        name = path.relative_to(DOCS).as_posix()
        if not name.startswith(MADE) and blocks_of(path.read_text(encoding="utf-8")):
            yield pytest.param(path, id=name)


@pytest.mark.parametrize("page", list(_pages()))
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run(page, blocks_of(page.read_text(encoding="utf-8")))


def test_a_block_that_fails_is_reported_with_its_line(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\na = 1\n```\n\n1. In a list\n\n   ```python\n   a / 0\n   ```\n")
    with pytest.raises(ZeroDivisionError) as error:
        run(page, blocks_of(page.read_text()))
    assert error.traceback[-1].lineno + 1 == 8


def test_blocks_share_a_namespace_and_marked_ones_are_not_run(tmp_path):
    text = textwrap.dedent("""
        ```python
        a = 1
        ```

        ```python
        # not run: needs a day
        a = 2
        ```

        ```sh
        a = 3
        ```

        ```python
        b = a + 1
        ```
    """)
    assert run(tmp_path / "page.md", blocks_of(text))["b"] == 2
