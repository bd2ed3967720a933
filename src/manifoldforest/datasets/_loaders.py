"""Readers of stored real data sets.

All of them go through :func:`_load`; what differs between them is the table in ``_sources.py``.
"""

from __future__ import annotations

import os
import re
import zlib
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from manifoldforest.validation._rules import Rule, any_path, check_argument, none

from ._sources import SOURCES, Arrays, Source

FOLDER_VARIABLE = "MANIFOLDFOREST_DATA"

_NAME = Rule(
    "a data set's name (letters, digits, '_', '+', '-')",
    lambda value: isinstance(value, str),
    lambda value: re.fullmatch(r"[\w+-]+", value) is not None,
)

DataHome = str | os.PathLike[str] | None
Whole = tuple[NDArray[Any], NDArray[Any]]
Split = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


def load_mnist(*, data_home: DataHome = None) -> Split:
    """Load the MNIST images of handwritten digits, in their standard split.

    Parameters
    ----------
    data_home : path, optional
        Folder that holds ``mnist.npz`` with the arrays ``X_train``, ``y_train``, ``X_test`` and
        ``y_test``. If not given, the environment variable ``MANIFOLDFOREST_DATA`` names the
        folder. Without such a file the images come from OpenML, through scikit-learn's cache.

    Returns
    -------
    X_train, y_train, X_test, y_test : ndarrays
        60000 and 10000 images of shape (28, 28), uint8, with their digits, int64.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from manifoldforest.datasets import load_mnist
    >>> images, digits = np.zeros((3, 28, 28), dtype=np.uint8), np.array([5, 0, 4])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(
    ...         f"{folder}/mnist.npz", X_train=images, y_train=digits, X_test=images, y_test=digits
    ...     )
    ...     X_train, y_train, X_test, y_test = load_mnist(data_home=folder)
    >>> X_train.shape, y_train.tolist()
    ((3, 28, 28), [5, 0, 4])
    """
    X_train, y_train, X_test, y_test = _load("mnist", data_home)
    return X_train, y_train, X_test, y_test


def load_faces(*, data_home: DataHome = None) -> Whole:
    """Load the Olivetti faces: ten pictures of each of 40 people.

    Parameters
    ----------
    data_home : path, optional
        Folder that holds ``olivetti.npz`` with the arrays ``X`` and ``y``. If not given, the
        environment variable ``MANIFOLDFOREST_DATA`` names the folder. Without such a file the
        images come from :func:`sklearn.datasets.fetch_olivetti_faces`.

    Returns
    -------
    X : ndarray of shape (400, 64, 64), uint8
        The pictures.
    y : ndarray of shape (400,), int64
        The number of the person.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from manifoldforest.datasets import load_faces
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(f"{folder}/olivetti.npz", X=np.zeros((2, 64, 64), dtype=np.uint8), y=[0, 1])
    ...     X, y = load_faces(data_home=folder)
    >>> X.shape, y.tolist()
    ((2, 64, 64), [0, 1])
    """
    X, y = _load("faces", data_home)
    return X, y


def load_letter(*, data_home: DataHome = None) -> Split:
    """Load the letter recognition data: 26 capital letters, 16 features.

    Parameters
    ----------
    data_home : path, optional
        Folder that holds ``libsvm/letter.npz`` with the arrays ``X_train``, ``y_train``,
        ``X_test`` and ``y_test``. If not given, the environment variable ``MANIFOLDFOREST_DATA``
        names the folder.

    Returns
    -------
    X_train, y_train, X_test, y_test : ndarrays
        15000 and 5000 examples with their classes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from manifoldforest.datasets import load_letter
    >>> X, y = np.zeros((2, 16)), np.array([1, 26])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "libsvm").mkdir()
    ...     np.savez(f"{folder}/libsvm/letter.npz", X_train=X, y_train=y, X_test=X, y_test=y)
    ...     X_train, y_train, X_test, y_test = load_letter(data_home=folder)
    >>> X_train.shape
    (2, 16)
    """
    X_train, y_train, X_test, y_test = _load("letter", data_home)
    return X_train, y_train, X_test, y_test


def load_pendigits(*, data_home: DataHome = None) -> Split:
    """Load the pen-based digits: eight pen positions (x, y) along the stroke of a digit.

    Parameters
    ----------
    data_home : path, optional
        Folder that holds ``libsvm/pendigits.npz`` with the arrays ``X_train``, ``y_train``,
        ``X_test`` and ``y_test``. If not given, the environment variable ``MANIFOLDFOREST_DATA``
        names the folder.

    Returns
    -------
    X_train, y_train, X_test, y_test : ndarrays
        7494 and 3498 examples with their digits.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from manifoldforest.datasets import load_pendigits
    >>> X, y = np.zeros((2, 16)), np.array([0, 9])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "libsvm").mkdir()
    ...     np.savez(f"{folder}/libsvm/pendigits.npz", X_train=X, y_train=y, X_test=X, y_test=y)
    ...     X_train, y_train, X_test, y_test = load_pendigits(data_home=folder)
    >>> X_train.shape
    (2, 16)
    """
    X_train, y_train, X_test, y_test = _load("pendigits", data_home)
    return X_train, y_train, X_test, y_test


def load_dna(*, data_home: DataHome = None) -> Split:
    """Load the DNA splice junctions: 180 binary features, three classes.

    Parameters
    ----------
    data_home : path, optional
        Folder that holds ``libsvm/dna.npz`` with the arrays ``X_train``, ``y_train``, ``X_test``
        and ``y_test``. If not given, the environment variable ``MANIFOLDFOREST_DATA`` names the
        folder.

    Returns
    -------
    X_train, y_train, X_test, y_test : ndarrays
        2000 and 1186 examples with their classes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from manifoldforest.datasets import load_dna
    >>> X, y = np.zeros((2, 180)), np.array([1, 3])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "libsvm").mkdir()
    ...     np.savez(f"{folder}/libsvm/dna.npz", X_train=X, y_train=y, X_test=X, y_test=y)
    ...     X_train, y_train, X_test, y_test = load_dna(data_home=folder)
    >>> X_train.shape
    (2, 180)
    """
    X_train, y_train, X_test, y_test = _load("dna", data_home)
    return X_train, y_train, X_test, y_test


def load_uci(name: str, *, data_home: DataHome = None) -> Whole:
    """Load one of the classification sets of the UCI repository.

    The names are those of the 121 sets that Fernandez-Delgado et al. compared in 2014. A set with
    an official test part comes in one piece too, its training rows first.

    Parameters
    ----------
    name : str
        Name of the set, such as ``"iris"``.
    data_home : path, optional
        Folder that holds ``uci121/NAME.npz`` with the arrays ``X`` and ``y``. If not given, the
        environment variable ``MANIFOLDFOREST_DATA`` names the folder.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The examples.
    y : ndarray of shape (n_samples,), int64
        Their classes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from manifoldforest.datasets import load_uci
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "uci121").mkdir()
    ...     np.savez(f"{folder}/uci121/iris.npz", X=np.zeros((3, 4)), y=[0, 1, 2])
    ...     X, y = load_uci("iris", data_home=folder)
    >>> X.shape, y.tolist()
    ((3, 4), [0, 1, 2])
    """
    X, y = _load("uci", data_home, name)
    return X, y


def load_time_series(name: str, *, data_home: DataHome = None) -> Split:
    """Load a set of time series, in its original split.

    Parameters
    ----------
    name : str
        Name of the set in the UCR archive, such as ``"GunPoint"``.
    data_home : path, optional
        Folder that holds ``ts/NAME.npz`` with the arrays ``X_train``, ``y_train``, ``X_test`` and
        ``y_test``. If not given, the environment variable ``MANIFOLDFOREST_DATA`` names the
        folder.

    Returns
    -------
    X_train, y_train, X_test, y_test : ndarrays
        The series, of shape (n_samples, n_times) or (n_samples, n_channels, n_times), with their
        classes or responses. NaN marks missing values and fills up shorter series.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from manifoldforest.datasets import load_time_series
    >>> X, y = np.zeros((2, 150)), np.array([1, 2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "ts").mkdir()
    ...     np.savez(f"{folder}/ts/GunPoint.npz", X_train=X, y_train=y, X_test=X, y_test=y)
    ...     X_train, y_train, X_test, y_test = load_time_series("GunPoint", data_home=folder)
    >>> X_train.shape
    (2, 150)
    """
    X_train, y_train, X_test, y_test = _load("time_series", data_home, name)
    return X_train, y_train, X_test, y_test


def _load(kind: str, data_home: DataHome, name: str = "") -> tuple[NDArray[Any], ...]:
    """Return the arrays of the data set, from its file or else from its download."""
    source = SOURCES[kind]
    if "{name}" in source.file:
        check_argument("name", name, _NAME)
    check_argument("data_home", data_home, any_path | none)
    file = source.file.format(name=name)
    folder = data_home if data_home is not None else os.environ.get(FOLDER_VARIABLE)
    path = Path(folder, file) if folder else None
    if path is not None and path.is_file():
        return _checked(_read(path, source.keys), source, str(path))

    not_found = (
        f"no data file {path}"
        if path is not None
        else f"no folder to look for {file} in: pass data_home or set {FOLDER_VARIABLE}"
    )
    if source.download is None:
        raise FileNotFoundError(not_found)
    try:
        arrays = source.download()
    except OSError as error:
        raise FileNotFoundError(f"{not_found}, and its download failed: {error}") from error
    return _checked(arrays, source, "the download")


def _read(path: Path, keys: tuple[str, ...]) -> Arrays:
    """Return the arrays `keys` of an npz file; never unpickles anything."""
    try:
        with path.open("rb") as stream:
            file = np.load(stream, allow_pickle=False)
            if not isinstance(file, NpzFile):
                raise ValueError("it holds a single array")
            with file:
                present = file.files
                arrays = {key: file[key] for key in keys if key in present}
    except (BadZipFile, zlib.error, EOFError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not a readable npz file of plain arrays: {error}") from error
    if len(arrays) < len(keys):
        raise ValueError(
            f"{path} must hold the keys {', '.join(keys)}, "
            f"got {', '.join(present) if present else 'none'}"
        )
    return arrays


def _checked(arrays: Arrays, source: Source, origin: str) -> tuple[NDArray[Any], ...]:
    """Return the arrays in order, integer labels as int64, or raise if they do not fit."""
    result = []
    for X_key, y_key in zip(source.keys[0::2], source.keys[1::2], strict=True):
        X, y = arrays[X_key], arrays[y_key]
        if X.ndim < 2 or y.shape[:1] != X.shape[:1]:
            raise ValueError(
                f"{origin} must hold one entry of {y_key} per example of {X_key}, "
                f"got shapes {y.shape} and {X.shape}"
            )
        if source.images and (X.ndim != 3 or X.dtype != np.uint8):
            raise ValueError(
                f"{X_key} of {origin} must be uint8 images of shape (n, height, width), "
                f"got shape {X.shape} of {X.dtype}"
            )
        result += [X, y.astype(np.int64) if y.dtype.kind in "iu" else y]
    return tuple(result)
