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
import base64
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

WIDTHS = (360, 768, 1280)
HEIGHT = 800
SCREENSHOT_HEIGHT = 16000  # Chromium draws no higher pictures
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--hide-scrollbars",
)
DRIVER_SECONDS = 60

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

RESOURCES = "return performance.getEntriesByType('resource').map(entry => entry.name.slice(0, 80));"


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
                found = [*browser.evaluate(CHECK, width), *browser.console(), *outside(browser)]
                problems += [f"{width} px, {scheme}: {problem}" for problem in found]
                shot = page.with_name(f"report-{width}-{scheme}.png")
                shot.write_bytes(browser.screenshot())
                print(f"{shot.name}: {len(found)} problems")
    print("\n".join(problems))
    return 1 if problems else 0


def outside(browser: Browser) -> list[str]:
    """Return what the page asked for beside itself."""
    asked: list[str] = browser.evaluate(RESOURCES)
    return [f"asks for {name}" for name in asked if not name.startswith("data:")]


class Browser:
    """A session of WebDriver (https://www.w3.org/TR/webdriver2/)."""

    def __init__(self, driver: str, capabilities: dict[str, Any]) -> None:
        self._address = driver
        answer = self._post("/session", {"capabilities": {"alwaysMatch": capabilities}})
        self._address = f"{driver}/session/{answer['sessionId']}"

    def show(self, page: Path, width: int, scheme: str) -> None:
        """Open a page in a window of this width, or on a phone."""
        screen = {
            "width": width,
            "height": HEIGHT,
            "deviceScaleFactor": 2 if width < 600 else 1,
            "mobile": width < 600,
        }
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self._command("Emulation.setDeviceMetricsOverride", **screen)
        self._command("Emulation.setEmulatedMedia", features=[feature])
        self._post("/url", {"url": page.as_uri()})

    def evaluate(self, script: str, *arguments: object) -> Any:
        """Return what a script returns."""
        return self._post("/execute/sync", {"script": script, "args": arguments})

    def console(self) -> list[str]:
        """Return the messages since the last call."""
        entries = self._post("/se/log", {"type": "browser"})
        return [f"console: {entry['message']}" for entry in entries]

    def screenshot(self) -> bytes:
        """Return a PNG of the page from its top."""
        height = self.evaluate("return document.documentElement.scrollHeight")
        width = self.evaluate("return window.innerWidth")
        clip = {"x": 0, "y": 0, "width": width, "scale": 1}
        clip["height"] = min(height, SCREENSHOT_HEIGHT // self.evaluate("return devicePixelRatio"))
        shot = self._command("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        return base64.b64decode(shot["data"])

    def close(self) -> None:
        """End the browser."""
        self._send(urllib.request.Request(self._address, method="DELETE"))

    def _command(self, name: str, **params: Any) -> Any:
        return self._post("/goog/cdp/execute", {"cmd": name, "params": params})

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(
            self._address + path, json.dumps(body).encode(), headers, method="POST"
        )
        return self._send(request)

    def _send(self, request: urllib.request.Request) -> Any:
        # The driver is on this machine: no proxy in between.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=DRIVER_SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            message = json.load(error)["value"]["message"]
            raise RuntimeError(message.splitlines()[0]) from error


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Start a driver and a browser with nothing stored, and end both."""
    binary = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        sys.exit("chromium and chromedriver are needed (Debian: chromium, chromium-driver)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            wait_for(port)
            options = {"binary": binary, "args": [*FLAGS, f"--user-data-dir={profile}"]}
            browser = Browser(
                f"http://127.0.0.1:{port}",
                {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}},
            )
            try:
                yield browser
            finally:
                browser.close()
        finally:
            process.terminate()
            process.wait()


def wait_for(port: int) -> None:
    """Return when something listens."""
    end = time.monotonic() + DRIVER_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


if __name__ == "__main__":
    sys.exit(main())
