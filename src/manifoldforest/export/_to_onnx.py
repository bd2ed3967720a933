"""Forests as ONNX models."""

from __future__ import annotations

import importlib.metadata
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._fitted_state import snapshot
from ..boosting import BoostedForestClassifier, BoostedForestRegressor
from ..forests import ForestClassifier, ForestRegressor
from ..projections._names import name_of
from ._cells import check_view
from ._ensemble import SomeTrees, leaves_of, parts_of
from ._graph import IR_VERSION, OPSET, TREE_DOMAIN, TREE_OPSET, Graph, require_onnx, tensor_info
from ._outputs import Forest, Rule, add_outputs, leaf_sums, rule_of
from ._row_blocks import in_blocks
from ._sums import atom_values
from ._table import make_table
from ._terms import ForestAtoms, forest_atoms

_FORESTS = (ForestClassifier, ForestRegressor, BoostedForestClassifier, BoostedForestRegressor)

# protobuf, in which ONNX models are written, allows no larger message
_MOST_BYTES = 2**31 - 2**20
# Numbers of a row, up to which all rows of a batch are worked on together.
_FEW_NUMBERS = 2**12


def to_onnx(forest: Any) -> Any:
    """Return a forest as an ONNX model, which other programs can run without this package.

    It needs the extra ``manifoldforest[onnx]``. The input ``X`` is float32, one flat example a row,
    and NaN where a value is missing; any number of rows is allowed. Outputs of a classifier are
    ``label`` and ``probabilities``, of shape (n, n_classes) in the order of `classes_`; of several
    columns of labels each has its own, ``label_0``, ``probabilities_0``, ``label_1`` and so on. The
    output of a regressor is ``prediction``, of shape (n,) or (n, n_outputs). Probabilities and
    predictions are float32. What a row gets is what the forest says of the same row in float32.

    Parameters
    ----------
    forest : ForestClassifier, ForestRegressor, BoostedForestClassifier or BoostedForestRegressor
        A fitted forest, with any view but :class:`~manifoldforest.views.FromTransformer`, without
        ``ranks=True``, and with any projection but those of statistics of series:
        :class:`~manifoldforest.projections.Intervals` and
        :class:`~manifoldforest.projections.DilatedKernels`.

    Returns
    -------
    model : onnx.ModelProto
        The model: ``onnx.save(model, path)`` writes it to a file.

    See Also
    --------
    load : forests from model files of this package, which are smaller and faster.

    Notes
    -----
    Trees are ``TreeEnsemble`` operators (domain ``ai.onnx.ml``, version 5), over the values of all
    atoms of their splits, which plain operators add up as the forest itself does. A forest of
    single features needs nothing but the former.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = mf.to_onnx(mf.ForestClassifier(5, random_state=0).fit(X, y))
    >>> [output.name for output in model.graph.output]
    ['label', 'probabilities']
    """
    if not isinstance(forest, _FORESTS):
        raise TypeError(_refusal(forest))
    check_is_fitted(forest)
    fitted = snapshot(forest)
    _check(fitted)
    require_onnx()
    return _model(fitted)


def _refusal(forest: Any) -> str:
    kind = type(forest).__name__
    names = ", ".join(allowed.__name__ for allowed in _FORESTS)
    reason = ""
    if not isinstance(forest, type) and kind.startswith(("Boundary", "Differentiable")):
        reason = ": it compares examples with stored ones, for which ONNX has no trees"
    elif kind in ("MetricForestRegressor", "KernelForestRegressor"):
        reason = ": its predictions are computed from the training responses, not from leaf values"
    if isinstance(forest, type):
        return f"forest must be a fitted object of {names}, got the class {forest.__name__}"
    return f"forest must be an object of {names}, got {kind}{reason}"


def _check(forest: Forest) -> None:
    """Raise a ValueError if a forest has no form in ONNX."""
    if hasattr(forest, "rank_transformer_"):
        raise ValueError(
            "forest must be fitted with ranks=False, got ranks=True: ranks are found by searching "
            "all training values; export a forest that is fitted on RankTransformer().transform(X)"
        )
    if forest._model.bank is not None:
        raise ValueError(
            f"forest must not split on statistics of series, got the projection "
            f"{forest.projection_!r}: they have no form in ONNX; save() writes a file of the forest"
        )
    for kind, _, _ in forest._model.geometry.views:
        check_view(kind)


def _model(forest: Forest) -> Any:
    """Put the model together."""
    from onnx import helper

    model, rule, graph = forest._model, rule_of(forest), Graph()
    n_features, width = model.geometry.n_features, rule.values.shape[1]
    atoms, parts = forest_atoms(model), parts_of(model.trees)
    sums = _Sums(forest, rule, atoms, parts)
    numbers = sums.numbers_per_row
    if numbers <= _FEW_NUMBERS:
        total = sums.append_to(graph, "X")
    else:
        total = in_blocks(graph, "X", n_features, width, numbers, sums.append_to)
    outputs = add_outputs(graph, total, rule, model.trees.n_trees)
    if graph.n_bytes > _MOST_BYTES:
        raise ValueError(
            "forest must take less than 2 GB as an ONNX model, the limit of the format, got "
            f"{graph.n_bytes / 1e9:.1f} GB of {model.trees.n_nodes} nodes: use fewer trees, or "
            "smaller ones"
        )
    inside = helper.make_graph(
        graph.nodes,
        type(forest).__name__,
        [tensor_info("X", np.float32, ["n", n_features])],
        outputs,
        graph.constants,
    )
    version = importlib.metadata.version("manifoldforest")
    made = helper.make_model(
        inside,
        opset_imports=[
            helper.make_opsetid("", OPSET),
            helper.make_opsetid(TREE_DOMAIN, TREE_OPSET),
        ],
        ir_version=IR_VERSION,
        producer_name="manifoldforest",
        producer_version=version,
        doc_string=_description(forest),
    )
    properties = {
        "manifoldforest_version": version,
        "forest": type(forest).__name__,
        "projection": name_of(forest.projection_),
        "n_trees": str(model.trees.n_trees),
        "feature_shape": " ".join(map(str, model.feature_shape)),
    }
    helper.set_model_props(made, properties)
    return made


def _description(forest: Forest) -> str:
    trees, shape = forest._model.trees, forest._model.feature_shape
    of = f" of examples of shape {shape}, flat" if len(shape) > 1 else ""
    return (
        f"{type(forest).__name__} of manifoldforest: {trees.n_trees} trees with {trees.n_nodes} "
        f"nodes. X: {forest._model.geometry.n_features} features{of}; NaN is a missing value."
    )


class _Sums:
    """The sums of leaf values over all trees, as operators on some rows."""

    def __init__(
        self, forest: Forest, rule: Rule, atoms: ForestAtoms, parts: list[SomeTrees]
    ) -> None:
        self.model, self.rule, self.atoms, self.parts = forest._model, rule, atoms, parts
        terms = atoms.terms
        # A forest of single features needs no table.
        self.on_features = bool(
            (terms.sizes == 1).all()
            and (terms.weights == 1).all()
            and (terms.columns < self.model.geometry.n_features).all()
        )

    @property
    def numbers_per_row(self) -> int:
        """About how many numbers of a row are there at a time."""
        most_trees = max(part.end - part.begin for part in self.parts)
        numbers = most_trees * int(self.rule.values.shape[1])
        if not self.on_features:
            numbers += 2 * max(len(part.splits) for part in self.parts)
            numbers += 4 * int(self.atoms.terms.columns.max(initial=0))
        return numbers

    def append_to(self, graph: Graph, rows: str) -> str:
        """Append the operators; return the sums, rows × numbers of the rule."""
        model = self.model
        if model.fill_values is not None:
            filling = graph.constant(model.fill_values[None], np.float32)
            rows = graph.op("Where", graph.op("IsNaN", rows), filling, rows)
        table = None if self.on_features else make_table(graph, rows, model, self.atoms)
        total = None
        for part in self.parts:
            of_node = self.atoms.of_node[part.nodes]
            if table is None:
                values, feature = rows, self._features(part)
            else:
                used = np.unique(self.atoms.of_node[part.splits])
                if len(used):
                    values, order = atom_values(graph, table, used)
                    place = np.zeros(len(self.atoms.terms.sizes), dtype=np.int64)
                    place[order] = np.arange(len(order))
                    feature = place[of_node]
                else:
                    values, feature = rows, np.zeros_like(of_node)
            leaves = leaves_of(graph, values, feature, part)
            sums = leaf_sums(graph, leaves, self.rule, part)
            total = sums if total is None else graph.op("Add", total, sums)
        assert total is not None
        return total

    def _features(self, part: SomeTrees) -> Any:
        feature = np.zeros(part.nodes.stop - part.nodes.start, dtype=np.int64)
        splits = part.splits
        feature[splits - part.nodes.start] = self.atoms.terms.columns[self.atoms.of_node[splits]]
        return feature
