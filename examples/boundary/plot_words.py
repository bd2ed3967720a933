"""
Words and the edit distance
===========================

Words are not vectors. But there is a distance between them, the *edit
distance*: how many letters have to be changed, added or removed to turn one
word into the other. A boundary forest needs no more than a function that
measures it.

Here it learns which language the names of numbers are from, and then corrects
misprints.
"""

import matplotlib.pyplot as plt
import numpy as np

import manifoldforest as mf

N_TREES = 10  # 3 in tests

NUMBERS = {
    "English": (
        "one two three four five six seven eight nine ten eleven twelve "
        "thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
    ),
    "German": (
        "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf "
        "dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig"
    ),
    "Italian": (
        "uno due tre quattro cinque sei sette otto nove dieci undici dodici "
        "tredici quattordici quindici sedici diciassette diciotto diciannove "
        "venti"
    ),
}


def edit_distance(a, b):
    """Return the smallest number of letters to change, add or remove."""
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        corner, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            cost = corner + (letter != other)
            corner, row[j] = row[j], min(cost, row[j] + 1, row[j - 1] + 1)
    return row[-1]


print("seven to sieben:", edit_distance("seven", "sieben"))

# %%
# A tree of words
# ---------------
# The words come in random order. A tree keeps a word only if the walk to it
# ends at a word of another language.

words = [word for line in NUMBERS.values() for word in line.split()]
language = np.repeat(list(NUMBERS), 20)
order = np.random.default_rng(1).permutation(len(words))
forest = mf.BoundaryForestClassifier(
    N_TREES, metric=edit_distance, random_state=0
)
forest.fit([words[i] for i in order], language[order])

figure, axes = plt.subplots(figsize=(7.4, 3.4), layout="constrained")
mf.plot.boundary_tree(forest, axes, tree=2, max_nodes=12)
axes.set_title("The first words of a tree, coloured by language")
plt.show()

# %%
# Which language?
# ---------------
# Larger numbers, which the forest has never seen:

unseen = {
    "English": "thirty forty fifty sixty seventy eighty ninety",
    "German": "dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "Italian": "trenta quaranta cinquanta sessanta settanta ottanta novanta",
}
right = 0
for name, line in unseen.items():
    new_words = np.array(line.split())
    wrong = new_words[forest.predict(list(new_words)) != name]
    right += len(new_words) - len(wrong)
    print(f"{name:8} not recognised: {', '.join(wrong) or 'none'}")
print(f"{right} of 21 are right")

# %%
# Misprints
# ---------
# The same distance finds the word that was meant. An index keeps all words.

index = mf.BoundaryIndex(N_TREES, metric=edit_distance, random_state=0)
ids = index.add(words)
misprints = ["sevn", "fuenf", "quatro", "twelf", "nineten", "zwanzik"]
distances, found = index.query(misprints, k=1)
for misprint, distance, place in zip(
    misprints, distances[:, 0], found[:, 0], strict=True
):
    print(f"{misprint:8} -> {words[place]:9} {distance:.0f} letters apart")

# %%
# The forest names the language of 18 of 21 new words, and the index corrects
# all six misprints. Where the forest errs, no word that it knows is close:
# *sessanta* is five letters away from *sette* and from *seven*. The distance
# knows nothing of languages, and 60 words are few.
