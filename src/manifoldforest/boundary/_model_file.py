"""Files of boundary forests and indexes; `docs/model_files.md` describes the format."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..io import _archive
from ..io._archive import Archive, labels_in, labels_out, plain, plain_in
from ..io._bit_packing import Arrays, PackedArrays
from ..validation._parameters import check_parameters
from ._core_forest import RULES, CoreForest, ForestOptions, PointFormat
from ._metrics import INDEX_METRICS, METRICS

if TYPE_CHECKING:
    from ._base import BaseBoundaryForest
    from ._boundary_index import BoundaryIndex

_FORMAT = 2

_NOT_STORED = ("n_jobs", "embedding")
_INTEGERS = ("ids", "arrivals", "tree_offsets", "node_slot", "node_children", "starts")
_ROWS = "rows"
# Points up to this many bytes are verified whenever a file is opened.
_VERIFIED = 2**24


def classes() -> dict[str, type[Any]]:
    """Return the only classes that a file may ask for, by name."""
    from ._boundary_index import BoundaryIndex
    from ._classifier import BoundaryForestClassifier
    from ._regressor import BoundaryForestRegressor

    kinds = (BoundaryForestClassifier, BoundaryForestRegressor, BoundaryIndex)
    return {kind.__name__: kind for kind in kinds}


# ------------------------------------------------------------------- writing


def save_forest(forest: BaseBoundaryForest, path: str | os.PathLike[str]) -> None:
    """Write a fitted classifier or regressor to a file."""
    points, record, labels = forest._learned.snapshot()
    content = _about(forest, points)
    arrays: Arrays = {}
    if forest._task == "classify":
        content["labels"] = labels_out([labels.classes], arrays)
        arrays["codes"] = labels.codes
    else:
        content["one_column"] = labels.one_column
    content |= {
        "n_passes": forest.n_passes_,
        "feature_names": getattr(forest, "feature_names_in_", np.array([])).tolist(),
    }
    _write(path, content, arrays, points, record)


def save_index(index: BoundaryIndex, path: str | os.PathLike[str]) -> None:
    """Write an index to a file."""
    with index._lock.mutex_outside(index._forest):
        forest, next_id, seed = index._forest, index._next_id, index._seed
        content = _about(index, forest)
        record = None if forest is None else forest.record()
    _write(path, content | {"next_id": next_id, "seed": seed}, {}, forest, record)


def _about(model: Any, forest: CoreForest | None) -> dict[str, Any]:
    from .. import __version__

    name = type(model).__name__
    if type(model) is not classes().get(name):
        raise TypeError(
            f"a forest must be a {' or '.join(classes())} itself to be stored, got an object of "
            f"the class {name}: a file cannot hold its code"
        )
    params = model.get_params(deep=False)
    for metric in (params["metric"], None if forest is None else forest.kind.metric):
        if metric is not None and not isinstance(metric, str):
            raise TypeError(
                "metric must be the name of a metric to be stored, as a file cannot hold code, got "
                f"{metric!r}"
            )
    embedding = params["embedding"] or getattr(model, "embedding_", None)
    if embedding is not None:
        raise TypeError(
            f"embedding must be None to be stored, as a file cannot hold code, got {embedding!r}"
        )
    if not isinstance(params["random_state"], int | np.integer):
        params["random_state"] = None
    return {
        "format_version": _FORMAT,
        "package_version": __version__,
        "class": name,
        "params": {key: plain(key, v) for key, v in params.items() if key not in _NOT_STORED},
    }


def _write(
    path: str | os.PathLike[str],
    content: dict[str, Any],
    arrays: Arrays,
    forest: CoreForest | None,
    record: Mapping[str, Any] | None,
) -> None:
    detached: Arrays = {}
    content["forest"] = None
    if forest is not None and record is not None:
        kind, options = forest.kind, forest.options
        assert kind.dtype is not None
        assert kind.shape is not None
        content["forest"] = {
            "metric": kind.metric,
            "shape": list(kind.shape),
            "n_trees": options.n_trees,
            "max_children": options.max_children,
            "seed": options.seed,
            "n_outputs": options.n_outputs,
            "tolerance": options.tolerance,
            "n_seen": record["n_seen"],
            "starting": record["starting"],
        }
        arrays = arrays | {name: record[name] for name in (*_INTEGERS, "classes", "values")}
        detached[_ROWS] = record["rows"].view(kind.dtype).reshape(-1, kind.width)
    packed = PackedArrays()
    for name, array in arrays.items():
        packed[name] = array
    content["arrays"] = packed.described
    _archive.write(path, content, packed.stored, detached)


# ------------------------------------------------------------------- reading


def put_together(archive: Archive, verify: bool | None = None) -> Any:
    """Return the forest or index of a file."""
    content = archive.content
    _archive.check_format(archive.path, content, _FORMAT)
    packed = PackedArrays(content["arrays"], archive.tensors)
    arrays = {name: packed[name] for name in packed}
    kind = classes()[content["class"]]
    params = {name: plain_in(value) for name, value in content["params"].items()}
    of_index = content["class"] == "BoundaryIndex"
    if params["metric"] not in (INDEX_METRICS if of_index else METRICS):
        raise ValueError(f"{params['metric']!r} is not a metric")
    model = kind(**params)
    check_parameters(model.get_params(deep=False), RULES if of_index else kind._rules)
    forest = None
    if content["forest"] is not None:
        rows = archive.detached[_ROWS]
        if not of_index:
            verify = True
        elif verify is None:
            verify = rows.nbytes <= _VERIFIED
        if verify:
            archive.verify(_ROWS)
        task = "retrieve" if of_index else kind._task
        forest = _forest_in(task, content["forest"], arrays, rows)
    if of_index:
        _fill_index(model, forest, content, arrays)
    else:
        _fill_forest(model, forest, content, arrays)
    return model


def _forest_in(
    task: str, described: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], rows: NDArray[Any]
) -> CoreForest:
    size = {"n_estimators": described["n_trees"], "max_children": described["max_children"]}
    check_parameters(size | {"n_jobs": None}, RULES)
    shape = tuple(map(int, described["shape"]))
    if not shape or min(shape) < 1 or rows.shape[1:] != (math.prod(shape),):
        raise ValueError("points are of another shape")
    if described["metric"] not in (INDEX_METRICS if task == "retrieve" else METRICS):
        raise ValueError(f"{described['metric']!r} is not a metric")
    n_outputs, tolerance = int(described["n_outputs"]), float(described["tolerance"])
    if n_outputs < 0 or not 0 <= tolerance < math.inf or (n_outputs > 0) != (task == "regress"):
        raise ValueError("outputs do not fit the task")
    options = ForestOptions(
        task=task,
        n_trees=int(described["n_trees"]),
        max_children=int(described["max_children"]),
        seed=int(described["seed"]),
        n_outputs=n_outputs,
        tolerance=tolerance,
    )
    record: dict[str, Any] = {name: arrays[name] for name in (*_INTEGERS, "classes", "values")}
    record["rows"] = rows.reshape(-1).view(np.uint8)
    record["starting"] = bool(described["starting"])
    record["n_seen"] = int(described["n_seen"])
    return CoreForest(options, PointFormat(str(described["metric"]), rows.dtype, shape), record)


def _fill_index(
    index: BoundaryIndex,
    forest: CoreForest | None,
    content: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    next_id = int(content["next_id"])
    if forest is not None and next_id <= arrays["ids"].max(initial=-1):
        raise ValueError("the next id has been used")
    if not 0 <= next_id <= 2**63:
        raise ValueError("the next id is none")
    seed = None if content["seed"] is None else int(content["seed"])
    if forest is not None and seed != forest.options.seed:
        raise ValueError("the seed is not that of the trees")
    if seed is not None and not 0 <= seed < 2**64:
        raise ValueError("the seed is out of range")
    index._next_id, index._seed = next_id, seed
    # an index without points has no forest
    index._forest = forest if forest is not None and len(arrays["ids"]) else None


def _fill_forest(
    model: BaseBoundaryForest,
    forest: CoreForest | None,
    content: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    from ._base import Learned
    from ._classifier import ClassCodes
    from ._regressor import Responses

    if forest is None or len(arrays["ids"]) == 0:
        raise ValueError("there are no examples")
    labels: Any
    if forest.options.task == "classify":
        (known,) = labels_in(content["labels"], arrays)
        codes, learned = arrays["codes"], arrays["classes"]
        if codes.dtype != np.int32 or known.shape != codes.shape:
            raise ValueError("there are too few or too many labels")
        if not np.array_equal(np.sort(codes), np.arange(len(codes))):
            raise ValueError("labels have numbers that are not theirs")
        if len(learned) and not 0 <= learned.min() <= learned.max() < len(codes):
            raise ValueError("examples are of a class that does not exist")
        labels = ClassCodes(known, codes)
    else:
        one_column, n_outputs = bool(content["one_column"]), forest.options.n_outputs
        if one_column and n_outputs != 1:
            raise ValueError("one column cannot hold several outputs")
        labels = Responses(n_outputs, one_column, forest.options.tolerance)
    fitted = {
        "n_features_in_": forest.kind.width,
        "feature_shape_": forest.kind.shape,
        "n_passes_": int(content["n_passes"]),
        "_seed": forest.options.seed,
        **model._label_attributes(labels),
    }
    names = content["feature_names"]
    if names:
        if len(names) != forest.kind.width or not all(isinstance(name, str) for name in names):
            raise ValueError("the names of features do not fit the points")
        fitted["feature_names_in_"] = np.array(names, dtype=object)
    model._adopt(fitted | {"_learned": Learned(forest, labels)})
