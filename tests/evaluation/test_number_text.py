"""Numbers in tables and sentences have few digits."""

import pytest

from manifoldforest.evaluation._number_text import number_text, short_text


@pytest.mark.parametrize(
    ("value", "table", "sentence"),
    [
        (0.0, "0.0000", "0.000"),
        (1.0, "1.0000", "1.000"),
        (-0.12345, "-0.1235", "-0.123"),
        (9.87654, "9.8765", "9.877"),
        (55.6942, "55.694", "55.69"),
        (123.456, "123.46", "123.5"),
        (120734.4, "120734", "120734"),
        (2.5e9, "2.500e+09", "2.50e+09"),
        (1.23456e-5, "1.235e-05", "1.23e-05"),
    ],
)
def test_about_four_digits_are_shown(value, table, sentence):
    assert number_text(value) == table
    assert short_text(value) == sentence


def test_what_is_not_defined_is_a_dash():
    assert number_text(float("nan")) == "–"


def test_a_standard_error_has_the_decimals_of_its_number():
    assert short_text(1.8467, 55.69) == "1.85"
    assert short_text(54790.2, 120734.4) == "54790"
