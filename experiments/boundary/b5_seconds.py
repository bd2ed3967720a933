"""B5: seconds of training and test of boundary forests and of other methods, on the rows of B6."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..experiment import Finding, Picture, Reading, Sheet
from ..registry import BOUNDARY
from ..results import Results
from .classification import STAND_IN
from .tables import PublishedTable, Table, listed, seconds

COPIED = ("dna", "letter", "pendigits", "protein")  # BF's seconds of test are those of training
# Two ways to search for neighbours; the paper's, Weka's of 2015, is not here.
SEARCHES = {
    "test_seconds": "by products of matrices",
    "one_by_one_seconds": "every distance for itself",  # some queries, scaled to all
}
# Both halves of Table 1, on one core; BF-4 is BF on four. RF and nearest neighbours are Weka's.
# Doubtful seconds cannot be right.
TRAINING = PublishedTable(
    word="training",
    label="training time (s)",
    metric="train_seconds",
    write=lambda rows, metric: seconds(rows.mean(metric)),
    columns=("BF", "BF-4", "R-kd", "CT", "RF"),
    lines={
        "dna": (0.34, 0.15, 0.042, 0.32, 3.64),
        "letter": (1.16, 0.80, 0.12, 1.37, 7.5),
        "mnist": (103.9, 37.1, 5.67, 168.4, 310),
        "pendigits": (0.34, 0.42, 0.059, 0.004, 4.7),
        "protein": (35.47, 13.81, 0.90, 44.4, 191),
        "seismic": (48.59, 16.30, 1.86, 176.1, 2830),
    },
    doubtful={"pendigits": ("CT",)},
    log=True,
)
TEST = PublishedTable(
    word="test",
    label="test time (s)",
    metric="test_seconds",
    write=lambda rows, metric: seconds(rows.mean(metric)),
    columns=("BF", "BF-4", "1-NN", "3-NN", "R-kd", "CT", "RF"),
    lines={
        "dna": (0.34, 0.15, 3.75, 4.23, 0.050, 0.25, 0.025),
        "letter": (1.16, 0.80, 5.5, 6.4, 1.67, 0.91, 0.11),
        "mnist": (23.9, 8.7, 2900, 3200, 89.2, 417.6, 0.3),
        "pendigits": (0.34, 0.42, 2.1, 2.4, 0.75, 0.022, 0.03),
        "protein": (35.47, 13.8, 380, 404, 11.5, 51.4, 625),
        "seismic": (16.20, 5.2, 433, 485, 65.7, 172.5, 1.32),
    },
    doubtful={**dict.fromkeys(COPIED, ("BF",)), "protein": ("BF", "RF")},
    log=True,
)
HALVES = (TRAINING, TEST)


class SecondsTable(Reading):
    """The seconds of the runs whose errors are in the other table."""

    def findings(self, results: Results) -> list[Finding]:
        """Seconds of the forest, factors between methods, and entries that cannot be right."""
        training, test = (_known(half.ours(results)) for half in HALVES)
        return [
            *_published(TRAINING, training),
            *_published(TEST, test),
            *_faster(TEST, test, "1-NN", "BF"),
            *_searches(results, test),
            *_faster(TRAINING, training, "RF", "BF"),
            *_faster(TEST, test, "BF", "RF"),
            *_copied(training, test),
            *_odd(training, test),
        ]

    def sheets(self, results: Results) -> list[Sheet]:
        """Table 1, both halves."""
        title = "Seconds of {} on one core (BF-4: four), ours (published)"
        return [half.sheet(title.format(half.word), results) for half in HALVES]

    def figures(self, results: Results) -> list[Picture]:
        """One figure for training and one for test, a panel for each data set."""
        caption = (
            "CPU seconds of {} on one core. Filled dots are means over seeds, with a line from the "
            "least to the largest; hollow ones are published. Randomised kd-trees (R-kd) and cover "
            "trees (CT) are drawn as published only; published RF and nearest neighbours are "
            "Weka's. A question mark: hardly right in the paper."
        )
        return [Picture(half.figure(results), caption.format(half.word)) for half in HALVES]


def _known(table: Table) -> Table:
    """Leave out seconds that a coarse clock missed, or that are not there."""
    return {name: {m: s for m, s in of.items() if s > 0} for name, of in table.items()}


def _column(table: Table, method: str) -> dict[str, float]:
    return {name: of[method] for name, of in table.items() if method in of}


def _factors(table: Table, slow: str, fast: str) -> dict[str, float]:
    """Return how many times faster one method is than another, where both are known."""
    return {name: of[slow] / of[fast] for name, of in table.items() if {slow, fast} <= of.keys()}


def _doubts(half: PublishedTable, names: Iterable[str], *methods: str) -> list[str]:
    """Name the sets for which a published factor rests on an entry that cannot be right."""
    doubtful = [name for name in names if set(methods).intersection(half.doubtful.get(name, ()))]
    rest = f"published factors of {', '.join(doubtful)} rest on doubtful seconds"
    return [rest] if doubtful else []


def _published(half: PublishedTable, ours: Table) -> Iterator[Finding]:
    mine, published = _column(ours, "BF"), _column(half.published, "BF")
    theirs = {name: published[name] for name in mine if name in published}
    if mine:
        yield Finding(
            f"{half.word} of BF takes no longer than published",
            _listed(mine),
            _listed(theirs),
            all(mine[name] <= theirs[name] for name in theirs) if theirs else None,
            "one core each; the published ones are of 2015",
        )


def _faster(half: PublishedTable, ours: Table, slow: str, fast: str) -> Iterator[Finding]:
    """Say how many times faster one method is than another on each set."""
    mine, factors = _factors(ours, slow, fast), _factors(half.published, slow, fast)
    theirs = {name: factors[name] for name in mine if name in factors}
    not_at_all = [name for name in theirs if (mine[name] > 1) != (theirs[name] > 1)]
    notes = [f"the other way round on {', '.join(not_at_all)}"] if not_at_all else []
    less = [name for name in theirs if mine[name] < theirs[name]]
    if less:
        notes.append(f"the factor is smaller on {', '.join(less)}")
        largest = max(less, key=lambda name: half.published[name]["BF"])
        gains = {m: half.published[largest][m] / ours[largest][m] for m in (slow, fast)}
        faster = listed(gains, "{} {:.0f} times faster")
        notes.append(f"compared with the paper, ours is on {largest}: {faster}")
    if mine:
        yield Finding(
            f"{half.word} of {fast} is faster than that of {slow}",
            _times(mine),
            _times(theirs),
            not not_at_all if theirs else None,
            "; ".join([*notes, *_doubts(half, ours, slow, fast)]),
        )


def _searches(results: Results, test: Table) -> Iterator[Finding]:
    """Judge the factor between BF and 1-NN, which depends on how neighbours are searched."""
    published = _factors(TEST.published, "1-NN", "BF")
    neighbours = results.where(method="1-NN").by("data")
    for metric, search in SEARCHES.items():
        slow = {name: rows.mean(metric) for name, rows in neighbours.items()}
        mine = {n: s / test[n]["BF"] for n, s in slow.items() if s > 0 and "BF" in test[n]}
        theirs = {name: published[name] for name in mine if name in published}
        note = ["agreement means at least the published factors"]
        if mine:
            yield Finding(
                f"how many times faster the test of BF is than that of 1-NN, {search}",
                _times(mine),
                _times(theirs),
                all(mine[name] >= theirs[name] for name in theirs) if theirs else None,
                "; ".join(note + _doubts(TEST, mine, "1-NN", "BF")),
            )


def _copied(training: Table, test: Table) -> Iterator[Finding]:
    """Name the sets for which the table has the same numbers for training and test of BF."""
    before, after = _column(training, "BF"), _column(test, "BF")
    ratios = {name: after[name] / before[name] for name in before if name in after}
    known = {name: ratio for name, ratio in ratios.items() if name in COPIED}
    if known:
        yield Finding(
            f"test of BF takes exactly as long as training on {', '.join(known)}",
            "test / training: " + listed(ratios),
            "1.00 on " + ", ".join(COPIED) + "; mnist 0.23, seismic 0.33",
            all(0.9 < ratio < 1.1 for ratio in known.values()),
            "the published seconds of test on these four sets, for one core and for four, are "
            "those of training again: most likely a copying error in the paper",
        )


def _odd(training: Table, test: Table) -> Iterator[Finding]:
    """Entries that look wrong and that we cannot, or need not, repeat."""
    if not any(name in TEST.lines for name in test):
        return
    ours, agrees = "no data", None
    if "RF" in test.get("protein", {}):
        of_test, of_training = test["protein"]["RF"], training["protein"]["RF"]
        ours = f"{seconds(of_test)} s, training {seconds(of_training)} s"
        agrees = bool(of_test > of_training)
    yield Finding(
        "test of RF on protein takes 625 s",
        ours,
        "625 s, training 191 s",
        agrees,
        "not plausible: on all other sets the published test of RF takes at most 1.3 s and "
        "never as long as training",
    )
    yield Finding(
        "training of CT on pendigits takes 0.004 s",
        "not run",
        "0.004 s; dna 0.32 s, letter 1.37 s",
        None,
        "not plausible beside the smaller dna and the twice as large letter",
    )


def _listed(values: Mapping[str, float]) -> str:
    return listed({name: seconds(value) for name, value in values.items()}, "{} {} s")


def _times(values: Mapping[str, float]) -> str:
    numbers = {name: f"{value:.{0 if value >= 10 else 1}f}" for name, value in values.items()}
    return listed(numbers, "{} {} ×")


B5 = SecondsTable(
    id="B5",
    title="Seconds on six data sets",
    paper=BOUNDARY,
    source="Table 1",
    question="How fast are boundary forests trained and asked, compared with other methods?",
    stand_in=STAND_IN,
    rows_of=("B6",),
)
