"""What a page must be: balanced, safe, and complete in itself."""

import base64
import re
from html.parser import HTMLParser

_VOID = {"meta", "img", "br", "hr", "input", "link"}


class Page(HTMLParser):
    """The parts of a page; a tag that is not closed in its order is an error."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes = [], [], []
        self.headings, self.words, self.styles, self.pictures = [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]
        if tag == "img":
            self.pictures.append(dict(attrs))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> is in a wrong place"

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            self.styles.append(data)
            return
        self.words.append(data)
        if self.open and re.fullmatch("h[1-6]", self.open[-1]):
            self.headings.append((self.open[-1], data))

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def drawing(picture):
    """Return the drawing that an image holds."""
    prefix = "data:image/svg+xml;base64,"
    assert picture["src"].startswith(prefix)
    return base64.b64decode(picture["src"][len(prefix) :]).decode()


def assert_good_page(text):
    """Check a page, or a part of one, and return its parts."""
    page = Page(text)
    assert not {"script", "link", "iframe", "object", "embed", "base"} & set(page.tags)
    for tag, name, value in page.attributes:
        assert not name.startswith("on"), (tag, name)
        if name in ("src", "href", "srcset", "action"):
            assert value.startswith("data:"), (tag, name, value[:40])
    for style in page.styles:
        assert "url(" not in style
        assert "@import" not in style
    for picture in page.pictures:
        assert len(picture["alt"]) > 10
        svg = drawing(picture)
        assert "<script" not in svg
        for address in re.findall(r'href="([^"]*)"', svg):
            assert address.startswith(("#", "data:"))
        assert not re.findall(r"url\((?!#)", svg)
    return page


def selectors(style):
    """Return all selectors of a style sheet, without those at-rules that hold others."""
    flat = re.sub(r"@media[^{]*\{", "", style)
    return [
        one.strip()
        for group in re.findall(r"([^{}]+)\{", flat)
        for one in group.split(",")
        if one.strip()
    ]
