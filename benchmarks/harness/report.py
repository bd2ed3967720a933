"""Tables of medians and of ratios."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from harness.measurement import Measurement
from harness.registry import OURS

Value = Callable[[Measurement], float | None]
Key = tuple[str, str]  # forest, library


@dataclass(frozen=True)
class Quantity:
    """Something to compare; ``per_tree`` can be compared between forests of unequal size."""

    name: str
    value: Value
    per_tree: bool = False


# What grows with the number of trees is taken per tree.
QUANTITIES = (
    Quantity("fit", lambda m: m.fit / m.trees, per_tree=True),
    Quantity("fit cpu", lambda m: m.fit_cpu / m.trees, per_tree=True),
    Quantity("predict", lambda m: m.predict / m.trees, per_tree=True),
    Quantity("one row", lambda m: m.one_row),
    Quantity("memory", lambda m: m.memory),
    Quantity("size", lambda m: None if m.size is None else m.size / m.trees, per_tree=True),
    Quantity("error", lambda m: m.error),
)


def print_task(measured: list[Measurement]) -> None:
    """Print both tables of one task."""
    rows = group(m for m in measured if not m.failed)
    if not rows:
        return
    n_predicted = max(m.n_predicted for m in measured)
    print(
        f"  {'forest':<13}{'library':<16}{'trees':>6}{'fit s':>10}{'s/tree':>9}{'cpu s':>10}"
        f"{'ns':>7}{f'predict {n_predicted}':>15}{'one row':>11}{'memory':>10}{'size':>10}"
        f"{'error':>9}"
    )
    for (forest, peer), runs in rows.items():
        print(f"  {forest:<13}{peer:<16}{absolute(runs)}")
    print("  peer / ours, median (least..most) of paired runs")
    print(f"  {'forest':<13}{'library':<16}" + "".join(f"{q.name:>20}" for q in QUANTITIES))
    for (forest, peer), runs in rows.items():
        ours = rows.get((forest, OURS))
        if peer != OURS and ours:
            cells = "".join(f"{ratio(q, runs, ours):>20}" for q in QUANTITIES)
            print(f"  {forest:<13}{peer:<16}{cells}")
    print_equal_error(rows)


def print_equal_error(rows: dict[Key, list[Measurement]]) -> None:
    """Print how much longer a peer takes than our fastest forest that is as good.

    Only where a task has several forests of a kind: libraries that are asked for as many
    candidates need not search as many.
    """
    lines = []
    for (forest, peer), runs in rows.items():
        rivals = {
            label: ours
            for (label, other), ours in rows.items()
            if other == OURS and kind_of(label) == kind_of(forest)
        }
        as_good = {
            label: statistics.median(m.fit_cpu / m.trees for m in ours)
            for label, ours in rivals.items()
            if median_error(ours) <= median_error(runs)
        }
        if peer == OURS or len(rivals) < 2 or not as_good:
            continue
        best = min(as_good, key=lambda label: as_good[label])
        quotient = statistics.median(m.fit_cpu / m.trees for m in runs) / as_good[best]
        lines.append(f"  {forest:<13}{peer:<16}{best:<13}{short(quotient):>8}")
    if lines:
        print("  fit cpu of the peer / of our fastest forest of no larger error", *lines, sep="\n")


def kind_of(label: str) -> str:
    """Return the kind in the label of a forest."""
    return label.split()[0]


def median_error(runs: list[Measurement]) -> float:
    """Return the median error of some runs."""
    return statistics.median(m.error for m in runs)


def group(measured: Iterable[Measurement]) -> dict[Key, list[Measurement]]:
    """Return the runs of each forest of each library, in the order of the first ones."""
    rows: dict[Key, list[Measurement]] = {}
    for m in measured:
        rows.setdefault((m.forest, m.peer), []).append(m)
    forests = list(dict.fromkeys(forest for forest, _ in rows))
    return {key: rows[key] for forest in forests for key in rows if key[0] == forest}


def absolute(runs: list[Measurement]) -> str:
    """Write the medians of one forest of one library."""

    def median(value: Value) -> float:
        return statistics.median(v for m in runs if (v := value(m)) is not None)

    fit = median(lambda m: m.fit)
    size = "-" if runs[0].size is None else megabytes(median(lambda m: m.size))
    return (
        f"{runs[0].trees:>6}{fit:>10.3f}{fit / runs[0].trees:>9.4f}"
        f"{median(lambda m: m.fit_cpu):>10.3f}{nanoseconds(runs):>7}"
        f"{median(lambda m: m.predict):>13.4f} s"
        f"{1e6 * median(lambda m: m.one_row):>8.0f} us{megabytes(median(lambda m: m.memory)):>10}"
        f"{size:>10}{median(lambda m: m.error):>9.4f}"
    )


def nanoseconds(runs: list[Measurement]) -> str:
    """Write the CPU time of a fit per row and candidate that a split has looked at."""
    if any(m.visited is None for m in runs):
        return "-"
    return short(statistics.median(1e9 * m.fit_cpu / m.visited for m in runs if m.visited))


def megabytes(n_bytes: float) -> str:
    """Write a size."""
    return f"{n_bytes / 1e6:.1f} MB"


def ratio(quantity: Quantity, peer: list[Measurement], ours: list[Measurement]) -> str:
    """Write peer / ours over the runs with the same seed, which came one after the other."""
    by_seed = {m.seed: m for m in ours}
    pairs = [(m, by_seed[m.seed]) for m in peer if m.seed in by_seed]
    if not quantity.per_tree and any(p.trees != o.trees for p, o in pairs):
        return "-"
    values = [(quantity.value(p), quantity.value(o)) for p, o in pairs]
    ratios = sorted(p / o for p, o in values if p is not None and o)
    if not ratios:
        return "-"
    spread = f" ({short(ratios[0])}..{short(ratios[-1])})" if len(ratios) > 1 else ""
    return short(statistics.median(ratios)) + spread


def short(number: float) -> str:
    """Write two or three digits."""
    digits = 2 if number < 9.95 else 1 if number < 99.5 else 0
    return f"{number:.{digits}f}"
