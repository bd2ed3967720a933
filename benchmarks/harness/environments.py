"""Virtual environments of the peers, made on demand in a cache folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from harness.library import Library
from harness.registry import FOLDER

ENVIRONMENTS = FOLDER / ".environments"
HEADERS = "cmeel.prefix/include"  # where wheels of C++ libraries put them, below site-packages

Peer = TypeVar("Peer", bound=Library)


class Unavailable(Exception):
    """A library that cannot be measured here; the message says why."""


def usable(peers: Mapping[str, Peer], install: bool) -> dict[str, Peer]:
    """Return the libraries that work, after printing their versions and which do not."""
    versions = {}
    for name, peer in peers.items():
        try:
            versions[name] = prepare(peer, install)
        except Unavailable as error:
            print(f"{name} is left out: {error}", flush=True)
    print(", ".join(f"{name} {version}" for name, version in versions.items()), flush=True)
    return {name: peers[name] for name in versions}


def interpreter(peer: Library) -> str:
    """Return the Python of a peer's environment, which may not exist yet."""
    if not peer.environment:
        return sys.executable
    return str(ENVIRONMENTS / peer.environment / "bin" / "python")


def prepare(peer: Library, install: bool) -> str:
    """Return the version of a peer, after installing it if need be and allowed."""
    wanted = "\n".join((*peer.headers, *peer.requirements))
    stamp = ENVIRONMENTS / peer.environment / f"{peer.name}.txt"
    if peer.environment and not (stamp.is_file() and stamp.read_text() == wanted):
        if not install:
            raise Unavailable("not installed")
        _install(peer)
        _run([interpreter(peer), "-c", f"import {peer.module}"])
        stamp.write_text(wanted)
    return _version(peer)


def _install(peer: Library) -> None:
    """Make the environment and fill it; builds find the headers that were installed first."""
    python = interpreter(peer)
    print(f"installing {peer.name} ...", file=sys.stderr, flush=True)
    if not Path(python).exists():
        _run([sys.executable, "-m", "venv", str(ENVIRONMENTS / peer.environment)])
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if peer.headers:
        _run([*pip, *peer.headers])
    _run([*pip, *peer.requirements], CPLUS_INCLUDE_PATH=_include_path(python))


def _include_path(python: str) -> str:
    site = _run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"])
    paths = [str(Path(site.strip(), HEADERS)), os.environ.get("CPLUS_INCLUDE_PATH", "")]
    return os.pathsep.join(filter(None, paths))


def _version(peer: Library) -> str:
    if not peer.distribution:
        return "of this benchmark"
    code = f"from importlib.metadata import version; print(version('{peer.distribution}'))"
    return _run([interpreter(peer), "-c", code]).strip()


def _run(command: list[str], **variables: str) -> str:
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=Path.home(),  # not here, where peers/ would be found first
        env=os.environ | variables,
    )
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "error" in line.lower()]
        raise Unavailable((errors or ["failed: " + " ".join(command)])[-1].strip()[:200])
    return done.stdout
