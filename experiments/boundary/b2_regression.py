"""B2: how a boundary tree grows in regression, where nearly equal responses count as equal."""

from __future__ import annotations

from .._papers import BOUNDARY
from ._surface_growth import SurfaceGrowth, SurfaceSize
from ._surfaces import hills, ramp

B2 = SurfaceGrowth(
    id="B2",
    title="Growth of a boundary tree in regression",
    paper=BOUNDARY,
    source="slides, other applications: regression",
    question=(
        "How many examples does one tree keep to describe a surface over the plane? It depends on "
        "eps, the difference of responses that does not count, which the slides do not give."
    ),
    surfaces={"ramp": ramp, "hills": hills},
    tolerances=(0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3),
    shown=10_000,
    published=395,  # neither surface nor eps are given
    counted=(1000, 10_000, 100_000),
    full=SurfaceSize(n=100_000, seeds=10),
    quick=SurfaceSize(n=10_000, seeds=2),
)
