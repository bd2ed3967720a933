"""Say which relative links, images and names of files in Markdown files lead nowhere.

A link must lead to a file or folder that is in git (a file that only lies here is missing
for everybody else), and its #anchor to a heading of that file. Links to the web are not followed.
A file of code that is named in `code` must exist: in full, or the end of its path. A changelog may
name what is gone. In pages under docs/ a path that starts with / is meant from there, as Sphinx
reads it, and a picture of the gallery must have an example that draws it.

    python tools/check_links.py
"""

from __future__ import annotations

import posixpath
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

FENCE = re.compile(r"^ {0,3}(```+|~~~+).*?^ {0,3}\1[`~]*\s*?$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
# [text](target), ![text](target "title"), [name]: target, and <a href=""> or <img src="">
LINKS = (
    re.compile(r"\]\(\s*<?([^\s<>()]+(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s+[\"'(][^)]*)?\)"),
    re.compile(r"^ {0,3}\[[^\]]+\]:\s+<?([^\s>]+)>?", re.MULTILINE),
    re.compile(r"<(?:a|img)\b[^>]*?\b(?:href|src)=[\"']([^\"']+)[\"']", re.IGNORECASE),
)
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$", re.MULTILINE)
ANCHOR = re.compile(r"<[^>]+\b(?:id|name)=[\"']([^\"']+)[\"']", re.IGNORECASE)
# not the argument of a role such as {ref}, which Sphinx resolves
SOURCE = re.compile(
    r"(?<![`}])`([\w*][\w./*-]*\.(?:py|pyi|cpp|hpp|inc)|(?:cpp|src|tests)/[\w./*-]+)`(?!`)"
)
PICTURE = re.compile(
    r"docs/auto_examples/(.+)/images/(?:thumb/)?sphx_glr_(\w+)_(?:\d{3}|thumb)\.png"
)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)  # https:, mailto:, ...


def links(text: str) -> Iterator[tuple[int, str]]:
    """Yield line number and target of each link that is not in code."""
    prose = _without_code(text)
    found = [(match.start(1), match[1]) for kind in LINKS for match in kind.finditer(prose)]
    for start, target in sorted(found):
        yield prose.count("\n", 0, start) + 1, target


def sources(text: str) -> Iterator[tuple[int, str]]:
    """Yield line number and name of each file or folder of code that a page names."""
    for match in SOURCE.finditer(FENCE.sub(_blank, text)):
        yield text.count("\n", 0, match.start()) + 1, match[1]


def anchors(text: str) -> set[str]:
    """Return the anchors of a page, as GitHub makes them of its headings."""
    named = set(ANCHOR.findall(_without_code(text)))
    taken: Counter[str] = Counter()
    for heading in HEADING.findall(FENCE.sub("", text)):
        words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        named.add(f"{anchor}-{taken[anchor]}" if taken[anchor] else anchor)
        taken[anchor] += 1
    return named


def _without_code(text: str) -> str:
    """Blank out code; lines keep their numbers."""
    return CODE.sub(_blank, FENCE.sub(_blank, text))


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def files_in_git(root: Path) -> list[str]:
    """Return the paths of all files that git tracks."""
    listing = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z"], check=True, capture_output=True, text=True
    )
    return [path for path in listing.stdout.split("\0") if path]


def broken(root: Path) -> list[str]:
    """Return one line for each link or name of a file that leads nowhere."""
    files = set(files_in_git(root))
    folders = {str(parent) for path in files for parent in Path(path).parents}
    complaints = []
    for page in sorted(path for path in files if path.endswith(".md")):
        text = (root / page).read_text(encoding="utf-8")
        for line, target in links(text):
            if ELSEWHERE.match(target):
                continue
            wrong = _wrong(root, page, target, files, folders)
            if wrong:
                complaints.append(f"{page}:{line}: {target}: {wrong}")
        if posixpath.basename(page) == "CHANGELOG.md":
            continue
        for line, name in sources(text):
            if not name.startswith("sklearn/") and not _exists(name, files | folders):
                complaints.append(f"{page}:{line}: {name}: is not in git")
    return complaints


def _exists(name: str, places: set[str]) -> bool:
    """Whether a path, or the end of one, is in git; NAME stands for any name, * for several."""
    pattern = re.escape(name.rstrip("/")).replace(r"\*", "[^/]*").replace("NAME", "[^/]*")
    end = re.compile(f"(?:.*/)?{pattern}")
    return any(end.fullmatch(place) for place in places)


def _wrong(root: Path, page: str, target: str, files: set[str], folders: set[str]) -> str:
    """Say what is wrong with a link of a page, or nothing."""
    path, _, anchor = unquote(target).partition("#")
    # a path from / is meant from the root of the repository, or of the documentation
    start = posixpath.dirname(page)
    if path[:1] == "/":
        start = "docs" if page.startswith("docs/") else ""
    place = posixpath.normpath(posixpath.join(start, path.lstrip("/"))) if path else page
    place = PICTURE.sub(r"examples/\1/\2.py", place)
    if place not in files and place not in folders:
        return "is not in git"
    if anchor and place.endswith(".md"):
        known = anchors((root / place).read_text(encoding="utf-8"))
        if anchor not in known:
            return f"{place} has no heading #{anchor}"
    return ""


def main() -> int:
    """Check the repository of this file; the exit status is 1 if something is wrong."""
    complaints = broken(Path(__file__).resolve().parents[1])
    print("\n".join(complaints), end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
