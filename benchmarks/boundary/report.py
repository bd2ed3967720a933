"""Tables of medians and of ratios."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass

from boundary.measurement import Measurement
from harness.registry import OURS
from harness.report import megabytes, short

Value = Callable[[Measurement], float | None]


@dataclass(frozen=True)
class Column:
    """A column of the first table: its value and how a median of it is written."""

    name: str
    value: Value
    text: Callable[[float], str]


@dataclass(frozen=True)
class Quantity:
    """Something to compare; ``per_row`` can be compared between peers that saw unequal numbers."""

    name: str
    value: Value
    per_row: bool = False


def _share(numerator: float | None, denominator: float | None) -> float | None:
    return None if numerator is None or not denominator else numerator / denominator


def _nodes_per_tree_share(m: Measurement) -> float | None:
    return _share(m.n_nodes, m.n_trees and m.n_trees * m.n_train)


def _seconds(value: float) -> str:
    return f"{value:.3f} s"


def _microseconds(value: float) -> str:
    return f"{1e6 * value:.0f} us"


def _fraction(value: float) -> str:
    return f"{value:.4f}"


COLUMNS = (
    Column("rows", lambda m: m.n_train, lambda value: f"{value:.0f}"),
    Column("build", lambda m: m.fit, _seconds),
    Column("build cpu", lambda m: m.fit_cpu, _seconds),
    Column("10 000 queries", lambda m: 10_000 * m.query / m.n_queries, _seconds),
    Column("queries cpu", lambda m: 10_000 * m.query_cpu / m.n_queries, _seconds),
    Column("learn one", lambda m: m.one_learn, _microseconds),
    Column("query one", lambda m: m.one_query, _microseconds),
    Column("peak", lambda m: m.peak, megabytes),
    Column("model", lambda m: m.resident, megabytes),
    Column("/ budget", lambda m: _share(m.resident, m.budget), short),
    Column("nodes", _nodes_per_tree_share, lambda value: f"{100 * value:.1f} %"),
    Column("error", lambda m: m.error, _fraction),
    Column("recall@1", lambda m: m.recall_1, _fraction),
    Column("recall@10", lambda m: m.recall_10, _fraction),
)

QUANTITIES = (
    Quantity("build", lambda m: m.fit / m.n_train, per_row=True),
    Quantity("build cpu", lambda m: m.fit_cpu / m.n_train, per_row=True),
    Quantity("queries", lambda m: m.query / m.n_queries, per_row=True),
    Quantity("queries cpu", lambda m: m.query_cpu / m.n_queries, per_row=True),
    Quantity("learn one", lambda m: m.one_learn, per_row=True),
    Quantity("query one", lambda m: m.one_query, per_row=True),
    Quantity("peak", lambda m: m.peak),
    Quantity("model", lambda m: m.resident),
    Quantity("error", lambda m: m.error),
    Quantity("recall@10", lambda m: m.recall_10),
)


def print_task(measured: list[Measurement]) -> None:
    """Print both tables of one task; columns without any value are left out."""
    runs: dict[str, list[Measurement]] = {}
    for m in measured:
        if not m.failed:
            runs.setdefault(m.peer, []).append(m)
    if not runs:
        return
    rows = {
        peer: [_median(column, of_peer) for column in COLUMNS] for peer, of_peer in runs.items()
    }
    _print_table("", [column.name for column in COLUMNS], rows)
    print_recall_over_time(runs)
    ours = runs.pop(OURS, [])
    ratios = {peer: [ratio(q, of, ours) for q in QUANTITIES] for peer, of in runs.items()}
    title = "  peer / ours, median (least..most) of paired runs"
    _print_table(title, [quantity.name for quantity in QUANTITIES], ratios)


def print_recall_over_time(runs: dict[str, list[Measurement]]) -> None:
    """Print, for each library and effort, the median time of a query and the median recall."""
    rows = {}
    for peer, of_peer in runs.items():
        for points in zip(*(m.curve for m in of_peer), strict=True):
            effort = points[0][0]
            pairs = zip(points, of_peer, strict=True)
            time = statistics.median(seconds / m.n_queries for (_, seconds, _), m in pairs)
            recall_10 = statistics.median(found for _, _, found in points)
            rows[f"{peer} {effort:g}"] = [_microseconds(time), _fraction(recall_10)]
    if rows:
        print("  recall over time: library and effort, CPU time of one of many queries")
        _print_table("", ["a query", "recall@10"], rows)


def _print_table(title: str, names: list[str], rows: dict[str, list[str]]) -> None:
    used = [i for i in range(len(names)) if any(cells[i] != "-" for cells in rows.values())]
    if not used:
        return
    if title:
        print(title)
    widths = [2 + max(len(names[i]), *(len(cells[i]) for cells in rows.values())) for i in used]
    for peer, cells in {"library": names, **rows}.items():
        line = "".join(f"{cells[i]:>{width}}" for i, width in zip(used, widths, strict=True))
        print(f"  {peer:<22}{line}")


def _median(column: Column, runs: list[Measurement]) -> str:
    values = [value for m in runs if (value := column.value(m)) is not None]
    return column.text(statistics.median(values)) if values else "-"


def ratio(quantity: Quantity, peer: list[Measurement], ours: list[Measurement]) -> str:
    """Write peer / ours over the runs with the same seed, which came one after the other."""
    by_seed = {m.seed: m for m in ours}
    pairs = [(m, by_seed[m.seed]) for m in peer if m.seed in by_seed]
    if not quantity.per_row and any(p.n_train != o.n_train for p, o in pairs):
        return "-"
    values = [_share(quantity.value(p), quantity.value(o)) for p, o in pairs]
    ratios = sorted(value for value in values if value is not None)
    if not ratios:
        return "-"
    spread = f" ({short(ratios[0])}..{short(ratios[-1])})" if len(ratios) > 1 else ""
    return short(statistics.median(ratios)) + spread
