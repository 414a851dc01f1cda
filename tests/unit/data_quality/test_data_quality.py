"""What the health of a table says, on tables whose ailments are known."""

import time
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rugcore.data_quality import Finding, Health, band_edges, bands, examine, in_order_of_bands, leaks
from rugcore.datasets.demos import load_demo
from rugcore.errors import InputError
from tests.tables import mixed_outcome, mixed_table

N = 400


def decided(n_rows: int = N, share: float = 0.3, seed: int = 0) -> pd.Series:
    """Outcomes without any pattern."""
    is_bad = np.random.default_rng(seed).random(n_rows) < share
    return pd.Series(np.where(is_bad, "bad", "good"), name="outcome")


def found(health: Health, topic: str) -> list[Finding]:
    return [finding for finding in health.findings if finding.topic == topic]


def columns_with(health: Health, topic: str) -> list[str]:
    return [name for finding in found(health, topic) for name in finding.columns]


# --- Columns ------------------------------------------------------------------------------------------------


def test_kinds_distinct_values_and_blanks() -> None:
    frame = pd.DataFrame(
        {
            "income": [1.5, 2.5, None, 2.5],
            "purpose": ["car", "None", "car", None],
            "owner": [True, False, None, True],
            "flag": [True, False, True, True],
            "day": ["2021-03-04", "4.3.2021", "04/03/2021 10:30", None],
            "moment": pd.to_datetime(["2021-03-04", None, "2021-03-04", "2022-01-01"]),
            "branch": pd.Categorical([7, 12, 7, None]),
            "nothing": [None, None, None, None],
        }
    )
    health = examine(frame)
    assert {column.name: (column.kind, column.n_distinct, column.missing_share) for column in health.columns} == {
        "income": ("number", 2, 0.25),
        "purpose": ("category", 2, 0.25),
        "owner": ("boolean", 2, 0.25),
        "flag": ("boolean", 2, 0.0),
        "day": ("date", 3, 0.25),
        "moment": ("date", 2, 0.25),
        "branch": ("category", 2, 0.25),
        "nothing": ("blank", 0, 1.0),
    }
    assert columns_with(health, "blank") == ["nothing"]
    assert columns_with(health, "dates") == ["day", "moment"]
    assert all("the days since a fixed day" in finding.advice for finding in found(health, "dates"))
    assert "nothing" not in columns_with(health, "missing")


@pytest.mark.parametrize(
    ("n_blank", "severity", "words"),
    [(0, None, ""), (19, None, ""), (20, "note", "blank in 5 %"), (399, "warning", "blank in 99.8 %")],
)
def test_blanks_weigh_by_their_share(n_blank: int, severity: str | None, words: str) -> None:
    frame = pd.DataFrame({"income": [None] * n_blank + [1.5 + row % 7 for row in range(N - n_blank)]})
    findings = found(examine(frame), "missing")
    assert [finding.severity for finding in findings] == ([severity] if severity else [])
    assert all(words in finding.sentence for finding in findings)


def test_a_constant_column_names_its_value() -> None:
    health = examine(pd.DataFrame({"country": ["NL", None, "NL"], "n": [1, 2, 2]}))
    (finding,) = found(health, "constant")
    assert (finding.columns, finding.severity) == (("country",), "note")
    assert finding.sentence == "Column 'country' has only the value 'NL'. It tells no rows apart."


def test_identifiers_and_what_only_looks_like_one() -> None:
    rng = np.random.default_rng(0)
    amounts = rng.permutation(10_000_000)[:N]
    frame = pd.DataFrame(
        {
            "row": np.arange(N),
            "shuffled": rng.permutation(N) + 1_000,
            "customer": [f"K{row}" for row in range(N)],
            "CustomerID": np.repeat(amounts[: N // 2], 2),  # two loans each
            "client key": [f"c{row // 2}" for row in range(N)],
            "amount": amounts,
            "income": rng.normal(size=N),
            "number of loans": rng.permutation(amounts)[np.arange(N) // 2],
            "street": [f"street {row // 2}" for row in range(N)],
            "age": rng.integers(18, 80, N),
        }
    )
    frame.loc[:5, "customer"] = None
    health = examine(frame)
    severities = {finding.columns[0]: finding.severity for finding in found(health, "identifier")}
    warnings = ["row", "shuffled", "customer", "CustomerID", "client key"]
    assert severities == dict.fromkeys(warnings, "warning") | {"amount": "note"}
    assert columns_with(health, "many values") == ["street"]


def test_numbers_that_name_something_are_identifiers_though_rows_share_them() -> None:
    """ "job_ad_id is low" was the reason that somebody was given."""
    rows = np.arange(400)
    shared = dict.fromkeys(("job_ad_id", "branchID", "bid", "paid", "ids_checked", "visits"), rows % 100 + 300)
    health = examine(pd.DataFrame(shared | {"team_id": rows % 12, "score_id": rows % 100 / 7}))
    assert columns_with(health, "identifier") == ["job_ad_id", "branchID"]
    assert all(finding.severity == "warning" for finding in found(health, "identifier"))


def test_codes_that_nobody_can_read_are_remarked_on() -> None:
    rows = np.arange(100)
    table = {
        "purpose": np.array(["A40", "A41", "A46"])[rows % 3],
        "sub_grade": np.array(["A1", "B2"])[rows % 2],
        "channel": np.array(["B2", "web"])[rows % 2],
    }
    health = examine(pd.DataFrame(table))
    assert columns_with(health, "codes") == ["purpose"]
    (finding,) = found(health, "codes")
    assert "holds codes such as 'A40'" in finding.sentence


def test_a_short_table_has_no_identifiers() -> None:
    assert not found(examine(pd.DataFrame({"id": range(20)})), "identifier")


def test_numbers_that_were_read_as_text() -> None:
    frame = pd.DataFrame(
        {
            "income": ["n/a", "unknown", "n/a", *(str(row % 90) for row in range(N - 3))],
            "code": [f"0{row % 9}" for row in range(N)],
            "size": ["1", "2", "large", "small"] * (N // 4),
            "grade": pd.Categorical([str(row % 9) for row in range(N)]),
        }
    )
    texts = {finding.columns[0]: finding for finding in found(examine(frame), "numbers as text")}
    assert list(texts) == ["income", "code"]
    assert "because of 'n/a' and the like in 3 rows" in texts["income"].sentence
    assert texts["income"].severity == "warning"
    assert texts["code"].severity == "note"


# --- Leaks --------------------------------------------------------------------------------------------------


def test_leaks_of_every_kind_and_honest_columns() -> None:
    y = decided()
    rng = np.random.default_rng(1)
    is_bad = (y == "bad").to_numpy()
    frame = pd.DataFrame(
        {
            "renamed": np.where(is_bad, 1, 0),
            "paid late on": pd.Series([f"day {row}" for row in range(N)]).where(is_bad),
            "recovered": np.where(is_bad, rng.random(N) + 5, rng.random(N)),
            "stage": np.where(is_bad, rng.choice(["collection", "court"], N), rng.choice(["open", "closed"], N)),
            "nearly": np.where(is_bad ^ (np.arange(N) == 7), "x", "y"),
            "noise": rng.normal(size=N),
            "id": [f"K{row}" for row in range(N)],
            "strong": np.where(is_bad ^ (rng.random(N) < 0.05), "x", "y"),
            "outcome": y,
        }
    )
    health = examine(frame, target="outcome")
    sentences = {finding.columns[0]: finding.sentence for finding in found(health, "leak")}
    assert list(sentences) == ["renamed", "paid late on", "recovered", "stage", "nearly"]
    assert "is the target 'outcome' under other names" in sentences["renamed"]
    assert "knowing only whether it is blank, 100 % of the outcomes are right" in sentences["paid late on"]
    assert "knowing only its value" in sentences["stage"]
    assert "99.8 %" in sentences["nearly"]
    assert f"always saying 'good': {(~is_bad).mean():.1%}".replace("%", " %") in sentences["nearly"]
    assert all(finding.severity == "warning" for finding in found(health, "leak"))
    assert not health.is_sample
    assert not any("sample" in sentence for sentence in sentences.values())


def with_telling_value(n_telling: int, n_bad: int, n_rows: int = 1_000) -> pd.DataFrame:
    """A column that is `yes` in some rows, of which some are bad; the rest are bad in one of ten."""
    is_yes = np.arange(n_rows) < n_telling
    is_bad = np.where(is_yes, np.arange(n_rows) < n_bad, np.arange(n_rows) % 10 == 0)
    return pd.DataFrame({"late": np.where(is_yes, "yes", "no"), "outcome": np.where(is_bad, "bad", "good")})


@pytest.mark.parametrize(
    ("n_telling", "n_bad", "is_found"), [(48, 44, True), (20, 18, True), (19, 19, False), (48, 43, False)]
)
def test_a_value_that_nearly_settles_the_outcome_is_asked_about(n_telling: int, n_bad: int, is_found: bool) -> None:
    frame = with_telling_value(n_telling, n_bad)
    findings = found(examine(frame, "outcome"), "revealing value")
    assert len(findings) == is_found
    if is_found:
        share = f"{(frame['outcome'] == 'bad').mean():.1%}".replace("%", " %")
        assert findings[0].severity == "note"
        assert findings[0].sentence == (
            f"Column 'late' is 'yes' in {n_telling} rows, {n_bad} of them 'bad' (of all rows: {share}). "
            "Was it known before the decision?"
        )


def test_telling_blanks_and_flags_but_no_quantities() -> None:
    frame = with_telling_value(48, 46)
    is_yes = frame["late"] == "yes"
    frame["blank"] = pd.Series(np.arange(len(frame)) % 3, dtype=str).mask(is_yes)
    frame["flag"] = is_yes.astype(int)
    frame["times"] = np.where(is_yes, 9, np.arange(len(frame)) % 5)
    health = examine(frame.drop(columns="late"), "outcome")
    assert columns_with(health, "revealing value") == ["blank", "flag"]
    assert "Column 'blank' is blank in 48 rows, 46 of them 'bad'" in found(health, "revealing value")[0].sentence


def test_a_common_outcome_and_a_leak_are_no_telling_values() -> None:
    frame = with_telling_value(48, 44)
    assert not found(
        examine(frame.assign(outcome=frame["outcome"].map({"bad": "good", "good": "bad"})), "late"), "leak"
    )
    usual = pd.DataFrame(
        {"x": ["a"] * 50 + ["b"] * 450, "y": (["no"] + ["yes"] * 49) + (["no"] * 3 + ["yes"] * 6) * 50}
    )
    assert not found(examine(usual, "y"), "revealing value")
    copy = frame.assign(copy=frame["outcome"])[["copy", "outcome"]]
    assert columns_with(examine(copy, "outcome"), "leak") == ["copy"]
    assert not found(examine(copy, "outcome"), "revealing value")


def test_only_the_most_telling_values_are_asked_about() -> None:
    base = with_telling_value(60, 60)
    frame = pd.DataFrame({f"x{size}": np.where(np.arange(1_000) < size, "yes", "no") for size in (20, 30, 40, 50)})
    health = examine(frame.assign(outcome=base["outcome"]), "outcome")
    assert columns_with(health, "revealing value") == ["x30", "x40", "x50"]


def test_telling_values_are_rare_among_chance() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"c{number}": rng.integers(0, 45, 3_000).astype(str) for number in range(30)})
    assert not found(examine(frame.assign(y=decided(3_000, 0.4)), "y"), "revealing value")


def test_the_mortgages_have_one_telling_value() -> None:
    demo = load_demo("hmda")
    (finding,) = found(examine(demo.X.assign(**{demo.target: demo.y}), demo.target), "revealing value")
    assert "'denied mortgage insurance' is 'yes' in 48 rows, 44 of them 'denied'" in finding.sentence


def test_rows_sorted_by_outcome_make_no_leak() -> None:
    """Equal numbers then stand in the order of the outcomes."""
    y = decided().sort_values(ignore_index=True)
    frame = pd.DataFrame({"few": np.arange(N) % 4, "some": np.arange(N) % 70, "outcome": y})
    assert not found(examine(frame, target="outcome"), "leak")


@pytest.mark.parametrize("share", [0.5, 0.1, 0.02])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_chance_is_no_leak(share: float, n_classes: int) -> None:
    rng = np.random.default_rng(0)
    y = np.where(rng.random(2_000) < share, rng.integers(1, n_classes, 2_000), 0)
    frame = pd.DataFrame(rng.normal(size=(2_000, 5)), columns=list("abcde"))
    frame["code"] = rng.integers(0, 700, 2_000)
    frame["text"] = rng.integers(0, 1_500, 2_000).astype(str)
    assert not found(examine(frame.assign(y=y), target="y"), "leak")


def test_a_rare_outcome_needs_more_than_a_high_share() -> None:
    """Always saying no is right in 98.75 %, so 99.25 % gives little away, and all of it everything."""
    is_rare = np.arange(4 * N) < 20
    half = np.where(is_rare & (np.arange(4 * N) < 8), "x", "y")
    frame = pd.DataFrame({"half": half, "all": np.where(is_rare, "x", "y"), "rare": is_rare})
    assert columns_with(examine(frame, target="rare"), "leak") == ["all"]


def test_too_few_rows_prove_nothing() -> None:
    y = ["a", "b"] * 20
    assert not found(examine(pd.DataFrame({"x": y, "y": y}), target="y"), "leak")


def test_a_large_table_is_sampled_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaks, "SAMPLE", 100)
    y = decided().mask(np.arange(N) < 10)
    health = examine(pd.DataFrame({"copy": y.map({"good": 1.0, "bad": 0.0}), "y": y}), target="y")
    assert (health.n_sampled, health.is_sample) == (100, True)
    assert "(in a sample of 100 rows)" in found(health, "leak")[0].sentence


def test_rows_without_an_outcome_do_not_make_a_sample() -> None:
    health = examine(pd.DataFrame({"x": np.arange(N) % 3, "y": decided().mask(np.arange(N) < 10)}), target="y")
    assert (health.n_sampled, health.is_sample) == (N - 10, False)


def test_the_demos_have_no_leaks_and_no_identifiers() -> None:
    demo = load_demo("credit_data")
    health = examine(demo.X.assign(**{demo.target: demo.y}), demo.target, [demo.sensitive])
    assert not found(health, "leak") + found(health, "identifier")


# --- The table ----------------------------------------------------------------------------------------------


def test_duplicates_are_counted_as_pandas_counts_them() -> None:
    frame = mixed_table(300).sample(500, replace=True, random_state=0, ignore_index=True)
    health = examine(frame)
    assert health.n_duplicates == int(frame.duplicated().sum()) > 0
    (finding,) = found(health, "duplicates")
    assert finding.columns == ()
    assert f"{health.n_duplicates} rows" in finding.sentence


@pytest.mark.parametrize(
    ("n_rows", "severity", "words"),
    [
        (3, "warning", "The table has 3 rows. Rules from fewer than 100 are mostly chance"),
        (99, "warning", "The table has 99 rows."),
        (300, "note", "If a fifth of them, 60, judge the rules, their accuracy is known to about 13 points"),
        (500, None, ""),
    ],
)
def test_a_small_table_is_remarked_on(n_rows: int, severity: str | None, words: str) -> None:
    frame = pd.DataFrame({"x": np.arange(n_rows) % 7, "y": np.arange(n_rows) % 2})
    findings = found(examine(frame, "y"), "few rows")
    assert [finding.severity for finding in findings] == ([severity] if severity else [])
    assert all(words in finding.sentence for finding in findings)


def test_rows_without_an_outcome_do_not_count_and_a_rare_outcome_is_named() -> None:
    few = pd.DataFrame({"x": np.arange(600) % 7, "y": decided(600).where(np.arange(600) < 90)})
    assert "The table has 90 rows with an outcome" in found(examine(few, "y"), "few rows")[0].sentence
    rare = pd.DataFrame({"x": np.arange(600) % 7, "y": np.where(np.arange(600) < 12, "fraud", "fine")})
    (finding,) = found(examine(rare, "y"), "few rows")
    assert "The outcome 'fraud' stands in 12 rows only" in finding.sentence


@settings(max_examples=50)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([1.0, 2.0, None])), min_size=1, max_size=12))
def test_duplicates_in_any_small_table(rows: list[tuple[str, float | None]]) -> None:
    assert examine(pd.DataFrame(rows, columns=["x", "y"])).n_duplicates == len(rows) - len(set(rows))


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (["yes", "no", None, None], "is blank in 2 rows, which cannot be used for training"),
        (["yes", "yes", "yes", "yes"], "has fewer than two values"),
        ([None, None, None, None], "has fewer than two values"),
    ],
)
def test_a_target_that_will_not_do(target: list[str | None], words: str) -> None:
    sentences = [finding.sentence for finding in found(examine(pd.DataFrame({"y": target}), "y"), "target")]
    assert any(words in sentence for sentence in sentences)


def test_a_target_of_many_values_is_no_decision() -> None:
    health = examine(pd.DataFrame({"y": np.arange(N) / 7, "sex": ["f", "m"] * (N // 2)}), "y", ["sex"])
    assert "has 400 different values" in found(health, "target")[0].sentence
    assert (health.classes, health.n_sampled, health.tiny_cells) == ((), 0, ())
    assert [(group.label, group.n_rows, group.counts) for group in health.groups] == [("f", 200, ()), ("m", 200, ())]


# --- Groups -------------------------------------------------------------------------------------------------


def test_groups_are_combinations_and_a_blank_is_a_group() -> None:
    frame = pd.DataFrame(
        {
            "sex": ["f", "f", "f", "m", "m", None, None],
            "old": [True, True, False, True, True, True, True],
            "y": ["no", "yes", "yes", "no", "no", "yes", None],
        }
    )
    health = examine(frame, target="y", sensitive=["sex", "old"], min_cell_size=1)
    assert health.classes == ("no", "yes")
    assert [(group.label, group.values, group.n_rows, group.counts) for group in health.groups] == [
        ("(blank), True", (None, True), 2, (0, 1)),
        ("f, True", ("f", True), 2, (1, 1)),
        ("m, True", ("m", True), 2, (2, 0)),
        ("f, False", ("f", False), 1, (0, 1)),
    ]
    assert health.groups[1].base_rates == (0.5, 0.5)
    assert [(cell.outcome, cell.group.label, cell.n_rows) for cell in health.tiny_cells] == [
        ("no", "(blank), True", 0),
        ("yes", "m, True", 0),
        ("no", "f, False", 0),
    ]
    (finding,) = found(health, "tiny groups")
    assert finding.columns == ("sex", "old")
    assert "3 pairs of outcome and group of 'sex', 'old' have fewer than 1 rows" in finding.sentence
    assert "'no' in group '(blank), True': 0" in finding.sentence


def test_a_group_without_outcomes_has_no_base_rate() -> None:
    frame = pd.DataFrame({"sex": ["f", "m", "m"], "y": [None, "a", "b"]})
    group = next(group for group in examine(frame, "y", ["sex"]).groups if group.label == "f")
    assert np.isnan(group.base_rates).all()


def test_group_counts_agree_with_counting_row_by_row() -> None:
    frame = mixed_table(500)
    y = mixed_outcome(frame)
    health = examine(frame.assign(y=y), "y", ["region", "employed"])
    rows = [[None if pd.isna(cell) else cell for cell in frame[name].tolist()] for name in ("region", "employed")]
    expected = Counter(zip(*rows, y.tolist(), strict=True))
    assert health.classes == ("ask", "grant", "refuse")
    counted = {
        (*group.values, outcome): count
        for group in health.groups
        for outcome, count in zip(health.classes, group.counts, strict=True)
        if count
    }
    assert counted == expected
    assert any(None in group.values for group in health.groups)


def test_the_least_cell_is_a_parameter() -> None:
    frame = pd.DataFrame({"sex": ["f"] * 40 + ["m"] * 40, "y": (["a"] * 29 + ["b"] * 11) + ["a"] * 20 + ["b"] * 20})
    assert [cell.n_rows for cell in examine(frame, "y", ["sex"]).tiny_cells] == [29, 11, 20, 20]
    assert [cell.n_rows for cell in examine(frame, "y", ["sex"], min_cell_size=20).tiny_cells] == [11]
    assert examine(frame, "y", ["sex"], min_cell_size=11).tiny_cells == ()


def test_a_number_makes_too_many_groups() -> None:
    frame = pd.DataFrame({"age": np.arange(N) % 60, "y": decided()})
    (finding,) = found(examine(frame, "y", ["age"]), "many groups")
    assert finding.sentence.startswith("'age' makes 60 groups. Cut numbers into bands")
    assert not found(examine(frame.assign(age=bands(frame["age"], [30, 45])), "y", ["age"]), "many groups")


@pytest.mark.parametrize(
    ("frame", "target", "sensitive", "words"),
    [
        (pd.DataFrame({"a": [1]}), "b", [], "a column 'b', but the table has only 'a'"),
        (pd.DataFrame({"a": [1]}), None, ["b"], "a column 'b', but the table has only 'a'"),
        (pd.DataFrame({"a": [1]}), "a", ["a"], "it is both"),
        (pd.DataFrame({"a": [1]}), None, "a", "Expected a list of sensitive columns"),
        (pd.DataFrame({"a": []}), None, [], "with rows and columns"),
        (pd.DataFrame({"a": [[1], [2]]}), None, [], "column 'a'"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), None, [], "'a' stands on 2 columns"),
    ],
    ids=["target", "sensitive", "both", "text", "empty", "lists", "twice"],
)
def test_what_cannot_be_examined(frame: pd.DataFrame, target: str | None, sensitive: list[str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        examine(frame, target, sensitive)


def test_a_large_table_takes_seconds() -> None:
    rng = np.random.default_rng(0)
    n_rows = 100_000
    frame = pd.DataFrame(rng.normal(size=(n_rows, 30)).round(3), columns=[f"x{number}" for number in range(30)])
    words = pd.Series(["car", "house", "new business", None])
    for position in range(12):
        frame[f"c{position}"] = words.take(rng.integers(0, 4, n_rows)).to_numpy()
    frame["y"] = decided(n_rows)
    start = time.process_time()
    health = examine(frame, "y", ["c0", "c1"])
    assert time.process_time() - start < 5
    assert health.is_sample
    assert len(health.groups) == 16


# --- Bands --------------------------------------------------------------------------------------------------


def test_bands_read_as_words() -> None:
    ages = pd.Series([24, 25, 39, 40, None, 90], name="age", index=list("abcdef"))
    cut = bands(ages, [25, 40])
    assert cut.cat.categories.tolist() == ["under 25", "25 to 39", "40 and over"]
    assert cut.cat.ordered
    assert cut.tolist()[:4] == ["under 25", "25 to 39", "25 to 39", "40 and over"]
    assert cut.isna().tolist() == [False, False, False, False, True, False]
    assert (cut.name, cut.index.tolist()) == ("age", list("abcdef"))


@pytest.mark.parametrize(
    ("values", "edges", "labels"),
    [
        ([1.5, 2.0], [1.0, 2.0], ["under 1", "1 to under 2", "2 and over"]),
        ([1, 2], [1, 2], ["under 1", "1", "2 and over"]),
        ([1, 2], [0.5, 1.5], ["under 0.5", "0.5 to under 1.5", "1.5 and over"]),
        ([1, 2], [40_000], ["under 40,000", "40,000 and over"]),
        ([-5, 5], [-1, 3], ["under -1", "-1 to 2", "3 and over"]),
    ],
)
def test_labels_of_bands(values: list[float], edges: list[float], labels: list[str]) -> None:
    assert bands(pd.Series(values), edges).cat.categories.tolist() == labels


def test_a_number_of_bands_gives_round_edges_and_about_equal_sizes() -> None:
    ages = pd.Series(np.random.default_rng(0).integers(18, 80, 3_000), name="age")
    edges = band_edges(ages, 3)
    assert len(edges) == 2
    assert all(edge == int(edge) for edge in edges)
    sizes = bands(ages, 3).value_counts(normalize=True)
    assert sizes.between(0.25, 0.42).all()
    pd.testing.assert_series_equal(bands(ages, 3), bands(ages, edges))


@pytest.mark.parametrize("edges", [[30, 45], [9, 10, 1_000], [-5, 0, 0.5, 1_000.25], [1e-8, 3e15]])
def test_bands_stand_in_the_order_of_their_numbers(edges: list[float]) -> None:
    labels = bands(pd.Series([min(edges) - 1, max(edges)], dtype=float), edges).cat.categories.tolist()
    assert in_order_of_bands([*sorted(labels, reverse=True), "not told"]) == [*labels, "not told"]


def test_groups_that_are_no_bands_stand_in_the_order_given() -> None:
    names = ["under age", "b", "a", "over and over"]
    assert in_order_of_bands(names) == names


def test_bands_of_a_table_are_told_in_their_order_and_other_groups_by_size() -> None:
    ages = pd.Series([20] * 3 + [35] * 9 + [50] * 6)
    y = pd.Series(["yes", "no"] * 9)
    of_ages = examine(pd.DataFrame({"age": bands(ages, [30, 45]).astype("str"), "y": y}), "y", ["age"])
    assert [group.label for group in of_ages.groups] == ["under 30", "30 to 44", "45 and over"]
    by_size = examine(pd.DataFrame({"age": ages.astype("str"), "y": y}), "y", ["age"])
    assert [group.n_rows for group in by_size.groups] == [9, 6, 3]


def test_values_that_are_mostly_the_same_make_fewer_bands() -> None:
    assert band_edges(pd.Series([0] * 90 + [3, 4, 5]), 4) == (3.0,)


numbers = st.one_of(
    st.lists(st.integers(-1_000, 1_000), min_size=2, max_size=30),
    st.lists(st.floats(-1e6, 1e6, allow_nan=False).map(lambda number: round(number, 3)), min_size=2, max_size=30),
)


@settings(max_examples=100)
@given(values=numbers.filter(lambda values: len(set(values)) > 1), n_bands=st.integers(2, 6))
def test_any_numbers_are_cut_in_order_and_no_band_is_empty(values: list[float], n_bands: int) -> None:
    column = pd.Series(values, dtype=float)
    cut = bands(column, n_bands)
    sizes = cut.value_counts()
    assert 2 <= len(sizes) <= n_bands
    assert (sizes > 0).all()
    assert cut.notna().all()
    assert cut.cat.codes[column.sort_values().index].is_monotonic_increasing
    edges = band_edges(column, n_bands)
    assert (cut.cat.codes == sum((column >= edge).astype(int) for edge in edges)).all()


@pytest.mark.parametrize(
    ("values", "edges", "words"),
    [
        (["a"], [1], "Expected numbers to cut into bands, but column 'x'"),
        ([True, False], [1], "Expected numbers"),
        ([1, 2], [], "each larger than the one before"),
        ([1, 2], [2, 2], "each larger than the one before"),
        ([1, 2], [2, 1], "each larger than the one before"),
        ([1, 2], [float("inf")], "finite edges"),
        ([1, 2], 1, "at least 2 bands, but got 1"),
        ([1, 1], 2, "column 'x' to have different numbers"),
        ([float("nan")], 2, "column 'x' to have different numbers"),
    ],
)
def test_what_cannot_be_cut(values: list[object], edges: int | list[float], words: str) -> None:
    with pytest.raises(InputError, match=words):
        bands(pd.Series(values, name="x"), edges)


# -- large parts of a table in which the outcome is all but settled --------------------------------------------


def purchased(n_no_among_purchased: int) -> pd.DataFrame:
    """Who bought the loan is known only for loans that were made: 911 of 1,989, nearly all of them approved."""
    rng = np.random.default_rng(0)
    rows = np.arange(1_989)
    is_purchased = rows < 911
    is_denied = np.where(is_purchased, rows < n_no_among_purchased, rows < 911 + 241)
    columns = {f"chance {number}": rng.normal(size=len(rows)) for number in range(20)}
    return pd.DataFrame(
        {
            "purchaser": np.where(is_purchased, rng.integers(1, 10, len(rows)), 0),
            "price": np.where(is_purchased, rng.lognormal(11, 1, len(rows)).round(), 0),
            "approved": np.where(is_denied, "no", "yes"),
            **columns,
        }
    )


def test_numbers_above_zero_that_settle_half_of_the_table_are_asked_about() -> None:
    health = examine(purchased(3), "approved")
    assert columns_with(health, "revealing value") == ["purchaser", "price"]
    assert [finding.sentence for finding in found(health, "revealing value")] == [
        f"Column {part} in 911 rows (45.8 %), 908 of them 'yes' (of all rows: 87.7 %). "
        "Was it known before the decision?"
        for part in ("'purchaser' is above 0", "'price' is not 0")
    ]
    assert not found(examine(purchased(20), "approved"), "revealing value")


def test_a_blank_that_settles_much_is_asked_about_and_a_number_that_predicts_well_is_not() -> None:
    frame = purchased(3)
    frame["bought on"] = (frame["price"] % 28).where(frame["price"] > 0)
    rng = np.random.default_rng(1)
    frame["score"] = rng.normal(size=len(frame)) + 1.5 * (frame["approved"] == "yes")
    health = examine(frame.drop(columns=["purchaser", "price"]), "approved")
    assert columns_with(health, "revealing value") == ["bought on"]
    assert "'bought on' is known in 911 rows" in found(health, "revealing value")[0].sentence


@pytest.mark.parametrize("share", [0.5, 0.12, 0.02])
def test_chance_settles_no_part_of_a_table(share: float) -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({f"n{k}": rng.integers(0, 5 + 40 * k, 2_000) for k in range(30)})
    assert not found(examine(frame.assign(y=decided(2_000, share)), "y"), "revealing value")


def test_the_demos_settle_no_large_part() -> None:
    telling = {
        name: columns_with(examine(load_demo(name).X.assign(outcome=load_demo(name).y), "outcome"), "revealing value")
        for name in ("credit_data", "lending_club", "adult", "compas")
    }
    assert not any(telling.values())


def test_a_column_that_is_worked_out_from_others_is_told():
    rng = np.random.default_rng(0)
    income = rng.lognormal(10.5, 0.4, 500).round(-2)
    frame = pd.DataFrame({"loan": 100.0 * rng.integers(10, 350, 500), "income": income})
    assert not [f for f in examine(frame).findings if f.topic == "worked out"]
    frame["share"] = (frame.loan / frame.income).round(3)
    (own,) = [f for f in examine(frame).findings if f.topic == "worked out"]
    assert own.columns == ("share",)
    assert own.sentence == (
        "Column 'share' is worked out from others: share = loan / income. Advice moves them together."
    )
