"""The three steps of a fit: prepare the data, grow a range of trees, finish the forest.

A fit in one process takes them one after the other. A tree is a function of what was prepared, the
seed and its number, so that several processes that have prepared the same data may grow a range of
trees each, and one of them finishes the forest of all.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._progress import Progress
from ..projections import Projection
from ..projections._auto import check_projection
from ..validation._inputs import CoreTarget, Examples, ForestTarget, read_training_examples
from ..validation._parameters import n_threads
from ..validation._precision import warn_of_equal_values
from ..validation._rules import check_parameters
from ..validation._stack_level import caller_level
from ._augmented_growing import check_copies, grow_on_copies, rows_to_refine, with_copies
from ._choice import chosen_projection
from ._fitted_forest import pass_to_ranks
from ._flat_forest import FlatForest
from ._forest_model import Built, ForestModel, make_sampler, rows_for_core
from ._geometry import same_atoms, used_geometry
from ._growing import grow, grow_options, joined_trees
from ._imputation import fill_values, filled
from ._parameters import n_candidates
from ._rank_transformer import RankTransformer
from ._warm_start import check_bank, model_to_continue
from ._weights import RowWeights, read_sample_weight

if TYPE_CHECKING:
    from ._base import BaseForest


@dataclass(frozen=True)
class FitInputs:
    """What a fit has read and learned before it asks the core; it can be sent elsewhere."""

    forest: BaseForest
    examples: Examples
    target: ForestTarget
    weights: RowWeights
    projection: Projection  # with what it learned
    previous: ForestModel | None  # of a warm start
    ranks: RankTransformer | None
    fill_values: NDArray[np.float32] | None
    seed: int | None = None  # None is drawn from the forest's generator
    find_pruning_path: bool = False


def read_fit(
    forest: BaseForest, X: Any, y: Any, sample_weight: Any, *, find_pruning_path: bool = False
) -> FitInputs:
    """Check the parameters and the data of a fit, and learn what is learned before trees grow."""
    check_fit(forest)
    examples = read_training_examples(forest, X)
    warn_of_equal_values(examples.given, examples.rows)
    target = forest._read_target(y, len(examples.rows))
    forest._check_target(target)
    sample_weight = read_sample_weight(sample_weight, len(examples.rows))
    weights = forest._row_weights(target, sample_weight)
    inputs = learned_inputs(forest, examples, y, target, weights)
    return replace(inputs, find_pruning_path=find_pruning_path)


def learned_inputs(
    forest: BaseForest, examples: Examples, y: Any, target: ForestTarget, weights: RowWeights
) -> FitInputs:
    """Learn from rows what is learned before trees grow."""
    if forest._augmentation is not None:
        check_copies(forest._augmentation, examples)
    projection = chosen_projection(forest, forest._trial_forest(), examples, y, weights.total)
    record = forest._record(target, weights)
    previous = model_to_continue(forest, projection, examples, target, record)
    ranks = forest._fitted_ranks(examples, weights, previous)
    rows = pass_to_ranks(ranks, examples.rows)
    if previous is not None:
        projection = previous.projection  # with what it learned at the first fit
    projection = projection._learned(rows, examples.feature_shape, weights.total)
    if previous is None:
        means = fill_values(projection, rows, weights.total)
    else:
        means = previous.fill_values
    return FitInputs(
        forest=forest,
        examples=replace(examples, given=None),
        target=target,
        weights=weights,
        projection=projection,
        previous=previous,
        ranks=ranks,
        fill_values=means,
    )


def check_fit(forest: BaseForest) -> None:
    """Raise an error unless the parameters of a forest are valid, whatever the data are."""
    check_parameters(forest.get_params(deep=False), forest._rules)
    check_projection(forest.projection)
    forest._check_together()


class PreparedFit:
    """A fit whose trees can be grown, in any ranges and in any order.

    Parameters
    ----------
    inputs : FitInputs
        What was read and learned.
    built : Built or None, default=None
        What `make_sampler` makes of the projection, if that is there already: it can take seconds,
        and several fits may share it.
    """

    def __init__(self, inputs: FitInputs, built: Built | None = None) -> None:
        forest, examples, target = inputs.forest, inputs.examples, inputs.target
        if built is None:
            built = make_sampler(inputs.projection, examples.feature_shape)
        self.built = built
        self.geometry = built.geometry
        assert built.sampler is not None
        self.sampler = built.sampler
        self._check_atoms(inputs)
        self.learned: CoreTarget = target.for_core(reads_node=self.sampler.reads_node)
        self.drawn_from = inputs.weights
        if forest._augmentation is not None:
            self.drawn_from = with_copies(inputs.weights, int(forest._augmentation.copies))
        self.inputs = inputs
        options = self._options()
        self.inputs = replace(inputs, seed=options.seed)
        self.first_tree = options.first_tree
        self.n_trees = options.n_trees
        self.rows = self._prepared(examples.rows)

    def _check_atoms(self, inputs: FitInputs) -> None:
        previous = inputs.previous
        check_bank(previous, self.built)
        if previous is not None and not same_atoms(previous.geometry, self.geometry):
            raise ValueError(
                "warm_start must continue with the atoms it began with, but this version of "
                f"manifoldforest makes others of the projection {inputs.projection!r}: fit a new "
                "forest"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        return PreparedFit, (self.inputs,)  # objects of the core are made again

    def __sizeof__(self) -> int:
        """Return the size of the rows: what a copy in another process would take."""
        return object.__sizeof__(self) + int(self.rows.nbytes)

    def _options(self) -> _core.GrowOptions:
        inputs = self.inputs
        options = grow_options(
            inputs.forest,
            len(inputs.examples.rows),
            self.geometry.n_features,
            inputs.target,
            self.learned,
            self.drawn_from,
            inputs.previous,
            inputs.seed,
        )
        options.find_pruning_path = inputs.find_pruning_path
        return options

    def _prepared(self, given: NDArray[Any]) -> NDArray[Any]:
        """Return rows as trees see them, from rows as they came."""
        return filled(pass_to_ranks(self.inputs.ranks, given), self.inputs.fill_values)

    @property
    def new_trees(self) -> range:
        """Numbers of the trees that are to be grown."""
        return range(self.first_tree, self.first_tree + self.n_trees)

    def give_advice(self) -> None:
        """Warn of parameters of the projection that will not do what they seem to."""
        for advice in self.inputs.projection._advice(self.inputs.examples.feature_shape):
            warnings.warn(advice, stacklevel=caller_level())

    def grown(self, trees: range, progress: Progress | None) -> FlatForest | None:
        """Grow the trees with these numbers; None if there are none."""
        inputs, options = self.inputs, self._options()
        options.first_tree, options.n_trees = trees.start, len(trees)

        def grown_on(
            rows: NDArray[Any],
            learned: CoreTarget,
            strata: NDArray[np.int32],
            progress: Progress | None,
        ) -> FlatForest | None:
            return grow(
                inputs.forest,
                rows_for_core(
                    rows,
                    inputs.projection,
                    self.built,
                    inputs.examples.feature_shape,
                    n_threads(inputs.forest.n_jobs),
                ),
                learned,
                strata,
                self.drawn_from,
                self.geometry,
                self.sampler,
                options,
                progress,
            )

        growing = self.learned, inputs.target.strata(), progress
        augmentation = inputs.forest._augmentation
        if augmentation is None:
            return grown_on(self.rows, *growing)
        return grow_on_copies(
            augmentation, inputs.examples, self._prepared, *growing, options, grown_on
        )

    def fallback(self) -> NDArray[np.float64]:
        """Return the value of a node that holds all rows."""
        learned = self.learned
        value = self._options().objective.fallback(
            learned.values,
            self.inputs.target.n_classes,
            self.inputs.weights.total,
            learned.signs,
            learned.squared_distances,
        )
        return np.asarray(learned.unit.up(value))

    def finished(self, parts: Sequence[FlatForest]) -> dict[str, Any]:
        """Return all fitted attributes of the forest of the new trees, in the order of parts."""
        inputs, forest, target = self.inputs, self.inputs.forest, self.inputs.target
        keep_samples = self._options().keep_samples
        n_rows = len(inputs.examples.rows)
        model = joined_model(
            inputs, self.built, parts, self.fallback(), n_rows, keep_samples=keep_samples
        )
        if forest._link != "identity" and not inputs.find_pruning_path:
            model = forest._with_scores(model, self._rows_to_refine(), target, inputs.weights)
        fitted = fitted_attributes(inputs, self.geometry.n_features)
        if forest.oob_score:
            fitted |= forest._out_of_bag_attributes(model, target)
        if not forest._keeps_samples(n_rows, inputs.previous):
            model = model.without_samples()
        return fitted | {"_model": model}

    def _rows_to_refine(self) -> NDArray[Any]:
        augmentation = self.inputs.forest._augmentation
        if augmentation is None:
            return self.rows
        assert self.inputs.seed is not None
        rows = rows_to_refine(augmentation, self.inputs.examples, self.inputs.seed)
        return self._prepared(rows)


def joined_model(
    inputs: FitInputs,
    built: Built,
    parts: Sequence[FlatForest],
    fallback: NDArray[np.float64],
    n_rows: int,
    *,
    keep_samples: bool,
) -> ForestModel:
    """Return the model of the trees of a warm start and of those of all parts, in their order."""
    joined = joined_trees(inputs.previous, parts, keep_samples)
    assert inputs.seed is not None
    return ForestModel(
        trees=joined,
        geometry=used_geometry(built.geometry, joined),
        projection=inputs.projection,
        feature_shape=inputs.examples.feature_shape,
        n_classes=inputs.target.n_classes,
        empty_leaf=inputs.forest._rule_for_empty_leaves,
        fallback=fallback,
        seed=inputs.seed,
        n_rows=n_rows,
        record=inputs.forest._record(inputs.target, inputs.weights) if keep_samples else None,
        fill_values=inputs.fill_values,
        bank=built.bank,
    )


def fitted_attributes(inputs: FitInputs, n_seen: int) -> dict[str, Any]:
    """Return the fitted attributes that do not depend on the trees, which see so many features."""
    forest, examples = inputs.forest, inputs.examples
    fitted: dict[str, Any] = {
        "n_features_in_": examples.rows.shape[1],
        "feature_shape_": examples.feature_shape,
        "projection_": inputs.projection,
        "max_features_": n_candidates(forest.max_features, n_seen),
        **examples.name_attributes,
        **forest._target_attributes(inputs.target),
    }
    if inputs.ranks is not None:
        fitted["rank_transformer_"] = inputs.ranks
    if forest._augmentation is not None:
        fitted["augmentation_"] = forest._augmentation
    return fitted
