"""From the leaves of a row to what a forest predicts: sums of their values, links and labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..boosting import BoostedForestClassifier, BoostedForestRegressor
from ..boosting._links import n_scores
from ..boosting._losses import LOSSES
from ..forests import ForestClassifier, ForestRegressor
from ._ensemble import SomeTrees
from ._graph import Graph, tensor_info

Forest = ForestClassifier | ForestRegressor | BoostedForestClassifier | BoostedForestRegressor


@dataclass(frozen=True)
class Rule:
    """What becomes of the values of leaves: they are added up, and the sums are finished."""

    values: NDArray[Any]  # of all nodes, nodes × numbers to add up
    counts_trees: bool  # whether the last of these numbers is 1 for trees that take part
    link: str  # "mean", "softmax", "logistic", "identity" or "exp"
    start: NDArray[np.float64]  # of boosted forests; for "mean" where no tree takes part
    classes: list[NDArray[Any]]  # of each output; none for numbers


def rule_of(forest: Forest) -> Rule:
    """Return what a forest does with the values of leaves."""
    model = forest._model
    value, start = model.trees["value"], model.fallback
    if isinstance(forest, BoostedForestClassifier):
        return Rule(value, False, "logistic", start, forest._classes_by_output)
    if isinstance(forest, BoostedForestRegressor):
        link = "exp" if LOSSES[forest.loss_].logarithmic else "identity"
        return Rule(value, False, link, start, [])
    classes = forest._classes_by_output if isinstance(forest, ForestClassifier) else []
    if model.link != "identity":
        return Rule(value, False, model.link, np.zeros(value.shape[1]), classes)
    if forest._aggregation == "vote":
        value = _votes(value, [len(labels) for labels in classes])
    if model.empty_leaf != "ignore":
        return Rule(value, False, "mean", start, classes)
    takes_part = (model.trees["weight"] > 0)[:, None]
    value = np.where(takes_part, value, 0)
    value = np.concatenate([value, takes_part.astype(value.dtype)], axis=1)
    return Rule(value, True, "mean", start, classes)


def _votes(value: NDArray[Any], n_classes: list[int]) -> NDArray[Any]:
    """Return 1 for the class of the largest share of each output, the first of equals, else 0."""
    votes, first = np.zeros_like(value), 0
    for n in n_classes:
        best = value[:, first : first + n].argmax(axis=1)
        votes[np.arange(len(value)), first + best] = 1
        first += n
    return votes


def leaf_sums(graph: Graph, leaves: str, rule: Rule, some: SomeTrees) -> str:
    """Return the sums of the values of leaves over some trees, rows × numbers, double."""
    of_leaves = rule.values[some.nodes][some.trees["left"][some.nodes] == 0]
    values = graph.gather(graph.constant(of_leaves, word="values"), leaves)
    return graph.sum(graph.cast(values, np.float64), 1)


def add_outputs(graph: Graph, sums: str, rule: Rule, n_trees: int) -> list[Any]:
    """Append what makes predictions of sums; return the descriptions of the outputs."""
    if not rule.classes:
        return [_numbers(graph, sums, rule, n_trees)]
    found, several = [], len(rule.classes) > 1
    width = rule.values.shape[1]
    n_trees_of_row = graph.slice(sums, width - 1, width, 1) if rule.counts_trees else None
    first = first_share = 0
    for number, labels in enumerate(rule.classes):
        end = first + (n_scores(len(labels)) if rule.link == "logistic" else len(labels))
        part = graph.slice(sums, first, end, 1)
        if rule.link == "mean":
            shares = graph.op("Div", part, graph.sum(part, 1, keep=True))
            fallback = rule.start[None, first_share : first_share + len(labels)]
            shares = _or_fallback(graph, shares, n_trees_of_row, fallback)
        else:
            start = graph.constant(rule.start[None, first:end], np.float64)
            shares = _softmax(graph, graph.op("Add", part, start), end - first < len(labels))
        ending = f"_{number}" if several else ""
        found += _labels(graph, shares, labels, ending)
        first, first_share = end, first_share + len(labels)
    return found


def _numbers(graph: Graph, sums: str, rule: Rule, n_trees: int) -> Any:
    n_outputs = rule.values.shape[1] - int(rule.counts_trees)
    values = sums
    if rule.counts_trees:
        count = graph.slice(sums, n_outputs, n_outputs + 1, 1)
        values = graph.op("Div", graph.slice(sums, 0, n_outputs, 1), count)
        values = _or_fallback(graph, values, count, rule.start[None])
    elif rule.link == "mean":
        values = graph.op("Div", sums, graph.constant(float(n_trees)))
    else:
        values = graph.op("Add", sums, graph.constant(rule.start[None], np.float64))
    if rule.link == "exp":
        values = graph.op("Exp", values)
    values = graph.cast(values, np.float32)
    shape: list[Any] = ["n", n_outputs]
    if n_outputs == 1:
        values, shape = graph.reshape(values, [-1]), ["n"]
    return _named(graph, values, "prediction", np.float32, shape)


def _or_fallback(
    graph: Graph, values: str, n_trees: str | None, fallback: NDArray[np.float64]
) -> str:
    """Return values, or the fallback for rows of which no tree knows anything."""
    if n_trees is None:
        return values
    known = graph.op("Greater", n_trees, graph.constant(0.0))
    return graph.op("Where", known, values, graph.constant(fallback, np.float64))


def _softmax(graph: Graph, scores: str, is_log_odds: bool) -> str:
    """Return probabilities; a score that is the log odds of the second class has one beside it."""
    if is_log_odds:
        scores = graph.op("Pad", scores, graph.constant([0, 1, 0, 0], np.int64))
    above = graph.op("Sub", scores, graph.largest(scores, 1))
    powers = graph.op("Exp", above)
    return graph.op("Div", powers, graph.sum(powers, 1, keep=True))


def _labels(graph: Graph, shares: str, labels: NDArray[Any], ending: str) -> list[Any]:
    best = graph.op("ArgMax", shares, axis=1, keepdims=0)  # the first of equals
    if labels.dtype.kind in "OU":
        dtype = np.dtype(object)
    elif labels.dtype.kind in "iu" and labels.dtype != np.uint64:
        dtype = np.dtype(np.int64)
    else:
        dtype = labels.dtype
    constant = graph.constant(labels.astype(dtype))
    return [
        _named(graph, graph.gather(constant, best), f"label{ending}", dtype, ["n"]),
        _named(
            graph,
            graph.cast(shares, np.float32),
            f"probabilities{ending}",
            np.float32,
            ["n", len(labels)],
        ),
    ]


def _named(graph: Graph, tensor: str, name: str, dtype: Any, shape: list[Any]) -> Any:
    """Give an output its name, and return its description."""
    from onnx import helper

    graph.nodes.append(helper.make_node("Identity", [tensor], [name], name=name))
    return tensor_info(name, dtype, shape)
