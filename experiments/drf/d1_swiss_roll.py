"""D1: predictions on a swiss roll ([DRF] section 3.1, Figures 1 and 2)."""

from __future__ import annotations

from .._papers import DRF
from ._methods import Forests
from ._swiss_roll import RollSize, SwissRoll

D1 = SwissRoll(
    id="D1",
    title="Swiss roll",
    paper=DRF,
    source="Figures 1 and 2",
    question=(
        "Are predictions of dRF closer to the manifold of the responses than those of other "
        "methods, and what does noise do to them?"
    ),
    methods=("5NN", "RF", "kRF", "dRF"),
    noise_variance=0.5,
    leaf=5,
    other_leaves=(1, 20),
    # the paper does not print the dimension of the embedding; the roll has two
    forests=Forests(
        n_trees=150,
        max_features=3,
        n_neighbors=7,
        embedding_dim=2,
        bandwidth=100,
        smoothness=200,
        kernel_bandwidth=2.5,
    ),
    full=RollSize(
        n_train=600,
        n_test=300,
        n_trees=150,
        noise_variances=(0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0),
        repetitions=10,
    ),
    quick=RollSize(
        n_train=400, n_test=100, n_trees=40, noise_variances=(0.0, 0.5, 2.0), repetitions=2
    ),
)
