"""
What a forest says about itself
===============================

A forest has been fitted. How good is it, would more trees help, can its
probabilities be trusted, and what do its splits look at? A few calls answer
these questions, with pictures or as one page.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import manifoldforest as mf

N_TREES = 200  # 10 in tests

digits = load_digits()
images = digits.images.astype("uint8")
X_train, X_test, y_train, y_test = train_test_split(
    images, digits.target, test_size=0.5, random_state=0
)
forest = mf.named_forest(
    "MORF", n_estimators=N_TREES, projection__max_size=3, random_state=0
)
forest.fit(X_train, y_train)

# %%
# One of its trees
# ----------------
# A split on a patch is a little picture of the pixels that it sums up.
# Examples for which the sum is at most the number below go to the left.

figure, axes = plt.subplots(figsize=(8.4, 5), layout="constrained")
mf.plot.tree(forest, ax=axes, max_depth=2)
axes.set_title("The first splits of the first tree")
plt.show()

# %%
# How good is it?
# ---------------
# :func:`~manifoldforest.evaluate` measures a forest on examples that it has
# not seen, with intervals of 95 per cent.

print(mf.evaluate(forest, X_test, y_test))

# %%
# Would more trees help, and can probabilities be trusted?
# --------------------------------------------------------

figure, (trees, sure) = plt.subplots(
    1, 2, figsize=(8.4, 3.9), layout="constrained"
)
mf.plot.error_over_trees(forest, ax=trees)
mf.plot.error_over_trees(forest, X_test, y_test, ax=trees)
mf.plot.calibration(y_test, forest.predict_proba(X_test), ax=sure)
trees.set_title("Error over trees")
sure.set_title("Is it as sure as it should be?")
plt.show()

# %%
# What do its splits look at?
# ---------------------------

figure, axes = plt.subplots(figsize=(7.6, 3.6), layout="constrained")
mf.plot.atoms(forest, n=12, ax=axes)
axes.set_title("The patches with the largest gain, over all trees")
plt.show()

# %%
# All of it on one page
# ---------------------
# ``describe`` collects these answers. A notebook shows them as a page, as
# below; ``print`` gives a text, and ``forest.describe().save("report.html")``
# writes a file that needs nothing else.

forest.describe()

# %%
# The error falls little after the first hundred trees. The forest is too
# modest: where it gives its answer a probability of 60 per cent, it is nearly
# always right. Its splits have no favourites: no patch has more than one per
# cent of the gain.
