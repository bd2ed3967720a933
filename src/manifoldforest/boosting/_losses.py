"""What Python has to know of the losses of the core."""

from __future__ import annotations

from typing import NamedTuple

from .._units import Unit


class LossForm(NamedTuple):
    """How a loss depends on the unit of the responses, and what it learns.

    Responses times c have scores times ``c ** score_power`` and losses times ``c ** loss_power``;
    second derivatives times ``c ** hessian_power``.
    """

    of_classes: bool = False
    score_power: int = 0
    loss_power: int = 0
    hessian_power: int = 0
    logarithmic: bool = False  # scores are logarithms of what is predicted

    def score_unit(self, unit: Unit) -> Unit:
        """Return the unit of scores where responses are in `unit`."""
        return unit**self.score_power


#: By the names of the core.
LOSSES: dict[str, LossForm] = {
    "log_loss": LossForm(of_classes=True),
    "squared_error": LossForm(score_power=1, loss_power=2),
    "absolute_error": LossForm(score_power=1, loss_power=1),
    "poisson": LossForm(loss_power=1, hessian_power=1, logarithmic=True),
}
