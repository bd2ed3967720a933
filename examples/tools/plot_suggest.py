"""
Which projection suits my data?
===============================

There are many projections. :func:`~manifoldforest.suggest_projection` lets
small forests with those that fit the shape of the data compete, on rows that
their trees have not seen. Among projections that cannot be told apart it
suggests the simplest.

We try it on four kinds of data: a table, images, a noisy signal and a ring.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits, load_wine

import manifoldforest as mf

N_TREES = 100  # 10 in tests
N_IMAGES = 1000  # 100 in tests

digits = load_digits()
problems = {
    "wines (a table)": load_wine(return_X_y=True),
    "digits (images)": (digits.images[:N_IMAGES], digits.target[:N_IMAGES]),
    "an impulse in noise": mf.datasets.make_impulse(200, random_state=0),
    "arcs on a ring": mf.datasets.make_circle(300, random_state=0),
}

# %%
# One call for each
# -----------------
# Printed, a suggestion is a sentence and a table; here is the one for the
# signal.

choices = {}
for name, (X, y) in problems.items():
    choices[name] = mf.suggest_projection(X, y, n_estimators=N_TREES)
print(choices["an impulse in noise"])

# %%
# The answer
# ----------
# Errors of all candidates, with bars of one standard error. What is suggested
# is orange.

figure, panels = plt.subplots(2, 2, figsize=(8, 5.4), layout="constrained")
for panel, (name, choice) in zip(panels.flat, choices.items(), strict=True):
    for place, row in enumerate(choice.table):
        panel.errorbar(
            row["error"],
            place,
            xerr=row["standard_error"],
            marker="o",
            color="#D55E00" if row["suggested"] else "#5F5F5F",
        )
    panel.set_yticks(
        range(len(choice.table)),
        [row["name"] for row in choice.table],
        fontsize="small",
    )
    panel.invert_yaxis()
    panel.set_title(name)
    panel.set_xlim(left=-0.03 * panel.get_xlim()[1])
    panel.grid(axis="x", color="0.92")
for panel in panels[1]:
    panel.set_xlabel("error out of bag")
plt.show()

# %%
for name, choice in choices.items():
    print(f"{name}: {choice.best}")

# %%
# The suggestion goes straight into a forest that is then fitted to all data,
# and measured on others.

X, y = problems["arcs on a ring"]
best = choices["arcs on a ring"].best
forest = mf.ForestClassifier(N_TREES, projection=best, random_state=0)
X_test, y_test = mf.datasets.make_circle(1000, random_state=1)
error = 1 - forest.fit(X, y).score(X_test, y_test)
print(f"error on 1000 new rings: {error:.3f}")

# %%
# On the wines most candidates are about as good as single columns, so single
# columns are suggested. The digits want edges, and the signal intervals of
# neighbouring times. On the ring the winner is a surprise: the strengths of
# frequencies do not change when arcs move around the ring, and tell 5 + 5 from
# 4 + 6 without an error.
