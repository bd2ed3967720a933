"""M2: horizontal or vertical bars (Figure 1B of the MORF papers)."""

from __future__ import annotations

from manifoldforest.datasets import make_bars
from manifoldforest.projections import Patches

from ..registry import MORF
from .errors import BUT_CNN, by_size, lowest, near_zero, not_above, same_as_published
from .learning_curve import SIZES, LearningCurve, show_image, simulation
from .methods import Problem

BARS = Problem("bars", Patches(min_size=(2, 2), max_size=(2, 9)), max_features=28)

# The linear SVM's errors are about 0.50 throughout. Where errors had become 1 of 2000, the
# authors' later ones are the same or 0.
PUBLISHED = by_size(
    SIZES,
    {
        "LogReg": (0.485, 0.490, 0.504, 0.503, 0.507, 0.478, 0.482),
        "LinSVM": (0.500, 0.500, 0.500, 0.500, 0.500, 0.500, 0.500),
        "SVM": (0.389, 0.181, 0.075, 0.007, 0.0005, 0.0, 0.0005),
        "kNN": (0.552, 0.021, 0.012, 0.006, 0.0005, 0.0, 0.0),
        "RF": (0.472, 0.035, 0.002, 0.001, 0.0005, 0.0005, 0.0005),
        "MLP": (0.433, 0.266, 0.154, 0.015, 0.0005, 0.0005, 0.0005),
        "SPORF": (0.458, 0.120, 0.006, 0.003, 0.0005, 0.0005, 0.0005),
        "MORF": (0.182, 0.012, 0.013, 0.001, 0.0005, 0.0005, 0.0005),
        "CNN": (0.020, 0.004, 0.0005, 0.0005, 0.0005, 0.0005, 0.0005),
        "XGB": (0.504, 0.272, 0.191, 0.066, 0.019, 0.001, 0.0005),
    },
)

M2 = LearningCurve(
    id="M2",
    title="Horizontal or vertical bars: error over training size",
    paper=MORF,
    source="Figure 1B (and Figure 1B of the thesis, whose parameters are used)",
    question="Images of 28 × 28 pixels with about ten bars, all horizontal or all vertical. "
    "How few examples are enough?",
    setups=simulation(BARS, make_bars, PUBLISHED),
    claims=(
        lowest("MORF", "MORF is best of all but CNN at n = 10", BUT_CNN, to_size=10),
        lowest(
            "MORF",
            "MORF is best of all but CNN at every n",
            BUT_CNN,
            note="From n = 200 on, all but the linear methods are near zero, and few test examples "
            "make the difference.",
        ),
        # Of larger training sets, the published errors are none to two of 2000.
        same_as_published("MORF", to_size=100),
        not_above("MORF", from_size=50, margin=0.003),
        near_zero(
            "Nearly no errors from n = 400 on, but for the linear methods, which stay at chance",
            from_size=400,
            bound=0.005,
            besides=("LogReg", "LinSVM", "XGB"),
        ),
    ),
    show=show_image,
    class_names=("class 0: horizontal", "class 1: vertical"),
)
