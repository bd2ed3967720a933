"""D3: completion of faces ([DRF] section 3.2.2, Figure 4)."""

from __future__ import annotations

from .._papers import DRF
from ._completion import Cell, CompletionSize
from ._faces import DRAWN, PHOTOGRAPHS, Faces
from ._methods import BARYCENTRE, Forests

D3 = Faces(
    id="D3",
    title="Completion of faces",
    paper=DRF,
    source="Figure 4",
    question=(
        "Which method predicts the lower half of a face that is sharp and fits the upper half?"
    ),
    stand_in="drawn faces of 32 × 32 pixels in place of the Olivetti faces",
    methods=("1NN", "LR", "RF", "dRF"),
    cells=tuple(Cell(method, "0..1", 5) for method in ("1NN", "LR", "RF", "dRF", BARYCENTRE)),
    columns={
        "mse": "MSE of a pixel",
        "rmse": "RMSE of an image",
        "sharpness": "sharpness",
        "seam": "jump at the seam",
        "seconds": "CPU s",
    },
    units={"0..1": 1.0},
    forests=Forests(
        n_trees=300, max_features=8, n_neighbors=5, embedding_dim=25, bandwidth=9, smoothness=50
    ),
    full=CompletionSize(
        n_train=300,
        n_test=100,
        n_trees=300,
        repetitions=10,
        images=(PHOTOGRAPHS,),
        needs="olivetti.npz",
    ),
    quick=CompletionSize(n_train=150, n_test=50, n_trees=40, repetitions=2, images=(DRAWN,)),
)
