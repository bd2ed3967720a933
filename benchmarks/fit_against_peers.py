"""Compare fit and predict time and memory on one core with scikit-learn and treeple.

The question: how much faster is a forest here than the same forest in a peer library?

Three forests are grown to purity on MNIST (60 000 x 784, uint8) with 28 candidates per node, here
and in a peer library: axis-aligned (RF), sparse oblique (SPORF) and image patches (MORF). Every
measurement is a fresh process pinned to one core; the runs of the contenders are interleaved, so
that a machine that slows down slows all of them; medians over the repeats are compared.

    python benchmarks/fit_against_peers.py --peer-python PATH [--trees 100] [--repeats 3]

MNIST comes from ``manifoldforest.datasets.load_mnist`` (set MANIFOLDFOREST_DATA to the folder that
holds mnist.npz). PATH is an interpreter with treeple, which works with scikit-learn 1.6 only and
therefore wants an environment of its own:

    python -m venv peers && peers/bin/pip install treeple==0.10.3 scikit-learn==1.6.1

Without ``--peer-python`` the treeple rows are left out. scikit-learn is measured in the
interpreter that runs this script unless ``--sklearn-python`` names another one. Linux only.

"over input" is the peak resident memory at the end of fit minus the resident memory just before
it, when the libraries are imported and the data are loaded. "cpu s" well below "fit s" means that
something else used the core: measure again. A ratio is peer / ours: 5.0 means that the peer takes
five times as long, or as much memory.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

# numpy and the libraries are imported in the children only: on Linux a child's ru_maxrss starts
# from its parent's peak, so this process has to stay small.

N_CANDIDATES = 28  # the square root of 784, for every contender


@dataclass(frozen=True)
class Job:
    """What a child is asked to measure."""

    contender: str
    data: str
    trees: int
    seed: int
    splitter: str
    core: int


# ---------------------------------------------------------------- the contenders, one function each


def ours_rf(job: Job) -> Any:
    """Axis-aligned forest of this package."""
    from manifoldforest import ForestClassifier

    return ForestClassifier(
        job.trees,
        projection="axis",
        max_features=N_CANDIDATES,
        splitter=job.splitter,
        n_jobs=1,
        random_state=job.seed,
    )


def ours_sporf(job: Job) -> Any:
    """Sparse oblique forest of this package."""
    from manifoldforest import ForestClassifier
    from manifoldforest.projections import Sporf

    return ForestClassifier(
        job.trees,
        projection=Sporf(),
        max_features=N_CANDIDATES,
        splitter=job.splitter,
        n_jobs=1,
        random_state=job.seed,
    )


def ours_morf(job: Job) -> Any:
    """Image-patch forest of this package."""
    from manifoldforest import ForestClassifier
    from manifoldforest.projections import Patches

    return ForestClassifier(
        job.trees,
        projection=Patches(min_size=(2, 2), max_size=(5, 5)),
        max_features=N_CANDIDATES,
        splitter=job.splitter,
        n_jobs=1,
        random_state=job.seed,
    )


def sklearn_rf(job: Job) -> Any:
    """Axis-aligned forest of scikit-learn."""
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(
        job.trees, max_features=N_CANDIDATES, n_jobs=1, random_state=job.seed
    )


def treeple_sporf(job: Job) -> Any:
    """Sparse oblique forest of treeple."""
    from treeple import ObliqueRandomForestClassifier

    return ObliqueRandomForestClassifier(
        job.trees, max_features=N_CANDIDATES, n_jobs=1, random_state=job.seed
    )


def treeple_morf(job: Job) -> Any:
    """Image-patch forest of treeple; both ends of its patch sizes are inclusive, as ours."""
    import numpy as np
    from treeple import PatchObliqueRandomForestClassifier

    return PatchObliqueRandomForestClassifier(
        job.trees,
        max_features=N_CANDIDATES,
        min_patch_dims=np.array((2, 2)),
        max_patch_dims=np.array((5, 5)),
        data_dims=np.array((28, 28)),
        n_jobs=1,
        random_state=job.seed,
    )


@dataclass(frozen=True)
class Contender:
    """One line of the table; ``images`` asks for (n, 28, 28) input instead of (n, 784)."""

    forest: str
    library: str
    build: Callable[[Job], Any]
    images: bool = False

    @property
    def name(self) -> str:
        """Name by which a child is told what to measure."""
        return f"{self.forest} {self.library}"

    @property
    def is_ours(self) -> bool:
        """Whether the forest is this package's own."""
        return self.library == "manifoldforest"


CONTENDERS = [
    Contender("RF", "manifoldforest", ours_rf),
    Contender("RF", "sklearn", sklearn_rf),
    Contender("SPORF", "manifoldforest", ours_sporf),
    Contender("SPORF", "treeple", treeple_sporf),
    Contender("MORF", "manifoldforest", ours_morf, images=True),
    Contender("MORF", "treeple", treeple_morf),
]


# ------------------------------------------------------------------------------- inside a child


@dataclass(frozen=True)
class Measurement:
    """What a child measured; memory in MB, times in seconds."""

    contender: str
    trees: int
    seed: int
    fit_s: float
    fit_cpu_s: float
    predict_s: float
    error: float
    rss_before_fit_mb: float
    peak_fit_mb: float
    peak_mb: float

    @property
    def over_input_mb(self) -> float:
        """Peak memory of fit beyond what was there before it."""
        return self.peak_fit_mb - self.rss_before_fit_mb


def resident_mb() -> float:
    """Memory of this process now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def peak_resident_mb() -> float:
    """Largest memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def export_mnist(folder: str) -> None:
    """Write MNIST as plain .npy files, which every contender reads in the same way."""
    import numpy as np

    from manifoldforest.datasets import load_mnist

    names = ("X_train", "y_train", "X_test", "y_test")
    for name, array in zip(names, load_mnist(), strict=True):
        np.save(Path(folder, name), array)


def read_mnist(folder: str, images: bool) -> tuple[Any, Any, Any, Any]:
    """Read what export_mnist wrote, as images or as rows."""
    import numpy as np

    def features(name: str) -> Any:
        array = np.load(Path(folder, name + ".npy"))
        return array.reshape(len(array), *((28, 28) if images else (784,)))

    def labels(name: str) -> Any:
        return np.load(Path(folder, name + ".npy"))

    return features("X_train"), labels("y_train"), features("X_test"), labels("y_test")


def measure(job: Job) -> Measurement:
    """Fit and predict once, in this process."""
    contender = next(c for c in CONTENDERS if c.name == job.contender)
    X_train, y_train, X_test, y_test = read_mnist(job.data, contender.images)
    forest = contender.build(job)

    rss_before_fit = resident_mb()
    start, cpu_start = time.perf_counter(), time.process_time()
    forest.fit(X_train, y_train)
    fit_s, fit_cpu_s = time.perf_counter() - start, time.process_time() - cpu_start
    peak_fit = peak_resident_mb()

    start = time.perf_counter()
    predicted = forest.predict(X_test)
    predict_s = time.perf_counter() - start
    return Measurement(
        contender=job.contender,
        trees=job.trees,
        seed=job.seed,
        fit_s=round(fit_s, 4),
        fit_cpu_s=round(fit_cpu_s, 4),
        predict_s=round(predict_s, 4),
        error=round(float((predicted != y_test).mean()), 5),
        rss_before_fit_mb=round(rss_before_fit, 1),
        peak_fit_mb=round(peak_fit, 1),
        peak_mb=round(peak_resident_mb(), 1),
    )


def run_as_child(task: str, argument: str) -> None:
    """Do the one thing this process was started for."""
    if task == "export":
        export_mnist(argument)
    else:
        job = Job(**json.loads(argument))
        os.sched_setaffinity(0, {job.core})  # before any library counts the cores
        print(json.dumps(asdict(measure(job))))


# ------------------------------------------------------------------------------- in the parent


def run_python(interpreter: str, *arguments: str) -> str:
    """Return what an interpreter prints; its errors go to ours, a failure ends the script."""
    command = [interpreter, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"failed with status {done.returncode}: {' '.join(command)}")
    return done.stdout


def library_version(interpreter: str, library: str) -> str:
    """Import a library in an interpreter, so that a broken one fails before any measurement."""
    code = f"import {library} as module; print(getattr(module, '__version__', 'unknown'))"
    return run_python(interpreter, "-c", code).strip()


def run_child(interpreter: str, job: Job) -> Measurement:
    """Measure in a fresh process."""
    output = run_python(interpreter, __file__, "--child", "measure", json.dumps(asdict(job)))
    return Measurement(**json.loads(output.splitlines()[-1]))


def interpreters(options: argparse.Namespace) -> dict[str, str]:
    """Name the interpreter of each library that can be measured."""
    table = {"manifoldforest": sys.executable, "sklearn": options.sklearn_python}
    if options.peer_python:
        table["treeple"] = options.peer_python
    else:
        print("no --peer-python: the treeple rows are left out", file=sys.stderr)
    return table


def measure_all(
    contenders: list[Contender], python_of: dict[str, str], options: argparse.Namespace
) -> list[Measurement]:
    """All repeats, interleaved: every contender once, then every contender again, ..."""
    measured = []
    with tempfile.TemporaryDirectory() as folder:
        run_python(sys.executable, __file__, "--child", "export", folder)
        for seed in range(options.repeats):
            for c in contenders:
                job = Job(c.name, folder, options.trees, seed, options.splitter, options.core)
                result = run_child(python_of[c.library], job)
                print(json.dumps(asdict(result)), file=sys.stderr, flush=True)
                save_line(options.json, result)
                measured.append(result)
    return measured


def save_line(path: Path | None, result: Measurement) -> None:
    """Append a measurement to the file, if there is one."""
    if path is not None:
        with path.open("a") as file:
            file.write(json.dumps(asdict(result)) + "\n")


@dataclass(frozen=True)
class Summary:
    """Medians over the repeats of one contender."""

    contender: Contender
    fit_s: float
    fit_cpu_s: float
    predict_s: float
    error: float
    peak_mb: float
    over_input_mb: float


def summarise(contender: Contender, measured: list[Measurement]) -> Summary:
    """Take the medians of one contender."""
    runs = [m for m in measured if m.contender == contender.name]
    return Summary(
        contender,
        fit_s=statistics.median(m.fit_s for m in runs),
        fit_cpu_s=statistics.median(m.fit_cpu_s for m in runs),
        predict_s=statistics.median(m.predict_s for m in runs),
        error=statistics.median(m.error for m in runs),
        peak_mb=statistics.median(m.peak_mb for m in runs),
        over_input_mb=statistics.median(m.over_input_mb for m in runs),
    )


def ratio(peer: float, ours: float) -> str:
    """Write peer / ours."""
    return f"{peer / ours:.2f}" if ours > 0 else "-"


def ratios(peer: Summary, ours: Summary) -> tuple[str, str, str]:
    """Compare fit time, predict time and memory."""
    return (
        ratio(peer.fit_s, ours.fit_s),
        ratio(peer.predict_s, ours.predict_s),
        ratio(peer.over_input_mb, ours.over_input_mb),
    )


def print_table(summaries: list[Summary], versions: dict[str, str], trees: int) -> None:
    """Print one line per contender, with ratios on the lines of the peers."""
    ours = {s.contender.forest: s for s in summaries if s.contender.is_ours}
    print(f"{trees} trees, MNIST 60000 x 784; medians; the last three columns are peer / ours")
    print(
        f"{'forest':<7}{'library':<24}{'fit s':>9}{'cpu s':>9}{'s/tree':>8}{'predict s':>11}"
        f"{'error':>9}{'peak MB':>9}{'over input':>12}{'fit':>9}{'predict':>9}{'memory':>9}"
    )
    for s in summaries:
        forest, library = s.contender.forest, s.contender.library
        compared = not s.contender.is_ours and forest in ours
        fit, predict, memory = ratios(s, ours[forest]) if compared else ("", "", "")
        print(
            f"{forest:<7}{library + ' ' + versions[library]:<24}{s.fit_s:>9.2f}"
            f"{s.fit_cpu_s:>9.2f}{s.fit_s / trees:>8.3f}{s.predict_s:>11.3f}"
            f"{s.error:>9.4f}{s.peak_mb:>9.0f}{s.over_input_mb:>12.0f}{fit:>9}{predict:>9}{memory:>9}"
        )


def parse_options(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--splitter", default="exact", help="of our forests (default: exact)")
    parser.add_argument("--peer-python", metavar="PATH", help="interpreter that has treeple")
    parser.add_argument("--sklearn-python", metavar="PATH", default=sys.executable)
    parser.add_argument("--only", default="RF,SPORF,MORF", help="forests, separated by commas")
    parser.add_argument("--libraries", default="manifoldforest,sklearn,treeple")
    parser.add_argument(
        "--core", type=int, default=min(os.sched_getaffinity(0)), help="core to pin to"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="append every measurement")
    return parser.parse_args(arguments)


def choose(options: argparse.Namespace, libraries: set[str]) -> list[Contender]:
    """Keep the contenders that were asked for and have an interpreter."""
    wanted = set(options.libraries.split(",")) & libraries
    forests = set(options.only.split(","))
    return [c for c in CONTENDERS if c.forest in forests and c.library in wanted]


def main() -> None:
    """Measure everything and print the table."""
    options = parse_options(sys.argv[1:])
    python_of = interpreters(options)
    contenders = choose(options, set(python_of))
    if not contenders:
        sys.exit("no contender fits --only and --libraries")
    versions = {
        library: library_version(python_of[library], library)
        for library in dict.fromkeys(c.library for c in contenders)
    }
    measured = measure_all(contenders, python_of, options)
    print_table([summarise(c, measured) for c in contenders], versions, options.trees)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        run_as_child(sys.argv[2], sys.argv[3])
    else:
        main()
