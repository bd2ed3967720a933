"""Links of Markdown pages that work on GitHub work on the site as well.

- A file of the repository that is no page of the site, such as `../experiments/README.md`: the link
  leads to the page that shows it, if there is one (PAGES); other files can be downloaded; names of
  folders stay text.
- An anchor that is given in HTML, `<a id="m1"></a>`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

# file of the repository -> page of the site that shows it, or tells the same
PAGES = {
    "README.md": "index",
    "CHANGELOG.md": "changelog",
    "CONTRIBUTING.md": "contributing",
    "benchmarks/NOTES.md": "benchmark_notes",
    "experiments/README.md": "experiments",
}
HTML_ANCHOR = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")


def resolve(app: Sphinx, doctree: nodes.document) -> None:
    """Replace the links of a page that Sphinx could not resolve."""
    root = Path(app.srcdir).parent
    raw = "".join(node.astext() for node in doctree.findall(nodes.raw))
    anchors = set(HTML_ANCHOR.findall(raw))
    for link in list(doctree.findall(addnodes.pending_xref)):
        target = link["reftarget"]
        if link.get("reftype") != "myst" or target in app.env.found_docs:
            continue
        if target in anchors:
            link.replace_self(nodes.reference("", "", *link.children, refid=target))
            continue
        place = repository_path(app, root, target.partition("#")[0])
        if place in PAGES:
            lead_to_page(link, PAGES[place])
        elif place is not None and (root / place).is_dir():
            link.replace_self(link.children)
        elif place is not None:
            link.replace_self(download(app, root / place, link))


def repository_path(app: Sphinx, root: Path, target: str) -> str | None:
    """Return where a link leads inside the repository, or None if it leads to no file or folder.

    Links of a file of the root that a page includes start at the root.
    """
    folder = Path(app.env.doc2path(app.env.docname)).parent
    for start in (Path(app.srcdir), folder, root):
        for ending in ("", ".md"):
            place = Path(os.path.normpath(start / (target + ending)))
            if place != root and place.exists() and place.is_relative_to(root):
                return place.relative_to(root).as_posix()
    return None


def lead_to_page(link: addnodes.pending_xref, page: str) -> None:
    """Let a link lead to a page of the site, at the same heading."""
    anchor = link.get("reftargetid") or link["reftarget"].partition("#")[2] or None
    link["refdomain"], link["reftarget"] = "doc", page
    # the start page has other headings than README
    link["reftargetid"] = None if page == "index" else anchor


def download(app: Sphinx, file: Path, link: addnodes.pending_xref) -> nodes.Element:
    """Return a link to a copy of a file."""
    target = "/" + os.path.relpath(file, app.srcdir)
    return addnodes.download_reference(
        "", "", *link.children, reftarget=target, refdoc=app.env.docname
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Look at links after a page was read, before files to download are collected."""
    app.connect("doctree-read", resolve, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
