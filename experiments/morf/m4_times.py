"""M4: seconds of training and testing in the runs of M1 to M3 (Figure 2 of the MORF papers)."""

from __future__ import annotations

from .._papers import MORF
from ._seconds import PublishedSeconds
from ._times import Times

PROBLEMS = {"M1": "circle", "M2": "bars", "M3": "impulse"}

# The authors' own result files.
PUBLISHED = PublishedSeconds(
    n=2000,
    trees=500,
    cores=45,
    training={
        "circle": {"MORF": 2.04, "SPORF": 0.27, "RF": 0.14, "CNN": 0.68},
        "bars": {"MORF": 0.355, "SPORF": 0.215, "RF": 0.127, "CNN": 5.18},
        "impulse": {"MORF": 1.15, "SPORF": 0.218, "RF": 0.197, "CNN": 0.98},
    },
)

M4 = Times(
    id="M4",
    title="Circle, bars and impulse: seconds of training and testing",
    paper=MORF,
    source="Figure 2 (and Figure 2 of the thesis)",
    question="Does MORF cost more than SPORF and RF, and less than the network?",
    rows_of=tuple(PROBLEMS),
    problems=PROBLEMS,
    published=PUBLISHED,
)
