"""A contest is fair, takes noise into account, and prefers what is simple."""

import json
import re

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

import manifoldforest as mf
from manifoldforest import projections
from manifoldforest.evaluation._candidates import Candidate, candidates_for
from manifoldforest.evaluation._suggest_projection import _compared, _Trial, _verdict
from manifoldforest.forests._choice import rows_of_trials
from manifoldforest.validation._parameters import draw_seed

RNG = np.random.default_rng(0)
IRIS, SPECIES = load_iris(return_X_y=True)


def names(*shape):
    return [candidate.name for candidate in candidates_for(shape)]


# ------------------------------------------------------------------------------------- candidates


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((4,), ["rotation"]),
        ((10,), ["rotation", "patches", "patches on a circle"]),
        (
            (100,),
            [
                "patches",
                "patches on a circle",
                "patches on differences",
                "patches on the spectrum",
            ],
        ),
    ],
)
def test_rows_have_neighbours_if_they_are_long_enough(shape, expected):
    assert names(*shape) == ["axis", "sporf, scaled", "sporf", *expected]


IMAGES = ["patches", "patches on gradients", "patches on gradients and pixels"]
SERIES = ["patches along time", "patches on differences", "patches on the spectrum"]


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((8, 8), IMAGES),
        ((8, 8, 3), IMAGES),
        ((3, 40), IMAGES + SERIES),
        ((1, 40), SERIES),
        ((3, 6), IMAGES),
        ((4, 4, 4, 2), ["patches"]),
    ],
)
def test_candidates_go_by_the_shape_of_examples(shape, expected):
    assert names(*shape) == ["axis", "sporf", *expected]


@pytest.mark.parametrize("shape", [(4,), (20,), (6, 6), (6, 5, 3), (2, 20), (1, 16), (3, 3, 3, 3)])
def test_all_candidates_can_be_grown(shape):
    X = RNG.normal(size=(30, *shape))
    choice = mf.suggest_projection(X, X.reshape(30, -1)[:, 0] > 0, n_estimators=10)
    assert [row["name"] for row in choice.table] == names(*shape)
    assert all(np.isfinite(row["error"]) for row in choice.table)
    mf.ForestClassifier(2, projection=choice.best).fit(X, np.arange(30) % 2)


def test_channels_of_images_and_series_are_no_neighbours():
    colour = {name: projection for name, projection in candidates_for((8, 8, 3))}
    assert colour["patches"].channel_axis == -1
    series = {name: projection for name, projection in candidates_for((3, 40))}
    assert series["patches along time"].channel_axis == 0
    assert series["patches on the spectrum"].channel_axis == 0


# --------------------------------------------------------------------------------------- decisions


def compared(*errors, is_label=True):
    """Return the outcome of a contest whose errors of rows are known."""
    trials = [
        _Trial(Candidate(name, projections.Axis()), np.asarray(of_rows, dtype=float), 0.1)
        for name, of_rows in zip("abcdef", errors, strict=False)
    ]
    return _compared(trials, is_label=is_label)


def test_a_clear_difference_decides():
    table, chosen, best = compared([1] * 30 + [0] * 70, [1] * 10 + [0] * 90)
    assert chosen == best == 1
    assert table[1]["suggested"]
    assert not table[0]["suggested"]
    assert _verdict(table, chosen, best, "error") == (
        "B: out-of-bag error 0.100 ± 0.030 against 0.300 for a."
    )


def test_a_difference_within_noise_leaves_the_simplest():
    first, second = np.arange(100) < 21, (np.arange(100) >= 80)
    table, chosen, best = compared(first, second)
    assert (chosen, best) == (0, 1)
    assert _verdict(table, chosen, best, "error") == (
        "A: out-of-bag error 0.210 ± 0.041; the smallest, 0.200 for b, is within noise of it."
    )


def test_pairs_of_rows_tell_what_means_alone_do_not():
    # 9 rows of 100 become right and none wrong: less than two standard errors of either mean
    hard = np.arange(100) < 40
    table, chosen, best = compared(hard, hard & (np.arange(100) >= 9))
    assert chosen == best == 1
    assert table[0]["difference"] == pytest.approx(0.09)
    assert table[0]["standard_error"] == pytest.approx(np.sqrt(0.4 * 0.6 / 99))
    assert table[0]["difference"] < 2 * table[0]["standard_error"]
    differences = (np.arange(100) < 9).astype(float)
    expected = differences.std(ddof=1) / 10
    assert table[0]["difference_standard_error"] == pytest.approx(expected)


def test_between_the_first_and_the_best_the_simplest_in_noise_is_taken():
    first, second, third = np.arange(100) < 50, np.arange(100) < 11, np.arange(100) < 10
    table, chosen, best = compared(first, second, third)
    assert (chosen, best) == (1, 2)
    verdict = _verdict(table, chosen, best, "error")
    assert verdict.startswith("B: out-of-bag error 0.110 ± 0.031 against 0.500 for a; ")


def test_the_first_of_equals_is_the_best():
    table, chosen, best = compared([0, 1, 0], [1, 0, 0])
    assert chosen == best == 0
    assert _verdict(table, chosen, best, "error").endswith("no other projection has less.")


def test_numbers_have_root_mean_squared_errors():
    squares = np.array([1.0, 4.0, 9.0, 2.0])
    table, _, _ = compared(squares, squares, is_label=False)
    assert table[0]["error"] == pytest.approx(2.0)
    assert table[0]["standard_error"] == pytest.approx(squares.std(ddof=1) / 2 / (2 * 2.0))


def test_only_rows_that_all_forests_have_out_of_bag_count():
    table, _, _ = compared([0, 1, np.nan, 1], [0, 0, 1, np.nan])
    assert [row["error"] for row in table] == [0.5, 0.0]
    with pytest.raises(ValueError, match="n_estimators must be large enough"):
        compared([0, np.nan], [np.nan, 1])


# ---------------------------------------------------------------------------------------- contests


def test_errors_are_those_of_forests_out_of_bag():
    choice = mf.suggest_projection(IRIS, SPECIES, n_estimators=60, random_state=3)
    seed = draw_seed(3) % 2**32
    forest = mf.ForestClassifier(60, projection="axis", oob_score=True, random_state=seed)
    forest.fit(IRIS, SPECIES)
    assert choice.table[0]["error"] == pytest.approx(1 - forest.oob_score_)
    assert choice.task == "classification"
    assert choice.measure == "error"


def test_numbers_are_predicted_out_of_bag_too():
    choice = mf.suggest_projection(IRIS[:, :3], IRIS[:, 3], n_estimators=60, random_state=3)
    seed = draw_seed(3) % 2**32
    forest = mf.ForestRegressor(
        60, projection="axis", max_features=3, oob_score=True, random_state=seed
    ).fit(IRIS[:, :3], IRIS[:, 3])
    expected = np.sqrt(np.mean((forest.oob_prediction_ - IRIS[:, 3]) ** 2))
    assert choice.table[0]["error"] == pytest.approx(expected)
    assert choice.measure == "RMSE"


def test_the_right_projection_wins():
    X, y = mf.datasets.make_circle(200, random_state=0)
    choice = mf.suggest_projection(X, y, n_estimators=30)
    assert choice.table[0]["error"] > 0.3
    assert isinstance(choice.best, projections.Patches)
    assert choice.verdict.startswith("Patches")


def test_labels_of_noise_leave_single_features():
    X = np.random.default_rng(1).normal(size=(150, 3))
    choice = mf.suggest_projection(X, np.arange(150) % 2, n_estimators=20)
    assert choice.best == projections.Axis()
    assert choice.verdict.startswith("Axis: ")


def test_bytes_of_images_stay_bytes():
    digits = load_digits()
    images, labels = digits.images[:200].astype(np.uint8), digits.target[:200]
    choice = mf.suggest_projection(images, labels, n_estimators=10)
    assert choice.data == "200 examples of shape (8, 8), 10 classes"
    again = mf.suggest_projection(images.tolist(), labels.tolist(), n_estimators=10)
    assert len(again.table) == len(choice.table) == 5


def test_at_most_so_many_rows_are_used_and_the_seed_draws_them():
    params = {"n_estimators": 20, "max_rows": 60}

    def errors(seed):
        choice = mf.suggest_projection(IRIS, SPECIES, random_state=seed, **params)
        assert choice.data.startswith("60 rows of 4 features")
        return [row["error"] for row in choice.table]

    assert errors(0) == errors(0)
    assert errors(0) != errors(1)
    rows = rows_of_trials(np.arange(10), 4, 0)
    assert len(np.unique(rows)) == 4
    np.testing.assert_array_equal(rows, np.sort(rows))


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (np.array(["a", "b"] * 20), "classification"),
        (np.arange(40) % 2 == 0, "classification"),
        (np.arange(40) % 20, "classification"),
        (np.arange(40.0) % 5, "classification"),
        (np.arange(40) % 21, "regression"),
        (np.arange(40.0) / 4, "regression"),
        (np.stack([np.arange(40) % 2, np.arange(40) % 3], axis=1), "classification"),
        (np.stack([np.arange(40) % 2, np.arange(40) / 3], axis=1), "regression"),
    ],
)
def test_the_task_goes_by_the_values(y, task):
    X = np.arange(40.0)[:, None]
    assert mf.suggest_projection(X, y, n_estimators=5).task == task


def test_the_task_may_be_given():
    X, y = np.arange(40.0)[:, None], np.arange(40) % 4
    assert mf.suggest_projection(X, y, task="regression", n_estimators=5).task == "regression"


def test_few_rows_and_single_classes_are_refused():
    with pytest.raises(ValueError, match="X must have at least 20 examples, got 19"):
        mf.suggest_projection(IRIS[:19], SPECIES[:19])
    with pytest.raises(ValueError, match="y must have at least two classes"):
        mf.suggest_projection(IRIS[:50], SPECIES[:50])


# ------------------------------------------------------------------------------------- the result


@pytest.fixture(scope="module")
def choice():
    return mf.suggest_projection(IRIS, SPECIES, n_estimators=20)


def test_the_text_is_a_sentence_and_a_table_of_80_columns(choice):
    lines = str(choice).splitlines()
    assert " ".join(lines[: lines.index("")]) == choice.verdict
    assert max(map(len, lines)) <= 80
    for row in choice.table:
        mark = r"\*" if row["suggested"] else " "
        line = rf"^{mark} {row['name']} +{row['error']:.4f} +{row['standard_error']:.4f} +\d+\.\d$"
        assert re.search(line, str(choice), re.MULTILINE)
    assert lines[-1] == f"projection={choice.best!r}"
    assert repr(choice) == str(choice)


def test_the_dictionary_is_json(choice):
    content = json.loads(json.dumps(choice.to_dict(), allow_nan=False))
    assert content["best"] == repr(choice.best)
    assert [row["error"] for row in content["table"]] == [row["error"] for row in choice.table]
    assert content["table"][1]["projection"] == "Sporf(scale='std')"


def test_the_page_has_a_row_for_each_projection(choice):
    page = choice._repr_html_()
    assert page.count("<tr>") == 1 + len(choice.table)
    (suggested,) = [row["name"] for row in choice.table if row["suggested"]]
    assert re.search(rf"<th [^>]*>{suggested}</th>", page)
    assert "±" in page
