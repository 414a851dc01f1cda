"""Numbers and names inside a rule, as a person writes them."""

import pytest

from rugcore.rules import words


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (42_000.0, "42,000"),
        (0.4, "0.4"),
        (-1_234.5, "-1,234.5"),
        (0.0, "0"),
        (-0.0, "0"),
        (1e15, "1,000,000,000,000,000"),
        (1e16, "1e+16"),
        (0.000001, "0.000001"),
        (2e-9, "2e-09"),
        (0.1 + 0.2, "0.30000000000000004"),
        (123_456_789.25, "123,456,789.25"),
    ],
)
def test_numbers_have_separators_and_no_digit_too_many(number: float, text: str) -> None:
    assert words.number(number) == text
    assert words.read_number(text) == number


@pytest.mark.parametrize(
    "text", ["car", "new car", "A11 (checking)", "it's", "naïve", "日本", "a&b", "android", "island"]
)
def test_clear_text_stands_as_it_is(text: str) -> None:
    assert words.clear(text) == text


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("missing", '"missing"'),  # or it would read as a blank cell
        ("known", '"known"'),
        ("not employed", '"not employed"'),  # or it would read as a negation
        ("car or boat", '"car or boat"'),  # or it would read as two values
        ("food and drinks", '"food and drinks"'),
        ("a, b", '"a, b"'),
        ("income <= 3", '"income <= 3"'),
        ("", '""'),
        (" car", '" car"'),
        ('6" pipe', r'"6\" pipe"'),
        ("two\nlines", r'"two\nlines"'),
        ("(other)", '"(other)"'),
        ("OR", '"OR"'),  # a state, not a word of the rule
    ],
)
def test_text_that_could_be_misread_stands_in_quotes(text: str, quoted: str) -> None:
    assert words.clear(text) == quoted


@pytest.mark.parametrize(
    ("item", "text"), [(True, "True"), (1500, "1500"), (2.5, "2.5"), (3.0, "3"), (1e6, "1,000,000")]
)
def test_categories_that_are_no_text(item: object, text: str) -> None:
    assert words.clear(item) == text


@pytest.mark.parametrize(
    ("label", "text"),
    [("good", "good"), (1.0, "1"), ("charged off", '"charged off"'), ("did not reoffend", '"did not reoffend"')],
)
def test_an_outcome_of_several_words_stands_out_in_a_sentence(label: object, text: str) -> None:
    assert words.outcome(label) == text


def test_lists_of_values() -> None:
    assert words.either(("car",)) == "car"
    assert words.either(("car", "boat")) == "car or boat"
    assert words.either(("car", "boat", "missing")) == 'car, boat or "missing"'
