"""What is asked of a fresh process, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Job:
    """One model: ``data`` is the folder of the arrays, ``options`` are parameters of our own."""

    task: str
    peer: str
    data: str
    seed: int
    core: int
    options: dict[str, Any] = field(default_factory=dict)

    def measured(self, **values: Any) -> Measurement:
        """Return a measurement of this job."""
        return replace(Measurement(self.task, self.peer, self.seed), **values)


@dataclass(frozen=True)
class Measurement:
    """What was measured; times in seconds, sizes in bytes, None where a library cannot do it.

    ``query`` is the best time for ``n_queries`` rows, ``query_cpu`` the mean; ``one_query`` and
    ``one_learn`` are medians for one. ``peak`` is the most memory during ``fit`` above that just
    before it, with libraries imported and data loaded, ``resident`` what the finished model holds,
    ``budget`` what a boundary forest may hold: 1.3 times its stored points and 16 bytes per node.
    ``error`` is that of the classifier, the recalls are against exact neighbours. ``curve`` has
    recall over time: effort, CPU seconds of all queries and recall of the first 10. ``failed``
    says why there are no numbers.
    """

    task: str
    peer: str
    seed: int
    n_train: int = 0
    n_queries: int = 0
    fit: float = 0.0
    fit_cpu: float = 0.0
    query: float = 0.0
    query_cpu: float = 0.0
    one_query: float = 0.0
    one_learn: float | None = None
    peak: int = 0
    resident: int = 0
    point_bytes: int | None = None
    n_trees: int | None = None
    n_nodes: int | None = None
    error: float | None = None
    recall_1: float | None = None
    recall_10: float | None = None
    curve: tuple[tuple[float, float, float], ...] = ()
    failed: str = ""

    @property
    def budget(self) -> float | None:
        """Bytes that the contents of a boundary forest may take."""
        if self.point_bytes is None or self.n_nodes is None:
            return None
        return 1.3 * self.point_bytes + 16 * self.n_nodes
