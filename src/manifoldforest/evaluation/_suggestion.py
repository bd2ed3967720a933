"""The outcome of a contest between projections, as numbers, as text and as a small page."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import Any

from ..projections import Projection
from ._html_table import html_table
from ._number_text import number_text

_WIDTH = 80  # columns of the text


@dataclass(frozen=True, repr=False)
class Suggestion:
    """Which projection suits the data; what :func:`manifoldforest.suggest_projection` returns.

    Attributes
    ----------
    best : Projection
        The projection that is suggested, for ``ForestClassifier(projection=…)``.
    verdict : str
        One sentence that says why.
    table : list of dict
        A row for each projection, in the order of the contest, the simplest first: its ``name``,
        the object ``projection``, the out-of-bag ``error`` and its ``standard_error``, the
        ``difference`` of the error to the smallest one and the ``difference_standard_error`` of
        that, both from pairs of predictions of the same rows, ``seconds`` of the fit, and whether
        it is ``suggested``.
    task : {"classification", "regression"}
        What was learned.
    measure : {"error", "RMSE"}
        What errors are: shares of wrong labels, or root mean squared errors.
    data : str
        What the examples are, in words.
    n_estimators : int
        Number of trees of each forest.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> X, y = mf.datasets.make_bars(200, random_state=0)
    >>> choice = mf.suggest_projection(X, y, n_estimators=20)
    >>> [row["name"] for row in choice.table][:3]
    ['axis', 'sporf', 'patches']
    >>> forest = mf.ForestClassifier(projection=choice.best)
    """

    best: Projection
    verdict: str
    table: list[dict[str, Any]]
    task: str
    measure: str
    data: str
    n_estimators: int

    def to_dict(self) -> dict[str, Any]:
        """Return everything as numbers, strings, lists and dictionaries, for JSON.

        Returns
        -------
        content : dict
            Projections are written as the text that makes them.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = mf.datasets.make_circle(100, random_state=0)
        >>> choice = mf.suggest_projection(X, y, n_estimators=20)
        >>> choice.to_dict()["best"]
        'Patches(channel_axis=None, view=Spectrum())'
        """
        return {
            "verdict": self.verdict,
            "best": in_one_line(self.best),
            "task": self.task,
            "measure": self.measure,
            "data": self.data,
            "n_estimators": self.n_estimators,
            "table": [{**row, "projection": in_one_line(row["projection"])} for row in self.table],
        }

    @property
    def _heading(self) -> str:
        return f"{self.data}, {self.n_estimators} trees out of bag"

    def __str__(self) -> str:
        """Return the verdict and a table of at most 80 columns."""
        width = max(len(row["name"]) for row in self.table)
        lines = [
            *wrap(self.verdict, _WIDTH),
            "",
            self._heading,
            f"  {'':<{width}}{self.measure:>12}{'std. error':>12}{'seconds':>10}",
        ]
        for row in self.table:
            mark = "*" if row["suggested"] else " "
            numbers = f"{number_text(row['error']):>12}{number_text(row['standard_error']):>12}"
            lines.append(f"{mark} {row['name']:<{width}}{numbers}{row['seconds']:>10.1f}")
        return "\n".join([*lines, "", f"projection={in_one_line(self.best)}"])

    def __repr__(self) -> str:
        """Return the text."""
        return str(self)

    def _repr_html_(self) -> str:
        """Return the verdict and a small table for notebooks."""
        rows = [
            [
                row["name"],
                number_text(row["error"]),
                number_text(row["standard_error"]),
                f"{row['seconds']:.1f}",
            ]
            for row in self.table
        ]
        suggested = [row["suggested"] for row in self.table].index(True)
        table = html_table(["", self.measure, "std. error", "seconds"], rows, bold=suggested)
        return (
            f"<div><p>{escape(self.verdict)}</p><p>{escape(self._heading)}</p>{table}"
            f"<p><code>projection={escape(in_one_line(self.best))}</code></p></div>"
        )


def in_one_line(projection: Projection) -> str:
    """Return the text that makes a projection, without line breaks."""
    return " ".join(repr(projection).split())
