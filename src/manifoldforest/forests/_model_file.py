"""Model files of forests.

The packed arrays of the forest are tensors; everything else is content of the container
(`io/_archive.py`). Reading makes objects of the classes in one table and nothing else: no file can
run code. `docs/model_files.md` describes the format.
"""

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
from ..io._tree_packing import pack_trees, unpack_trees
from ..projections import as_projection, projection_from_dict, projection_to_dict
from ..tables import TableSchema
from ..validation._named_dims import stored_dims
from ..validation._rules import check_parameters
from ._bank import made_bank
from ._flat_forest import FlatForest
from ._forest_model import ForestModel, TrainingRecord, make_sampler
from ._geometry import check_atoms, pack_geometry, unpack_geometry, used_geometry
from ._link import n_scores, read_link
from ._rank_transformer import RankTransformer

if TYPE_CHECKING:
    from ._fitted_forest import FittedForest

# What is written; files with a bank, which readers before it would take for a table, have a number
# of their own.
_FORMAT = 4
_FIRST_WITH_BANK = 5
_FIRST_WITH_GEOMETRY = 3

_TREES = "trees."
_GEOMETRY = "geometry."
_NOT_STORED = ("n_jobs", "verbose")
_EMPTY_LEAVES = ("none", "ignore", "uniform", "empirical", "prune")
_RANK_ARRAYS = ("values_", "ranks_", "offsets_", "counts_")
_OUT_OF_BAG_ARRAYS = ("oob_decision_function_", "oob_prediction_", "oob_distance_")


def save(forest: FittedForest, path: str | os.PathLike[str]) -> None:
    """Write a fitted forest to a file, which appears under its name only when it is complete."""
    if type(forest) is not classes().get(type(forest).__name__):
        raise TypeError(
            f"a forest must be a {' or '.join(classes())} itself to be stored, got an object of "
            f"the class {type(forest).__name__}: a file cannot hold its code"
        )
    _archive.write(path, *_take_apart(forest))


def classes() -> dict[str, type[FittedForest]]:
    """Return the only classes of forests that a model file may ask for, by name."""
    from ..boosting import BoostedForestClassifier, BoostedForestRegressor
    from ..responses import KernelForestRegressor, MetricForestRegressor
    from ._classifier import ForestClassifier
    from ._regressor import ForestRegressor

    kinds: tuple[type[FittedForest], ...] = (
        ForestClassifier,
        ForestRegressor,
        MetricForestRegressor,
        KernelForestRegressor,
        BoostedForestClassifier,
        BoostedForestRegressor,
    )
    return {kind.__name__: kind for kind in kinds}


# ------------------------------------------------------------------- writing


def _take_apart(forest: FittedForest) -> tuple[dict[str, Any], Arrays]:
    from .. import __version__

    model = forest._model
    projection, arrays = projection_to_dict(model.projection)
    views, grids, dictionary = pack_geometry(model.geometry)
    content: dict[str, Any] = {
        "format_version": _FORMAT if model.bank is None else _FIRST_WITH_BANK,
        "package_version": __version__,
        "class": type(forest).__name__,
        "params": _params_out(forest),
        "projection": projection,
        "feature_shape": list(model.feature_shape),
        "grids": grids,
        "feature_names": getattr(forest, "feature_names_in_", np.array([])).tolist(),
        "n_outputs": forest.n_outputs_,
        "max_features": forest.max_features_,
        "empty_leaf": model.empty_leaf,
        "seed": model.seed,
        "n_rows": model.n_rows,
        "ranks": hasattr(forest, "rank_transformer_"),
    }
    if hasattr(forest, "feature_dims_"):
        content["feature_dims"] = list(forest.feature_dims_)
    if views:
        content["views"] = views
    if model.bank is not None:
        content["bank"] = model.bank.geometry.views
    if model.link != "identity":
        content["link"] = model.link
    if hasattr(forest, "table_schema_"):
        content["table_schema"] = forest.table_schema_.to_json()
    content["param_projection"] = _param_projection_out(forest, arrays)
    content["described"] = forest._describe_for_file(arrays)
    arrays["fallback"] = model.fallback
    if model.fill_values is not None:
        arrays["fill_values"] = model.fill_values
    if content["ranks"]:
        ranks = forest.rank_transformer_
        arrays |= {f"ranks.{name}": getattr(ranks, name) for name in _RANK_ARRAYS}
    labels = _as_list(getattr(forest, "classes_", []))
    content["labels"] = labels_out(labels, arrays)
    content["record"] = _record_out(model.record, arrays)
    content["out_of_bag"] = _out_of_bag_out(forest, arrays)
    packed = PackedArrays()
    for name, array in arrays.items():
        packed[name] = array
    packed.add_all(_GEOMETRY, dictionary)
    packed.add_all(_TREES, pack_trees(model.trees.arrays, model.n_classes))
    content["arrays"] = packed.described
    return content, packed.stored


def _params_out(forest: FittedForest) -> dict[str, Any]:
    params = forest.get_params(deep=False)
    if not isinstance(params["random_state"], int | np.integer):
        params["random_state"] = None
    if callable(params.get("oob_score")):
        params["oob_score"] = True
    left_out = (*_NOT_STORED, *forest._described_parameters)
    return {name: plain(name, v) for name, v in params.items() if name not in left_out}


def _param_projection_out(forest: FittedForest, arrays: Arrays) -> Any:
    """Return the parameter `projection`: a name, None if it is the fitted one, or another one."""
    if isinstance(forest.projection, str):
        return forest.projection
    if forest.projection == forest._model.projection:
        return None
    config, others = projection_to_dict(as_projection(forest.projection))
    arrays |= {f"param.{name}": array for name, array in others.items()}
    return config


def _record_out(record: TrainingRecord | None, arrays: Arrays) -> Any:
    if record is None:
        return None
    if record.y is not None:
        arrays["record.y"] = record.y
    for name in ("total_weight", "row_weight"):
        arrays[f"record.{name}"] = getattr(record, name)
    return {"bootstrap": record.bootstrap, "balanced": record.balanced}


def _out_of_bag_out(forest: FittedForest, arrays: Arrays) -> Any:
    if not hasattr(forest, "oob_score_"):
        return None
    described: dict[str, Any] = {
        "oob_score_": float(forest.oob_score_),
        "oob_skipped_": forest.oob_skipped_,
    }
    for name in _OUT_OF_BAG_ARRAYS:
        if hasattr(forest, name):
            values = _as_list(getattr(forest, name))
            described[name] = len(values) if isinstance(getattr(forest, name), list) else 0
            arrays |= {f"{name}.{k}": array for k, array in enumerate(values)}
    return described


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


# ------------------------------------------------------------------- reading


def put_together(archive: Archive) -> FittedForest:
    """Return the forest in a file, after checking all of it."""
    content = archive.content
    packed = PackedArrays(content["arrays"], archive.tensors)
    apart = (_TREES, _GEOMETRY)
    arrays = {name: packed[name] for name in packed if not name.startswith(apart)}
    model = _model_in(content, arrays, packed)
    params = {name: plain_in(value) for name, value in content["params"].items()}
    params["projection"] = _param_projection_in(content["param_projection"], model, arrays)
    kind = classes()[content["class"]]
    more_params, described = kind._read_description(content.get("described"), arrays)
    if "_responses" in described and len(described["_responses"]) != model.n_rows:
        raise ValueError("there are not as many responses as training rows")
    if "_responses" not in described and model.record is not None and model.record.y is None:
        raise ValueError("responses of training rows are missing")
    forest = kind(**params, **more_params)
    check_parameters(forest.get_params(deep=False), forest._rules)
    fitted = {
        **described,
        "_model": model,
        "n_features_in_": math.prod(model.feature_shape),
        "feature_shape_": model.feature_shape,
        "n_outputs_": int(content["n_outputs"]),
        "projection_": model.projection,
        "max_features_": int(content["max_features"]),
        **stored_dims(content, model.feature_shape),
    }
    if content["feature_names"]:
        fitted["feature_names_in_"] = np.array(content["feature_names"], dtype=object)
    if content["ranks"]:
        fitted["rank_transformer_"] = _ranks_in(arrays, math.prod(model.feature_shape))
    if content["labels"]:
        labels = labels_in(content["labels"], arrays)
        one = len(labels) == 1
        fitted["classes_"] = labels[0] if one else labels
        fitted["n_classes_"] = len(labels[0]) if one else list(map(len, labels))
    if content["out_of_bag"]:
        fitted |= _out_of_bag_in(content["out_of_bag"], arrays)
    if "table_schema" in content:
        fitted["table_schema_"] = _table_schema_in(content["table_schema"], fitted)
    forest._adopt(fitted)
    return forest


def _model_in(content: Mapping[str, Any], arrays: Arrays, packed: PackedArrays) -> ForestModel:
    labels = labels_in(content["labels"], arrays)
    kind = classes()[content["class"]]
    n_classes = kind._classes_of_leaves(list(map(len, labels)))
    trees = FlatForest(unpack_trees(packed.all_under(_TREES), n_classes))
    trees.check_samples()
    projection = projection_from_dict(content["projection"], arrays)
    feature_shape = _feature_shape_in(content["feature_shape"])
    n_features, bank = math.prod(feature_shape), None
    if ("bank" in content) != (content["format_version"] >= _FIRST_WITH_BANK):
        raise ValueError("files with a bank, and no others, have the format of banks")
    if "bank" in content:
        bank = made_bank(n_features, content["bank"])
    if content["format_version"] < _FIRST_WITH_GEOMETRY:
        geometry = used_geometry(make_sampler(projection, feature_shape).geometry, trees)
    else:
        stored = packed.all_under(_GEOMETRY)
        views, grids = content.get("views", []), content["grids"]
        n_seen = n_features if bank is None else bank.n_cells
        geometry = unpack_geometry(n_seen, views, grids, stored)
    if geometry.row_width > geometry.n_features:
        raise ValueError("a view is made of code, which no file holds")
    check_atoms(geometry, trees)
    model = ForestModel(
        trees=trees,
        geometry=geometry,
        projection=projection,
        feature_shape=feature_shape,
        n_classes=n_classes,
        empty_leaf=str(content["empty_leaf"]),
        fallback=arrays["fallback"],
        seed=int(content["seed"]),
        n_rows=int(content["n_rows"]),
        record=_record_in(content["record"], arrays),
        fill_values=arrays.get("fill_values"),
        link=read_link(content.get("link", "identity"), n_classes),
        bank=bank,
    )
    if model.empty_leaf not in _EMPTY_LEAVES:
        raise ValueError(f"there is no rule {model.empty_leaf!r} for empty leaves")
    n_outputs = int(content["n_outputs"])
    width = kind._value_width(list(map(len, labels)), n_outputs)
    _check_record(model, n_outputs)
    _check_fill_values(model)
    scored = model.link != "identity"
    n_values = n_scores(model.link, n_classes, n_outputs) if scored else width
    if model.trees["value"].shape[1:] != (n_values,) or model.fallback.shape != (width,):
        raise ValueError("values of nodes do not fit the outputs")
    if scored and model.trees["value"].dtype != np.float64:
        raise ValueError("scores are of another type")
    _ = model.predictor  # checks all of the forest
    return model


def _feature_shape_in(lengths: list[Any]) -> tuple[int, ...]:
    if not lengths or any(type(length) is not int or length < 1 for length in lengths):
        raise ValueError(f"examples cannot have the shape {lengths}")
    return tuple(lengths)


def _record_in(described: Any, arrays: Arrays) -> TrainingRecord | None:
    if described is None:
        return None
    return TrainingRecord(
        y=arrays.get("record.y"),
        total_weight=arrays["record.total_weight"],
        row_weight=arrays["record.row_weight"],
        bootstrap=bool(described["bootstrap"]),
        balanced=bool(described["balanced"]),
    )


def _check_record(model: ForestModel, n_outputs: int) -> None:
    """Raise a ValueError unless the record fits the number of training rows and the trees."""
    record = model.record
    if (record is not None) != model.trees.has_samples:
        raise ValueError("leaves of training rows or their responses are missing")
    if record is None:
        return
    n = model.n_rows
    if model.trees["leaf_of_row"].shape[1:] != (n,):
        raise ValueError("leaves do not fit the training rows")
    if record.y is not None:
        _check_table(record.y, model, n_outputs)
    if record.balanced and not model.n_classes:
        raise ValueError("classes are balanced where there are none")
    for weight in (record.total_weight, record.row_weight):
        if weight.shape != (n,) or weight.dtype != np.float64:
            raise ValueError("weights do not fit the training rows")
        if not (np.isfinite(weight) & (weight >= 0)).all() or not weight.any():
            raise ValueError("weights of training rows are negative, not finite or all zero")
    # -1 marks a row that only grew an honest tree
    if model.trees["inbag"].min(initial=0) < (0 if model.empty_leaf == "none" else -1):
        raise ValueError("training rows were drawn less often than never")


def _check_table(y: NDArray[Any], model: ForestModel, n_outputs: int) -> None:
    """Raise a ValueError unless y holds what such a forest learns, for each training row."""
    if y.shape != (model.n_rows, n_outputs):
        raise ValueError("responses do not fit the training rows")
    if y.dtype != (np.int32 if model.n_classes else np.float64):
        raise ValueError("responses are of another type")
    if model.n_classes and not ((y >= 0) & (y < np.array(model.n_classes))).all():
        raise ValueError("training rows are of a class that does not exist")


def _check_fill_values(model: ForestModel) -> None:
    """Raise a ValueError unless there is a number for each column that may have to be filled."""
    values = model.fill_values
    if (values is not None) != model.projection._is_dense:
        raise ValueError("values of missing entries are not there or not needed")
    if values is None:
        return
    if values.shape != (model.geometry.n_features,) or values.dtype != np.float32:
        raise ValueError("values of missing entries do not fit the features")
    if not np.isfinite(values).all():
        raise ValueError("values of missing entries are missing themselves")


def _param_projection_in(config: Any, model: ForestModel, arrays: Arrays) -> Any:
    if config is None:
        return model.projection
    if isinstance(config, str):
        return config
    others = {n.removeprefix("param."): a for n, a in arrays.items() if n.startswith("param.")}
    return projection_from_dict(config, others)


def _ranks_in(arrays: Arrays, n_features: int) -> RankTransformer:
    ranks = RankTransformer()
    for name in _RANK_ARRAYS:
        setattr(ranks, name, arrays[f"ranks.{name}"])
    ranks._check_fitted()
    if len(ranks.counts_) != n_features:
        raise ValueError("ranks do not fit the features")
    ranks.n_features_in_ = n_features
    return ranks


def _table_schema_in(content: Any, fitted: Mapping[str, Any]) -> TableSchema:
    schema = TableSchema.from_json(content)
    classes = fitted.get("classes_")
    if isinstance(classes, list) or fitted["n_outputs_"] != 1:
        raise ValueError("a table schema is for one output")
    schema.check(fitted["feature_shape_"], None if classes is None else classes.dtype.kind)
    return schema


def _out_of_bag_in(described: Mapping[str, Any], arrays: Arrays) -> dict[str, Any]:
    fitted: dict[str, Any] = {name: described[name] for name in ("oob_score_", "oob_skipped_")}
    for name in _OUT_OF_BAG_ARRAYS:
        if name in described:
            n_outputs = described[name]
            per_output = [arrays[f"{name}.{k}"] for k in range(max(1, n_outputs))]
            fitted[name] = per_output if n_outputs else per_output[0]
    return fitted
