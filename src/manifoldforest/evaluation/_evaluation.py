"""The result of an evaluation, as numbers, as text and as a small page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._html_table import html_table
from ._number_text import number_text

_WIDTH = 80  # columns of the text
_LONGEST_NAME = 24  # of a class or an output in the text
_MOST_ROWS = 30  # classes or outputs in the text
_LONGEST_COUNT = 6  # digits in the confusion matrix of the text


class Interval(NamedTuple):
    """A number, and the interval in which it lies with the stated probability.

    Attributes
    ----------
    value : float
        The number; NaN if it is not defined.
    low, high : float
        Ends of the interval.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> error = mf.evaluation.Interval(0.12, 0.1, 0.15)
    >>> error.value, error.high
    (0.12, 0.15)
    """

    value: float
    low: float
    high: float

    def to_dict(self) -> dict[str, float | None]:
        """Return the three numbers by name, None for those that are not defined.

        Returns
        -------
        numbers : dict
            ``{"value": …, "low": …, "high": …}``, for JSON.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> mf.evaluation.Interval(0.12, 0.1, float("nan")).to_dict()
        {'value': 0.12, 'low': 0.1, 'high': None}
        """
        return {name: _finite(number) for name, number in self._asdict().items()}


class Part(NamedTuple):
    """One class or one output, and how well it is predicted.

    Attributes
    ----------
    label : object
        The class, or the name of the output.
    n_samples : int
        Number of examples of the class, or of all.
    metrics : dict of str to Interval
        Measures of this class or output.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> recall = mf.evaluation.Interval(0.8, 0.7, 0.9)
    >>> mf.evaluation.Part("cat", 50, {"recall": recall}).metrics["recall"].value
    0.8
    """

    label: Any
    n_samples: int
    metrics: Mapping[str, Interval]


@dataclass(frozen=True, repr=False)
class Evaluation:
    """How good predictions are; what :func:`manifoldforest.evaluate` returns.

    Attributes
    ----------
    estimator : str
        Name of the class of the estimator.
    task : {"classification", "regression", "responses"}
        What was predicted: labels, numbers, or responses of a metric space.
    n_samples : int
        Number of examples, without those of weight 0.
    metrics : dict of str to Interval
        Measures with their intervals: ``metrics["accuracy"].value``, ``.low``, ``.high``.
    parts : list of Part
        The classes of one column of labels with their precision and recall, or the outputs if there
        are several.
    labels : ndarray or None
        The classes of the rows and columns of `confusion`.
    confusion : ndarray of shape (n_classes, n_classes) or None
        Number of examples (sum of their weights) by true class, in rows, and predicted class.
    coverage : float
        Probability of the intervals.
    n_bootstrap : int
        Number of resamples behind them.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> X, y = mf.datasets.make_trunk(300, n_features=10, random_state=0)
    >>> forest = mf.ForestClassifier(50, random_state=0).fit(X[:200], y[:200])
    >>> result = mf.evaluate(forest, X[200:], y[200:])
    >>> result.task, result.n_samples, list(result.metrics)[:3]
    ('classification', 100, ['accuracy', 'error', 'balanced_accuracy'])
    >>> result.metrics["accuracy"].low < result.metrics["accuracy"].value
    True
    >>> sorted(result.to_dict())[:3]
    ['classes', 'confusion', 'coverage']
    """

    estimator: str
    task: str
    n_samples: int
    metrics: dict[str, Interval]
    parts: list[Part]
    labels: NDArray[Any] | None
    confusion: NDArray[Any] | None
    coverage: float
    n_bootstrap: int

    def to_dict(self) -> dict[str, Any]:
        """Return everything as numbers, strings, lists and dictionaries, for JSON.

        Returns
        -------
        content : dict
            Numbers that are not defined are None.

        Examples
        --------
        >>> import json
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
        >>> forest = mf.ForestRegressor(10, random_state=0).fit(X, y)
        >>> text = json.dumps(mf.evaluate(forest, X, y).to_dict())
        >>> list(json.loads(text)["metrics"])
        ['rmse', 'mae', 'median_absolute_error', 'r2']
        """
        content: dict[str, Any] = {
            "estimator": self.estimator,
            "task": self.task,
            "n_samples": self.n_samples,
            "coverage": self.coverage,
            "n_bootstrap": self.n_bootstrap,
            "metrics": {name: interval.to_dict() for name, interval in self.metrics.items()},
        }
        if self.parts:
            content["classes" if self._of_classes else "outputs"] = [
                {
                    "label": part.label,
                    "n_samples": part.n_samples,
                    **{name: interval.to_dict() for name, interval in part.metrics.items()},
                }
                for part in self.parts
            ]
        if self.confusion is not None and self.labels is not None:
            content["confusion"] = {
                "labels": self.labels.tolist(),
                "counts": self.confusion.tolist(),
            }
        return content

    @property
    def _of_classes(self) -> bool:
        return self.confusion is not None

    @property
    def _kind_of_parts(self) -> str:
        return "class" if self._of_classes else "output"

    @property
    def _heading(self) -> str:
        examples = "example" if self.n_samples == 1 else "examples"
        return f"{self.estimator}, {self.task} of {self.n_samples} {examples}"

    def __str__(self) -> str:
        """Return a table of at most 80 columns."""
        interval = f"{100 * self.coverage:g} % interval"
        lines = [self._heading, "", f"{'':<24}{'value':>12}    {interval}"]
        for name, (value, low, high) in self.metrics.items():
            ends = f"{number_text(low)} to {number_text(high)}"
            lines.append(f"{_words(name):<24}{number_text(value):>12}    {ends}")
        if self.parts:
            lines += ["", *self._lines_of_parts()]
        if self._matrix_fits():
            lines += ["", *self._lines_of_confusion()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Return the table."""
        return str(self)

    def _lines_of_parts(self) -> list[str]:
        """Return a line for each class or output; a last one says how many are left out."""
        names = list(self.parts[0].metrics)
        labels = [_shortened(str(part.label), _LONGEST_NAME) for part in self.parts]
        width = max(len(label) for label in [self._kind_of_parts, *labels])
        # names of measures may be longer than their column
        columns = [max(11, len(_words(name)) + 2) for name in names]
        head = "".join(f"{_words(n):>{c}}" for n, c in zip(names, columns, strict=True))
        lines = [f"{self._kind_of_parts:<{width}}{'examples':>10}{head}"]
        for part, label in list(zip(self.parts, labels, strict=True))[:_MOST_ROWS]:
            values = "".join(
                f"{number_text(part.metrics[n].value):>{c}}"
                for n, c in zip(names, columns, strict=True)
            )
            lines.append(f"{label:<{width}}{part.n_samples:>10}{values}")
        if len(self.parts) > _MOST_ROWS:
            lines.append(f"and {len(self.parts) - _MOST_ROWS} more")
        return lines

    def _cells(self) -> list[list[str]]:
        assert self.confusion is not None
        return [[f"{count:g}" for count in row] for row in self.confusion]

    def _matrix_fits(self) -> bool:
        """Whether the confusion matrix has room in the text, every class with its name."""
        if self.confusion is None or self.labels is None or len(self.labels) < 2:
            return False
        cells = [cell for row in self._cells() for cell in row]
        if max(map(len, cells)) > _LONGEST_COUNT:
            return False
        return max(len(line) for line in self._lines_of_confusion()) <= _WIDTH

    def _lines_of_confusion(self) -> list[str]:
        assert self.labels is not None
        names = [_shortened(str(label), _LONGEST_NAME) for label in self.labels.tolist()]
        cells = self._cells()
        width = 2 + max(len(text) for row in [names, *cells] for text in row)
        first = max(len(name) for name in [*names, "true class"])
        lines = [
            f"{'':<{first}}  predicted class",
            f"{'true class':<{first}}" + "".join(f"{name:>{width}}" for name in names),
        ]
        for name, row in zip(names, cells, strict=True):
            lines.append(f"{name:<{first}}" + "".join(f"{cell:>{width}}" for cell in row))
        return lines

    def _repr_html_(self) -> str:
        """Return small tables for notebooks."""
        interval = f"{100 * self.coverage:g} % interval"
        rows = [
            [_words(name), number_text(value), f"{number_text(low)} to {number_text(high)}"]
            for name, (value, low, high) in self.metrics.items()
        ]
        tables = [html_table(["", "value", interval], rows)]
        if self.parts:
            names = list(self.parts[0].metrics)
            rows = [
                [
                    str(part.label),
                    str(part.n_samples),
                    *(number_text(part.metrics[name].value) for name in names),
                ]
                for part in self.parts[:_MOST_ROWS]
            ]
            if (left_out := len(self.parts) - _MOST_ROWS) > 0:
                rows.append([f"and {left_out} more", "", *[""] * len(names)])
            head = [self._kind_of_parts, "examples", *map(_words, names)]
            tables.append(html_table(head, rows))
        if self._matrix_fits():
            assert self.labels is not None
            labels = [str(label) for label in self.labels.tolist()]
            rows = [[label, *row] for label, row in zip(labels, self._cells(), strict=True)]
            tables.append(html_table(["true \\ predicted", *labels], rows))
        return f"<div><p>{escape(self._heading)}</p>{''.join(tables)}</div>"


_WORDS = {
    "brier": "Brier score",
    "auc": "AUC",
    "rmse": "RMSE",
    "mae": "MAE",
    "r2": "R²",
}


def _words(name: str) -> str:
    """Return how a measure is called in texts."""
    return _WORDS.get(name, name.replace("_", " "))


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
