"""What is known of boosted forests: their losses, round by round."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..boosting._base import BoostedForest
from ._content import Fact, Picture, Section, Table
from ._out_of_bag import draw_errors
from ._wording import count

_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)  # rounds, in tables


def loss_sections(forest: BoostedForest) -> tuple[list[Fact], list[Section]]:
    """Return the last loss as a fact for the top of the report, and the section of losses."""
    errors = forest._tree_errors(None, None)
    n_kept, n_rounds = forest.n_estimators_, len(forest.train_loss_)
    facts = [Fact("loss", forest.loss_, forest.loss_.replace("_", " "))]
    held_out = forest.validation_loss_
    last = float(forest.train_loss_[n_kept - 1])
    facts.append(Fact("training", last, f"{last:.4g}", "training loss"))
    notes, top = [], facts[1:]
    if len(held_out):
        loss = float(held_out[n_kept - 1])
        facts.append(Fact("held_out", loss, f"{loss:.4g}", "held-out loss"))
        top = facts[2:]
    else:
        notes.append(
            "No rows were held out, so that it is not known how the loss of other examples goes "
            "on: fit with early_stopping=True, or see mf.plot.error_over_trees(forest, X, y)."
        )
    text = count(n_rounds)
    if n_kept < n_rounds:
        text += f", of which the first {count(n_kept)} are kept"
    facts.append(Fact("rounds", n_rounds, text))
    names = list(errors.curves)
    known = np.asarray(errors.n_trees)
    steps = [n for n in _STEPS if n < n_rounds] + [n_rounds]
    rows = [
        (count(n), *(f"{errors.curves[name][np.searchsorted(known, n)]:.4g}" for name in names))
        for n in steps
    ]
    picture = Picture(
        f"The loss after each of {count(n_rounds)} rounds: {' and '.join(names)}.",
        "The loss after each round."
        + (" A dotted line marks the last tree that is kept." if n_kept < n_rounds else ""),
        partial(draw_errors, errors, boosted=True),
    )
    section = Section(
        "losses",
        "Loss over rounds",
        facts,
        [Table("Loss over rounds", ("rounds", *names), rows, is_drawn=True)],
        [picture],
        notes=notes,
        data={"kept": n_kept, "curve": {"rounds": errors.n_trees, **errors.curves}},
    )
    return top, [section]
