"""Open every page of the built documentation in a real browser and say what is wrong with it.

Links and anchors inside the site must lead somewhere, and scripts, styles and pictures must be its
own. Each page is then shown as on a desk and on a phone: messages in the console, requests to other
hosts, pictures that do not show, formulas that MathJax does not understand, headings that are cut
off, pages wider than a phone. Needs Chromium and its driver (Debian: `apt install chromium
chromium-driver`); screenshots go to docs/_build/screenshots.

    python tools/check_docs.py docs/_build/html
    python tools/check_docs.py docs/_build/html --only guide/ start.html
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from browser import Browser, open_browser

WIDTHS = (1280, 390)
# what a page loads, rather than leads to
LOADED = {"script": "src", "img": "src", "link": "href", "source": "src", "iframe": "src"}

# Returns a list of sentences, once MathJax has set all formulas.
CHECK = r"""
const [width, done] = [arguments[0], arguments[1]];
const look = () => {
  const problems = [];
  const wide = document.documentElement.scrollWidth;
  if (wide > width) {
    const outside = e => e.getBoundingClientRect().right > width + 1;
    const culprits = [...document.querySelectorAll("body *")].filter(outside)
      .slice(0, 3).map(e => `${e.tagName} ${e.className}`.trim());
    problems.push(`the page is ${wide} px wide in a window of ${width}: ${culprits}`);
  }
  for (const heading of document.querySelectorAll("h1, h2, h3")) {
    const isCut = heading.scrollWidth > heading.clientWidth + 1;
    if (isCut) problems.push(`the heading ${heading.textContent} is cut off`);
  }
  for (const image of document.images) {
    if (image.complete && image.naturalWidth === 0) problems.push(`${image.src} does not show`);
  }
  for (const formula of document.querySelectorAll("mjx-merror, merror")) {
    problems.push(`MathJax does not understand ${formula.textContent}`);
  }
  return problems;
};
for (const image of document.images) image.loading = "eager";
const pictures = [...document.images].map(image => image.decode().catch(() => 0));
const formulas = window.MathJax?.startup?.promise.catch(() => 0) ?? 0;
Promise.all([formulas, document.fonts.ready, ...pictures]).then(() => done(look()));
"""


def main() -> int:
    """Print what is wrong and return the exit status: 0 if nothing is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=[""], help="beginnings of paths of pages")
    arguments = parser.parse_args()
    root = arguments.folder.resolve()
    pages = {path: read(path) for path in sorted(root.rglob("*.html")) if is_page(root, path)}
    if not pages:
        parser.error(f"there are no pages in {root}: run `make docs` first")
    shown = [
        path
        for path in pages
        if path.relative_to(root).as_posix().startswith(tuple(arguments.only))
    ]
    problems = [problem for path in shown for problem in wrong_links(root, pages, path)]
    with open_browser() as browser:
        for path in shown:
            problems += look_at(browser, root, path)
    print("\n".join(problems))
    print(f"{len(shown)} pages, {len(problems)} problems")
    return 1 if problems else 0


def is_page(root: Path, path: Path) -> bool:
    """Whether a file is a page of the site, not one of a folder of files that pages use."""
    return not path.relative_to(root).parts[0].startswith("_")


@dataclass
class Page:
    """What links need to know of a page."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)


class PageReader(HTMLParser):
    """Collects the anchors and links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag names, leads to or loads."""
        values = {name: value for name, value in attrs if value}
        self.page.anchors.update(values[name] for name in ("id", "name") if name in values)
        if tag == "a" and "href" in values:
            self.page.links.append(values["href"])
        elif LOADED.get(tag) in values:
            self.page.loaded.append(values[LOADED[tag]])


def read(path: Path) -> Page:
    """Return the anchors and links of a file."""
    reader = PageReader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader.page


def wrong_links(root: Path, pages: dict[Path, Page], path: Path) -> list[str]:
    """Say which links of a page lead nowhere, and what it would load from other hosts."""
    page, name = pages[path], path.relative_to(root)
    problems = [
        f"{name}: loads {address}"
        for address in page.loaded
        if urlsplit(address).netloc or urlsplit(address).scheme not in ("", "data")
    ]
    for address in sorted({*page.links, *page.loaded}):
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue  # to the web: not followed
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if target.is_dir():
            target /= "index.html"
        if not target.is_file():
            problems.append(f"{name}: {address} leads nowhere")
        elif parts.fragment and target in pages:
            anchor = unquote(parts.fragment)
            if anchor not in pages[target].anchors:
                problems.append(f"{name}: {address}: there is no such anchor")
    return problems


def look_at(browser: Browser, root: Path, path: Path) -> list[str]:
    """Show a page in both widths, keep screenshots and say what is wrong."""
    name = path.relative_to(root)
    problems = []
    for width in WIDTHS:
        browser.show(path, width, "light")
        found = [*browser.evaluate_async(CHECK, width), *browser.console(errors_only=True)]
        found += [
            f"asks for {address}"
            for address in browser.requests()
            if not address.startswith("file:")
        ]
        problems += [f"{name}, {width} px: {problem}" for problem in found]
        shot = root.parent / "screenshots" / f"{name.with_suffix('')}-{width}.png"
        shot.parent.mkdir(parents=True, exist_ok=True)
        shot.write_bytes(browser.screenshot())
    return problems


if __name__ == "__main__":
    sys.exit(main())
