"""Files of boundary forests and indexes; `docs/model_files.md` describes the format."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._fitted_state import replace_fitted
from ..io import _archive
from ..io._archive import Archive, labels_in, labels_out, plain, plain_in
from ..io._bit_packing import Arrays, PackedArrays
from ..validation._named_dims import stored_dims
from ..validation._rules import check_parameters
from ._core_forest import RULES, CoreForest, ForestOptions
from ._feature_names import FeatureNames
from ._learned_state import LearnedState
from ._metrics import INDEX_METRICS, METRICS
from ._point_format import PointFormat
from ._point_store import ROW_TYPES, RowStore

if TYPE_CHECKING:
    from ._base import BaseBoundaryForest
    from ._boundary_index import BoundaryIndex
    from ._brute_force_index import BruteForceIndex
    from ._neighbour_index import NeighbourIndex

_FORMAT = 2

_NOT_STORED = ("n_jobs", "embedding")
_RECORD_INTEGERS = ("ids", "arrivals", "tree_offsets", "node_slot", "node_children", "starts")
_RECORD_ARRAYS = (*_RECORD_INTEGERS, "classes", "values")
_ROWS = "rows"
# The checksum of the points of an index is verified at once if they have at most this many bytes.
_VERIFIED_BYTES = 2**24


def classes() -> dict[str, type[Any]]:
    """Return the only classes that a file may ask for, by name."""
    from ._boundary_index import BoundaryIndex
    from ._brute_force_index import BruteForceIndex
    from ._classifier import BoundaryForestClassifier
    from ._regressor import BoundaryForestRegressor

    stored = (BoundaryForestClassifier, BoundaryForestRegressor, BoundaryIndex, BruteForceIndex)
    return {stored_class.__name__: stored_class for stored_class in stored}


# ------------------------------------------------------------------- writing


def save_forest(model: BaseBoundaryForest, path: str | os.PathLike[str]) -> None:
    """Write a fitted classifier or regressor to a file."""
    forest, record, labels = model._learned.snapshot()
    fitted_embedding = getattr(model, "embedding_", None)
    _check_storable(
        model,
        metrics=(model.metric, forest.point_format.metric),
        embeddings=(model.embedding, fitted_embedding),
    )
    content = _header(model, model.get_params(deep=False))
    arrays, rows = _forest_arrays(forest, record)
    content["forest"] = _forest_content(forest, record)
    if model._task == "classify":
        content["labels"] = labels_out([labels.classes], arrays)
        arrays["codes"] = labels.codes
    else:
        content["one_column"] = labels.one_column
    content |= {
        "n_passes": model.n_passes_,
        "feature_names": getattr(model, "feature_names_in_", np.array([])).tolist(),
    }
    if hasattr(model, "feature_dims_"):
        content["feature_dims"] = list(model.feature_dims_)
    _write(path, content, arrays, rows)


def save_boundary_index(index: BoundaryIndex, path: str | os.PathLike[str]) -> None:
    """Write an index of boundary trees to a file."""
    with index._mutex:
        content = _index_header(index) | {"seed": index._seed, "forest": None}
        arrays: Arrays = {}
        rows = None
        forest = index._storage
        if forest is not None:
            record = forest.record()
            content["forest"] = _forest_content(forest, record)
            arrays, rows = _forest_arrays(forest, record)
    _write(path, content, arrays, rows)


def save_brute_force_index(index: BruteForceIndex, path: str | os.PathLike[str]) -> None:
    """Write an index without trees to a file."""
    with index._mutex:
        content = _index_header(index) | {"shape": None}
        store = index._storage
    arrays: Arrays = {}
    rows = None
    if store is not None:
        assert isinstance(store, RowStore)  # as the metric has a name
        content["shape"] = list(store.shape)
        arrays, rows = {"ids": store.ids, "row_types": store.row_types}, store.rows
    _write(path, content, arrays, rows)


def _index_header(index: NeighbourIndex[Any]) -> dict[str, Any]:
    _check_storable(index, metrics=(index.metric,), embeddings=(index.embedding,))
    header = _header(index, index._file_parameters()) | {"next_id": index._next_id}
    return header | (index._feature_names.for_file() if len(index) else {})


def _check_storable(model: Any, metrics: tuple[Any, ...], embeddings: tuple[Any, ...]) -> None:
    """Raise a TypeError if a file would have to hold code."""
    name = type(model).__name__
    if type(model) is not classes().get(name):
        from ._neighbour_index import NeighbourIndex

        is_index = isinstance(model, NeighbourIndex)
        kind = "an index" if is_index else "a forest"
        stored = [
            stored_name
            for stored_name, stored_class in classes().items()
            if issubclass(stored_class, NeighbourIndex) == is_index
        ]
        raise TypeError(
            f"{kind} must be a {' or '.join(stored)} itself to be stored, got an object of the "
            f"class {name}: a file cannot hold its code"
        )
    for metric in metrics:
        if not isinstance(metric, str):
            raise TypeError(
                "metric must be the name of a metric to be stored, as a file cannot hold code, got "
                f"{metric!r}"
            )
    for embedding in embeddings:
        if embedding is not None:
            raise TypeError(
                "embedding must be None to be stored, as a file cannot hold code, got "
                f"{embedding!r}"
            )


def _header(model: Any, params: dict[str, Any]) -> dict[str, Any]:
    from .. import __version__

    if not isinstance(params.get("random_state", 0), int | np.integer):
        params = params | {"random_state": None}
    return {
        "format_version": _FORMAT,
        "package_version": __version__,
        "class": type(model).__name__,
        "params": {key: plain(key, v) for key, v in params.items() if key not in _NOT_STORED},
    }


def _forest_content(forest: CoreForest, record: Mapping[str, Any]) -> dict[str, Any]:
    point_format, options = forest.point_format, forest.options
    assert point_format.shape is not None  # as the metric has a name
    return {
        "metric": point_format.metric,
        "shape": list(point_format.shape),
        "n_trees": options.n_trees,
        "max_children": options.max_children,
        "seed": options.seed,
        "n_outputs": options.n_outputs,
        "tolerance": options.tolerance,
        "n_seen": record["n_seen"],
        "starting": record["starting"],
    }


def _forest_arrays(forest: CoreForest, record: Mapping[str, Any]) -> tuple[Arrays, NDArray[Any]]:
    point_format = forest.point_format
    rows = record["rows"].view(point_format.dtype).reshape(-1, point_format.n_features)
    return {name: record[name] for name in _RECORD_ARRAYS}, rows


def _write(
    path: str | os.PathLike[str],
    content: dict[str, Any],
    arrays: Arrays,
    rows: NDArray[Any] | None,
) -> None:
    packed = PackedArrays()
    for name, array in arrays.items():
        packed[name] = array
    content = content | {"arrays": packed.described}
    _archive.write(path, content, packed.stored, {} if rows is None else {_ROWS: rows})


# ------------------------------------------------------------------- reading


def put_together(archive: Archive, verify: bool | None = None) -> Any:
    """Return the forest or index of a file; `verify` says whether to read all points."""
    from ._boundary_index import BoundaryIndex
    from ._neighbour_index import NeighbourIndex

    content = archive.content
    _archive.check_format(archive.path, content, _FORMAT)
    packed = PackedArrays(content["arrays"], archive.tensors)
    arrays = {name: packed[name] for name in packed}
    stored_class = classes()[content["class"]]
    is_index = issubclass(stored_class, NeighbourIndex)
    params = {name: plain_in(value) for name, value in content["params"].items()}
    _check_metric(params["metric"], is_index=is_index)
    model = stored_class(**params)
    rows = archive.detached.get(_ROWS)
    if rows is not None:
        if not is_index:
            verify = True
        elif verify is None:
            verify = rows.nbytes <= _VERIFIED_BYTES
        if verify:
            archive.verify(_ROWS)
    if isinstance(model, BoundaryIndex):
        _fill_boundary_index(model, content, arrays, rows)
    elif is_index:
        _fill_brute_force_index(model, content, arrays, rows)
    else:
        check_parameters(model.get_params(deep=False), stored_class._rules)
        _fill_forest(model, content, arrays, rows)
    return model


def _check_metric(metric: Any, *, is_index: bool) -> None:
    if metric not in (INDEX_METRICS if is_index else METRICS):
        raise ValueError(f"{metric!r} is not a metric")


def _forest_in(
    task: str,
    content: Mapping[str, Any] | None,
    arrays: Mapping[str, NDArray[Any]],
    rows: NDArray[Any] | None,
) -> CoreForest | None:
    if content is None:
        return None
    if rows is None:
        raise ValueError("there are no points")
    size = {"n_estimators": content["n_trees"], "max_children": content["max_children"]}
    check_parameters(size, {name: RULES[name] for name in size})
    shape = _shape_in(content["shape"], rows)
    _check_metric(content["metric"], is_index=task == "retrieve")
    n_outputs, tolerance = int(content["n_outputs"]), float(content["tolerance"])
    if n_outputs < 0 or not 0 <= tolerance < math.inf or (n_outputs > 0) != (task == "regress"):
        raise ValueError("outputs do not fit the task")
    options = ForestOptions(
        task=task,
        n_trees=int(content["n_trees"]),
        max_children=int(content["max_children"]),
        seed=int(content["seed"]),
        n_outputs=n_outputs,
        tolerance=tolerance,
    )
    record: dict[str, Any] = {name: arrays[name] for name in _RECORD_ARRAYS}
    record["rows"] = rows.reshape(-1).view(np.uint8)
    record["starting"] = bool(content["starting"])
    record["n_seen"] = int(content["n_seen"])
    return CoreForest(options, PointFormat(str(content["metric"]), rows.dtype, shape), record)


def _shape_in(described: Any, rows: NDArray[Any]) -> tuple[int, ...]:
    shape = tuple(map(int, described))
    if not shape or min(shape) < 1 or rows.shape[1:] != (math.prod(shape),):
        raise ValueError("points are of another shape")
    return shape


def _next_id_in(content: Mapping[str, Any], ids: NDArray[Any] | None) -> int:
    next_id = int(content["next_id"])
    if ids is not None and next_id <= ids.max(initial=-1):
        raise ValueError("the next id has been used")
    if not 0 <= next_id <= 2**63:
        raise ValueError("the next id is out of range")
    return next_id


def _fill_boundary_index(
    index: BoundaryIndex,
    content: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    rows: NDArray[Any] | None,
) -> None:
    forest = _forest_in("retrieve", content["forest"], arrays, rows)
    next_id = _next_id_in(content, None if forest is None else arrays["ids"])
    seed = None if content["seed"] is None else int(content["seed"])
    if forest is not None and seed != forest.options.seed:
        raise ValueError("the seed is not that of the trees")
    if seed is not None and not 0 <= seed < 2**64:
        raise ValueError("the seed is out of range")
    index._next_id, index._seed = next_id, seed
    # an index without points has no forest
    index._storage = forest if forest is not None and len(arrays["ids"]) else None
    if index._storage is not None:
        index._feature_names = FeatureNames.in_file(content, index._storage.shape)


def _fill_brute_force_index(
    index: BruteForceIndex,
    content: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    rows: NDArray[Any] | None,
) -> None:
    if content["shape"] is None:
        index._next_id = _next_id_in(content, None)
        return
    if rows is None or len(rows) == 0:
        raise ValueError("there are no points")
    shape = _shape_in(content["shape"], rows)
    ids, row_types = arrays["ids"], arrays["row_types"]
    if ids.dtype != np.int64 or ids.shape != (len(rows),):
        raise ValueError("ids do not fit the points")
    if len(np.unique(ids)) != len(ids):
        raise ValueError("two points have the same id")
    if row_types.dtype != np.uint8 or row_types.shape != ids.shape:
        raise ValueError("the types of rows do not fit the points")
    if ROW_TYPES.index(rows.dtype) != row_types.max():
        raise ValueError("the points are not of the widest type of rows")
    index._next_id = _next_id_in(content, ids)
    index._storage = RowStore(index.metric, shape, ids, np.asarray(rows), row_types)
    index._feature_names = FeatureNames.in_file(content, shape)


def _fill_forest(
    model: BaseBoundaryForest,
    content: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    rows: NDArray[Any] | None,
) -> None:
    from ._classifier import ClassCodes
    from ._regressor import ResponseFormat

    forest = _forest_in(model._task, content["forest"], arrays, rows)
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
        labels = ResponseFormat(n_outputs, one_column, forest.options.tolerance)
    n_features = forest.point_format.n_features
    fitted = {
        "n_features_in_": n_features,
        "feature_shape_": forest.shape,
        "n_passes_": int(content["n_passes"]),
        "_seed": forest.options.seed,
        **model._label_attributes(labels),
        **stored_dims(content, forest.point_format.shape or ()),
    }
    names = content["feature_names"]
    if names:
        if len(names) != n_features or not all(isinstance(name, str) for name in names):
            raise ValueError("the names of features do not fit the points")
        fitted["feature_names_in_"] = np.array(names, dtype=object)
    replace_fitted(model, fitted | {"_learned": LearnedState(forest, labels)})
