"""D2: completion of handwritten digits ([DRF] section 3.2.1, Table 1 and Figure 3)."""

from __future__ import annotations

from .._papers import DRF
from ._completion import Cell, CompletionSize
from ._digits import FIRST, RANDOM, Digits
from ._methods import BARYCENTRE, EQUATION_8, Forests

RAW, UNIT = "0..16", "0..1"  # grey values that kRF and dRF see, which the paper does not state

D2 = Digits(
    id="D2",
    title="Completion of digits",
    paper=DRF,
    source="Table 1 and Figure 3",
    question=(
        "Which method predicts the lower half of a digit so that the whole is sharp, smooth and "
        "the right digit?"
    ),
    methods=("1NN", "RF", "kRF", "dRF"),
    cells=(
        Cell("1NN", RAW, 5),
        Cell("RF", RAW, 5),
        Cell("RF", RAW, 1),
        Cell("RF", RAW, 20),
        Cell("kRF", RAW, 5),
        Cell("kRF", UNIT, 5),
        Cell("dRF", RAW, 5),
        Cell("dRF", UNIT, 5),
        Cell(BARYCENTRE, RAW, 5),
        Cell(EQUATION_8, RAW, 5),
        Cell(EQUATION_8, UNIT, 5),
    ),
    columns={
        "rmse": "RMSE of an image, 0..16",
        "class_error": "class error",
        "bad": "bad (paper: by eye)",
        "misread": "misread",
        "sharpness": "sharpness",
        "seam": "jump at the seam",
        "brightness": "brightness",
        "mse": "MSE of a pixel",
        "seconds": "CPU s",
    },
    published={
        "rmse": {"1NN": 3.3665, "RF": 2.7651, "kRF": 3.2675, "dRF": 3.3287},
        "class_error": {"1NN": 0.165, "kRF": 0.21},
        "bad": {"1NN": 0.2, "RF": 0.27, "kRF": 0.24, "dRF": 0.185},
    },
    units={RAW: 1.0, UNIT: 16.0},
    forests=Forests(
        n_trees=300,
        max_features=5,
        n_neighbors=5,
        embedding_dim=25,
        bandwidth=3,
        smoothness=20,
        kernel_bandwidth=5,
    ),
    full=CompletionSize(
        n_train=800, n_test=200, n_trees=300, repetitions=10, images=(FIRST, RANDOM)
    ),
    quick=CompletionSize(n_train=400, n_test=100, n_trees=40, repetitions=2, images=(FIRST,)),
)
