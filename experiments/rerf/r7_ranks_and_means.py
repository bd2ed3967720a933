"""R7: mean differences and ranks on Trunk's problem under transformations."""

from __future__ import annotations

from manifoldforest.datasets import make_trunk

from .._papers import RERF
from ._claims import Order
from ._flatness import Flatness
from ._oob_study import Sizes
from ._published import TRUNK
from ._transformed import TRIALS

P = (2, 10, 50, 100, 500)
LINEAR = ("rotated", "scaled", "affine")

R7 = Flatness(
    id="R7",
    title="RerF with mean differences and ranks",
    paper=RERF,
    source="Figure 5",
    question="Do differences of class means, RerF(d), and ranks with them, RerF(d+r), make RerF "
    "robust to rotation and scale on Trunk's problem?",
    rows_of=("R3", "R5"),  # RF, RerF and RotRF on the same training sets
    make=make_trunk,
    methods=("RerF(d)", "RerF(d+r)"),
    shown_methods=("RF", "RerF", "RerF(d)", "RerF(d+r)", "RotRF"),
    transformations=("raw", *LINEAR),
    flattest="RerF(d+r)",
    full=Sizes(100, 1000, P, TRIALS),
    quick=Sizes(100, 50, (2, 10, 50), 3),
    published=TRUNK,
    claims=(
        Order(
            claim="RerF(d) has a lower error than RerF on untransformed data",
            curve=("RerF(d)", "raw"),
            other=("RerF", "raw"),
            sizes=P,
        ),
        Order(
            claim="RerF(d) is not sensitive to rotation",
            curve=("RerF(d)", "rotated"),
            other=("RerF(d)", "raw"),
            sizes=P,
            how="same",
        ),
        Order(
            claim="RerF(d) is sensitive to scale",
            curve=("RerF(d)", "scaled"),
            other=("RerF(d)", "raw"),
            sizes=P[1:],
            how="higher",
        ),
        *(
            Order(
                claim=f"RerF(d+r) is as good on {transformation} as on untransformed data",
                curve=("RerF(d+r)", transformation),
                other=("RerF(d+r)", "raw"),
                sizes=P,
                how="no higher",
            )
            for transformation in LINEAR
        ),
        *(
            Order(
                claim=f"RerF(d+r) has a lower error than {method} on affine transformed data",
                curve=("RerF(d+r)", "affine"),
                other=(method, "affine"),
                sizes=P[1:],
            )
            for method in ("RF", "RerF", "RotRF", "RerF(d)")
        ),
    ),
)
