"""T1: honest forests come close to the Bayes error, and cells are convex (thesis, section 4)."""

from __future__ import annotations

from .._papers import THESIS
from ._consistency import Consistency, ConsistencySize

T1 = Consistency(
    id="T1",
    title="Honest forests converge to the Bayes error, and cells are convex",
    paper=THESIS,
    source="Theorems 1 and 2, Corollary 1 (section 4 and appendix)",
    question="Honest trees fill their leaves with examples that did not choose the splits. Does "
    "the error of such forests fall to the lowest possible? Are the cells of trees convex?",
    methods=("MORF", "honest MORF", "honest SPORF"),
    convex=("MORF", "SPORF", "RF"),
    full=ConsistencySize(
        sizes=(100, 400, 1600, 6400, 25_600, 102_400), n_test=20_000, trees=100, repetitions=4
    ),
    quick=ConsistencySize(sizes=(100, 400, 1600), n_test=4000, trees=50, repetitions=2),
)
