"""What is asked of a fresh process, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, TypeVar

Measured = TypeVar("Measured", covariant=True)


class AnyJob(Protocol[Measured]):
    """What a comparison asks of a fresh process: a dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def core(self) -> int:
        """The core to stay on."""

    def measured(self, **values: Any) -> Measured:
        """Return a measurement of this job."""


@dataclass(frozen=True)
class Job:
    """One fit.

    ``data`` is the folder of the arrays, ``forest`` the label within the task, ``options`` are
    parameters for the peer's estimator that win over those of the task.
    """

    task: str
    forest: str
    peer: str
    data: str
    trees: int
    seed: int
    core: int
    options: dict[str, Any] = field(default_factory=dict)

    def measured(self, **values: Any) -> Measurement:
        """Return a measurement of this job."""
        return replace(
            Measurement(self.task, self.forest, self.peer, self.trees, self.seed), **values
        )


@dataclass(frozen=True)
class Measurement:
    """What was measured; times in seconds, sizes in bytes.

    ``memory`` is the peak resident memory of fit above that just before it, when libraries are
    imported and data are loaded. ``predict`` is the best time for ``n_predicted`` rows,
    ``one_row`` the median for one. ``visited`` are the rows that all splits have divided, times the
    candidates of a node, if the library tells. ``error`` is the share of wrong labels; of numbers
    the mean squared error over their variance, of quantiles the mean pinball loss over the standard
    deviation. ``failed`` says why there are no numbers.
    """

    task: str
    forest: str
    peer: str
    trees: int
    seed: int
    fit: float = 0.0
    fit_cpu: float = 0.0
    predict: float = 0.0
    n_predicted: int = 0
    one_row: float = 0.0
    memory: int = 0
    size: int | None = None
    error: float = 0.0
    visited: float | None = None
    failed: str = ""
