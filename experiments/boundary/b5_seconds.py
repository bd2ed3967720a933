"""B5: seconds of training and test of boundary forests and of other methods."""

from __future__ import annotations

from .._papers import BOUNDARY
from ._seconds import Part
from ._seconds_table import SecondsTable
from ._sets import STAND_IN

COPIED = ("dna", "letter", "pendigits", "protein")  # BF's seconds of test are those of training

# Both halves of Table 1, on one core; BF-4 is BF on four. RF and nearest neighbours are Weka's.
TRAINING = Part(
    word="training",
    metric="train_seconds",
    columns=("BF", "BF-4", "R-kd", "CT", "RF"),
    lines={
        "dna": (0.34, 0.15, 0.042, 0.32, 3.64),
        "letter": (1.16, 0.80, 0.12, 1.37, 7.5),
        "mnist": (103.9, 37.1, 5.67, 168.4, 310),
        "pendigits": (0.34, 0.42, 0.059, 0.004, 4.7),
        "protein": (35.47, 13.81, 0.90, 44.4, 191),
        "seismic": (48.59, 16.30, 1.86, 176.1, 2830),
    },
    doubtful={"pendigits": frozenset({"CT"})},
)
TEST = Part(
    word="test",
    metric="test_seconds",
    columns=("BF", "BF-4", "1-NN", "3-NN", "R-kd", "CT", "RF"),
    lines={
        "dna": (0.34, 0.15, 3.75, 4.23, 0.050, 0.25, 0.025),
        "letter": (1.16, 0.80, 5.5, 6.4, 1.67, 0.91, 0.11),
        "mnist": (23.9, 8.7, 2900, 3200, 89.2, 417.6, 0.3),
        "pendigits": (0.34, 0.42, 2.1, 2.4, 0.75, 0.022, 0.03),
        "protein": (35.47, 13.8, 380, 404, 11.5, 51.4, 625),
        "seismic": (16.20, 5.2, 433, 485, 65.7, 172.5, 1.32),
    },
    doubtful={**dict.fromkeys(COPIED, frozenset({"BF"})), "protein": frozenset({"BF", "RF"})},
)

B5 = SecondsTable(
    id="B5",
    title="Seconds on six data sets",
    paper=BOUNDARY,
    source="Table 1",
    question="How fast are boundary forests trained and asked, compared with other methods?",
    stand_in=STAND_IN,
    rows_of=("B6",),
    training=TRAINING,
    test=TEST,
    copied=COPIED,
    order=("BF", "BF-4", "OBF", "1-NN", "3-NN", "RF", "R-kd", "CT"),
)
