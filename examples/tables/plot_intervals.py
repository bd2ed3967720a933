"""
Do intervals keep their promise?
================================

A forest for numbers can say more than a mean: ``predict_interval`` returns an
interval in which a new response should lie with a given probability. Does it
lie there? We count.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import KFold

import manifoldforest as mf

N_TREES = 300  # 20 in tests
N_TRAIN = 1500  # 200 in tests
N_TEST = 3000  # 200 in tests

# %%
# A curve whose noise grows
# -------------------------
# In an honest tree one half of the rows chooses the splits, and the other half
# fills the leaves.


def make_curve(n_samples, seed):
    """Return a wave whose noise becomes larger from the left to the right."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 10, size=n_samples)
    noise = (0.05 + 0.06 * x) * rng.normal(size=n_samples)
    return x[:, None], np.sin(x) + noise


X, y = make_curve(N_TRAIN, 0)
X_test, y_test = make_curve(N_TEST, 1)
settings = {"min_samples_leaf": 10, "random_state": 0}
usual = mf.ForestRegressor(N_TREES, **settings).fit(X, y)
honest = mf.ForestRegressor(N_TREES, honest=True, **settings).fit(X, y)

# %%
# Counting
# --------
# How many new responses lie in their intervals? On the curve, with the usual
# trees and with honest ones; and, by cross-validation, for the 442 patients of
# the diabetes data.

promised = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95])


def held(fitted, X, y):
    """Return the share of responses in their intervals, for each promise."""
    ends = [fitted.predict_interval(X, coverage=p).T for p in promised]
    return np.array([np.mean((low <= y) & (y <= high)) for low, high in ends])


shares = {
    "curve, usual trees": held(usual, X_test, y_test),
    "curve, honest trees": held(honest, X_test, y_test),
}
patients, progression = load_diabetes(return_X_y=True)
folds = []
for train, test in KFold(5, shuffle=True, random_state=0).split(patients):
    forest = mf.ForestRegressor(N_TREES, honest=True, **settings)
    forest.fit(patients[train], progression[train])
    folds.append(held(forest, patients[test], progression[test]))
shares["diabetes, honest trees"] = np.mean(folds, axis=0)

# %%
# The answer
# ----------
# On the left is the interval of 90 per cent. It is wide where the noise is
# large, although nobody told the forest about the noise.

line = np.linspace(0, 10, 300)[:, None]
low, high = honest.predict_interval(line, coverage=0.9).T
figure, (band, counts) = plt.subplots(
    1, 2, figsize=(7.8, 4), width_ratios=[1.3, 1], layout="constrained"
)
blue = "#0072B2"
band.scatter(X_test[:600], y_test[:600], s=7, color="0.45", linewidths=0)
band.fill_between(line[:, 0], low, high, color=blue, alpha=0.25, linewidth=0)
band.plot(line, honest.predict(line), color=blue, linewidth=2)
band.set(xlabel="x", ylabel="y", title="Means and intervals, new points")

counts.plot([0.45, 1], [0.45, 1], color="0.6", linewidth=1, label="as promised")
colors = ("#5F5F5F", "#0072B2", "#D55E00")
for (name, values), color, marker in zip(
    shares.items(), colors, "sop", strict=True
):
    counts.plot(promised, values, marker=marker, color=color, label=name)
    print(
        f"{name:22}",
        *(f"{p:.2f}: {v:.3f} " for p, v in zip(promised, values, strict=True)),
    )
counts.set(
    xlabel="promised", ylabel="counted", title="Share in their intervals"
)
counts.legend(frameon=False, fontsize="small")
plt.show()

# %%
# On the curve the usual trees promise too much: of their 90 per cent only 84
# come true. The rows that choose their splits fill the leaves as well, which
# then look less noisy than the data are. Honest trees keep the promise. On the
# diabetes data, with few rows, their intervals are too wide rather than too
# narrow.
