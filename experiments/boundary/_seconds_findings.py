"""What the paper says of seconds on six data sets, and what was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from .._experiment import Finding
from .._results import Results
from ._cells import seconds
from ._seconds import Part, factors, mean_seconds
from ._tables import Table

# Two ways to search for neighbours; the paper's, Weka's of 2015, is not here.
_SEARCHES = {
    "test_seconds": "by products of matrices",
    "one_by_one_seconds": "every distance for itself",  # some queries, scaled to all
}


@dataclass(frozen=True)
class SecondsFindings:
    """Finished runs of the table; a statement about runs that are missing is left out."""

    results: Results
    training: Part
    test: Part
    copied: tuple[str, ...]

    def all(self) -> list[Finding]:
        """Return seconds of the forest, factors between methods, and entries in doubt."""
        return [
            *_published(self.training, self._training),
            *_published(self.test, self._test),
            *_faster(self.test, self._test, "1-NN", "BF"),
            *self._searches(),
            *_faster(self.training, self._training, "RF", "BF"),
            *_faster(self.test, self._test, "BF", "RF"),
            *self._copied(),
            *self._odd(),
        ]

    @cached_property
    def _training(self) -> Table:
        return mean_seconds(self.results, self.training)

    @cached_property
    def _test(self) -> Table:
        return mean_seconds(self.results, self.test)

    def _searches(self) -> Iterator[Finding]:
        """Judge the factor between BF and 1-NN, which depends on how neighbours are searched."""
        neighbours = self.results.where(method="1-NN").by("data")
        for metric, search in _SEARCHES.items():
            seconds_of = {name: rows.mean(metric) for name, rows in neighbours.items()}
            mine = {
                name: slow / self._test[name]["BF"]
                for name, slow in seconds_of.items()
                if slow > 0 and "BF" in self._test[name]
            }
            if mine:
                yield self._search(search, mine)

    def _search(self, search: str, mine: Mapping[str, float]) -> Finding:
        theirs = _of(mine, factors(self.test.published, "1-NN", "BF"))
        doubts = self.test.doubts(mine, ("1-NN", "BF"))
        return Finding(
            f"how many times faster the test of BF is than that of 1-NN, {search}",
            _times(mine),
            _times(theirs) if theirs else "-",
            all(mine[name] >= theirs[name] for name in theirs) if theirs else None,
            "; ".join(["agreement means at least the published factors", *doubts]),
        )

    def _copied(self) -> Iterator[Finding]:
        """Name the sets for which the table has the same numbers for training and test of BF."""
        ratios = {
            name: self._test[name]["BF"] / of["BF"]
            for name, of in self._training.items()
            if "BF" in of and "BF" in self._test[name]
        }
        known = {name: ratio for name, ratio in ratios.items() if name in self.copied}
        if known:
            yield Finding(
                f"test of BF takes exactly as long as training on {', '.join(known)}",
                "test / training: " + ", ".join(f"{n} {ratio:.2f}" for n, ratio in ratios.items()),
                "1.00 on " + ", ".join(self.copied) + "; mnist 0.23, seismic 0.33",
                all(0.9 < ratio < 1.1 for ratio in known.values()),
                "the published seconds of test on these four sets, for one core and for four, are "
                "those of training again: most likely a copying error in the paper",
            )

    def _odd(self) -> Iterator[Finding]:
        """Entries that look wrong and that we cannot, or need not, repeat."""
        if not any(name in self.test.published for name in self._test):
            return
        ours, agrees = "no data", None
        if "RF" in self._test.get("protein", {}):
            of_test, of_training = self._test["protein"]["RF"], self._training["protein"]["RF"]
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


def _published(part: Part, ours: Table) -> Iterator[Finding]:
    mine = {name: of["BF"] for name, of in ours.items() if "BF" in of}
    theirs = _of(mine, {name: of["BF"] for name, of in part.published.items()})
    if mine:
        yield Finding(
            f"{part.word} of BF takes no longer than published",
            _listed(mine),
            _listed(theirs) if theirs else "-",
            all(mine[name] <= theirs[name] for name in theirs) if theirs else None,
            "one core each; the published ones are of 2015",
        )


def _faster(part: Part, ours: Table, slow: str, fast: str) -> Iterator[Finding]:
    """Say how many times faster one method is than another on each set."""
    mine = factors(ours, slow, fast)
    if not mine:
        return
    theirs = _of(mine, factors(part.published, slow, fast))
    less = [name for name in theirs if mine[name] < theirs[name]]
    not_at_all = [name for name in theirs if (mine[name] > 1) != (theirs[name] > 1)]
    yield Finding(
        f"{part.word} of {fast} is faster than that of {slow}",
        _times(mine),
        _times(theirs) if theirs else "-",
        not not_at_all if theirs else None,
        _faster_note(part, ours, (slow, fast), not_at_all, less),
    )


def _faster_note(
    part: Part, ours: Table, methods: tuple[str, str], not_at_all: list[str], less: list[str]
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
    return "; ".join([*notes, *part.doubts(ours, methods)])


def _of(mine: Mapping[str, float], published: Mapping[str, float]) -> dict[str, float]:
    """Return the published numbers of the sets that we have."""
    return {name: published[name] for name in mine if name in published}


def _listed(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {seconds(value)} s" for name, value in values.items())


def _times(values: Mapping[str, float]) -> str:
    return ", ".join(
        f"{name} {value:.0f} ×" if value >= 10 else f"{name} {value:.1f} ×"
        for name, value in values.items()
    )
