"""Errors in the figures of the paper, read from the curves to about 0.002; it prints no numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Published = Mapping[tuple[str, str], Mapping[int, float]]  # by method and transformation, then p


def _table(sizes: Sequence[int], curves: Mapping[str, Mapping[str, Sequence[float]]]) -> Published:
    return {
        (method, transformation): dict(zip(sizes, curve, strict=True))
        for method, by_transformation in curves.items()
        for transformation, curve in by_transformation.items()
    }


# Figure 3 A to E
SPARSE_PARITY = _table(
    (5, 10, 25, 50),
    {
        "RF": {
            "raw": (0.027, 0.251, 0.447, 0.475),
            "rotated": (0.040, 0.225, 0.453, 0.482),
            "scaled": (0.027, 0.279, 0.437, 0.488),
            "affine": (0.039, 0.233, 0.461, 0.481),
            "outliers": (0.119, 0.294, 0.447, 0.488),
        },
        "RerF": {
            "raw": (0.012, 0.081, 0.394, 0.475),
            "rotated": (0.021, 0.162, 0.453, 0.486),
            "scaled": (0.013, 0.126, 0.422, 0.462),
            "affine": (0.028, 0.182, 0.451, 0.480),
            "outliers": (0.098, 0.154, 0.407, 0.487),
        },
        "RotRF": {
            "raw": (0.011, 0.098, 0.439, 0.487),
            "rotated": (0.011, 0.100, 0.443, 0.489),
            "scaled": (0.063, 0.206, 0.473, 0.476),
            "affine": (0.037, 0.167, 0.442, 0.495),
            "outliers": (0.092, 0.181, 0.463, 0.483),
        },
    },
)

# Figures 3 F to J and 5. The outliers are those of the authors' program, 5 % of the rows with 16
# times the covariance, not those of the paper's text.
TRUNK = _table(
    (2, 10, 50, 100, 500),
    {
        "RF": {
            "raw": (0.129, 0.059, 0.038, 0.049, 0.079),
            "rotated": (0.125, 0.064, 0.044, 0.054, 0.132),
            "scaled": (0.129, 0.053, 0.044, 0.053, 0.078),
            "affine": (0.129, 0.063, 0.042, 0.065, 0.143),
            "far outliers": (0.142, 0.070, 0.057, 0.070, 0.097),
        },
        "RerF": {
            "raw": (0.123, 0.052, 0.036, 0.038, 0.078),
            "rotated": (0.122, 0.055, 0.031, 0.050, 0.134),
            "scaled": (0.124, 0.057, 0.039, 0.041, 0.084),
            "affine": (0.127, 0.061, 0.040, 0.045, 0.134),
            "far outliers": (0.132, 0.066, 0.052, 0.066, 0.087),
        },
        "RotRF": {
            "raw": (0.121, 0.047, 0.029, 0.032, 0.088),
            "rotated": (0.122, 0.046, 0.028, 0.032, 0.078),
            "scaled": (0.123, 0.091, 0.067, 0.080, 0.109),
            "affine": (0.123, 0.078, 0.059, 0.081, 0.112),
            "far outliers": (0.132, 0.060, 0.041, 0.055, 0.088),
        },
        "RerF(d)": {
            "raw": (0.120, 0.049, 0.020, 0.027, 0.027),
            "rotated": (0.120, 0.047, 0.021, 0.027, 0.026),
            "scaled": (0.128, 0.081, 0.062, 0.075, 0.060),
            "affine": (0.126, 0.070, 0.064, 0.078, 0.076),
        },
        "RerF(d+r)": {
            "raw": (0.121, 0.054, 0.030, 0.029, 0.038),
            "rotated": (0.121, 0.055, 0.022, 0.028, 0.037),
            "scaled": (0.117, 0.054, 0.028, 0.030, 0.037),
            "affine": (0.120, 0.056, 0.022, 0.028, 0.039),
        },
    },
)
