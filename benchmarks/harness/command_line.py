"""What several scripts ask on the command line, and the file for their results."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

QUICK_REPEATS, REPEATS = 2, 3


class Quick(Protocol):
    """A task or a library, which may take part in quick runs."""

    @property
    def quick(self) -> int:
        """Whether it does so unasked."""


Choice = TypeVar("Choice", bound=Quick)


def script_parser(about: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help begins with the docstring of the script as it is."""
    return argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def names_among(known: Collection[str]) -> Callable[[str], list[str]]:
    """Return the type of an option that takes some of these names, separated by commas."""

    def names(text: str) -> list[str]:
        given = text.split(",")
        unknown = [name for name in given if name not in known]
        if unknown:
            raise argparse.ArgumentTypeError(
                f"unknown {', '.join(unknown)}; choose from {', '.join(known)}"
            )
        return given

    return names


def add_names(
    parser: argparse.ArgumentParser, option: str, known: Collection[str], what: str
) -> None:
    """Add an option that names some of what there is; all of it is the default."""
    parser.add_argument(
        option,
        type=names_among(known),
        default=list(known),
        metavar="NAMES",
        help=f"{what}, separated by commas (default: all)",
    )


def add_n_jobs(parser: argparse.ArgumentParser) -> None:
    """Add the number of threads."""
    parser.add_argument("--n-jobs", type=int, help="threads of each forest")


def add_core(parser: argparse.ArgumentParser) -> None:
    """Add the core to stay on."""
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))


def add_ours(parser: argparse.ArgumentParser, example: Mapping[str, Any]) -> None:
    """Add parameters that win over those of the script."""
    parser.add_argument(
        "--ours",
        type=json.loads,
        default={},
        metavar="JSON",
        help=f"parameters of our forests, such as '{json.dumps(example)}'",
    )


def add_json(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the file for :func:`save_line`."""
    parser.add_argument("--json", type=Path, metavar="FILE", help=f"append {what} as lines of JSON")


def add_comparison(
    parser: argparse.ArgumentParser, tasks: Collection[str], peers: Collection[str]
) -> None:
    """Add what comparisons with other libraries ask for."""
    parser.add_argument("--list", action="store_true", help="print tasks and libraries, and stop")
    parser.add_argument("--quick", action="store_true", help="small tasks, installed peers only")
    for option, known in (("--tasks", tasks), ("--peers", peers)):
        parser.add_argument(
            option,
            type=names_among(known),
            metavar="NAMES",
            help="separated by commas (default: all)",
        )
    parser.add_argument(
        "--repeats", type=int, help=f"rounds (default: {REPEATS}, quick {QUICK_REPEATS})"
    )
    add_core(parser)
    parser.add_argument("--timeout", type=float, default=1800, metavar="S", help="of one run")
    parser.add_argument("--no-install", action="store_true", help="installed peers only")
    add_json(parser, "every run")


def n_rounds(options: argparse.Namespace) -> int:
    """Return how often a comparison measures everything."""
    return options.repeats or (QUICK_REPEATS if options.quick else REPEATS)


def choose(
    names: Collection[str] | None, known: Mapping[str, Choice], quick: bool, always: str = ""
) -> dict[str, Choice]:
    """Return what was named; if nothing was, all or what takes part in quick runs."""
    if names:
        return {name: value for name, value in known.items() if name in (*names, always)}
    return {name: value for name, value in known.items() if value.quick or not quick}


def save_line(path: Path | None, values: Mapping[str, Any]) -> None:
    """Append values to the file, if there is one."""
    if path is not None:
        with path.open("a") as file:
            file.write(json.dumps(values) + "\n")
