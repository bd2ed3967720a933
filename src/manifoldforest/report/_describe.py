"""Which report belongs to which model."""

from __future__ import annotations

from typing import Any

from ..boosting._base import BoostedForest
from ..boundary import DifferentiableBoundaryTree
from ..boundary._base import BaseBoundaryForest
from ..boundary._neighbour_index import NeighbourIndex
from ..forests._fitted_forest import FittedForest
from ..forests._table_forest import TableForest
from ..responses._base import BaseResponseForest
from ._boosting import loss_sections
from ._boundary import boundary_forest_report, differentiable_tree_report, index_report
from ._content import Fact, Section
from ._forest import (
    atoms_section,
    data_section,
    forest_parameters_section,
    importance_section,
    memory_of,
    size_section,
    tree_section,
)
from ._out_of_bag import out_of_bag_sections
from ._report import Report
from ._responses import response_sections
from ._wording import count, number_of, one_line, shape_text, size_in_bytes


def describe(model: Any) -> Report:
    """Return the report of a fitted estimator, or of an index."""
    if isinstance(model, FittedForest):
        return _forest_report(model)
    if isinstance(model, BaseBoundaryForest):
        return boundary_forest_report(model)
    if isinstance(model, NeighbourIndex):
        return index_report(model)
    assert isinstance(model, DifferentiableBoundaryTree)
    return differentiable_tree_report(model)


def _forest_report(forest: FittedForest) -> Report:
    top, quality = _quality(forest)
    sections = [
        data_section(forest),
        forest_parameters_section(forest),
        size_section(forest),
        *quality,
        importance_section(forest),
    ]
    atoms = atoms_section(forest)
    sections += [section for section in (atoms, tree_section(forest)) if section is not None]
    trees = forest._model.trees
    memory = memory_of(forest._model)
    highlights = [
        *top,
        Fact("trees", trees.n_trees, count(trees.n_trees)),
        Fact("nodes", trees.n_nodes, count(trees.n_nodes)),
        Fact("bytes", memory, size_in_bytes(memory), "memory"),
    ]
    return Report(type(forest).__name__, _summary(forest), highlights, sections)


def _quality(forest: FittedForest) -> tuple[list[Fact], list[Section]]:
    """Return how good the forest is, as far as it is known."""
    if isinstance(forest, BoostedForest):
        return loss_sections(forest)
    if isinstance(forest, BaseResponseForest):
        return response_sections(forest)
    assert isinstance(forest, TableForest)
    return out_of_bag_sections(forest)


def _summary(forest: FittedForest) -> str:
    shape = forest.feature_shape_
    several = f"{shape_text(shape)} features"
    example = several if len(shape) > 1 else number_of(shape[0], "feature")
    target = forest._describe_target()
    if isinstance(forest, BaseResponseForest):
        target = f"responses in {one_line(repr(forest.space_), 60)}"
    return (
        f"{number_of(len(forest), 'tree')} on {number_of(forest._model.n_rows, 'row')} of "
        f"{example}, for {target}"
    )
