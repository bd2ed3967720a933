"""B3: handwritten digits by the distance of their pixels."""

from __future__ import annotations

from ..registry import BOUNDARY
from .classification import DIGITS_STAND_IN, flat_digits
from .digit_accuracy import DigitAccuracy

B3 = DigitAccuracy(
    id="B3",
    title="MNIST with the Euclidean distance",
    paper=BOUNDARY,
    source="slides, MNIST",
    question=(
        "How accurate is a forest of 50 boundary trees on handwritten digits, compared by their "
        "pixels, and how long does it take?"
    ),
    stand_in=DIGITS_STAND_IN,
    load=flat_digits,
    accuracy={"BF": 97.8, "3-NN": 97.2},
    seconds={"train_seconds": {"BF": 37}, "test_seconds": {"BF": 9, "3-NN": 3600}},
    cores="in Java on 4 cores",
    notes={"3-NN": "nothing is random here; scaling every pixel to [0, 1] does not change it"},
)
