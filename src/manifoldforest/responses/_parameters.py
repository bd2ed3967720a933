"""What the parameters of response forests may be."""

from __future__ import annotations

from ..forests._parameters import FOREST_RULES
from ..validation._rules import Rule, boolean, integer, none, one_of, real

# Response forests keep their training rows and know no classes.
_RESPONSE_FOREST_RULES: dict[str, Rule] = {
    name: rule for name, rule in FOREST_RULES.items() if name != "keep_samples"
} | {
    "empty_leaf": one_of("ignore", "empirical", "prune"),
    "max_rank": integer(1) | none,
}

METRIC_RULES: dict[str, Rule] = _RESPONSE_FOREST_RULES | {
    "prediction": one_of("auto", "frechet", "projected", "medoid", "barycentre", "drf"),
    "embedding_dim": integer(1) | none,
    "bandwidth": real("(0, inf)") | none,
    "smoothness": real("(0, inf)"),
    "affinity": one_of("all", "inbag", "oob"),
    "distance_order": one_of("decreasing", "increasing"),
    "ridge": one_of("objective", "eq8"),
    "out_of_sample": one_of("gower", "paper"),
    "center": boolean,
}

KERNEL_RULES: dict[str, Rule] = _RESPONSE_FOREST_RULES | {
    "bandwidth": real("(0, inf)"),
    "affinity": one_of("weights", "all", "inbag", "oob"),
}
