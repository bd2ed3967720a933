"""Which method to take for series: accuracy over many sets, and seconds.

    python benchmarks/series.py --data DIR --json results.jsonl
    python benchmarks/series.py --data DIR --methods QUANT,"aeon QUANT" --sets GunPoint --seeds 1

DIR has npz files with X_train, y_train, X_test, y_test: examples are (n, times), or (n, channels,
times) where the name of the file begins with ``mv_``; where it begins with ``reg_``, y are numbers
to be predicted. Sets without a part for training are left out, and univariate ones with missing
values.

Prints a table for each task. Its first column of numbers is the mean accuracy over sets, and over
seeds on each of them, or the mean of the root mean squared error over the standard deviation of the
test responses; then the mean rank among the methods of the table, and seconds for one fit and one
question of all sets together: processor time of fits and of questions, and the clock. Means are
over the sets that all methods of the table can take; others are named under it. Methods are in
``archive/methods.py``: our forests, and aeon's methods, which run in an environment of their own
that is made at first use (``--peer-python`` is one that has aeon already). Each method runs in a
process of its own, after a small fit that compiles what has to be compiled.

``--json`` is also where a run goes on that was stopped: what the file has is not run again.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

from archive.methods import METHODS, OURS
from archive.sets import usable_sets
from harness.command_line import add_json, add_names, save_line, script_parser
from harness.environments import Unavailable, interpreter, prepare

CHILD = Path(__file__).parent / "archive" / "child.py"
TASKS = ("classification", "multivariate", "regression")
SCORE = {"regression": "error"}
THREADS = ("OMP", "MKL", "OPENBLAS", "NUMBA")

Run = dict[str, Any]


def runs_of(
    method: str, python: str, folder: Path, jobs: Sequence[tuple[str, int]], n_jobs: int
) -> Iterator[Run]:
    """Yield the results of one method, run by run."""
    variables = {f"{name}_NUM_THREADS": str(n_jobs) for name in THREADS}
    child = subprocess.Popen(
        [python, str(CHILD), str(folder), method, str(n_jobs)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | variables,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(json.dumps(jobs))
    child.stdin.close()
    for line in child.stdout:
        yield json.loads(line)
    if child.wait() != 0:
        print(f"{method} ended before all was done", flush=True)


def python_of(method: str, peer_python: str | None, install: bool) -> str | None:
    """Return the interpreter that has the library of a method, or None after saying why not."""
    library = METHODS[method].library
    if library is not OURS and peer_python:
        return peer_python
    try:
        prepare(library, install)
    except Unavailable as error:
        print(f"{method} is left out: {error}", flush=True)
        return None
    return interpreter(library)


def read_runs(path: Path | None, n_jobs: int) -> list[Run]:
    """Return what a file has of runs with so many threads."""
    if path is None or not path.exists():
        return []
    runs = [json.loads(line) for line in path.read_text().splitlines()]
    return [run for run in runs if run["n_jobs"] == n_jobs]


def table(task: str, runs: Iterable[Run], sets: Sequence[str]) -> list[str]:
    """Return the lines of a table of one task, and of what is left out of it."""
    by_method: dict[str, dict[str, list[Run]]] = {}
    refused: dict[str, dict[str, str]] = {}
    for run in runs:
        if run["set"] in sets and "error" in run:
            refused.setdefault(run["method"], {})[run["set"]] = run["error"]
        elif run["set"] in sets:
            by_method.setdefault(run["method"], {}).setdefault(run["set"], []).append(run)
    methods = [name for name in METHODS if name in by_method]
    common = [name for name in sets if all(name in by_method[method] for method in methods)]
    lines = [f"{task}: {len(common)} set{'s' * (len(common) != 1)}", ""]
    if methods and common:
        lines += _rows(task, {method: by_method[method] for method in methods}, common)
    left_out = [name for name in sets if name not in common]
    if left_out:
        lines += ["", f"Left out, as some methods have no result: {', '.join(left_out)}."]
    for method, errors in refused.items():
        name, error = next(iter(errors.items()))
        lines += ["", f"{method} refuses {len(errors)} of the sets; {name}: {error}"]
    return [*lines, ""]


def _rows(
    task: str, by_method: dict[str, dict[str, list[Run]]], common: Sequence[str]
) -> list[str]:
    def total(method: str, key: str) -> float:
        return sum(float(np.mean([run[key] for run in by_method[method][name]])) for name in common)

    scores = np.array(
        [
            [np.mean([run["score"] for run in of[name]]) for name in common]
            for of in by_method.values()
        ]
    )
    ranks = rankdata(scores if task in SCORE else -scores, axis=0).mean(axis=1)
    lines = [
        f"| method | mean {SCORE.get(task, 'accuracy')} | mean rank | fit, CPU s | predict, CPU s "
        "| all, clock s | seeds |",
        "|---|---|---|---|---|---|---|",
    ]
    for method, score, rank in zip(by_method, scores.mean(axis=1), ranks, strict=True):
        seconds = " | ".join(f"{total(method, key):.2f}" for key in ("fit", "predict", "wall"))
        n_seeds = {len(by_method[method][name]) for name in common}
        lines.append(f"| {method} | {score:.4f} | {rank:.2f} | {seconds} | {min(n_seeds)} |")
    return lines


def main() -> None:
    """Run what is asked for and has not been run, and print the tables."""
    parser = script_parser(__doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="npz files")
    add_names(parser, "--methods", METHODS, "methods")
    add_names(parser, "--tasks", TASKS, "tasks")
    parser.add_argument("--sets", metavar="NAMES", help="separated by commas (default: all)")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each method on each set")
    parser.add_argument("--n-jobs", type=int, default=1, help="threads of each method")
    parser.add_argument("--peer-python", metavar="PATH", help="interpreter of the peers")
    parser.add_argument("--no-install", action="store_true", help="installed peers only")
    add_json(parser, "every run")
    options = parser.parse_args()

    folder = options.data.resolve()
    sets = usable_sets(folder, options.tasks)
    if options.sets:
        sets = {name: sets[name] for name in sets if name in options.sets.split(",")}
    runs = read_runs(options.json, options.n_jobs)
    done = {(run["method"], run["set"], run["seed"]) for run in runs}
    for method in options.methods:
        jobs = [
            (name, seed)
            for seed in range(options.seeds)
            for name, task in sets.items()
            if task in METHODS[method].tasks and (method, name, seed) not in done
        ]
        python = python_of(method, options.peer_python, not options.no_install) if jobs else None
        for run in runs_of(method, python, folder, jobs, options.n_jobs) if python else ():
            runs.append({**run, "n_jobs": options.n_jobs})
            save_line(options.json, runs[-1])
    wanted = [
        run for run in runs if run["method"] in options.methods and run["seed"] < options.seeds
    ]
    for task in options.tasks:
        of_task = [name for name in sets if sets[name] == task]
        if of_task:
            print("\n".join(table(task, wanted, of_task)), flush=True)


if __name__ == "__main__":
    main()
