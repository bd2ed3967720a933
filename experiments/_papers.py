"""The papers whose experiments are here."""

from __future__ import annotations

from ._experiment import Paper

MORF = Paper("MORF", "Manifold Forests: Closing the Gap on Neural Networks", "Perry et al., 2019")
THESIS = Paper(
    "thesis",
    "Manifold-aware Forests: Closing the Gap to Convolutional Neural Networks",
    "Perry, 2020",
)
RERF = Paper("RerF", "Randomer Forests", "Tomita et al., 2016")
DRF = Paper(
    "dRF",
    "Random Forest Regression for Manifold-Valued Responses",
    "Tsagkrasoulis and Montana",
)
BOUNDARY = Paper("boundary forest", "The Boundary Forest Algorithm", "Mathy et al., 2015")
DIFFERENTIABLE = Paper(
    "differentiable trees",
    "Learning Deep Nearest Neighbor Representations Using Differentiable Boundary Trees",
    "Zoran, Lakshminarayanan and Blundell, 2017",
)
