"""B5: seconds of training and test of boundary forests and of other methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .._experiment import Experiment, Finding, Outcome, Picture, Run, Setting, Sheet
from .._papers import BOUNDARY
from .._results import Results
from ._cells import beside, seconds
from ._dots import Panel, draw_dots
from ._methods import METHODS
from ._sets import STAND_IN
from .b6_errors import by_data

# Table 1, on one core; BF-4 is BF on four. RF and nearest neighbours are Weka's.
_TRAINING = {
    "dna": (0.34, 0.15, 0.042, 0.32, 3.64),
    "letter": (1.16, 0.80, 0.12, 1.37, 7.5),
    "mnist": (103.9, 37.1, 5.67, 168.4, 310),
    "pendigits": (0.34, 0.42, 0.059, 0.004, 4.7),
    "protein": (35.47, 13.81, 0.90, 44.4, 191),
    "seismic": (48.59, 16.30, 1.86, 176.1, 2830),
}
_TEST = {
    "dna": (0.34, 0.15, 3.75, 4.23, 0.050, 0.25, 0.025),
    "letter": (1.16, 0.80, 5.5, 6.4, 1.67, 0.91, 0.11),
    "mnist": (23.9, 8.7, 2900, 3200, 89.2, 417.6, 0.3),
    "pendigits": (0.34, 0.42, 2.1, 2.4, 0.75, 0.022, 0.03),
    "protein": (35.47, 13.8, 380, 404, 11.5, 51.4, 625),
    "seismic": (16.20, 5.2, 433, 485, 65.7, 172.5, 1.32),
}


@dataclass(frozen=True)
class Part:
    """One half of the table: what was timed, and the published seconds."""

    word: str
    metric: str
    columns: tuple[str, ...]
    table: Mapping[str, tuple[float, ...]]
    doubtful: Mapping[str, frozenset[str]]  # methods whose seconds cannot be right, by data set

    @property
    def published(self) -> dict[str, dict[str, float]]:
        """Seconds by data set and method."""
        return {
            name: dict(zip(self.columns, line, strict=True)) for name, line in self.table.items()
        }


COPIED = ("dna", "letter", "pendigits", "protein")  # BF's seconds of test are those of training
TRAINING = Part(
    "training",
    "train_seconds",
    ("BF", "BF-4", "R-kd", "CT", "RF"),
    _TRAINING,
    {"pendigits": frozenset({"CT"})},
)
TEST = Part(
    "test",
    "test_seconds",
    ("BF", "BF-4", "1-NN", "3-NN", "R-kd", "CT", "RF"),
    _TEST,
    {**dict.fromkeys(COPIED, frozenset({"BF"})), "protein": frozenset({"BF", "RF"})},
)
PARTS = (TRAINING, TEST)


@dataclass(frozen=True, kw_only=True)
class SecondsTable(Experiment):
    """The seconds of the runs whose errors are in the other table."""

    def runs(self, setting: Setting) -> list[Run]:
        """Nothing of its own."""
        return []

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Never called."""
        raise NotImplementedError("its rows are those of B6")

    # ------------------------------------------------------------------ what it says

    def findings(self, results: Results) -> list[Finding]:
        """Seconds of the forest, factors between methods, and entries that cannot be right."""
        training, test = (mean_seconds(results, part) for part in PARTS)
        found = [
            *_published_findings(TRAINING, training),
            *_published_findings(TEST, test),
            *_factor_findings(TEST, test, "1-NN", "BF"),
            *_search_findings(results, test),
            *_factor_findings(TRAINING, training, "RF", "BF"),
            *_factor_findings(TEST, test, "BF", "RF"),
        ]
        return [*found, *_copied_findings(training, test), *_odd_findings(training, test)]

    def sheets(self, results: Results) -> list[Sheet]:
        """Table 1, both halves."""
        return [_sheet(results, part) for part in PARTS]

    def figures(self, results: Results) -> list[Picture]:
        """One figure for training and one for test, a panel for each data set."""
        return [_picture(results, part) for part in PARTS]


def mean_seconds(results: Results, part: Part) -> dict[str, dict[str, float]]:
    """Return mean CPU seconds by data set and method; what a coarse clock missed is left out."""
    return {
        name: {
            method: of.mean(part.metric)
            for method, of in rows.by("method").items()
            if of.mean(part.metric) > 0
        }
        for name, rows in results.by("data").items()
    }


# --------------------------------------------------------------------------------------- findings


def _published_findings(part: Part, ours: Mapping[str, Mapping[str, float]]) -> list[Finding]:
    mine = {name: of["BF"] for name, of in ours.items() if "BF" in of}
    theirs = {name: part.published[name]["BF"] for name in mine if name in part.published}
    if not mine:
        return []
    return [
        Finding(
            f"{part.word} of BF takes no longer than published",
            _listed(mine),
            _listed(theirs) if theirs else "-",
            all(mine[name] <= theirs[name] for name in theirs) if theirs else None,
            "one core each; the published ones are of 2015",
        )
    ]


def _listed(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {seconds(value)} s" for name, value in values.items())


def _factor_findings(
    part: Part, ours: Mapping[str, Mapping[str, float]], slow: str, fast: str
) -> list[Finding]:
    """Say how many times faster one method is than another on each set."""
    mine = {n: of[slow] / of[fast] for n, of in ours.items() if {slow, fast} <= of.keys()}
    if not mine:
        return []
    theirs = {
        n: part.published[n][slow] / part.published[n][fast] for n in mine if n in part.published
    }
    less = [name for name in theirs if mine[name] < theirs[name]]
    not_at_all = [name for name in theirs if (mine[name] > 1) != (theirs[name] > 1)]
    return [
        Finding(
            f"{part.word} of {fast} is faster than that of {slow}",
            _factors(mine),
            _factors(theirs) if theirs else "-",
            not not_at_all if theirs else None,
            _factor_note(part, ours, (slow, fast), not_at_all, less),
        )
    ]


def _factors(values: Mapping[str, float]) -> str:
    return ", ".join(
        f"{name} {value:.0f} ×" if value >= 10 else f"{name} {value:.1f} ×"
        for name, value in values.items()
    )


def _factor_note(
    part: Part,
    ours: Mapping[str, Mapping[str, float]],
    methods: tuple[str, str],
    not_at_all: list[str],
    less: list[str],
) -> str:
    """Say where the order or the factor differ, and which of the two methods has gained more."""
    notes = [f"the other way round on {', '.join(not_at_all)}"] if not_at_all else []
    if less:
        notes.append(f"the factor is smaller on {', '.join(less)}")
        largest = max(less, key=lambda name: part.published[name]["BF"])
        gains = [
            f"{method} {part.published[largest][method] / ours[largest][method]:.0f} times faster"
            for method in methods
        ]
        notes.append(f"compared with the paper, ours is on {largest}: {', '.join(gains)}")
    return "; ".join([*notes, *_doubts(part, ours, methods)])


def _doubts(part: Part, names: Iterable[str], methods: tuple[str, str]) -> list[str]:
    """Name the sets for which a published factor rests on an entry that cannot be right."""
    doubtful = [name for name in names if part.doubtful.get(name, frozenset()) & set(methods)]
    return [f"published factors of {', '.join(doubtful)} rest on doubtful seconds"] * bool(doubtful)


# Two ways to search for neighbours; the paper's, Weka's of 2015, is not here.
_SEARCHES = {
    "test_seconds": "by products of matrices",
    "one_by_one_seconds": "every distance for itself",  # some queries, scaled to all
}


def _search_findings(results: Results, test: Mapping[str, Mapping[str, float]]) -> list[Finding]:
    """Judge the factor between BF and 1-NN, which depends on how neighbours are searched."""
    found = []
    for metric, search in _SEARCHES.items():
        seconds_of = {
            name: rows.mean(metric)
            for name, rows in results.where(method="1-NN").by("data").items()
        }
        mine = {
            name: slow / test[name]["BF"]
            for name, slow in seconds_of.items()
            if slow > 0 and "BF" in test[name]
        }
        if mine:
            found.append(_search_finding(search, mine))
    return found


def _search_finding(search: str, mine: Mapping[str, float]) -> Finding:
    published = TEST.published
    theirs = {n: published[n]["1-NN"] / published[n]["BF"] for n in mine if n in published}
    note = ["agreement means at least the published factors", *_doubts(TEST, mine, ("1-NN", "BF"))]
    return Finding(
        f"how many times faster the test of BF is than that of 1-NN, {search}",
        _factors(mine),
        _factors(theirs) if theirs else "-",
        all(mine[name] >= theirs[name] for name in theirs) if theirs else None,
        "; ".join(note),
    )


def _copied_findings(
    training: Mapping[str, Mapping[str, float]], test: Mapping[str, Mapping[str, float]]
) -> list[Finding]:
    """Name the sets for which the table has the same numbers for training and test of BF."""
    ratios = {
        name: test[name]["BF"] / of["BF"]
        for name, of in training.items()
        if "BF" in of and "BF" in test[name]
    }
    known = {name: ratio for name, ratio in ratios.items() if name in COPIED}
    if not known:
        return []
    return [
        Finding(
            f"test of BF takes exactly as long as training on {', '.join(known)}",
            "test / training: " + ", ".join(f"{n} {ratio:.2f}" for n, ratio in ratios.items()),
            "1.00 on " + ", ".join(COPIED) + "; mnist 0.23, seismic 0.33",
            all(0.9 < ratio < 1.1 for ratio in known.values()),
            "the published seconds of test on these four sets, for one core and for four, are "
            "those of training again: most likely a copying error in the paper",
        )
    ]


def _odd_findings(
    training: Mapping[str, Mapping[str, float]], test: Mapping[str, Mapping[str, float]]
) -> list[Finding]:
    """Entries that look wrong and that we cannot, or need not, repeat."""
    if not any(name in TEST.published for name in test):
        return []
    ours, agrees = "no data", None
    if "RF" in test.get("protein", {}):
        of_test, of_training = test["protein"]["RF"], training["protein"]["RF"]
        ours = f"{seconds(of_test)} s, training {seconds(of_training)} s"
        agrees = bool(of_test > of_training)
    return [
        Finding(
            "test of RF on protein takes 625 s",
            ours,
            "625 s, training 191 s",
            agrees,
            "not plausible: on all other sets the published test of RF takes at most 1.3 s and "
            "never as long as training",
        ),
        Finding(
            "training of CT on pendigits takes 0.004 s",
            "not run",
            "0.004 s; dna 0.32 s, letter 1.37 s",
            None,
            "not plausible beside the smaller dna and the twice as large letter",
        ),
    ]


# ----------------------------------------------------------------------------- sheets and figures


_ORDER = ("BF", "BF-4", "OBF", "1-NN", "3-NN", "RF", "R-kd", "CT")


def _methods(part: Part, results: Results) -> list[str]:
    """Return the methods of the paper and ours, in the order of the other table."""
    known = {*METHODS, *(part.columns if results.preset == "full" else ())}
    return [name for name in _ORDER if name in known]


def _sheet(results: Results, part: Part) -> Sheet:
    methods = _methods(part, results)
    lines = [
        (
            name,
            *(
                beside(
                    seconds(rows.where(method=method).mean(part.metric)),
                    part.published.get(name, {}).get(method),
                )
                for method in methods
            ),
        )
        for name, rows in by_data(results).items()
    ]
    title = f"Seconds of {part.word} on one core (BF-4: four), ours (published)"
    return Sheet(title, ("data", *methods), tuple(lines))


def _picture(results: Results, part: Part) -> Picture:
    panels = [
        Panel(
            name if len(rows) else f"{name} (published only)",
            f"{part.word} time (s)",
            {method: of.values(part.metric) for method, of in rows.by("method").items()},
            part.published.get(name, {}),
            part.doubtful.get(name, frozenset()),
            log=True,
        )
        for name, rows in by_data(results).items()
    ]
    methods = [name for name in _methods(part, results) if name != "BF-4"]
    return Picture(
        draw_dots(panels, methods),
        f"CPU seconds of {part.word} on one core. Filled dots are means over seeds, with a line "
        "from the least to the largest; hollow ones are published. Randomised kd-trees (R-kd) and "
        "cover trees (CT) are drawn as published only; published RF and nearest neighbours are "
        "Weka's. A question mark: hardly right in the paper.",
    )


B5 = SecondsTable(
    id="B5",
    title="Seconds on six data sets",
    paper=BOUNDARY,
    source="Table 1",
    question="How fast are boundary forests trained and asked, compared with other methods?",
    stand_in=STAND_IN,
    rows_of=("B6",),
)
