"""The course of a comparison: task by task, the models of a task in rounds."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from harness.command_line import save_line
from harness.environments import usable
from harness.library import Library


class Result(Protocol):
    """A measurement."""

    @property
    def failed(self) -> str:
        """Why there are no numbers; empty if there are."""


Model = TypeVar("Model")
Measured = TypeVar("Measured", bound=Result)
Peer = TypeVar("Peer", bound=Library)
Task = TypeVar("Task")


def compare(
    tasks: Mapping[str, Task],
    peers: Mapping[str, Peer],
    options: argparse.Namespace,
    report: Callable[[Task, dict[str, Peer], argparse.Namespace], None],
) -> None:
    """Report on every task by the libraries that work here, then print their notes."""
    left = usable(peers, install=not (options.quick or options.no_install))
    for task in tasks.values():
        try:
            report(task, left, options)
        except RuntimeError as error:
            print(f"  left out, no data: {error}")
        sys.stdout.flush()
    print("\n" + "\n".join(f"{name}: {peer.note}" for name, peer in left.items() if peer.note))


def in_rounds(
    models: Mapping[str, Model], n_rounds: int, measure: Callable[[Model, int], Measured]
) -> list[Measured]:
    """Measure all models in turn, once for every seed; one that failed is not tried again."""
    left = dict(models)
    measured: list[Measured] = []
    for seed in range(n_rounds):
        for name, model in list(left.items()):
            result = measure(model, seed)
            measured.append(result)
            if result.failed:
                print(f"  {name} is not available: {result.failed}", flush=True)
                del left[name]
    return measured


def tell(values: Mapping[str, Any], options: argparse.Namespace) -> None:
    """Write values to the error stream and to the file, if there is one."""
    print(json.dumps(values), file=sys.stderr, flush=True)
    save_line(options.json, values)
