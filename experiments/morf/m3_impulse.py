"""M3: an impulse in noise (Figure 1C of the MORF papers)."""

from __future__ import annotations

from manifoldforest.datasets import bayes_error, make_impulse
from manifoldforest.projections import Patches

from ..registry import MORF
from .errors import by_size, lowest, not_above, same_as_published
from .learning_curve import SIZES, LearningCurve, show_series, simulation
from .methods import Problem

IMPULSE = Problem("impulse", Patches(min_size=2, max_size=12), max_features=30)

PUBLISHED = by_size(
    SIZES,
    {
        "LogReg": (0.308, 0.237, 0.232, 0.205, 0.166, 0.158, 0.145),
        "LinSVM": (0.309, 0.256, 0.257, 0.234, 0.188, 0.154, 0.146),
        "SVM": (0.325, 0.233, 0.210, 0.183, 0.162, 0.150, 0.143),
        "kNN": (0.327, 0.311, 0.322, 0.315, 0.312, 0.292, 0.273),
        "RF": (0.389, 0.242, 0.214, 0.188, 0.166, 0.147, 0.142),
        "MLP": (0.332, 0.306, 0.282, 0.244, 0.180, 0.163, 0.163),
        "SPORF": (0.342, 0.232, 0.210, 0.180, 0.149, 0.142, 0.135),
        "MORF": (0.187, 0.142, 0.151, 0.142, 0.139, 0.133, 0.131),
        "CNN": (0.290, 0.182, 0.191, 0.171, 0.174, 0.171, 0.182),
        "XGB": (0.459, 0.247, 0.255, 0.214, 0.189, 0.174, 0.162),
    },
)

M3 = LearningCurve(
    id="M3",
    title="An impulse in noise: error over training size",
    paper=MORF,
    source="Figure 1C (and Figure 1C of the thesis, whose parameters are used)",
    question="Series of 100 times of noise, or of noise and an impulse that decays from time 20 "
    "on. How close to the Bayes error do methods come?",
    setups=simulation(IMPULSE, make_impulse, PUBLISHED),
    claims=(
        same_as_published("MORF"),
        not_above("MORF", from_size=1000, margin=0.003),
        lowest("MORF", "MORF is best of all, CNN too, at every n"),
    ),
    show=show_series,
    class_names=("class 0: noise", "class 1: impulse"),
    bayes_error=bayes_error("impulse"),
)
