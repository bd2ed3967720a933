"""What all forests that learn labels have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from ..validation._inputs import Target, read_labels
from ._label_columns import side_by_side


class LabelForest(ClassifierMixin):
    """Classes of one or several outputs; stands before the base class of the trees."""

    n_outputs_: int
    classes_: Any
    n_classes_: Any

    @property
    def _classes_by_output(self) -> list[NDArray[Any]]:
        return [self.classes_] if self.n_outputs_ == 1 else list(self.classes_)

    @property
    def _class_counts(self) -> list[int]:
        return [self.n_classes_] if self.n_outputs_ == 1 else list(self.n_classes_)

    def _one_or_list(self, per_output: list[Any]) -> Any:
        return per_output[0] if self.n_outputs_ == 1 else per_output

    def _most_probable(self, shares_by_output: Iterable[NDArray[Any]]) -> NDArray[Any]:
        """Return the labels with the largest shares, the first of equals."""
        columns = [
            labels[shares.argmax(axis=1)]
            for labels, shares in zip(self._classes_by_output, shares_by_output, strict=True)
        ]
        return columns[0] if self.n_outputs_ == 1 else side_by_side(columns)

    def _read_target(self, y: Any, n_rows: int) -> Target:
        return read_labels(y, n_rows)

    def _target_attributes(self, target: Target) -> dict[str, Any]:
        one = len(target.classes) == 1
        attributes: dict[str, Any] = super()._target_attributes(target)
        return attributes | {
            "classes_": target.classes[0] if one else target.classes,
            "n_classes_": target.n_classes[0] if one else target.n_classes,
        }

    def _same_outputs(self, target: Target) -> bool:
        return super()._same_outputs(target) and all(
            map(np.array_equal, self._classes_by_output, target.classes)
        )

    def _describe_target(self) -> str:
        return " and ".join(f"{n} class" if n == 1 else f"{n} classes" for n in self._class_counts)

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: several label columns are allowed."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
