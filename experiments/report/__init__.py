"""The report: a page, the same in Markdown, and a summary of both."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from ..experiment import Picture
from .content import About, SavedPicture, Section
from .html import DOTS_PER_INCH, page
from .markdown import document, summary

__all__ = ["About", "SavedPicture", "Section", "save_pictures", "write_report"]


def save_pictures(folder: Path, id: str, pictures: Sequence[Picture]) -> list[SavedPicture]:
    """Draw the figures of an experiment as ``<id>-<number>.png``; older ones of it go."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f"{id}-[0-9]*.png"):
        old.unlink()
    saved = []
    for number, picture in enumerate(pictures, start=1):
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
        path = folder / f"{id}-{number}.png"
        path.write_bytes(drawn.getvalue())
        saved.append(SavedPicture(path, picture.caption, drawn.getvalue()))
    return saved


def write_report(folder: Path, sections: Sequence[Section], about: About) -> list[Path]:
    """Write ``report.html``, ``report.md`` and ``summary.md``; return these and the figures."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        folder / "report.html": page(sections, about),
        folder / "report.md": document(sections, about),
        folder / "summary.md": summary(sections, about),
    }
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8", newline="\n")
    return [*texts, *(picture.path for section in sections for picture in section.pictures)]
