"""
How long does it take on your machine?
======================================

Times depend on the machine, so measure them on your own. This example fits and
applies forests of 100 trees on tables of several sizes, next to scikit-learn's
random forest, on one thread. All numbers below are CPU times that were
measured when this page was built.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import LogLocator
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

import manifoldforest as mf

N_TREES = 100  # 5 in tests
SIZES = (200, 400, 800, 1600)  # (50, 100) in tests
N_FEATURES = 30
N_REPEATS = 2  # 1 in tests

forests = {
    "scikit-learn": RandomForestClassifier(N_TREES, n_jobs=1, random_state=0),
    "RF": mf.named_forest("RF", n_estimators=N_TREES, n_jobs=1, random_state=0),
    "SPORF": mf.named_forest(
        "SPORF", n_estimators=N_TREES, n_jobs=1, random_state=0
    ),
}


def seconds(function, *arguments):
    """Return the shortest of several times, which was disturbed least."""
    times = []
    for _ in range(N_REPEATS):
        start = time.process_time()
        function(*arguments)
        times.append(time.process_time() - start)
    return min(times)


# %%
# Measuring
# ---------

fit, predict = (
    {name: np.zeros(len(SIZES)) for name in forests} for _ in range(2)
)
for row, size in enumerate(SIZES):
    X, y = make_classification(
        size,
        n_features=N_FEATURES,
        n_informative=10,
        n_classes=4,
        random_state=0,
    )
    for name, forest in forests.items():
        fit[name][row] = seconds(forest.fit, X, y)
        predict[name][row] = seconds(forest.predict_proba, X)

# %%
# The times
# ---------

figure, panels = plt.subplots(1, 2, figsize=(7.4, 3.9), layout="constrained")
colors = mf.plot.method_colors(list(forests))
for panel, title, times in zip(
    panels, ("fit", "predict_proba"), (fit, predict), strict=True
):
    for name in forests:
        panel.plot(
            SIZES,
            1000 * times[name],
            marker="o",
            color=colors[name],
            label=name,
        )
        print(
            f"{title:13} {name:12}",
            *(f"{1000 * t:8.1f} ms" for t in times[name]),
        )
    panel.set(
        xscale="log",
        yscale="log",
        xlabel="rows",
        ylabel="CPU milliseconds",
        title=title,
    )
    panel.set_xticks(SIZES, SIZES)
    panel.minorticks_off()
    panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    panel.yaxis.set_major_formatter("{x:g}")
    panel.grid(axis="y", color="0.9")
panels[0].legend(frameon=False)
plt.show()

# %%
# These numbers are about one kind of table, few sizes and one machine, and say
# nothing about others: run the example with the size of your own data.
