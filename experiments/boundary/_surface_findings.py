"""Which tolerance the slides may have had, by the number of nodes; and how slowly trees grow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._experiment import Finding
from .._results import Results
from ._growth import spread


@dataclass(frozen=True)
class Shown:
    """What the slides show: a tree after some number of examples."""

    examples: int
    nodes: int


def nodes_by_eps(rows: Results, examples: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return tolerances in ascending order, and mean nodes after some number of examples."""
    metric = f"nodes_{examples}"
    means = {eps: sub.mean(metric) for eps, sub in rows.by("eps").items()}
    kept = sorted(eps for eps, mean in means.items() if not np.isnan(mean))
    return np.array(kept, dtype=float), np.array([means[eps] for eps in kept], dtype=float)


def eps_for(nodes: float, eps: NDArray[np.float64], means: NDArray[np.float64]) -> float | None:
    """Return the tolerance that gives some number of nodes, between measured ones; or None."""
    order = np.argsort(means)
    if len(means) < 2 or not means[order[0]] <= nodes <= means[order[-1]]:
        return None
    return float(np.exp(np.interp(np.log(nodes), np.log(means[order]), np.log(eps[order]))))


def published_finding(surface: str, rows: Results, slides: Shown) -> Finding:
    """Put our nodes beside the published ones, and tell which tolerance would give these."""
    eps, means = nodes_by_eps(rows, slides.examples)
    fitting = eps_for(slides.nodes, eps, means)
    return Finding(
        f"nodes of one tree after {slides.examples} examples ({surface})",
        f"{means.max():.0f} for eps = {100 * eps[0]:g} % of the range, {means.min():.0f} for "
        f"{100 * eps[-1]:g} %",
        f"{slides.nodes} (eps and surface not given)",
        None,
        "" if fitting is None else f"eps = {100 * fitting:.1f} % of the range gives {slides.nodes}",
    )


def slow_finding(surface: str, eps: float, rows: Results) -> Finding:
    """Tell whether memory grows slowly."""
    return Finding(
        f"memory grows slowly with more examples ({surface}, eps {100 * eps:g} % of the range)",
        f"exponent {spread(rows, 'exponent', 2)}",
        "slowly",
        bool(rows.mean("exponent") < 0.5),
        "of nodes ~ examples^b over the last factor of ten; agreement means below 0.5. A tolerance "
        "bounds the number of nodes: it is reached when cells are smaller than eps over the slope",
    )
