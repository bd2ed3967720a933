"""Sizes and repetitions that M1, M2 and M3 share."""

from __future__ import annotations

from ._errors import Published
from ._learning_curve import Generator, Setup, Simulated
from ._methods import BASELINES, FORESTS, Problem

SIZES = (10, 50, 100, 200, 400, 1000, 2000)
PUBLISHED_AS = "one training set, 2000 test examples, mean of 5 runs"


def full_setup(problem: Problem, generate: Generator, published: Published) -> Setup:
    """Return the sizes of the papers: 500 trees as in the authors' runs, 20 training sets."""
    return Setup(
        problem=problem,
        draw=Simulated(generate, n_test=10_000),
        sizes=SIZES,
        trees=500,
        repetitions=lambda method, n: 5 if method in ("CNN", "XGB") else 20,
        published=published,
    )


def quick_setup(problem: Problem, generate: Generator, published: Published) -> Setup:
    """Return sizes for a try-out of seconds, with nothing but scikit-learn."""
    return Setup(
        problem=problem,
        draw=Simulated(generate, n_test=2000),
        sizes=SIZES[:-1],
        trees=100,
        repetitions=lambda method, n: 3,
        methods=(*FORESTS, *BASELINES),
        published=published,
    )
