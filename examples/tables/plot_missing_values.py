"""
Missing values that tell something
==================================

A laboratory value is missing because nobody asked for it, and nobody asked
because the patient looked healthy. Then the gap itself is information. Filling
it with a mean hides that.

Our forests take missing values as they are: a split learns to which side they
go. We remove values from the breast cancer data of scikit-learn in two ways,
and compare.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

import manifoldforest as mf

N_TREES = 60  # 5 in tests
SHARES = (0.0, 0.15, 0.3, 0.45, 0.6)  # (0.2, 0.6) in tests
N_REPEATS = 2  # 1 in tests

X, y = load_breast_cancer(return_X_y=True)
X, malignant = X[:, :10], y == 0  # the ten mean values of the cells


def remove(share, informative, seed):
    """Return X with gaps; if informative, more in benign rows."""
    chance = np.full(len(X), share)
    if informative:  # same share over all, but benign tumours are measured less
        chance = share * np.where(
            malignant, 0.6, (1 - 0.6 * malignant.mean()) / (~malignant).mean()
        )
    gaps = np.random.default_rng(seed).uniform(size=X.shape) < chance[:, None]
    return np.where(gaps, np.nan, X)


# %%
# Two ways to deal with gaps
# --------------------------

forest = mf.named_forest("table", n_estimators=N_TREES, random_state=0)
ways = {
    "gaps as they are": forest,
    "gaps filled by means": make_pipeline(
        SimpleImputer(keep_empty_features=True), forest
    ),
}
errors = {
    (kind, way): np.zeros((len(SHARES), N_REPEATS))
    for kind in (False, True)
    for way in ways
}
for row, share in enumerate(SHARES):
    for repeat in range(N_REPEATS):
        folds = StratifiedKFold(3, shuffle=True, random_state=repeat)
        for informative in (False, True):
            table = remove(share, informative, repeat)
            for way, model in ways.items():
                accuracy = cross_val_score(model, table, malignant, cv=folds)
                errors[informative, way][row, repeat] = 1 - accuracy.mean()

# %%
# The answer
# ----------

figure, panels = plt.subplots(
    1, 2, figsize=(7.4, 3.8), sharey=True, layout="constrained"
)
colors = dict(zip(ways, ("#D55E00", "#5F5F5F"), strict=True))
titles = ("missing at random", "missing more often if benign")
for panel, informative, title in zip(
    panels, (False, True), titles, strict=True
):
    for way in ways:
        values = errors[informative, way].mean(axis=1)
        panel.plot(SHARES, values, marker="o", color=colors[way], label=way)
        print(f"{title:29} {way:21}", *(f"{value:.3f}" for value in values))
    panel.set(
        xlabel="share of values that are missing", title=title, ylim=(0, None)
    )
panels[0].set_ylabel("error of cross-validation")
panels[0].legend(frameon=False)
plt.show()

# %%
# Where values are missing at random, nothing is lost by means, which are even
# a little better here. Where gaps tell something, the forest that sees them
# makes fewer errors: with 60 per cent missing, 4 errors in a hundred in place
# of 7. A filled gap is not fully hidden either, as the mean is a value that
# nobody else has.
