"""The base class of boosted forests: common parameters and fit."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._fitted_state import snapshot
from .._progress import current_listener
from ..augmentation._as_augmentation import as_augmentation, augment_from_json, augment_to_json
from ..forests._augmented_growing import check_copies
from ..forests._base import BaseForest
from ..forests._choice import chosen_projection
from ..forests._fitted_forest import FittedForest
from ..forests._flat_forest import FlatForest
from ..forests._forest_model import Aggregation, ForestModel, make_sampler, rows_for_core
from ..forests._geometry import used_geometry
from ..forests._imputation import fill_values, filled
from ..forests._warm_start import check_bank
from ..forests._weights import RowWeights, read_sample_weight
from ..inspection._error_over_trees import TreeErrors
from ..projections._auto import check_projection
from ..validation._inputs import Target, read_training_examples
from ..validation._parameters import draw_seed, n_threads
from ..validation._precision import warn_of_equal_values
from ..validation._rules import check_parameters
from ..validation._stack_level import caller_level
from ._copies import stretches, with_copies
from ._held_out import Division, divide, draw_held_out
from ._losses import LOSSES, LossForm, LossUnits
from ._parameters import grow_options
from ._rounds import Losses, Patience, Report, grow_rounds, report_lines
from ._warm_start import model_to_continue

Self = TypeVar("Self", bound="BoostedForest")

# early_stopping="auto" holds rows out if there are more than so many
_MANY_ROWS = 10_000


class BoostedForest(FittedForest):
    """Base class of :class:`BoostedForestClassifier` and :class:`BoostedForestRegressor`."""

    _described_parameters = ("projection", "augment")

    n_estimators: int
    learning_rate: float
    max_depth: int | None
    min_samples_leaf: Any
    splitter: str
    subsample: float
    l2: float
    augment: Any
    early_stopping: Any
    validation_fraction: float
    n_iter_no_change: int
    warm_start: bool
    random_state: Any
    verbose: int

    n_estimators_: int
    loss_: str
    train_loss_: NDArray[np.float64]
    validation_loss_: NDArray[np.float64]

    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, ...)
            Training examples: rows of features, or images, series, volumes with any number of
            axes. uint8 stays as it is, everything else becomes float32. NaN is a missing value.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            What is to be predicted.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the examples in the loss, at least 0. An example of weight 0 is absent,
            though its label stays among `classes_`; and so is one that weighs, class weights
            included, at most 1.2e-7 of the heaviest. If all are whole numbers, weight 2 is the
            example given twice: exactly so with ``splitter="exact"`` and ``subsample=1.0``.

        Returns
        -------
        self : estimator
            The fitted forest.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [5.0, 5.0, 7.0, 7.0]
        >>> forest = mf.BoostedForestRegressor(50, subsample=1.0, random_state=0).fit(X, y)
        >>> forest.predict([[0.0], [3.0]]).round(1).tolist()
        [5.0, 7.0]
        >>> forest.train_loss_.shape, bool(forest.train_loss_[-1] < forest.train_loss_[0])
        ((50,), True)
        """
        self._adopt(snapshot(self)._fitted_on(X, y, sample_weight))
        return self

    def _fitted_on(self, X: Any, y: Any, sample_weight: Any) -> dict[str, Any]:
        """Grow the trees and return all fitted attributes."""
        check_parameters(self.get_params(deep=False), self._rules)
        check_projection(self.projection)
        examples = read_training_examples(self, X)
        warn_of_equal_values(examples.given, examples.rows)
        n_rows, shape = len(examples.rows), examples.feature_shape
        target = self._read_target(y, n_rows)
        sample_weight = read_sample_weight(sample_weight, n_rows)
        weights = self._row_weights(target, sample_weight)
        augmentation = as_augmentation(self.augment)
        if augmentation is not None:
            check_copies(augmentation, examples)
        projection = chosen_projection(self, self._trial_forest(), examples, y, weights.total)
        previous = model_to_continue(self, projection, examples, target, augmentation)
        seed = draw_seed(self.random_state) if previous is None else previous.seed
        division = divide(weights, self._held_out(weights, target, seed))
        if previous is not None:
            projection = previous.projection  # with what it learned at the first fit
        projection = projection._learned(examples.rows, shape, division.learned)
        built = make_sampler(projection, shape)
        geometry, sampler = built.geometry, built.sampler
        assert sampler is not None
        check_bank(previous, built)
        for advice in projection._advice(shape):
            warnings.warn(advice, stacklevel=caller_level())
        if previous is None:
            means = fill_values(projection, examples.rows, division.learned)
        else:
            means = previous.fill_values
        if augmentation is not None:
            division = with_copies(division, int(augmentation.copies))
        options = grow_options(self, geometry.n_features, target, division, seed)

        def model_of(trees: FlatForest, start: NDArray[np.float64]) -> ForestModel:
            return ForestModel(
                trees=trees,
                geometry=used_geometry(geometry, trees),
                projection=projection,
                feature_shape=shape,
                n_classes=[],
                empty_leaf="none",
                fallback=start,
                seed=seed,
                n_rows=n_rows,
                record=None,
                fill_values=means,
                bank=built.bank,
            )

        def trainer_of(rows: NDArray[Any]) -> _core.Trainer:
            core_rows = rows_for_core(rows, projection, built, shape, n_threads(self.n_jobs))
            return _core.Trainer(core_rows, geometry, sampler, n_threads(self.n_jobs))

        first = 0 if previous is None else previous.trees.n_trees
        rounds = (
            (end, filled(rows, means))
            for end, rows in stretches(augmentation, examples, seed, first, int(self.n_estimators))
        )
        model, losses = self._boost(
            rounds, trainer_of, model_of, target, division, options, previous
        )
        fitted: dict[str, Any] = {
            "n_features_in_": examples.rows.shape[1],
            "feature_shape_": shape,
            "projection_": projection,
            "max_features_": options.n_candidates,
            "n_estimators_": model.trees.n_trees,
            "loss_": self._loss_name,
            **losses,
            **examples.name_attributes,
            **self._target_attributes(target),
            "_model": model,
        }
        if augmentation is not None:
            fitted["augmentation_"] = augmentation
        return fitted

    def _boost(
        self,
        rounds: Iterator[tuple[int, NDArray[Any]]],
        trainer_of: Callable[[NDArray[Any]], _core.Trainer],
        model_of: Callable[[FlatForest, NDArray[np.float64]], ForestModel],
        target: Target,
        division: Division,
        options: _core.GrowOptions,
        previous: ForestModel | None,
    ) -> tuple[ForestModel, dict[str, NDArray[np.float64]]]:
        """Return the model and the losses after each round.

        `rounds` are stretches that have rows of their own, whose scores the trees so far predict.
        """
        core = target.for_core(reads_node=False)
        assert core.values is not None
        threads = n_threads(self.n_jobs)
        units = LossUnits(self._loss_form, core.unit, division.unit)
        patience = Patience(int(self.n_iter_no_change) if division.held_out.any() else None)
        report = _report(self, units)
        model, losses = previous, Losses([], [])
        if previous is not None:
            n_before = previous.trees.n_trees
            losses = Losses(
                units.losses_in_core(self.train_loss_[:n_before]),
                units.losses_in_core(self.validation_loss_[:n_before]),
            )
        for end, rows in rounds:
            if model is not None and patience.is_over(losses):
                break
            sums = None
            if model is not None:
                scores = model.predict(rows, aggregation="sum", n_threads=threads)
                sums = np.ascontiguousarray(units.scores.down(scores))
            options.first_tree = 0 if model is None else model.trees.n_trees
            n_copies = len(rows) // len(core.values)
            booster = _core.Booster(
                trainer_of(rows),
                self._loss_name,
                core.values if n_copies == 1 else np.tile(core.values, (n_copies, 1)),
                np.broadcast_to(np.int32(0), len(rows)),
                division.learned,
                division.count,
                division.held_out,
                sums,
                options,
                float(self.learning_rate),
                units.hessians.limit(float(self.l2)),
            )
            losses = grow_rounds(booster, end, losses, patience, report)
            parts = [] if model is None else [model.trees]
            if len(losses.training) > options.first_tree:
                arrays = booster.take_trees(len(losses.training) - options.first_tree)
                parts.append(FlatForest(arrays | {"value": units.scores.up(arrays["value"])}))
            model = model_of(FlatForest.joined(parts), units.start(booster.start))
        assert model is not None
        n_kept = patience.n_kept(losses)
        if n_kept < model.trees.n_trees:
            model = model_of(model.trees.first(n_kept), model.fallback)
        return model, {
            "train_loss_": units.losses(losses.training),
            "validation_loss_": units.losses(losses.validation),
        }

    @abstractmethod
    def _trial_forest(self) -> BaseForest:
        """Return a forest whose out-of-bag scores tell which of several projections is best."""

    def _held_out(self, weights: RowWeights, target: Target, seed: int) -> NDArray[np.bool_] | None:
        """Return which rows are held out, or None if no rows are to be."""
        stops = self.early_stopping
        if stops == "auto":
            stops = weights.n_present > _MANY_ROWS
        if not stops:
            return None
        present = weights.count > 0
        return draw_held_out(present, target.strata(), float(self.validation_fraction), seed)

    @abstractmethod
    def _read_target(self, y: Any, n_rows: int) -> Target:
        """Validate y."""

    @abstractmethod
    def _row_weights(self, target: Target, sample_weight: NDArray[np.float64]) -> RowWeights:
        """Turn sample weights into the weights of the core."""

    @property
    @abstractmethod
    def _loss_name(self) -> str:
        """Name of the loss in the core."""

    @property
    def _loss_form(self) -> LossForm:
        return LOSSES[self._loss_name]

    @property
    def _aggregation(self) -> Aggregation:
        return "sum"

    def _target_attributes(self, target: Target) -> dict[str, Any]:
        return {"n_outputs_": target.n_outputs}

    def _same_outputs(self, target: Target) -> bool:
        """Whether a target has the same number of outputs and the same classes as at fit."""
        return target.n_outputs == self.n_outputs_

    @classmethod
    def _classes_of_leaves(cls, n_classes: list[int]) -> list[int]:
        return []  # leaves hold scores

    def _scores(self, X: Any) -> NDArray[np.float64]:
        """Return the scores of examples, of all outputs side by side."""
        sums = self._predict_values(X)  # which checks that the forest is fitted
        return self._model.fallback + sums

    def _staged_scores(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Return the scores of examples after each tree; X is read at once."""
        return _scores_of_stages(self._model, self.apply(X))

    @abstractmethod
    def _mean_loss(self, scores: NDArray[np.float64], target: Target) -> float:
        """Return the mean loss of examples, in the words of :attr:`train_loss_`."""

    def _tree_errors(self, X: Any, y: Any) -> TreeErrors:
        """Return the losses after each round, also those of given examples if X is not None."""
        n_rounds = len(self.train_loss_)
        curves = {"training": self.train_loss_}
        if len(self.validation_loss_):
            curves["held out"] = self.validation_loss_
        if X is not None:
            leaves = self.apply(X)
            target = self._read_target(y, len(leaves))
            if target.n_outputs != self.n_outputs_:
                raise ValueError(
                    f"y must have as many outputs as at fit, {self.n_outputs_}, got "
                    f"{target.n_outputs}"
                )
            losses = np.full(n_rounds, np.nan)  # the forest has no trees of rounds it dropped
            for tree, scores in enumerate(_scores_of_stages(self._model, leaves)):
                losses[tree] = self._mean_loss(scores, target)
            curves["given examples"] = losses
        n_kept = self._model.trees.n_trees
        return TreeErrors(
            LOSSES[self.loss_].words,
            np.arange(1, n_rounds + 1),
            curves,
            n_kept if n_kept < n_rounds else None,
        )

    def _describe_for_file(self, arrays: dict[str, NDArray[Any]]) -> Any:
        arrays["losses.training"] = self.train_loss_
        arrays["losses.validation"] = self.validation_loss_
        augment = augment_to_json(self.augment, getattr(self, "augmentation_", None), arrays)
        return {"n_estimators_": self.n_estimators_, "loss_": self.loss_, "augment": augment}

    @classmethod
    def _read_description(
        cls, description: Any, arrays: Mapping[str, NDArray[Any]]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        training, validation = arrays["losses.training"], arrays["losses.validation"]
        n_trees = description["n_estimators_"]
        if training.ndim != 1 or len(training) < n_trees or validation.ndim != 1:
            raise ValueError("losses do not fit the trees")
        if description["loss_"] not in LOSSES:
            raise ValueError(f"there is no loss {description['loss_']!r}")
        params, augmentation = augment_from_json(description["augment"], arrays)
        return params, augmentation | {
            "n_estimators_": int(n_trees),
            "loss_": description["loss_"],
            "train_loss_": training,
            "validation_loss_": validation,
        }


def _scores_of_stages(
    model: ForestModel, leaves: NDArray[np.int32]
) -> Iterator[NDArray[np.float64]]:
    """Yield the scores after each tree, added up as the core does."""
    value, offsets = model.trees["value"], model.trees["tree_offsets"]
    sums = np.zeros((len(leaves), value.shape[1]))
    for tree in range(model.trees.n_trees):
        sums += value[offsets[tree] + leaves[:, tree]]
        yield model.fallback + sums


def _report(forest: BoostedForest, units: LossUnits) -> Report | None:
    """Return a function that is told of each round, if the forest is to or someone listens."""
    listener = current_listener()
    n_estimators = int(forest.n_estimators)
    write = report_lines(type(forest).__name__, n_estimators) if forest.verbose else None
    if listener is None and write is None:
        return None

    def report(n_trees: int, training: float, validation: float) -> None:
        if write is not None:
            write(n_trees, *units.losses([training, validation]))  # without units
        if listener is not None:
            listener(n_trees, n_estimators)

    return report
