"""Writing predictions as a table, to a file that appears when it is complete, or to a stream."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ..io._atomic_file import replacing
from ._errors import need
from ._reading import STREAM

_ROWS_AT_ONCE = 10_000


@dataclass(frozen=True)
class Predictions:
    """Predictions of rows, the probabilities of classes, and further columns."""

    name: str
    values: NDArray[Any]
    probabilities: NDArray[np.float64] | None = None
    classes: NDArray[Any] | None = None
    others: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return all columns by name: predictions, probabilities, others."""
        if self.values.ndim == 1:
            columns = {self.name: self.values}
        else:
            columns = {f"{self.name}_{k}": column for k, column in enumerate(self.values.T)}
        if self.probabilities is not None and self.classes is not None:
            labels = self.classes.tolist()
            columns |= {
                f"probability_{label}": column
                for label, column in zip(labels, self.probabilities.T, strict=True)
            }
        return columns | dict(self.others)


def write_predictions(predictions: Predictions, path: str, form: str) -> None:
    """Write predictions in a format, or to standard output if the path is ``"-"``."""
    if path == STREAM:
        _write(predictions, sys.stdout.buffer, form)
        sys.stdout.buffer.flush()
        return
    with replacing(Path(path)) as file:
        _write(predictions, file, form)


def _write(predictions: Predictions, file: IO[bytes], form: str) -> None:
    if form == "npy":
        np.save(file, predictions.values, allow_pickle=False)
    elif form == "npz":
        _write_npz(predictions, file)
    elif form == "parquet":
        _write_parquet(predictions, file)
    else:
        _write_text(predictions, file, "," if form == "csv" else "\t")


def _write_npz(predictions: Predictions, file: IO[bytes]) -> None:
    arrays: dict[str, Any] = {"prediction": predictions.values, **predictions.others}
    if predictions.probabilities is not None and predictions.classes is not None:
        arrays |= {"probability": predictions.probabilities, "classes": predictions.classes}
    np.savez(file, **arrays)


def _write_parquet(predictions: Predictions, file: IO[bytes]) -> None:
    need("pyarrow", "cli", "writing parquet")
    import pyarrow as pa
    from pyarrow import parquet

    columns = {
        name: pa.array(column.tolist() if column.dtype.kind in "UO" else column)
        for name, column in predictions.columns().items()
    }
    parquet.write_table(pa.table(columns), file)


def _write_text(predictions: Predictions, file: IO[bytes], delimiter: str) -> None:
    columns = predictions.columns()

    def write(rows: Iterable[Iterable[Any]]) -> None:
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
        file.write(text.getvalue().encode())

    write([columns])
    arrays = list(columns.values())
    for start in range(0, len(arrays[0]), _ROWS_AT_ONCE):
        some = [array[start : start + _ROWS_AT_ONCE].tolist() for array in arrays]
        write(zip(*some, strict=True))
