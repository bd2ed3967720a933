"""`load`, which opens model files of all kinds."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from . import _archive
from ._archive import ModelFileError
from ._file_types import description_of_pickle
from ._older_formats import in_present_meaning


def load(path: str | os.PathLike[str]) -> Any:
    """Read a forest or an index from a file that its method `save` wrote.

    Nothing in the file is executed.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    model : forest, boundary forest or index
        The fitted forest or the index, with ``n_jobs=None`` and ``verbose=0``.

    Raises
    ------
    ModelFileError
        If the file is damaged, incomplete, of a newer version or not a model file. Pickles and
        files of joblib are told from others, and not opened.

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
    return load_as(path, None)


def load_as(path: str | os.PathLike[str], wanted: str | None, **options: Any) -> Any:
    """Read a file of any kind or, with `wanted`, of that class; options go to its reader."""
    from .. import __version__

    file = _archive.as_path(path)
    with file.open("rb"):  # a missing or forbidden file is an OSError, not a damaged one
        pass
    archive = None
    try:
        archive = _archive.read(file)
        name = archive.content["class"]
        if wanted not in (None, name):
            raise ModelFileError(f"{file} must hold a {wanted}, got a {name}")
        readers = _readers()
        if name not in readers:
            raise ModelFileError(f"{file} must hold one of {[*readers]}, got a {name!r}")
        archive = replace(archive, content=in_present_meaning(archive.content))
        return readers[name](archive, **options)
    except ModelFileError:
        raise
    except Exception as error:  # whatever a damaged file makes the readers raise
        other = description_of_pickle(file)
        if other is not None:
            raise ModelFileError(f"{file} is not a model file but {other}") from error
        if archive is not None and archive.content.get("package_version") != __version__:
            by = archive.content.get("package_version")
            raise ModelFileError(
                f"{file}, written by version {by} of manifoldforest, holds what version "
                f"{__version__} does not know: {error}"
            ) from error
        raise ModelFileError(f"{file} is not a whole model file: {error}") from error


def _readers() -> dict[str, Callable[..., Any]]:
    """Return the functions that read files, by class: the only classes that a file may ask for."""
    from ..boundary import _model_file as boundary_file
    from ..forests import _model_file as forest_file

    readers: dict[str, Callable[..., Any]] = {}
    readers |= dict.fromkeys(forest_file.classes(), forest_file.put_together)
    readers |= dict.fromkeys(boundary_file.classes(), boundary_file.put_together)
    return readers
