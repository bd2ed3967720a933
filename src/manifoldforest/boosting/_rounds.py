"""The rounds of boosting: one tree after the other, until there are enough of them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .. import _core

Report = Callable[[int, float, float], None]


class Losses(NamedTuple):
    """Mean losses after each round, in the unit of the core."""

    training: list[float]
    validation: list[float]  # empty if no row is held out


class Patience:
    """Whether the loss of the rows that are held out has stopped falling.

    Parameters
    ----------
    rounds : int or None
        Rounds without a smaller loss after which to stop; None is never.
    """

    def __init__(self, rounds: int | None) -> None:
        self.rounds = rounds

    def n_kept(self, losses: Losses) -> int:
        """Return how many trees to keep: those up to the first smallest loss, or all."""
        if self.rounds is None or not losses.validation:
            return len(losses.training)
        return int(np.argmin(losses.validation)) + 1

    def is_over(self, losses: Losses) -> bool:
        """Whether to stop after these losses."""
        return self.rounds is not None and len(losses.training) - self.n_kept(losses) >= self.rounds


def grow_rounds(
    booster: _core.Booster,
    n_estimators: int,
    before: Losses,
    patience: Patience,
    report: Report | None,
) -> Losses:
    """Grow trees until there are `n_estimators`, or until patience is over."""
    losses = Losses(list(before.training), list(before.validation))
    while len(losses.training) < n_estimators and not patience.is_over(losses):
        training, validation = booster.grow_tree()
        losses.training.append(training)
        if patience.rounds is not None:
            losses.validation.append(validation)
        if report is not None:
            report(len(losses.training), training, validation)
    return losses


def report_lines(name: str, n_estimators: int) -> Report:
    """Return a function that writes a line for each round."""
    start = time.monotonic()

    def report(n_trees: int, training: float, validation: float) -> None:
        held_out = "" if np.isnan(validation) else f", validation loss {validation:.6g}"
        print(
            f"{name}: {n_trees} of {n_estimators} trees, training loss "
            f"{training:.6g}{held_out}, {time.monotonic() - start:.1f} s",
            file=sys.stderr,
            flush=True,
        )

    return report
