"""
When, in which channel, at which frequency?
===========================================

A recording has two channels on arbitrary levels. In the second class channel 1
trembles for a while in the middle, and a wave of any phase goes through
channel 0. Neither changes the mean at any time, so that forests on single
times, or on sums of them, have little to go by.

``named_forest("series")`` splits on quantiles and other statistics of
intervals of the series, its differences and its spectrum, and on pooled
kernels. Curves of importance then tell where it found something.
"""

import matplotlib.pyplot as plt
import numpy as np

import manifoldforest as mf

N_TREES = 200  # 10 in tests
N_TRAIN = 200  # 40 in tests
N_TEST = 1000  # 100 in tests
TREMOR = slice(40, 55)


def make_recordings(n_samples, seed):
    """Return noise on any level; the second class has a tremor and a wave."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 2
    X = rng.normal(size=(n_samples, 2, 100))
    X[:, 1, TREMOR] *= np.where(y, 1.8, 1.0)[:, None]
    X += 5 * rng.normal(size=(n_samples, 2, 1))
    phase = rng.uniform(0, 2 * np.pi, size=(n_samples, 1))
    X[:, 0] += 0.3 * y[:, None] * np.cos(0.4 * np.pi * np.arange(100) + phase)
    return X.astype("float32"), y


X, y = make_recordings(N_TRAIN, 0)
X_test, y_test = make_recordings(N_TEST, 1)

# %%
# Three forests
# -------------

forests = {}
for name in ("RF", "MORF", "series"):
    forests[name] = mf.named_forest(
        name, n_estimators=N_TREES, random_state=0
    ).fit(X, y)
    print(f"{name:8} test accuracy {forests[name].score(X_test, y_test):.3f}")

# %%
# Where the forest looks
# ----------------------
# Relative importance is 1 where cells are as important as those of the forest
# are on average (dashed). Behind the curves is one recording of the second
# class. The tremor is found at its times in channel 1, the wave at its
# frequency, a fifth of a cycle per point, in channel 0.

axes = mf.plot.time_curves(forests["series"], X_test[1])
plt.show()

# %%
# Which kinds of cells these are, in numbers: those of spreads, and of
# differences, whose size a tremor also changes, but no level.

curves = mf.inspection.time_curves(forests["series"])
in_tremor = np.nanmean(curves.relative[:, 1, TREMOR], axis=1)
for number in np.argsort(-in_tremor)[:5]:
    print(f"{in_tremor[number]:5.1f}  {curves.kinds[number]}")
