"""
Probabilities that can be trusted
=================================

A classifier that says "70 per cent" should be right seven times out of ten.
Full trees are not made for this: each leaf holds a few rows, which were chosen
to have the same label. An *honest* tree uses one half of its rows to choose
the splits, and the other half to fill the leaves.

Here the true probabilities are known, so we can compare.
"""

import matplotlib.pyplot as plt
import numpy as np

import manifoldforest as mf

N_TREES = 300  # 20 in tests
N_TRAIN = 2000  # 200 in tests
N_TEST = 1500  # 200 in tests


def make_table(n_samples, seed):
    """Return a table, its labels, and the true probability of label 1."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n_samples, 4))
    p = 0.5 + 0.4 * np.sin(2.5 * X[:, 0])  # one column of four matters
    return X, (rng.uniform(size=n_samples) < p).astype(int), p


X, y, _ = make_table(N_TRAIN, 0)
X_test, _, p_test = make_table(N_TEST, 1)

# %%
# Three forests
# -------------
# Besides full and honest trees we try the usual remedy, larger leaves.

settings = {"projection": "axis", "max_features": None, "random_state": 0}
forests = {
    "full trees": mf.ForestClassifier(N_TREES, **settings),
    "leaves of 10": mf.ForestClassifier(
        N_TREES, min_samples_leaf=10, **settings
    ),
    "honest trees": mf.ForestClassifier(N_TREES, honest=True, **settings),
}
predicted = {
    name: forest.fit(X, y).predict_proba(X_test)[:, 1]
    for name, forest in forests.items()
}

# %%
# The answer
# ----------

figure, panels = plt.subplots(
    1, 3, figsize=(7.6, 3.7), sharey=True, layout="constrained"
)
line = np.linspace(-2, 2, 200)
colors = ("#5F5F5F", "#0072B2", "#D55E00")
for panel, color, (name, values) in zip(
    panels, colors, predicted.items(), strict=True
):
    panel.scatter(
        X_test[:, 0], values, s=8, color=color, alpha=0.5, linewidths=0
    )
    panel.plot(
        line,
        0.5 + 0.4 * np.sin(2.5 * line),
        color="black",
        linewidth=2,
        label="truth",
    )
    panel.set(xlabel="the column that matters", ylim=(-0.02, 1.02))
    panel.set_title(
        f"{name}\nmean error {np.abs(values - p_test).mean():.3f}",
        fontsize="medium",
    )
panels[0].set_ylabel("probability of label 1")
panels[0].legend(loc="lower left", fontsize="small")
plt.show()

# %%
# Full trees scatter widely around the truth, and too often say 0 or 1. Larger
# leaves help, and honest trees most: their mean error is less than half of
# that of full trees. They smooth, too: on the tops of the wave they stay a
# little too close to one half.
