"""How good predictions are, and which projection suits the data.

`evaluate` measures the predictions of any estimator, with intervals; `suggest_projection` lets
small forests with different projections compete.
"""

from ._evaluate import evaluate
from ._evaluation import Evaluation, Interval, Part
from ._suggest_projection import suggest_projection
from ._suggestion import Suggestion

__all__ = ["Evaluation", "Interval", "Part", "Suggestion", "evaluate", "suggest_projection"]
