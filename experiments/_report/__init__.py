"""The report: a page, the same in Markdown, and a summary in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ._html import page
from ._markdown import document, summary
from ._model import About, Lack, Section
from ._pictures import save_pictures

__all__ = ["About", "Lack", "Section", "write_report"]


def write_report(folder: Path, sections: Sequence[Section], about: About) -> list[Path]:
    """Write ``report.html``, ``report.md``, ``summary.md`` and ``figures/``.

    The page holds its figures and can be moved alone; the Markdown links to them; the summary has
    findings only. The same results give the same bytes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pictures = save_pictures(folder / "figures", sections)
    texts = {
        folder / "report.html": page(sections, about, pictures),
        folder / "report.md": document(sections, about, pictures),
        folder / "summary.md": summary(sections, about),
    }
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8", newline="\n")
    saved = [picture.path for of_section in pictures.values() for picture in of_section]
    return [*texts, *saved]
