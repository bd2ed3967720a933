"""
Pictures of predictions and of borders
======================================

Which classes are taken for each other, how far off are predicted numbers, how
wide are their intervals, where do classes meet, and how large does a boundary
tree become? One function draws each answer, in axes that you may give.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, make_friedman1, make_moons

import manifoldforest as mf

N_TREES = 100  # 10 in tests
N_STREAM = 4000  # 400 in tests

# %%
# Labels and numbers
# ------------------
# Digits that the forest has not seen, and the five columns of Friedman's
# problem that matter, with as many that do not.
digits = load_digits()
images = digits.images.astype("uint8")
classifier = mf.named_forest("image", n_estimators=N_TREES, random_state=0)
classifier.fit(images[:900], digits.target[:900])
labels = classifier.predict(images[900:])

X, y = make_friedman1(1000, noise=1.0, random_state=0)
regressor = mf.ForestRegressor(N_TREES, min_samples_leaf=5, random_state=0)
regressor.fit(X[:700], y[:700])

fig, axes = plt.subplots(1, 3, figsize=(14, 4.2), layout="constrained")
mf.plot.confusion_matrix(digits.target[900:], labels, ax=axes[0])
mf.plot.residuals(y[700:], regressor.predict(X[700:]), ax=axes[1])
mf.plot.quantile_band(regressor, X[700:], y[700:], feature=3, ax=axes[2])
axes[2].set_xlabel("column 3, which adds ten times its value")
plt.show()

# %%
# Borders in the plane
# --------------------
# A boundary forest keeps the examples that it would have got wrong: on the left
# the classes that it finds and what its trees keep, on the right how they grow.
moons, sides = make_moons(N_STREAM, noise=0.1, random_state=0)
stream = mf.BoundaryForestClassifier(5, random_state=0)
for part in np.array_split(np.arange(N_STREAM), 20):
    stream.partial_fit(moons[part], sides[part])

fig, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
mf.plot.decision_boundary(stream, moons, sides, ax=axes[0])
axes[0].set(xlabel="first feature", ylabel="second feature")
mf.plot.boundary_growth(stream, ax=axes[1])
plt.show()
