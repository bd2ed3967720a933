"""scikit-learn, all distances."""

from __future__ import annotations

from boundary.peers._scikit_learn import ScikitLearn


class ScikitLearnBrute(ScikitLearn):
    """Exact neighbours by matrix products."""

    name = "sklearn brute"
    algorithm = "brute"


PEER = ScikitLearnBrute()
