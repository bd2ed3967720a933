"""Whether a further fit may add trees to a boosted forest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..augmentation import Shifts
from ..forests._forest_model import ForestModel
from ..forests._warm_start import continued_model
from ..projections import Projection
from ..validation._inputs import Examples, Target

if TYPE_CHECKING:
    from ._base import BoostedForest


def model_to_continue(
    forest: BoostedForest,
    projection: Projection,
    examples: Examples,
    target: Target,
    augmentation: Shifts | None,
) -> ForestModel | None:
    """Return the model that a warm start adds trees to, or None if all trees are new.

    A ValueError says what differs from the fit that made the model, as far as it remembers.
    """

    def compare(model: ForestModel) -> Mapping[str, bool]:
        return {
            "projection": projection == model.projection,
            "loss": forest._loss_name == forest.loss_,
            "augment": augmentation == getattr(forest, "augmentation_", None),
            "shape of examples": examples.feature_shape == model.feature_shape,
            "dims of examples": examples.has_dims_of(forest),
            "y": forest._same_outputs(target),
            "number of rows": len(examples.rows) == model.n_rows,
        }

    return continued_model(forest, compare)
