"""A session of Chromium for the tools that look at pages.

Needs Chromium and its driver (Debian: `apt install chromium chromium-driver`) and nothing else.
"""

from __future__ import annotations

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

HEIGHT = 800
SCREENSHOT_HEIGHT = 16000  # Chromium draws no higher pictures
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--hide-scrollbars",
)
DRIVER_SECONDS = 60
RESOURCES = "return performance.getEntriesByType('resource').map(entry => entry.name.slice(0, 80));"


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

    def evaluate_async(self, script: str, *arguments: object) -> Any:
        """Return what a script passes to the function that is its last argument."""
        return self._post("/execute/async", {"script": script, "args": arguments})

    def requests(self) -> list[str]:
        """Return the addresses of what the page asked for beside itself."""
        asked: list[str] = self.evaluate(RESOURCES)
        return [address for address in asked if not address.startswith("data:")]

    def console(self, *, errors_only: bool = False) -> list[str]:
        """Return the messages since the last call."""
        entries = self._post("/se/log", {"type": "browser"})
        return [
            f"console: {entry['message']}"
            for entry in entries
            if entry["level"] == "SEVERE" or not errors_only
        ]

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
