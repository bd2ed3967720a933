"""Reports about what was fitted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..io._atomic_file import replacing
from ..validation._rules import any_path, check_argument
from ._content import Fact, Section
from ._html import as_fragment, as_page
from ._text import as_text


class Report:
    """What there is to know about a fitted forest or index.

    Made by the method `describe` of every fitted estimator and index. It is a text in a terminal,
    a folded section in a notebook, and a page with pictures in a file.

    What it tells depends on what the model holds. A forest does not store its training examples,
    but it does store where they fell (`keep_samples`), so scores, confusions and calibration out of
    bag are computed whenever rows were left out of trees. What cannot be told is named, with the
    parameter that would make it known.

    Attributes
    ----------
    title : str
        Name of the class.
    summary : str
        One sentence.

    See Also
    --------
    manifoldforest.plot.tree : the picture of one tree.
    manifoldforest.plot.atoms : the pictures of the atoms.

    Notes
    -----
    Pictures need the extra ``manifoldforest[plot]``. Without it, pages have no pictures, and say
    so; texts and dictionaries are the same.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> report = mf.ForestClassifier(10, random_state=0).fit(X, y).describe()
    >>> report.summary
    '10 trees on 4 rows of 1 feature, for 2 classes'
    >>> report.to_dict()["size"]["trees"]
    10
    """

    def __init__(
        self, title: str, summary: str, highlights: Sequence[Fact], sections: Sequence[Section]
    ) -> None:
        self.title = title
        self.summary = summary
        self._highlights = tuple(highlights)
        self._sections = tuple(sections)

    @property
    def highlights(self) -> tuple[Fact, ...]:
        """The facts that stand above all others.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
        >>> report = mf.ForestClassifier(10, bootstrap=False, random_state=0).fit(X, y).describe()
        >>> [fact.label for fact in report.highlights]
        ['trees', 'nodes', 'memory']
        """
        return self._highlights

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections, in the order in which they are read.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
        >>> report = mf.ForestClassifier(10, bootstrap=False, random_state=0).fit(X, y).describe()
        >>> [section.key for section in report.sections][:3]
        ['data', 'parameters', 'size']
        """
        return self._sections

    def to_dict(self) -> dict[str, Any]:
        """Return the content as a dictionary that JSON can hold.

        Returns
        -------
        content : dict
            ``"model"`` and ``"summary"``, and a dictionary for each section by its key, such as
            ``"data"``, ``"parameters"``, ``"size"``, ``"out_of_bag"`` and ``"importance"``. Numbers
            that are not finite are None.

        Examples
        --------
        >>> import json
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
        >>> report = mf.ForestRegressor(10, random_state=0).fit(X, y).describe()
        >>> list(json.loads(json.dumps(report.to_dict())))[:4]
        ['model', 'summary', 'data', 'parameters']
        """
        content: dict[str, Any] = {"model": self.title, "summary": self.summary}
        return content | {section.key: section.to_dict() for section in self._sections}

    def to_html(self) -> str:
        """Return the report as one page, which refers to nothing outside of itself.

        It is readable in light and dark, on a telephone and in print. Where matplotlib is not
        installed, it has no pictures and says so.

        Returns
        -------
        page : str
            A whole document of HTML.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
        >>> page = mf.ForestClassifier(10, random_state=0).fit(X, y).describe().to_html()
        >>> page.startswith("<!DOCTYPE html>")
        True
        """
        return as_page(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, which appears under its name only when it is complete.

        Parameters
        ----------
        path : str or path-like
            Where to write, such as ``"forest.html"``.

        Examples
        --------
        >>> import os, tempfile
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
        >>> report = mf.ForestClassifier(10, random_state=0).fit(X, y).describe()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     report.save(os.path.join(folder, "forest.html"))
        ...     os.listdir(folder)
        ['forest.html']
        """
        check_argument("path", path, any_path)
        page = self.to_html().encode()
        with replacing(Path(path)) as file:
            file.write(page)

    def __str__(self) -> str:
        return as_text(self)

    __repr__ = __str__  # what a terminal shows is to be read

    def __eq__(self, other: object) -> bool:
        """Return whether another report says the same; pictures are not compared."""
        return self.to_dict() == other.to_dict() if isinstance(other, Report) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _repr_html_(self) -> str:
        return as_fragment(self, is_open=True)
