"""Forests whose target is a table of class indices or numbers: classifiers and regressors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..augmentation import Shifts
from ..augmentation._as_augmentation import as_augmentation, augment_from_json, augment_to_json
from ..inspection._error_over_trees import TreeErrors, errors_of_first_trees, measure_of
from ..inspection._permutation_importance import error_of, out_of_bag_error
from ..validation._inputs import Target
from ..validation._parameters import n_threads
from ._base import BaseForest, count_skipped
from ._forest_model import ForestModel


class TableForest(BaseForest):
    """Base class of :class:`ForestClassifier` and :class:`ForestRegressor`."""

    _described_parameters = ("projection", "augment")

    augment: Any

    @property
    def _augmentation(self) -> Shifts | None:
        return as_augmentation(self.augment)

    def _check_together(self) -> None:
        if self.augment is not None and self.honest:
            raise ValueError(
                "honest must be False with augment, as copies of a row would choose splits that "
                f"the row itself is to be honest about, got {self.honest!r}"
            )

    def _describe_for_file(self, arrays: dict[str, NDArray[Any]]) -> Any:
        return augment_to_json(self.augment, getattr(self, "augmentation_", None), arrays)

    @classmethod
    def _read_description(
        cls, description: Any, arrays: Mapping[str, NDArray[Any]]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        return augment_from_json(description, arrays)

    @abstractmethod
    def _read_target(self, y: Any, n_rows: int) -> Target:
        """Validate y."""

    @abstractmethod
    def _score_out_of_bag(
        self, values: NDArray[Any], seen: NDArray[np.bool_], target: Target
    ) -> dict[str, Any]:
        """Return the out-of-bag attributes; `seen` tells which rows have a prediction."""

    def _check_target(self, target: Target) -> None:
        _core.objective(self.criterion).check(target.values, target.n_classes)

    def _target_attributes(self, target: Target) -> dict[str, Any]:
        return {"n_outputs_": target.n_outputs}

    def _table(self, target: Target) -> NDArray[Any]:
        return target.values

    def _same_outputs(self, target: Target) -> bool:
        return target.n_outputs == self.n_outputs_

    def _learned_from(self, target: Target) -> bool:
        record = self._model.record
        return record is not None and np.array_equal(target.values, record.table)

    def _true_values(self, target: Target) -> NDArray[Any]:
        """Return responses as they are, and labels as indices into the classes of the forest."""
        return target.values

    def _out_of_bag_attributes(self, model: ForestModel, target: Target) -> dict[str, Any]:
        values, n_trees = model.out_of_bag(
            model.trees["leaf_of_row"], aggregation=self._aggregation
        )
        seen = np.asarray(n_trees > 0)
        skipped = count_skipped(seen)
        return {"oob_skipped_": skipped, **self._score_out_of_bag(values, seen, target)}

    def _out_of_bag_error(self, leaves: NDArray[np.int32]) -> float:
        return out_of_bag_error(self._model, leaves)

    def _held_out_error(self, y: Any, n_rows: int) -> Callable[[NDArray[Any]], float]:
        model, threads = self._model, n_threads(self.n_jobs)
        truth = self._held_out_truth(y, n_rows)

        def error(rows: NDArray[Any]) -> float:
            values = model.predict(rows, aggregation=self._aggregation, n_threads=threads)
            return error_of(model, values, truth)

        return error

    def _held_out_truth(self, y: Any, n_rows: int) -> NDArray[Any]:
        """Return class indices or numbers of examples that the forest was not fitted on."""
        target = self._read_target(y, n_rows)
        if target.n_outputs != self.n_outputs_:
            raise ValueError(
                f"y must have as many outputs as at fit, {self.n_outputs_}, got {target.n_outputs}"
            )
        return self._true_values(target)

    def _tree_errors(self, X: Any, y: Any) -> TreeErrors:
        """Return the errors of the first trees on given examples, or out of bag if X is None."""
        model, votes = self._model, self._aggregation == "vote"
        if X is None:
            self._require_rows_out_of_bag()
            record, inbag = model.record, model.trees["inbag"]
            assert record is not None
            errors = errors_of_first_trees(
                model,
                model.trees["leaf_of_row"].T,
                record.table,
                votes=votes,
                used=(inbag == 0).T,
            )
            curves = {"out of bag": errors}
        else:
            leaves = self.apply(X)
            truth = self._held_out_truth(y, len(leaves))
            curves = {"given examples": errors_of_first_trees(model, leaves, truth, votes=votes)}
        return TreeErrors(measure_of(model), np.arange(1, len(self) + 1), curves)
