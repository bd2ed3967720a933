"""Versions of what tests compare with, as pairs of integers: "1.10" is later than "1.9"."""

import numpy
import sklearn

NUMPY, SKLEARN = (
    tuple(map(int, package.__version__.split(".")[:2])) for package in (numpy, sklearn)
)
