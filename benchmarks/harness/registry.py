"""Find the files of a folder: adding one adds a task or a peer."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from harness.peer import Peer
from harness.task import Task

FOLDER = Path(__file__).resolve().parent.parent
OURS = "manifoldforest"


def all_tasks() -> dict[str, Task]:
    """Return the tasks by name."""
    return {task.name: task for task in collect("tasks", "TASK")}


def all_peers() -> dict[str, Peer]:
    """Return the libraries by name, our own first."""
    peers = {peer.name: peer for peer in collect("peers", "PEER")}
    return {OURS: peers.pop(OURS), **peers}


def collect(package: str, attribute: str) -> list[Any]:
    """Return an attribute of every module of a package of the benchmark."""
    files = sorted(Path(FOLDER, *package.split(".")).glob("[a-z]*.py"))
    return [getattr(importlib.import_module(f"{package}.{f.stem}"), attribute) for f in files]
