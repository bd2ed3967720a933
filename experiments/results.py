"""Finished runs: their file, how findings and figures choose among them, and means over them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from .experiment import Preset, Run, Value

FIELDS = ("experiment", "preset", "seed", "parameters", "metrics", "seconds", "version", "date")
CHANCE = 0.05  # of a difference that is clear, but there by chance alone


def run_key(experiment: str, preset: Preset, run: Run) -> str:
    """Return what tells a run from all others."""
    return json.dumps([experiment, preset, run.seed, dict(run.parameters)], sort_keys=True)


@dataclass(frozen=True)
class Row:
    """A finished run as it lies in the file of rows."""

    experiment: str
    preset: Preset
    seed: int
    parameters: dict[str, Value]
    metrics: dict[str, float]
    seconds: float
    version: str
    date: str
    arrays_file: Path | None = field(default=None, compare=False)

    @property
    def key(self) -> str:
        return run_key(self.experiment, self.preset, Run(self.seed, self.parameters))

    def get(self, name: str) -> Value:
        """Return a parameter, or the seed; None if the run has no such parameter."""
        return self.seed if name == "seed" else self.parameters.get(name)

    @cached_property
    def arrays(self) -> dict[str, NDArray[Any]]:
        if self.arrays_file is None:
            return {}
        with np.load(self.arrays_file) as stored:
            return {name: stored[name] for name in stored.files}


@dataclass(frozen=True)
class Results:
    """Rows of one experiment, and of those that it reads, in the order of its runs."""

    rows: tuple[Row, ...]
    preset: Preset

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def of(self, experiment: str) -> Results:
        return Results(tuple(r for r in self.rows if r.experiment == experiment), self.preset)

    def where(self, **parameters: Value) -> Results:
        """Return the rows with these parameters; ``seed`` is one of them."""
        chosen = (r for r in self.rows if all(r.get(k) == v for k, v in parameters.items()))
        return Results(tuple(chosen), self.preset)

    def distinct(self, parameter: str) -> list[Any]:
        """Return the values that a parameter takes, in the order of the rows."""
        return list(dict.fromkeys(row.get(parameter) for row in self.rows))

    def by(self, parameter: str) -> dict[Any, Results]:
        return {value: self.where(**{parameter: value}) for value in self.distinct(parameter)}

    def values(self, metric: str) -> NDArray[np.float64]:
        """Return one metric of all rows that have it."""
        return np.array([row.metrics[metric] for row in self.rows if metric in row.metrics], float)

    def mean(self, metric: str) -> float:
        """Return the mean over the rows; NaN if none has the metric."""
        values = self.values(metric)
        return float(values.mean()) if len(values) else float("nan")

    def std(self, metric: str) -> float:
        """Return the standard deviation over the rows; NaN for fewer than two."""
        values = self.values(metric)
        return float(values.std(ddof=1)) if len(values) > 1 else float("nan")


class RowFile:
    """``rows.jsonl`` of a folder: one JSON object a line, and its arrays in files beside it.

    A run that is in the file is finished. If the program is killed while it writes, the last line
    is cut off; it is dropped when the file is opened again, and the run is done again.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "rows.jsonl"
        self._arrays = folder / "arrays"

    def read(self) -> list[Row]:
        if not self.path.exists():
            return []
        lines = self.path.read_bytes().split(b"\n")[:-1]
        return [self._row(number, line) for number, line in enumerate(lines, start=1)]

    def _row(self, number: int, line: bytes) -> Row:
        try:
            fields = json.loads(line)
            row = Row(**{name: fields[name] for name in FIELDS})
        except (ValueError, KeyError, TypeError) as error:
            message = f"{self.path}, line {number}, is not a finished run: {error!r}"
            raise OSError(message) from error
        arrays = fields.get("arrays")
        return replace(row, arrays_file=self._arrays / arrays) if arrays else row

    @contextmanager
    def append(self) -> Iterator[RowWriter]:
        """Open the file for one program at a time; a line that was cut off is removed."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as stream:
            _lock(stream, self.path)
            stream.seek(0)
            stream.truncate(stream.read().rfind(b"\n") + 1)
            stream.seek(0, os.SEEK_END)
            yield RowWriter(stream, self._arrays)


class RowWriter:
    def __init__(self, stream: BinaryIO, arrays: Path) -> None:
        self._stream = stream
        self._arrays = arrays

    def add(self, row: Row, arrays: Mapping[str, NDArray[Any]]) -> Row:
        """Store a row: its arrays first, so that a row in the file always has them."""
        fields: dict[str, Any] = {name: getattr(row, name) for name in FIELDS}
        if arrays:
            row = replace(row, arrays_file=self._store(row, arrays))
            fields["arrays"] = row.arrays_file.name if row.arrays_file else None
        # JSON has no NaN: a metric that is none is a defect of the run, not a result.
        line = json.dumps(fields, allow_nan=False)
        self._stream.write(line.encode() + b"\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())
        return row

    def _store(self, row: Row, arrays: Mapping[str, NDArray[Any]]) -> Path:
        self._arrays.mkdir(exist_ok=True)
        name = hashlib.sha256(f"{row.version} {row.key}".encode()).hexdigest()[:20]
        unfinished = self._arrays / f"{name}.part.npz"
        np.savez_compressed(unfinished, **arrays)  # type: ignore[arg-type]
        return unfinished.replace(self._arrays / f"{name}.npz")


def _lock(stream: BinaryIO, path: Path) -> None:
    """Keep other programs from the file until it is closed."""
    try:
        if os.name == "nt":
            import msvcrt

            stream.seek(0)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise BlockingIOError(f"another program is writing to {path}") from error


@dataclass(frozen=True)
class Mean:
    """A mean over trials with its standard error, which is NaN for a single trial."""

    value: float
    error: float
    freedom: float = np.inf  # differences between trials on which the standard error rests

    @property
    def noise(self) -> float:
        """How far from zero it may be by chance alone, as Student's test tells."""
        if not self.freedom:
            return np.inf
        return float(student.ppf(1 - CHANCE / 2, self.freedom) * self.error)

    @property
    def clearly_positive(self) -> bool:
        """Whether it is above zero by more than its noise."""
        return self.value > self.noise

    @property
    def clearly_negative(self) -> bool:
        return (-self).clearly_positive

    def __neg__(self) -> Mean:
        return replace(self, value=-self.value)

    def __sub__(self, other: Mean) -> Mean:
        """Return the difference of means of independent trials."""
        half = average([self, -other])
        return replace(half, value=2 * half.value, error=2 * half.error)

    def __str__(self) -> str:
        spread = "" if np.isnan(self.error) else f" ± {self.error:.3f}"
        return f"{self.value:+.3f}{spread}"


def mean_of(values: Sequence[float] | NDArray[Any]) -> Mean:
    array = np.asarray(values, dtype=float)
    error = array.std(ddof=1) / np.sqrt(len(array)) if len(array) > 1 else np.nan
    return Mean(float(array.mean()), float(error), len(array) - 1)


def average(means: Sequence[Mean]) -> Mean:
    """Return the average of means of independent trials."""
    value = float(np.mean([mean.value for mean in means]))
    variances = np.array([mean.error**2 for mean in means])
    freedoms = np.array([mean.freedom for mean in means])
    freedom = 0.0
    if freedoms.all():  # how much a sum of variances can be trusted (Welch and Satterthwaite)
        noise = (variances**2 / freedoms).sum()
        freedom = float(variances.sum() ** 2 / noise) if noise else np.inf
    return Mean(value, float(np.sqrt(variances.sum()) / len(means)), freedom)


def beside(ours: str, published: float | None, form: str = "{:g}") -> str:
    """Write our value, and the published one in brackets where there is one."""
    return ours if published is None else f"{ours} ({form.format(published)})"
