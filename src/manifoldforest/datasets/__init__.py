"""Data for the experiments with manifold-aware forests.

Three kinds of functions:

* ``make_*`` draw the simulated problems of the papers, and :func:`bayes_error` tells the lowest
  error that any classifier can reach on them;
* :func:`apply_random_map` and :func:`add_outliers` make a problem harder;
* ``load_*`` read stored real data sets.
"""

from ._bars import make_bars
from ._bayes import bayes_error
from ._circle import make_circle
from ._impulse import make_impulse
from ._loaders import (
    load_dna,
    load_faces,
    load_letter,
    load_mnist,
    load_pendigits,
    load_time_series,
    load_uci,
)
from ._outliers import add_outliers
from ._random_map import apply_random_map
from ._sparse_parity import make_sparse_parity
from ._swiss_roll import make_swiss_roll_responses
from ._trunk import make_trunk

__all__ = [
    "add_outliers",
    "apply_random_map",
    "bayes_error",
    "load_dna",
    "load_faces",
    "load_letter",
    "load_mnist",
    "load_pendigits",
    "load_time_series",
    "load_uci",
    "make_bars",
    "make_circle",
    "make_impulse",
    "make_sparse_parity",
    "make_swiss_roll_responses",
    "make_trunk",
]
