"""What is known of forests for responses on manifolds: their space, and distances out of bag."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..responses._base import BaseResponseForest, region_radius
from ._content import Fact, Picture, Section, Table
from ._wording import count, number_of, one_line

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.9, 0.95)
_COVERAGES = (0.5, 0.8, 0.9, 0.95)


def response_sections(forest: BaseResponseForest) -> tuple[list[Fact], list[Section]]:
    """Return the score as a fact for the top of the report, and sections about responses."""
    top, section = _out_of_bag_section(forest)
    return top, [_space_section(forest), section]


def _space_section(forest: BaseResponseForest) -> Section:
    space = one_line(repr(forest.space_), 160)
    facts = [Fact("space", space, space)]
    values = forest._responses.values
    if isinstance(values, np.ndarray) and values.ndim > 1:
        shape = list(values.shape[1:])
        facts.append(Fact("shape", shape, " × ".join(map(str, shape)), "one response"))
    kind = getattr(forest, "_prediction_kind", None)
    if kind is not None:
        facts.append(Fact("prediction", kind(forest.space_), kind(forest.space_)))
    if hasattr(forest, "truncation_error_"):
        error = forest.truncation_error_
        facts.append(Fact("truncation_error", error, f"{error:.4g}"))
    return Section("responses", "Responses", facts)


def _out_of_bag_section(forest: BaseResponseForest) -> tuple[list[Fact], Section]:
    title = "Out of bag"
    if not hasattr(forest, "oob_distance_"):
        note = (
            "How far predictions are from responses that trees have not seen is not known: fit "
            "with oob_score=True."
        )
        return [], Section("out_of_bag", title, notes=[note])
    distance = forest.oob_distance_[~np.isnan(forest.oob_distance_)]
    score = float(forest.oob_score_)
    name = "share of variance explained"
    if callable(forest.oob_score):
        name = getattr(forest.oob_score, "__name__", type(forest.oob_score).__name__)
    facts = [Fact("score", score, f"{score:.4f}", f"{name} out of bag")]
    if not len(distance):
        note = "No row is out of bag: fit with more trees, or with bootstrap=True or max_samples."
        return facts, Section("out_of_bag", title, facts, notes=[note])
    mean, rms = float(distance.mean()), math.sqrt(float(np.mean(distance**2)))
    skipped = int(getattr(forest, "oob_skipped_", 0))
    text = count(len(distance))
    if skipped:
        text += f"; {number_of(skipped, 'row')} in every bag left out"
    facts += [
        Fact("mean_distance", mean, f"{mean:.4g}"),
        Fact("rms_distance", rms, f"{rms:.4g}", "root mean squared distance"),
        Fact("rows", len(distance), text, "rows out of bag"),
    ]
    quantiles = np.quantile(distance, _QUANTILES)
    radii = {coverage: region_radius(distance, coverage) for coverage in _COVERAGES}
    if math.isfinite(radii[0.9]):
        text = f"balls of radius {radii[0.9]:.4g}"
        facts.append(Fact("radius_90", radii[0.9], text, "nine of ten in"))
    tables = [
        Table(
            "Distances between responses and predictions out of bag",
            ("", *(f"{100 * q:.0f} %" for q in _QUANTILES)),
            [("quantile", *(f"{value:.4g}" for value in quantiles))],
        )
    ]
    picture = Picture(
        f"Histogram of {count(len(distance))} distances between responses and their predictions "
        f"out of bag; their median is {quantiles[2]:.3g}.",
        "Distances between responses and their predictions out of bag. The line is the radius of "
        "balls that hold nine of ten.",
        partial(_draw_distances, distance, radii[0.9]),
    )
    data = {
        "quantiles": dict(zip(_QUANTILES, quantiles.tolist(), strict=True)),
        "radius": radii,
    }
    notes = ["Each row was predicted by the trees that have not seen it."]
    return facts[:1], Section("out_of_bag", title, facts, tables, [picture], notes=notes, data=data)


def _draw_distances(distance: NDArray[np.float64], radius: float, axes: Any) -> None:
    from ..plot import COLORS

    finite = distance[np.isfinite(distance)]
    axes.hist(finite, bins=min(40, max(5, len(finite) // 8)), color=COLORS["SPORF"], alpha=0.85)
    if math.isfinite(radius):
        axes.axvline(radius, color=COLORS["MORF"], linewidth=1.5)
    axes.set(xlabel="distance", ylabel="rows")
    axes.set_xlim(left=0)
    axes.spines[["top", "right"]].set_visible(False)
