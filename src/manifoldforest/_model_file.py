"""Model files: safetensors with one JSON text in the header.

The packed arrays of the forest are tensors; everything else is one JSON text, so that its order is
ours and equal forests are equal files. A checksum covers both. Reading makes objects of the classes
in one table and nothing else: no file can run code. `docs/model_files.md` describes the format.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import save_file

from ._model import Model, TrainingRecord
from ._model_codec import pack_trees, unpack_trees
from ._packing import Arrays, PackedArrays
from ._parameters import check_parameters
from ._ranks import RankTransformer
from ._trees import FlatForest
from .projections import as_projection, projection_from_dict, projection_to_dict

if TYPE_CHECKING:
    from ._forest import BaseForest

_KEY = "manifoldforest"
_TREES = "trees."
_FORMAT_VERSION = 2
_NOT_STORED = ("n_jobs", "verbose", "projection")
_RANK_ARRAYS = ("values_", "ranks_", "offsets_", "counts_")
_LARGEST_LABELS = 2**30  # bytes: a type of text may be much wider than any of its labels
_OUT_OF_BAG_ARRAYS = ("oob_decision_function_", "oob_prediction_")


class ModelFileError(ValueError):
    """A model file is damaged, incomplete, of another version or not a model file at all."""


def save(forest: BaseForest, path: str | os.PathLike[str]) -> None:
    """Write a fitted forest to a file, which appears under its name only when it is complete."""
    target = _as_path(path)
    if type(forest) is not _classes().get(type(forest).__name__):
        raise TypeError(
            f"a forest must be a {' or '.join(_classes())} itself to be stored, got an object of "
            f"the class {type(forest).__name__}: a file cannot hold its code"
        )
    content, tensors = _take_apart(forest)
    header = {"checksum": _checksum(content, tensors), "content": content}
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        unfinished.touch(exist_ok=False)
    except OSError as error:  # nobody asked for a file of that name
        raise OSError(error.errno, error.strerror, str(target)) from error
    try:
        ordinary = unfinished.stat().st_mode
        save_file(tensors, unfinished, metadata={_KEY: _canonical(header)})
        unfinished.chmod(ordinary)  # safetensors lets nobody but the owner read its files
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(unfinished, target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def load(path: str | os.PathLike[str]) -> Any:
    """Read a forest from a file that its method `save` wrote.

    Nothing in the file is executed.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    forest : ForestClassifier or ForestRegressor
        The fitted forest, with ``n_jobs=None`` and ``verbose=0``.

    Raises
    ------
    ModelFileError
        If the file is damaged, incomplete, of another version or not a model file.

    Examples
    --------
    >>> import os, tempfile
    >>> import manifoldforest as mf
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> forest = mf.ForestClassifier(10, random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.mf")
    ...     forest.save(path)
    ...     again = mf.load(path)
    >>> again.predict([[3.0]])
    array(['b'], dtype='<U1')
    """
    file = _as_path(path)
    with file.open("rb"):  # a file that is not there or may not be read is not a damaged one
        pass
    try:
        content, tensors = _read(file)
        return _put_together(content, PackedArrays(content["arrays"], tensors))
    except ModelFileError:
        raise
    except Exception as error:  # whatever a damaged file makes the readers raise
        raise ModelFileError(f"{file} is not a whole model file: {error}") from error


def _as_path(path: Any) -> Path:
    try:
        return Path(os.fsdecode(path))
    except TypeError as error:  # an integer would be taken for an open file
        raise TypeError(f"path must be a string or path-like, got {path!r}") from error


def _classes() -> dict[str, type[BaseForest]]:
    """Return the only classes of forests that a model file may ask for, by name."""
    from ._classifier import ForestClassifier
    from ._regressor import ForestRegressor

    return {"ForestClassifier": ForestClassifier, "ForestRegressor": ForestRegressor}


def _read(path: Path) -> tuple[dict[str, Any], Arrays]:
    with safe_open(path, framework="numpy") as file:
        text = (file.metadata() or {}).get(_KEY)
        if text is None:
            raise ModelFileError(f"{path} is not a model file of manifoldforest")
        header = json.loads(text)
        version = header["content"]["format_version"]
        if version != _FORMAT_VERSION:
            raise ModelFileError(
                f"{path} has format version {version}, expected {_FORMAT_VERSION}: it "
                "needs another version of manifoldforest"
            )
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    if header["checksum"] != _checksum(header["content"], tensors):
        raise ModelFileError(f"{path} is damaged: its checksum does not match")
    return header["content"], tensors


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _checksum(content: Mapping[str, Any], tensors: Arrays) -> str:
    digest = hashlib.sha256(_canonical(content).encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype.str} {tensor.shape} ".encode())
        digest.update(tensor.data)
    return digest.hexdigest()


# ------------------------------------------------------------------- writing


def _take_apart(forest: BaseForest) -> tuple[dict[str, Any], Arrays]:
    from . import __version__

    model = forest._model
    projection, arrays = projection_to_dict(model.projection)
    content: dict[str, Any] = {
        "format_version": _FORMAT_VERSION,
        "package_version": __version__,
        "class": type(forest).__name__,
        "params": _params_out(forest),
        "projection": projection,
        "feature_shape": list(model.feature_shape),
        "feature_names": getattr(forest, "feature_names_in_", np.array([])).tolist(),
        "n_outputs": forest.n_outputs_,
        "empty_leaf": model.empty_leaf,
        "seed": model.seed,
        "n_rows": model.n_rows,
        "ranks": hasattr(forest, "rank_transformer_"),
    }
    content["param_projection"] = _param_projection_out(forest, arrays)
    arrays["fallback"] = model.fallback
    if content["ranks"]:
        ranks = forest.rank_transformer_
        arrays |= {f"ranks.{name}": getattr(ranks, name) for name in _RANK_ARRAYS}
    content["labels"] = _labels_out(forest, arrays)
    content["record"] = _record_out(model.record, arrays)
    content["out_of_bag"] = _out_of_bag_out(forest, arrays)
    packed = PackedArrays()
    for name, array in arrays.items():
        packed[name] = array
    packed.add_all(_TREES, pack_trees(model.trees.arrays, model.n_classes))
    content["arrays"] = packed.described
    return content, packed.stored


def _params_out(forest: BaseForest) -> dict[str, Any]:
    params = forest.get_params(deep=False)
    if not isinstance(params["random_state"], int | np.integer):
        params["random_state"] = None
    if callable(params["oob_score"]):
        params["oob_score"] = True
    return {name: _plain(name, v) for name, v in params.items() if name not in _NOT_STORED}


def _plain(name: str, value: Any) -> Any:
    """Return a parameter for JSON; dictionaries become pairs, for their keys may be any labels."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {"pairs": [[_plain(name, k), _plain(name, v)] for k, v in value.items()]}
    if isinstance(value, list):
        return [_plain(name, item) for item in value]
    raise TypeError(f"{name} must hold numbers or strings to be stored, got {value!r}")


def _param_projection_out(forest: BaseForest, arrays: Arrays) -> Any:
    """Return the parameter `projection`: a name, None if it is the fitted one, or another one."""
    if isinstance(forest.projection, str):
        return forest.projection
    if forest.projection == forest._model.projection:
        return None
    config, others = projection_to_dict(as_projection(forest.projection))
    arrays |= {f"param.{name}": array for name, array in others.items()}
    return config


def _labels_out(forest: BaseForest, arrays: Arrays) -> list[Any]:
    if not forest._model.n_classes:
        return []
    described: list[Any] = []
    for k, labels in enumerate(_as_list(forest.classes_)):
        if labels.dtype.kind in "biuf":
            arrays[f"labels.{k}"] = labels
            described.append(None)
        elif all(isinstance(label, str) for label in labels):
            described.append({"dtype": labels.dtype.str, "values": labels.tolist()})
        else:
            raise TypeError(f"labels must be numbers or strings to be stored, got {labels.dtype}")
    return described


def _record_out(record: TrainingRecord | None, arrays: Arrays) -> Any:
    if record is None:
        return None
    for name in ("y", "total_weight", "row_weight"):
        arrays[f"record.{name}"] = getattr(record, name)
    return {"bootstrap": record.bootstrap, "balanced": record.balanced}


def _out_of_bag_out(forest: BaseForest, arrays: Arrays) -> Any:
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


def _put_together(content: Mapping[str, Any], packed: PackedArrays) -> BaseForest:
    arrays = {name: packed[name] for name in packed if not name.startswith(_TREES)}
    model = _model_in(content, arrays, packed.all_under(_TREES))
    params = {name: _value_in(value) for name, value in content["params"].items()}
    params["projection"] = _param_projection_in(content["param_projection"], model, arrays)
    forest = _classes()[content["class"]](**params)
    check_parameters(forest.get_params(deep=False), forest._rules)
    fitted = {
        "_model": model,
        "n_features_in_": model.geometry.n_features,
        "feature_shape_": model.feature_shape,
        "n_outputs_": int(content["n_outputs"]),
        "projection_": model.projection,
    }
    if content["feature_names"]:
        fitted["feature_names_in_"] = np.array(content["feature_names"], dtype=object)
    if content["ranks"]:
        fitted["rank_transformer_"] = _ranks_in(arrays)
    if content["labels"]:
        labels = _labels_in(content["labels"], arrays)
        one = len(labels) == 1
        fitted["classes_"] = labels[0] if one else labels
        fitted["n_classes_"] = len(labels[0]) if one else list(map(len, labels))
    if content["out_of_bag"]:
        fitted |= _out_of_bag_in(content["out_of_bag"], arrays)
    forest._adopt(fitted)
    return forest


def _model_in(content: Mapping[str, Any], arrays: Arrays, trees: PackedArrays) -> Model:
    labels = _labels_in(content["labels"], arrays)
    n_classes = list(map(len, labels))
    model = Model(
        trees=FlatForest(unpack_trees(trees, n_classes)),
        projection=projection_from_dict(content["projection"], arrays),
        feature_shape=tuple(map(int, content["feature_shape"])),
        n_classes=n_classes,
        empty_leaf=str(content["empty_leaf"]),
        fallback=arrays["fallback"],
        seed=int(content["seed"]),
        n_rows=int(content["n_rows"]),
        record=_record_in(content["record"], arrays),
    )
    n_outputs = int(content["n_outputs"])
    width = sum(model.n_classes) if labels else n_outputs
    model.trees.check()
    _check_record(model, n_outputs)
    if model.trees["value"].shape[1:] != (width,) or model.fallback.shape != (width,):
        raise ValueError("values of nodes do not fit the outputs")
    _ = model.predictor  # compiles all atoms, and so checks them
    return model


def _record_in(described: Any, arrays: Arrays) -> TrainingRecord | None:
    if described is None:
        return None
    return TrainingRecord(
        y=arrays["record.y"],
        total_weight=arrays["record.total_weight"],
        row_weight=arrays["record.row_weight"],
        bootstrap=bool(described["bootstrap"]),
        balanced=bool(described["balanced"]),
    )


def _check_record(model: Model, n_outputs: int) -> None:
    """Raise a ValueError unless what is remembered of the training rows fits them."""
    record = model.record
    if (record is not None) != model.trees.has_samples:
        raise ValueError("leaves of training rows or their responses are missing")
    if record is None:
        return
    y, n = record.y, model.n_rows
    if y.shape != (n, n_outputs) or model.trees["leaf_of_row"].shape[1:] != (n,):
        raise ValueError("responses do not fit the training rows")
    if y.dtype != (np.int32 if model.n_classes else np.float64):
        raise ValueError("responses are of another type")
    if model.n_classes and not ((y >= 0) & (y < np.array(model.n_classes))).all():
        raise ValueError("training rows are of a class that does not exist")
    for weight in (record.total_weight, record.row_weight):
        if weight.shape != (n,) or weight.dtype != np.float64:
            raise ValueError("weights do not fit the training rows")


def _value_in(value: Any) -> Any:
    if isinstance(value, list):
        return [_value_in(item) for item in value]
    if isinstance(value, dict):
        return {key: _value_in(item) for key, item in value["pairs"]}
    return value


def _param_projection_in(config: Any, model: Model, arrays: Arrays) -> Any:
    if config is None:
        return model.projection
    if isinstance(config, str):
        return config
    others = {n.removeprefix("param."): a for n, a in arrays.items() if n.startswith("param.")}
    return projection_from_dict(config, others)


def _ranks_in(arrays: Arrays) -> RankTransformer:
    ranks = RankTransformer()
    for name in _RANK_ARRAYS:
        setattr(ranks, name, arrays[f"ranks.{name}"])
    ranks.n_features_in_ = len(ranks.counts_)
    return ranks


def _labels_in(described: list[Any], arrays: Arrays) -> list[NDArray[Any]]:
    return [
        arrays[f"labels.{k}"] if text is None else _text_labels_in(text["values"], text["dtype"])
        for k, text in enumerate(described)
    ]


def _text_labels_in(values: list[str], dtype_name: str) -> NDArray[Any]:
    dtype = np.dtype(dtype_name)
    if dtype.kind not in "UO" or dtype.itemsize * len(values) > _LARGEST_LABELS:
        raise ValueError(f"labels cannot be of the type {dtype_name!r}")
    return np.array(values, dtype)


def _out_of_bag_in(described: Mapping[str, Any], arrays: Arrays) -> dict[str, Any]:
    fitted: dict[str, Any] = {name: described[name] for name in ("oob_score_", "oob_skipped_")}
    for name in _OUT_OF_BAG_ARRAYS:
        if name in described:
            n_outputs = described[name]
            blocks = [arrays[f"{name}.{k}"] for k in range(max(1, n_outputs))]
            fitted[name] = blocks if n_outputs else blocks[0]
    return fitted
