"""The parameters that all indexes have."""

from __future__ import annotations

from typing import Any

from ..validation._parameters import N_JOBS
from ..validation._rules import check_argument
from ._metrics import INDEX_METRICS, check_embedded, resolve_embedding, resolve_metric


class IndexParameters:
    """Metric, embedding and number of threads: checked by the constructor, and fixed but the last.

    An index has points from its first change on, so that another metric or embedding would not fit
    them.
    """

    def __init__(self, *, metric: Any, embedding: Any, n_jobs: int | None) -> None:
        resolve_metric(metric, INDEX_METRICS)
        resolve_embedding(embedding)
        self._metric = metric
        self._embedding = embedding
        self.n_jobs = n_jobs

    @property
    def metric(self) -> Any:
        """The distance, as it was given.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> mf.BoundaryIndex(metric="cosine").metric
        'cosine'
        """
        return self._metric

    @property
    def embedding(self) -> Any:
        """The embedding, as it was given.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> mf.BoundaryIndex(embedding=mf.views.Gradients()).embedding
        Gradients()
        """
        return self._embedding

    @property
    def n_jobs(self) -> int | None:
        """Number of threads, as in scikit-learn. The only parameter that can be set later.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> index = mf.BoundaryIndex()
        >>> index.n_jobs = 2
        >>> index.n_jobs
        2
        """
        return self._n_jobs

    @n_jobs.setter
    def n_jobs(self, n_jobs: int | None) -> None:
        check_argument("n_jobs", n_jobs, N_JOBS)
        self._n_jobs = n_jobs

    def _embedded(self, X: Any) -> tuple[Any, str]:
        """Return the points between which distances are measured, and their name for messages."""
        embed = resolve_embedding(self.embedding)
        return (X, "X") if embed is None else (embed(X), "the embedding of X")

    def _check_embedded(self, X: Any, points: Any) -> None:
        """Raise a ValueError if the embedding has added or dropped rows of X."""
        if self.embedding is not None:
            check_embedded(X, points)
