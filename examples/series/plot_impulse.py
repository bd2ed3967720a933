"""
A weak impulse in noise
=======================

Half of these series are pure noise. In the other half an impulse starts at
time 20 and dies away. At any single time the noise is as large as the impulse;
only a sum over neighbouring times shows it. Can forests find it?
"""

import matplotlib.pyplot as plt
import numpy as np

import manifoldforest as mf

N_TREES = 100  # 10 in tests
N_REPEATS = 5  # 2 in tests
SIZES = (20, 40, 80, 160, 320)  # (20, 40) in tests

X_test, y_test = mf.datasets.make_impulse(4000, random_state=100)
lowest = mf.datasets.bayes_error("impulse")

# %%
# Three forests
# -------------
# RF compares single times with a threshold, SPORF sums of a few times
# anywhere, and MORF sums over intervals of neighbouring times.

forests = {
    name: mf.named_forest(name, n_estimators=N_TREES)
    for name in ("RF", "SPORF", "MORF")
}
errors = {name: np.zeros((len(SIZES), N_REPEATS)) for name in forests}
for row, size in enumerate(SIZES):
    for repeat in range(N_REPEATS):
        X, y = mf.datasets.make_impulse(size, random_state=repeat)
        for name, forest in forests.items():
            forest.set_params(random_state=repeat).fit(X, y)
            errors[name][row, repeat] = 1 - forest.score(X_test, y_test)

# %%
# The answer
# ----------
# No method can fall below the dashed line: the lowest error that is possible
# for these series.

figure, (series, curves) = plt.subplots(
    1, 2, figsize=(7.4, 3.9), layout="constrained"
)
colors = mf.plot.class_colors(2)
times = np.arange(100)
series.plot(times, X_test[0], color=colors[0], linewidth=0.9, label="noise")
series.plot(
    times,
    X_test[1] + 6,
    color=colors[1],
    linewidth=0.9,
    label="impulse in noise",
)
impulse = np.where(times < 20, 0, np.exp(-0.1 * (times - 20)))
series.plot(
    times, impulse + 6, color="black", linewidth=1.6, label="the impulse"
)
series.set(xlabel="time", yticks=[], ylim=(-4, 12), title="Two series")
series.legend(frameon=False, loc="upper right", ncols=2, fontsize="small")
mf.plot.error_curves(SIZES, errors, bayes_error=lowest, ax=curves)
curves.set_title("Sums over neighbours find it sooner")
plt.show()

# %%
# Where do splits look? Both forests have the same data. The one with intervals
# gives a smoother curve, and both look where the impulse is.

figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
for name in ("RF", "MORF"):
    axes.plot(
        forests[name].feature_usage_, color=mf.plot.COLORS[name], label=name
    )
axes.axvspan(20, 45, color="0.92", zorder=0, label="where the impulse is")
axes.set(xlabel="time", ylabel="use by splits")
axes.legend(frameon=False)
for name in forests:
    print(
        f"{name:5} error with {SIZES[-1]} series: {errors[name][-1].mean():.3f}"
    )
print(f"lowest possible:             {lowest:.3f}")
plt.show()

# %%
# With 20 series MORF makes about half the errors of RF. With more series the
# difference becomes smaller, and all forests stay above what is possible.
