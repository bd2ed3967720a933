"""M8, an experiment of ours: how much the sizes of patches and the number of candidates matter."""

from __future__ import annotations

from dataclasses import replace

from manifoldforest.datasets import make_circle, make_impulse

from .._papers import THESIS
from ._digit_images import MNIST_FILE, STAND_IN, digits_subset, mnist_subset
from ._learning_curve import Simulated
from ._tuning import Tuning, TuningPlan
from ._tuning_grid import Grid, boxes, widths

# Sizes of the paper, of the thesis and of the authors' later runs, and some that are too large.
CIRCLE = Grid(
    name="circle",
    draw=Simulated(make_circle, n_test=10_000),
    n=1000,
    patches=widths((4, 6), (1, 5), (3, 12), (1, 15), (10, 30), wrap=True),
    candidates=(10, 22, 50, 100),
    chosen=("3–12", 50),
    authors=("1–5", "3–12", "1–15"),
    published={("3–12", 50): 0.051, ("1–5", 22): 0.331},  # thesis, and a rerun of 2021
)
IMPULSE = Grid(
    name="impulse",
    draw=Simulated(make_impulse, n_test=10_000),
    n=1000,
    patches=widths((1, 2), (1, 5), (2, 12), (2, 20), (10, 40)),
    candidates=(5, 10, 30, 100),
    chosen=("2–12", 30),
    authors=("1–5", "2–12", "2–20"),
)
MNIST = Grid(
    name="mnist",
    draw=mnist_subset,
    n=1000,
    patches=boxes(
        ((1, 3), (1, 3)), ((2, 2), (2, 5)), ((1, 5), (1, 5)), ((3, 8), (3, 8)), ((7, 14), (7, 14))
    ),
    candidates=(7, 28, 84, 252),
    chosen=("2 × 2–5", 28),
    authors=("1–3 × 1–3", "2 × 2–5", "1–5 × 1–5"),
    needs=MNIST_FILE,
)
SMALL_IMPULSE = replace(IMPULSE, draw=Simulated(make_impulse, n_test=2000), n=200)
DIGITS = Grid(
    name="digits",
    draw=digits_subset,
    n=300,
    patches=boxes(
        ((1, 2), (1, 2)), ((2, 2), (2, 3)), ((1, 4), (1, 4)), ((2, 4), (2, 4)), ((4, 6), (4, 6))
    ),
    candidates=(4, 8, 16, 32),
    chosen=("2 × 2–3", 8),
    authors=("1–2 × 1–2", "2 × 2–3", "1–4 × 1–4"),  # ours, for images of eight pixels a side
)

M8 = Tuning(
    id="M8",
    title="MORF over patch sizes and candidates per node",
    paper=THESIS,
    source="no figure: the conclusion claims robustness to hyperparameter tuning",
    question="How much does the error of MORF depend on the range of patch sizes and on the number "
    "of candidates d, and when is it worse than forests that do not know of neighbours?",
    stand_in=f"{STAND_IN}, and a smaller impulse",
    full=TuningPlan(
        grids=(CIRCLE, IMPULSE, MNIST),
        trees=500,
        repetitions=5,
        chosen_by="the setting of the thesis",
    ),
    quick=TuningPlan(
        grids=(SMALL_IMPULSE, DIGITS), trees=30, repetitions=2, chosen_by="a usual setting"
    ),
)
