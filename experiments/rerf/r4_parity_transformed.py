"""R4: sparse parity rotated, scaled, both, and with outliers."""

from __future__ import annotations

from manifoldforest.datasets import make_sparse_parity

from .._papers import RERF
from ._claims import Order
from ._oob_study import Sizes
from ._published import SPARSE_PARITY
from ._transformed import TRIALS, Transformed

METHODS = ("RF", "RerF", "RotRF")
TRANSFORMATIONS = ("rotated", "scaled", "affine", "outliers")
STRETCHED = (
    "How RotRF fares depends on which features are stretched: its errors at the same p differ by "
    "tenths from trial to trial"
)
FEW = {25: 5, 50: 3}  # trials where runs are slow and errors near those of guessing


def _below_rf(method: str, transformation: str) -> Order:
    data = "untransformed" if transformation == "raw" else transformation
    words = f"with {data}" if transformation == "outliers" else f"on {data} data"
    stretched = method == "RotRF" and transformation in ("scaled", "affine")
    return Order(
        claim=f"{method} has a lower error than RF {words}",
        curve=(method, transformation),
        other=("RF", transformation),
        sizes=(5, 10, 25),
        note=STRETCHED if stretched else "",
    )


R4 = Transformed(
    id="R4",
    title="Sparse parity under transformations",
    paper=RERF,
    source="Figure 3 A to E",
    question="Do rotations, scalings and outliers change the order of the methods on sparse "
    "parity? Errors are out of bag, the lowest over d as in the paper.",
    rows_of=("R2",),  # the same training sets without transformation
    make=make_sparse_parity,
    methods=METHODS,
    transformations=TRANSFORMATIONS,
    full=Sizes(
        1000,
        500,
        (5, 10, 25, 50),
        TRIALS,
        {(method, p): n for method in METHODS for p, n in FEW.items()},
    ),
    quick=Sizes(400, 50, (5, 10), 3),
    published=SPARSE_PARITY,
    claims=(
        *(_below_rf("RerF", transformation) for transformation in ("raw", *TRANSFORMATIONS)),
        *(_below_rf("RotRF", transformation) for transformation in ("raw", *TRANSFORMATIONS)),
        Order(
            claim="RotRF is invariant to rotation",
            curve=("RotRF", "rotated"),
            other=("RotRF", "raw"),
            sizes=(5, 10, 25, 50),
            how="same",
        ),
    ),
)
