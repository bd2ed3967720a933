"""Open a report in a real browser and say what is wrong with it.

Looks at the page as on a phone, a tablet and a desk, in light and dark: images that do not show,
messages in the console, requests to anywhere, pages wider than their window, text that is too
small or too pale. Needs Chromium and its driver (Debian: `apt install chromium chromium-driver`)
and nothing else; screenshots go beside the page.

    python tools/check_report.py reproduction/report.html

Without a page it only says whether Chromium can be started.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from browser import open_browser

WIDTHS = (360, 768, 1280)

# Returns a list of sentences. Contrast as defined by WCAG 2.1 (section 1.4.3), at least 4.5.
CHECK = r"""
const screenWidth = arguments[0];
for (const box of document.querySelectorAll("details")) box.open = true;
const problems = [];
const checkWidth = () => {
  const wide = document.documentElement.scrollWidth;
  if (wide <= screenWidth) return;
  const culprits = [...document.querySelectorAll("body *")]
    .filter(e => e.getBoundingClientRect().right > screenWidth + 1 && !e.closest(".scroll, label"))
    .slice(0, 3).map(e => `${e.tagName} ${e.className}`.trim());
  problems.push(`the page is ${wide} px wide in a window of ${screenWidth}: ${culprits}`);
};
checkWidth();
for (const box of document.querySelectorAll(".enlarge")) box.checked = true;
checkWidth();
for (const box of document.querySelectorAll(".enlarge")) box.checked = false;
for (const image of document.images) {
  const name = image.closest("article")?.id ?? "?";
  if (!image.complete || image.naturalWidth === 0) problems.push(`${name}: an image does not show`);
  if (!image.alt) problems.push(`${name}: an image has no alternative text`);
}
let level = 0;
for (const heading of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
  const next = Number(heading.tagName[1]);
  if (next > level + 1) problems.push(`a level is left out before "${heading.textContent}"`);
  level = next;
}
for (const link of document.querySelectorAll("a[href^='#']")) {
  if (!document.getElementById(link.hash.slice(1))) problems.push(`${link.hash} leads nowhere`);
}
const numbers = color => color.match(/[\d.]+/g).map(Number);
const luminance = ([r, g, b]) => {
  const [x, y, z] = [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const backdrop = element => {
  for (let e = element; e; e = e.parentElement) {
    const color = numbers(getComputedStyle(e).backgroundColor);
    if (color.length < 4 || color[3] > 0) return color;
  }
  return [255, 255, 255];
};
const seen = new Set();
for (const element of document.querySelectorAll("body *")) {
  const text = [...element.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join("");
  if (!text.trim()) continue;
  const style = getComputedStyle(element);
  const [a, b] = [luminance(numbers(style.color)), luminance(backdrop(element))];
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const size = parseFloat(style.fontSize);
  const key = `${element.tagName}.${element.className}`;
  if (seen.has(key)) continue;
  seen.add(key);
  if (contrast < 4.5) problems.push(`${key} has a contrast of ${contrast.toFixed(1)}`);
  if (size < 12) problems.push(`${key} has letters of ${size} px`);
}
return problems;
"""


def main() -> int:
    """Print what is wrong and return the exit status: 0 if nothing is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=Path, nargs="?")
    page = parser.parse_args().page
    if page is None:
        with open_browser():
            return 0
    page = page.resolve()
    if not page.is_file():
        parser.error(f"there is no file {page}")
    problems = []
    with open_browser() as browser:
        for scheme in ("light", "dark"):
            for width in WIDTHS:
                browser.show(page, width, scheme)
                outside = [f"asks for {address}" for address in browser.requests()]
                found = [*browser.evaluate(CHECK, width), *browser.console(), *outside]
                problems += [f"{width} px, {scheme}: {problem}" for problem in found]
                shot = page.with_name(f"report-{width}-{scheme}.png")
                shot.write_bytes(browser.screenshot())
                print(f"{shot.name}: {len(found)} problems")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
