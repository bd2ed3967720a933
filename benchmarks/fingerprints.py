"""Whether two versions of the package grow the same forests, bit for bit.

    python benchmarks/fingerprints.py write OUT.json [--data DIR]
    python benchmarks/fingerprints.py compare OLD.json NEW.json

`write` fits every estimator by every projection, splitter and criterion, and every option, on small
data, with ``--data`` also on 5000 images of the ``mnist.npz`` in that folder. For each case it
stores hashes of all arrays of the trees, by name, and of all answers: predictions, leaves,
out-of-bag attributes, importances, neighbours. An error is stored as its text. `compare` prints
how many cases differ and in what, and ends with status 1 if any do. Run `write` by the Python of
each version, on one machine and with the same NumPy, SciPy and scikit-learn: means in spaces and
embeddings depend on these.

Arrays of trees that only one of the versions has, and cases that only one file has, are listed
apart and are no differences.

The cases are tables in ``fingerprint/``: `forests.py` and `boundary.py`, `projections.py` and
`data.py`. All of them take two minutes on one core, the images half a minute more.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.command_line import script_parser
from harness.processes import ONE_THREAD

if TYPE_CHECKING:
    from fingerprint.case import Case

PACKAGES = ("numpy", "scipy", "scikit-learn")


def all_cases(data: Path | None) -> Iterator[Case]:
    """Return the cases of all tables."""
    from fingerprint import boosting, boundary, forests

    for table in (*forests.TABLES, *boosting.TABLES, *boundary.TABLES):
        yield from table()
    if data is not None:
        yield from forests.mnist(str(data))
        yield from boundary.mnist(str(data))


def write(options: argparse.Namespace) -> int:
    """Store the fingerprints of the package that this Python has."""
    os.environ |= ONE_THREAD  # before numpy is imported: sums of BLAS depend on its threads
    from fingerprint.case import fingerprint

    start = time.monotonic()
    prints: dict[str, Any] = {}
    for case in all_cases(options.data):
        if case.name in prints:
            raise RuntimeError(f"two cases have the name {case.name!r}")
        prints[case.name] = fingerprint(case)
        if len(prints) % 200 == 0:
            print(f"{len(prints)} cases, {time.monotonic() - start:.0f} s", file=sys.stderr)
    versions = {name: version(name) for name in PACKAGES}
    text = json.dumps({"versions": versions, "cases": prints}, indent=0)
    options.out.write_text(text + "\n")
    n_errors = sum("error" in found for found in prints.values())
    seconds = time.monotonic() - start
    print(f"{len(prints)} cases, {n_errors} of them errors, {seconds:.0f} s")
    return 0


def compare(options: argparse.Namespace) -> int:
    """Print in what two files differ."""
    old, new = (json.loads(path.read_text()) for path in (options.old, options.new))
    if old["versions"] != new["versions"]:
        print(f"other packages: {old['versions']} and {new['versions']}")
    report_alone("cases", set(old["cases"]), set(new["cases"]))
    common = [name for name in old["cases"] if name in new["cases"]]
    arrays = [array_names(file["cases"], common) for file in (old, new)]
    report_alone("arrays", *arrays)
    known = arrays[0] & arrays[1]
    found = {name: differences(old["cases"][name], new["cases"][name], known) for name in common}
    differing = {name: what for name, what in found.items() if what}
    for name, what in differing.items():
        print(f"{name}: {what}")
    print(f"{len(differing)} differences in {len(common)} cases")
    return 1 if differing else 0


def array_names(cases: dict[str, Any], chosen: list[str]) -> set[str]:
    """Return the names of all arrays that trees of the chosen cases have."""
    return {array for name in chosen for array in cases[name].get("trees", ())}


def report_alone(what: str, old: set[str], new: set[str]) -> None:
    """Print what only one of the files has."""
    for names, where in ((old - new, "old"), (new - old, "new")):
        if names:
            print(f"{len(names)} {what} only in the {where} file: {', '.join(sorted(names)[:10])}")


def differences(old: dict[str, Any], new: dict[str, Any], known: set[str]) -> str:
    """Say in what two fingerprints differ; an empty text if in nothing.

    Of the trees only the arrays in `known` count.
    """
    if "error" in old or "error" in new:
        errors = [found.get("error", "no error") for found in (old, new)]
        return "" if errors[0] == errors[1] else f"{errors[0]!r} became {errors[1]!r}"
    names = {"trees": known, "answers": old["answers"].keys() | new["answers"].keys()}
    parts = {
        part: sorted(name for name in each if old[part].get(name) != new[part].get(name))
        for part, each in names.items()
    }
    return ", ".join(f"{part} ({', '.join(each)})" for part, each in parts.items() if each)


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = script_parser(__doc__)
    verbs = parser.add_subparsers(required=True, metavar="write | compare")
    writing = verbs.add_parser("write", help="store fingerprints")
    writing.add_argument("out", type=Path, metavar="OUT.json")
    writing.add_argument("--data", type=Path, metavar="DIR", help="folder with mnist.npz")
    writing.set_defaults(run=write)
    comparing = verbs.add_parser("compare", help="compare what two versions stored")
    comparing.add_argument("old", type=Path, metavar="OLD.json")
    comparing.add_argument("new", type=Path, metavar="NEW.json")
    comparing.set_defaults(run=compare)
    return parser.parse_args()


def main() -> None:
    """Do what was asked for."""
    options = parse_options()
    sys.exit(options.run(options))


if __name__ == "__main__":
    main()
