"""What all fitted estimators and indexes have: a report, which notebooks show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from ._fitted_state import snapshot

if TYPE_CHECKING:
    from .report import Report


class DescribedEstimator:
    """An estimator that notebooks show as a report once it is fitted; before, as scikit-learn does.

    Stands before scikit-learn's BaseEstimator among the base classes.
    """

    def describe(self) -> Report:
        """Return a report: what was learned, from what, how large it is and, if known, how good.

        Returns
        -------
        report : manifoldforest.report.Report
            ``print(report)`` writes it as text, ``report.save("report.html")`` as a page with
            pictures, and ``report.to_dict()`` has its numbers.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
        >>> report = mf.ForestClassifier(10, random_state=0).fit(X, y).describe()
        >>> report.summary
        '10 trees on 4 rows of 1 feature, for 2 classes'
        >>> str(report).splitlines()[0]
        'ForestClassifier'
        """
        from .report._describe import describe

        fitted = snapshot(self)
        check_is_fitted(fitted)
        return describe(fitted)

    def _is_fitted(self) -> bool:
        """Whether there is something to describe."""
        return bool(self.__sklearn_is_fitted__())  # type: ignore[attr-defined]

    # Both are asked for by notebooks, and both obey sklearn.set_config(display=...): the classes
    # above say nothing in HTML where it is "text".

    def _repr_html_inner(self) -> str:
        if not self._is_fitted():
            diagram: str = super()._repr_html_inner()  # type: ignore[misc]
            return diagram
        return folded_report(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle and self._is_fitted():
            bundle["text/html"] = folded_report(self)
        return bundle


def folded_report(model: Any) -> str:
    """Return the report of a model as a part of a notebook, folded."""
    from .report._html import as_fragment

    return as_fragment(model.describe(), is_open=False)
