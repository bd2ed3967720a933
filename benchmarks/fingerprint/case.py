"""A case, and the hashes of what it learns and answers."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

Print = dict[
    str, Any
]  # {"trees": hashes by array, "answers": hashes by question} or {"error": text}


@dataclass(frozen=True)
class Data:
    """What a model learns from, and the rows that it is asked about."""

    X: Any
    y: Any
    new: Any
    weight: Any = None


def fit(model: Any, data: Data) -> None:
    """Learn all at once."""
    if data.weight is None:
        model.fit(data.X, data.y)
    else:
        model.fit(data.X, data.y, sample_weight=data.weight)


@dataclass(frozen=True)
class Case:
    """A model that is made, taught and asked."""

    name: str
    make: Callable[[], Any]
    data: Callable[[], Data]
    learn: Callable[[Any, Data], None] = fit


# What is asked, if the model has the method or property that is the first word.
QUESTIONS: dict[str, Callable[[Any, Data], Any]] = {
    "predict": lambda model, data: model.predict(data.new),
    "predict one": lambda model, data: model.predict(data.new[:1]),
    "predict floats": lambda model, data: model.predict(as_floats(data.new)),
    "predict_proba": lambda model, data: model.predict_proba(data.new),
    "predict_proba one": lambda model, data: model.predict_proba(data.new[:1]),
    "predict_proba_per_tree": lambda model, data: model.predict_proba_per_tree(data.new),
    "predict_per_tree": lambda model, data: model.predict_per_tree(data.new),
    "predict_quantiles": lambda model, data: model.predict_quantiles(data.new[:20], [0.2, 0.5]),
    "predict_region": lambda model, data: model.predict_region(data.new[:20]),
    "apply": lambda model, data: model.apply(data.new),
    "forest_weights": lambda model, data: model.forest_weights(data.new[:20]),
    "proximity": lambda model, data: model.proximity(data.new[:20]),
    "leaf_region": lambda model, data: model.leaf_region(0, model.apply(data.new[:1])[0, 0]),
    "permutation_importance": lambda model, data: model.permutation_importance(
        data.X, data.y, features=[4], random_state=2
    ),
    "feature_importances_": lambda model, _: model.feature_importances_,
    "feature_usage_": lambda model, _: model.feature_usage_,
    "oob_score_": lambda model, _: model.oob_score_,
    "oob_decision_function_": lambda model, _: model.oob_decision_function_,
    "oob_prediction_": lambda model, _: model.oob_prediction_,
    "oob_distance_": lambda model, _: model.oob_distance_,
    "oob_skipped_": lambda model, _: model.oob_skipped_,
    "truncation_error_": lambda model, _: model.truncation_error_,
    "stored_ neighbours": lambda model, data: nearest_examples(model, data.new),
    "ids query": lambda model, data: model.query(data.new, 5),
    "ids query among": lambda model, data: model.query(data.new, 3, among=model.ids[::3]),
    "ids query where": lambda model, data: model.query(data.new[:5], 3, where=lambda i: i % 2 == 0),
    "ids": lambda model, _: model.ids,
    "get": lambda model, _: model.get(model.ids),
    "n_nodes_": lambda model, _: model.n_nodes_,
    "depth_": lambda model, _: model.depth_,
    "stored_examples_": lambda model, _: model.stored_examples_,
    "tolerance_": lambda model, _: model.tolerance_,
}


def nearest_examples(model: Any, new: Any) -> Any:
    """Return the nearest stored examples of a boundary forest; older versions say kneighbors."""
    return model.query(new, 3) if hasattr(model, "query") else model.kneighbors(new, 3)


def as_floats(new: Any) -> Any:
    """Return the rows as float32: forests that learned bytes predict these by other tables."""
    return np.asarray(new, dtype=np.float32)


def fingerprint(case: Case) -> Print:
    """Learn and ask; an error is a result like others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model, data = case.make(), case.data()
            case.learn(model, data)
            trees = {name: digest(array) for name, array in sorted(trees_of(model).items())}
        except Exception as error:
            return {"error": error_text(error)}
        return {"trees": trees, "answers": answers_of(model, data)}


def answers_of(model: Any, data: Data) -> dict[str, str]:
    """Return the hash of each answer, or the error in its place."""
    answers = {}
    for question, ask in QUESTIONS.items():
        if not hasattr(model, question.split()[0]):
            continue
        try:
            answers[question] = digest(ask(model, data))
        except Exception as error:
            answers[question] = error_text(error)
    return answers


def trees_of(model: Any) -> Mapping[str, Any]:
    """Return all arrays of the trees by name: the flat forest, or the nodes of boundary trees."""
    if hasattr(model, "_model"):
        arrays: Mapping[str, Any] = model._model.trees.arrays
        return arrays
    trees = model.trees_
    return {
        name: [getattr(tree, name) for tree in trees] for name in ("example", "parent", "label")
    }


def error_text(error: Exception) -> str:
    """Return the kind and the first line of an error."""
    return f"{type(error).__name__}: {error}".splitlines()[0][:300]


def digest(value: Any) -> str:
    """Return the hash of a value and of its type, the same for equal values in every process."""
    hashed = hashlib.sha256()
    for part in parts(value):
        hashed.update(part)
    return hashed.hexdigest()[:16]


def parts(value: Any) -> Iterable[bytes]:
    """Return the bytes that a value consists of."""
    if issparse(value):
        yield f"sparse {value.format} {value.shape}".encode()
        yield from parts([value.data, value.indices, value.indptr])
    elif isinstance(value, list | tuple):
        yield f"sequence {len(value)}".encode()
        for item in value:
            yield from parts(item)
    elif isinstance(value, np.ndarray | np.generic) and value.dtype.kind != "O":
        array: NDArray[Any] = np.asarray(value)
        yield f"array {array.dtype.str} {array.shape}".encode()
        yield np.ascontiguousarray(array).tobytes()
    elif isinstance(value, np.ndarray):
        yield from parts(value.tolist())
    elif value is None or isinstance(value, bool | int | float | str):
        yield f"{type(value).__name__} {value!r}".encode()
    else:
        raise TypeError(f"no hash is known for objects of type {type(value).__name__}")
