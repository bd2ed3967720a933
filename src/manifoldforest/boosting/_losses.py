"""What Python has to know of the losses of the core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._units import Unit


class LossForm(NamedTuple):
    """How a loss depends on the unit of the responses, and what it learns.

    `words` are its name for people. Responses times c have scores times ``c ** score_power``,
    losses times ``c ** loss_power`` and second derivatives times ``c ** hessian_power``.
    """

    words: str
    of_classes: bool = False
    score_power: int = 0
    loss_power: int = 0
    hessian_power: int = 0
    logarithmic: bool = False  # scores are logarithms of what is predicted


#: By the names of the core.
LOSSES: dict[str, LossForm] = {
    "log_loss": LossForm("log loss", of_classes=True),
    "squared_error": LossForm("mean squared error", score_power=1, loss_power=2),
    "absolute_error": LossForm("mean absolute error", score_power=1, loss_power=1),
    "poisson": LossForm("mean Poisson deviance", loss_power=1, hessian_power=1, logarithmic=True),
}


@dataclass(frozen=True)
class LossUnits:
    """The units of numbers of the core, in which responses and weights of any size have room."""

    form: LossForm
    responses: Unit
    weights: Unit

    @property
    def scores(self) -> Unit:
        """The unit of scores and of the values of leaves."""
        return self.responses**self.form.score_power

    @property
    def hessians(self) -> Unit:
        """The unit of sums of second derivatives, and so of `l2`."""
        of_loss = self.responses**self.form.hessian_power
        return Unit(of_loss.exponent + self.weights.exponent)

    def start(self, start: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores before the first tree without units."""
        if self.form.logarithmic:
            return np.asarray(start + self.responses.exponent * np.log(2.0))
        return np.asarray(self.scores.up(start))

    def losses(self, means: list[float]) -> NDArray[np.float64]:
        """Return mean losses without units, infinite where they are beyond all numbers."""
        unit = self.responses**self.form.loss_power
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(unit.up(np.array(means, dtype=np.float64)))

    def losses_in_core(self, means: NDArray[np.float64]) -> list[float]:
        """Return mean losses in the unit of the core."""
        return list((self.responses**self.form.loss_power).down(means))


def mean_number_loss(name: str, scores: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return the mean loss of numbers over rows and outputs, as the core reports it."""
    if name == "squared_error":
        return float(np.mean((y - scores) ** 2))
    if name == "absolute_error":
        return float(np.mean(np.abs(y - scores)))
    assert name == "poisson"
    rate = np.exp(scores)
    logarithms = np.log(y, out=np.zeros_like(y), where=y > 0)
    return float(2 * np.mean(np.where(y > 0, y * (logarithms - scores) - y, 0.0) + rate))
