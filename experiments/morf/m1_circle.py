"""M1: two segments on a ring, told apart by their lengths (Figure 1A of the MORF papers)."""

from __future__ import annotations

from manifoldforest.datasets import make_circle
from manifoldforest.projections import Patches

from ..registry import MORF
from .errors import BUT_CNN, by_size, far_below, lowest, not_above, same_as_published
from .learning_curve import SIZES, LearningCurve, show_ring, simulation
from .methods import Problem

CIRCLE = Problem("circle", Patches(min_size=3, max_size=12, wrap=True), max_features=50)

PUBLISHED = by_size(
    SIZES,
    {
        "LogReg": (0.492, 0.478, 0.486, 0.478, 0.490, 0.498, 0.498),
        "LinSVM": (0.493, 0.486, 0.489, 0.474, 0.490, 0.496, 0.497),
        "SVM": (0.502, 0.493, 0.485, 0.489, 0.491, 0.485, 0.465),
        "kNN": (0.493, 0.518, 0.521, 0.484, 0.402, 0.461, 0.518),
        "RF": (0.498, 0.485, 0.494, 0.492, 0.488, 0.443, 0.391),
        "MLP": (0.494, 0.483, 0.479, 0.510, 0.480, 0.430, 0.216),
        "SPORF": (0.494, 0.488, 0.494, 0.495, 0.488, 0.446, 0.391),
        "MORF": (0.504, 0.417, 0.304, 0.126, 0.073, 0.051, 0.037),
        "CNN": (0.501, 0.488, 0.370, 0.122, 0.022, 0.005, 0.001),
        "XGB": (0.500, 0.484, 0.488, 0.497, 0.481, 0.286, 0.061),
    },
)

M1 = LearningCurve(
    id="M1",
    title="Segments on a circle: error over training size",
    paper=MORF,
    source="Figure 1A (and Figure 1A of the thesis, whose parameters are used)",
    question="Ten of 100 positions on a ring are on, in two segments of lengths 5 + 5 or 4 + 6. "
    "No single position tells anything of the class. Who learns to look at neighbours?",
    setups=simulation(CIRCLE, make_circle, PUBLISHED),
    claims=(
        same_as_published(
            "MORF",
            "The authors' programs never wrap a patch around the ring, and their runs scaled the "
            "features. Ours done so, on 4 training sets, has 0.065 ± 0.009, 0.032 ± 0.008 and "
            "0.024 ± 0.003 at n = 400, 1000 and 2000, which explains the first of these only. "
            "Their error is of one training set and 2000 test examples, which alone give it a "
            "standard deviation of 0.004 at n = 2000.",
        ),
        not_above("MORF", from_size=1000, margin=0.003),
        far_below(
            "MORF",
            ("RF", "SPORF"),
            "MORF is far below RF and SPORF, which are at chance up to n = 400",
            from_size=200,
            fraction=0.5,
        ),
        lowest("CNN", "CNN is best for n ≥ 400", from_size=400),
        lowest("MORF", "MORF is best of all but CNN at every n", BUT_CNN),
        lowest(
            "MORF",
            "MORF is better than CNN at n = 50 and 100",
            ("CNN",),
            from_size=50,
            to_size=100,
            note="Our networks have the layers of the thesis, but are trained with batches of 64 "
            "examples in place of up to 250, that is with more steps.",
        ),
    ),
    show=show_ring,
    class_names=("class 0: 5 + 5", "class 1: 4 + 6"),
)
