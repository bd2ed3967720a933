"""The tasks and peers of this folder: adding a file adds one."""

from __future__ import annotations

from boundary.peer import Peer
from boundary.task import Task
from harness.registry import OURS, collect

YARDSTICK = "plain loop"


def all_tasks() -> dict[str, Task]:
    """Return the tasks by name."""
    return {task.name: task for task in collect("boundary.tasks", "TASK")}


def all_peers() -> dict[str, Peer]:
    """Return the libraries by name, our own first and the yardstick next."""
    peers = {peer.name: peer for peer in collect("boundary.peers", "PEER")}
    return {OURS: peers.pop(OURS), YARDSTICK: peers.pop(YARDSTICK), **peers}
