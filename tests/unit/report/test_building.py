"""Every figure of a report is that of the function that the pages use; what is not known is said."""

import json
from collections.abc import Iterable
from copy import copy
from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix

from rugcore import (
    ConfidenceFinder,
    FairRUGClassifier,
    RUGClassifier,
    audit,
    fairness_over_splits,
    governance_of,
    interpretability_report,
    make_loans,
    reasons_table,
    rule_gaps,
    stand_ins,
)
from rugcore.comparison import paired
from rugcore.data_quality import examine
from rugcore.dictionary import ColumnEntry, DataDictionary
from rugcore.errors import InputError
from rugcore.fairness import NOTIONS
from rugcore.report import (
    ChangeEntry,
    Evidence,
    Facts,
    Grid,
    Guidance,
    ModelReport,
    OtherModel,
    Paragraph,
    PeopleRows,
    Picture,
    StabilityFound,
    Statements,
    build_report,
    frontier_lines,
    size_in_words,
)
from rugcore.report.blocks import Block
from rugcore.report.document import SCHEMA
from rugcore.report.drawing import svg
from rugcore.report.formats import harmless, number
from rugcore.report.sections.common import untold
from rugcore.report.sections.data import meaning
from rugcore.report.sections.fairness import _no_larger
from rugcore.report.sections.group_rates import four_fifths
from rugcore.report.sections.method import _parameters, method
from rugcore.report.sections.people import _Teller
from rugcore.report.sections.reasons import given_reasons
from rugcore.report.sections.rules import _contrary, _without
from rugcore.rules import RuleSet
from tests.unit.report.reports import EPSILON, hostile, identity, mortgage_report, mortgages

FEW = 5  # fewer people are not counted, and what became of them is not told


def grid(report: ModelReport, section: str, caption: str) -> pd.DataFrame:
    """The table of a section whose caption begins like this."""
    found = [
        block
        for block in report.section(section).blocks
        if isinstance(block, Grid) and block.caption.startswith(caption)
    ]
    assert len(found) == 1, caption
    return pd.DataFrame(found[0].rows, columns=[column.title for column in found[0].columns])


def facts(report: ModelReport, section: str) -> dict[str, str]:
    blocks = [block for block in report.section(section).blocks if isinstance(block, Facts)]
    return {name: own for block in blocks for name, own in block.items}


def sentences(report: ModelReport, section: str) -> str:
    return text_of(report.section(section).blocks)


def text_of(blocks: Iterable[Block]) -> str:
    return "\n".join(block.text for block in blocks if isinstance(block, Paragraph))


# -- the figures -------------------------------------------------------------------------------------------


def test_rules_weights_and_people_are_those_of_the_model() -> None:
    model, test, training = mortgages().model, mortgages().test, mortgages().training
    table = grid(mortgage_report(), "rules", "Rules, heaviest first")
    assert training is not None
    assert list(table["Rule"]) == [f"if {rule}" for rule in model.rules_]
    assert list(table["Weight"]) == [rule.weight for rule in model.rules_]
    for place, rule in enumerate(model.rules_):
        is_covered = np.array([rule.holds(row) for row in test.X.to_dict("records")])  # row by row, by the rule itself
        assert table["Test people"][place] == is_covered.sum()
        if is_covered.any():
            assert table["Right, test"][place][0] == pytest.approx((test.y[is_covered] == rule.label).mean())
        assert table["Training people"][place] == round(rule.coverage * len(training))
        assert table["Right"][place] == pytest.approx(rule.precision)


@pytest.mark.parametrize("n_contrary", [0, 1, 2])
def test_rules_that_show_the_opposite_of_what_they_say_are_named(n_contrary: int) -> None:
    """Right for less than have the outcome anyway; a rule that is right for just as many says nothing false."""
    model, usual = copy(mortgages().model), mortgages().model.class_share_
    share = dict(zip(model.classes_, usual, strict=True))
    known = [replace(rule, precision=share[rule.label]) for rule in model.rules_]
    changed = [replace(rule, precision=0.9 * rule.precision) for rule in known[:n_contrary]]
    model.rules_ = RuleSet([*changed, *known[n_contrary:]])
    said = text_of(_contrary(replace(mortgages(), model=model)))
    begins = ["", "Rule 1 votes for an outcome that is rarer", "Rules 1, 2 vote for an outcome that is rarer"]
    assert said.startswith(begins[n_contrary])
    assert bool(said) == bool(n_contrary)


def test_rules_by_group_add_up_to_all_people() -> None:
    by_group = grid(mortgage_report(), "rules", "What every rule does")
    whole = grid(mortgage_report(), "rules", "Rules, heaviest first")
    sizes = mortgages().test.groups.value_counts()
    for rule, n in zip(whole["No."], whole["Test people"], strict=True):
        told = by_group[by_group["Rule"] == rule]
        assert told["People"].sum() + (len(sizes) - len(told)) * (FEW - 1) >= n >= told["People"].sum()
    for line in by_group.to_dict("records"):
        assert line["Share of the group"] == pytest.approx(line["People"] / sizes[line["Group"]])


def test_how_much_there_is_to_read_is_that_of_the_engine() -> None:
    found = interpretability_report(mortgages().model, mortgages().test.X)
    text = sentences(mortgage_report(), "rules")
    assert text.startswith(f"{found['n_rules']:.0f} rules with")
    assert found["uncovered_share"] == found["tie_share"] == 0
    assert "Some rule applies to every test person, and for nobody do both sides weigh the same." in text


def test_accuracy_and_mistakes_are_counted_as_scikit_learn_counts_them() -> None:
    evidence = mortgages()
    decided = evidence.model.predict(evidence.test.X)
    table = grid(mortgage_report(), "performance", "Right decisions on the").set_index("Model")
    assert table["Right"]["FairRUG (this model)"][0] == pytest.approx(accuracy_score(evidence.test.y, decided))
    assert table["Right"]["Always approved"][0] == pytest.approx((evidence.test.y == "approved").mean())
    assert {"Decision tree", "Logistic regression"} <= set(table.index)
    counted = grid(mortgage_report(), "performance", "True outcome").iloc[:, 1:3].to_numpy(dtype=int)
    labels = ["approved", "denied"]
    assert (counted == confusion_matrix(evidence.test.y, decided, labels=labels)).all()


def test_models_are_held_against_each_other_with_the_paired_test() -> None:
    evidence = mortgages()
    table = grid(mortgage_report(), "performance", "Right decisions on the").set_index("Model")
    assert evidence.others is not None
    for other in evidence.others:
        found = paired(other.decided == evidence.truth, evidence.is_right)
        words = table["Against this model"][other.name]
        assert words.startswith(f"{100 * found.difference:+.1f} points")
        assert words.endswith("may be chance" if found.may_be_chance else "clearly")


def test_the_chances_have_the_brier_score_of_scikit_learn() -> None:
    from sklearn.metrics import brier_score_loss

    evidence = mortgages()
    place = list(evidence.model.classes_).index("approved")
    chance = evidence.model.predict_proba(evidence.test.X)[:, place]
    score = brier_score_loss(evidence.test.y == "approved", chance)
    assert f"is {score:.3f};" in sentences(mortgage_report(), "performance")
    people = grid(mortgage_report(), "performance", "What was said")["Test people"]
    assert people.isna().sum() <= len(evidence.test) - people.sum() <= people.isna().sum() * (FEW - 1)


def test_gaps_and_rates_are_those_of_the_audit() -> None:
    evidence, report = mortgages(), mortgage_report()
    found = audit(
        evidence.test.y,
        evidence.model.predict(evidence.test.X),
        sensitive_features=evidence.test.groups,
        positive_class="approved",
        epsilon=EPSILON,
    )
    gaps = grid(report, "fairness", "Gaps in points")
    for line, (_, own) in zip(gaps.to_dict("records"), found.gaps.iterrows(), strict=True):
        assert line["Test"] == pytest.approx((own["gap"], own["lower"], own["upper"]), nan_ok=True)
    rates = grid(report, "fairness", "Decided wrongly")
    assert list(rates["People"]) == list(found.rates["n"])
    assert list(rates["Wrong"]) == list(found.rates["errors"]), "each of these groups is large enough to be told"
    groups = grid(report, "fairness", "Rates by group").set_index("Group")
    for name, own in found.groups.iterrows():
        assert groups["People"][name] == own["n"]
        assert groups["Decided favourably"][name][0] == pytest.approx(own["selection_rate"])
    assert f"{found.parity.ratio:.2f} times as often" in sentences(report, "fairness")


def test_asked_and_reached_are_those_of_the_training() -> None:
    fit, said = mortgages().fit, facts(mortgage_report(), "fairness")
    assert fit is not None
    assert said["Asked for"].endswith(f"a gap of at most {100 * EPSILON:.1f} points")
    assert said["Reached on the training rows"].startswith(f"{100 * fit.realised_gap:.1f} points")
    assert said["Reached on the training rows"].endswith("NOT met" if not fit.met_on_training_rows else ", met")
    assert said["Padding"].startswith(f"{fit.padding:,.1f} units")
    assert fit.expected is not None
    assert fit.expected.gap is not None
    assert said["Expected on new people"].startswith(f"{100 * fit.expected.gap:.1f} points")


@pytest.mark.parametrize("notion", ["demographic_parity", "predictive_parity"])
def test_a_notion_without_losses_has_none_in_the_report(notion: str) -> None:
    known = mortgages()
    rows = known.training
    assert rows is not None
    model = FairRUGClassifier(
        fairness=notion, epsilon=0.2, max_depth=1, max_iter=2, positive_class=known.favourable, random_state=0
    ).fit(rows.X, rows.y, sensitive_features=rows.groups)
    found = replace(known, model=model, fit=model.fairness_, fairness=notion, epsilon=0.2, others=())
    text = build_report(found).to_json()
    assert NOTIONS[notion].title in text
    assert "Mean loss in the program" not in text
    assert "In the linear program" not in text


def test_the_verdict_doubts_a_gap_whose_interval_reaches_across_the_limit() -> None:
    """Also to the other side: a pair may as well be the other way round."""
    line = mortgages().test_audit.gaps.loc["dmc"]  # type: ignore[union-attr]
    widest = max(abs(line["lower"]), abs(line["upper"]))
    is_in_doubt = (line["gap"] <= EPSILON) and widest > EPSILON
    assert is_in_doubt or line["gap"] > EPSILON
    assert ("reaches across the limit" in sentences(mortgage_report(), "fairness")) == (
        is_in_doubt or max(line["lower"], -line["upper"], 0.0) <= EPSILON
    )


def test_stand_ins_are_those_of_the_engine() -> None:
    evidence, report = mortgages(), mortgage_report()
    assert evidence.training is not None
    columns = stand_ins(evidence.training.X, evidence.training.groups)
    shown = grid(report, "stand_ins", "How well a column")
    assert list(shown["Column"]) == list(columns["column"])
    assert list(shown["Tells"]) == pytest.approx(list(columns["tells"]))
    rules = rule_gaps(evidence.model, evidence.test.X, evidence.test.y, sensitive_features=evidence.test.groups)
    told = grid(report, "stand_ins", "What every rule tells")
    assert list(told["Pushes the gap, points"]) == pytest.approx(list(rules["pushes"]))
    assert list(told["Decided otherwise without it"]) == list(rules["n_changed"])


def test_reason_codes_are_counted_from_the_reasons_that_people_get() -> None:
    evidence = mortgages()
    table = reasons_table(evidence.model, evidence.test.X, "approved", sensitive=evidence.protected)
    given = table[table["status"] == "reasons"]
    shown = grid(mortgage_report(), "reasons", "Reason codes")
    first, every = given["reason 1"], given[[name for name in given.columns if name.startswith("reason ")]]
    for line in shown.to_dict("records"):
        n_first, n = (int((own.to_numpy() == line["Text"]).sum()) for own in (first, every))
        assert is_untold(line["Given at all"]) if n < FEW else line["Given at all"] == n
        assert is_untold(line["As first reason"]) if 0 < n_first < FEW else line["As first reason"] == n_first
        assert is_untold(line["Of those with reasons"]) == (n < FEW)


def test_why_people_get_no_reasons_is_counted_by_what_stands_in_the_way() -> None:
    test = mortgages().test
    otherwise = test.y.map({"approved": "denied", "denied": "approved"})  # so that few refusals turn out right
    evidence = with_(mortgages(), test=PeopleRows(test.X, otherwise, test.groups), others=None)
    remarks = given_reasons(evidence).query("status == 'manual review'")["remarks"]
    shown = grid(build_report(evidence), "reasons", "Why a person has to decide")
    causes = dict(zip(shown.iloc[:, 0], shown["Test people"], strict=True))
    n_contradicted = remarks.str.contains("turned out so").sum()
    assert n_contradicted >= FEW
    assert causes["Most of the test people who were decided alike turned out otherwise."] == n_contradicted
    assert sum(n for n in causes.values() if not is_untold(n)) <= len(remarks)


def test_the_certificate_is_that_of_the_pool() -> None:
    found = mortgages().model.pool_.certificate()
    assert bool(found)
    assert "The certificate holds." in sentences(mortgage_report(), "method")
    assert facts(mortgage_report(), "method")["Gap between primal and dual"] == f"{abs(found.gap):.1e}"


def test_blanks_and_values_are_those_of_the_look_at_the_table() -> None:
    evidence = mortgages()
    assert evidence.training is not None
    health = examine(pd.concat([evidence.training.X, evidence.test.X], ignore_index=True))
    shown = grid(mortgage_report(), "data", "Columns that rules may use").set_index("Column")
    for column in health.columns:
        assert shown["Blank"][column.name] == pytest.approx(column.missing_share)
        assert shown["Values"][column.name] == column.n_distinct


def test_the_frontier_is_drawn_from_the_pool() -> None:
    evidence = mortgages()
    lines = frontier_lines(evidence.model, evidence.test, "dmc", "approved", (0.01, 0.1))  # type: ignore[arg-type]
    report = build_report(with_(evidence, frontier=lines))
    shown = grid(report, "fairness", "The same rules")
    is_same = replace(lines[0], epsilon=0.1) == lines[1]
    assert list(shown["Limit, points"]) == (["1.0 to 10.0"] if is_same else ["1.0", "10.0"])
    refitted = evidence.model.refit(epsilon=0.01)  # type: ignore[call-arg]
    assert shown["Right, test"][0] == pytest.approx((refitted.predict(evidence.test.X) == evidence.test.y).mean())


def test_stability_is_told_rule_by_rule() -> None:
    n_rules = len(mortgages().model.rules_)
    found = StabilityFound(10, tuple(range(n_rules)), 0.9)
    report = build_report(with_(mortgages(), stability=found))
    assert list(grid(report, "stability", "How often")["Came back"]) == list(range(n_rules))
    assert "90.0 % of the training rows" in sentences(report, "stability")


def test_a_model_that_is_no_better_than_none_is_called_so_on_the_first_page() -> None:
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.normal(size=300)})
    y = pd.Series(np.where(rng.random(300) < 0.9, "yes", "no"))  # nothing to learn
    model = RUGClassifier(max_depth=1, penalty=50.0, random_state=0).fit(X, y)
    assert set(model.predict(X)) == {"yes"}
    rows = PeopleRows(X, y, pd.Series(rng.choice(["f", "m"], 300)))
    report = build_report(Evidence(model, identity(), rows, rows, "loan", "yes", sensitive=("g",)))
    assert facts(report, "brief")["Without a model"].endswith("the model is no better")
    assert "decides “yes” for every test person" in sentences(report, "brief")
    better = facts(mortgage_report(), "brief")["Without a model"]
    is_better = mortgages().is_right.sum() > (mortgages().truth == "approved").sum()
    assert better.endswith("no better") != is_better


# -- people ------------------------------------------------------------------------------------------------


def test_nobody_among_the_explained_can_be_told_by_amounts_or_group() -> None:
    evidence = mortgages()
    section = mortgage_report().section("people")
    text = json.dumps([vars(block) for block in section.blocks], ensure_ascii=False, default=str)
    assert "Person A" in text
    for group in evidence.groups:
        assert group not in text
    rules = json.dumps([str(rule) for rule in evidence.model.rules_], ensure_ascii=False)
    for column in evidence.test.X.select_dtypes("number").columns:
        for value in evidence.test.X[column].unique():
            written = f"{value:g}"
            assert f" {written} " not in text or len(written) < 4 or written in rules


def test_a_rule_about_a_protected_attribute_does_not_tell_it_of_a_person() -> None:
    X = make_loans(600, random_state=0).X
    X = X.assign(gender=np.where(np.arange(len(X)) % 2, "woman", "man"))
    y = pd.Series(np.where(X["gender"] == "woman", "no", "yes"), index=X.index)
    model = RUGClassifier(max_depth=1, random_state=0).fit(X, y)
    rows = PeopleRows(X, y, X["gender"])
    report = build_report(Evidence(model, identity(), rows, rows, "loan", "yes", sensitive=("gender",)))
    text = json.dumps([vars(block) for block in report.section("people").blocks], default=str)
    assert "protected attribute" in text
    assert "woman" not in text
    assert "gender is" not in text
    assert "Rules look at protected columns: “gender”." in sentences(report, "data")


def test_what_became_of_few_people_of_a_group_is_not_told() -> None:
    """One person covered by a rule and decided rightly would be a person whose outcome everybody can read."""
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"a": rng.normal(size=400)})
    y = pd.Series(np.where(X["a"] > 0, "yes", "no"))
    groups = pd.Series(np.select([np.arange(400) < 3, np.arange(400) < 200], ["few", "many"], "others"))
    rows = PeopleRows(X, y, groups)
    model = RUGClassifier(max_depth=1, random_state=0).fit(X, y)
    fair = FairRUGClassifier(max_depth=1, max_iter=1, random_state=0).fit(X, y, sensitive_features=groups)
    report = build_report(
        Evidence(model, identity(), rows, rows, "loan", "yes", sensitive=("g",), fit=fair.fairness_, epsilon=0.1)
    )
    of_groups = [grid(report, "rules", "What every rule does")]
    of_groups += [
        grid(report, "fairness", caption) for caption in ("Decided wrongly", "Padding and importance", "Rates by group")
    ]
    for table in of_groups:
        assert set(table["Group"]) == {"many", "others"}
    counts = y[groups == "few"].value_counts()  # their outcomes, which nothing may give away
    said = sentences(report, "fairness")
    assert not any(f"few, class {label}" in said or f"few, {label}" in said for label in ("yes", "no", *counts.index))
    assert said.count("groups of fewer than 5 people: few") == 2


def test_nothing_about_a_few_follows_from_a_total() -> None:
    """Of 3 people of one group all is known once the other group and the total are told."""
    n_rows = 400
    X = pd.DataFrame({"a": np.arange(n_rows)})
    y = pd.Series(np.where(X["a"] < 100, "yes", "no"))
    groups = pd.Series(np.where(X["a"] < 97, "early", "late"))
    rows = PeopleRows(X, y, groups)
    model = RUGClassifier(max_depth=1, random_state=0).fit(X, y)
    report = build_report(Evidence(model, identity(), rows, rows, "loan", "yes", sensitive=("g",)))
    by_rule = grid(report, "rules", "What every rule does")
    by_outcome = grid(report, "fairness", "Decided wrongly")
    of_rule = grid(report, "rules", "Rules, heaviest first").set_index("No.")["Test people"]
    for table, key, told, total in (
        (by_rule, "Rule", "Right", of_rule),
        (by_outcome, "True outcome", "Wrong", y.value_counts()),
    ):
        is_told = ~table[told].map(is_untold)
        rest = total - table["People"].where(is_told, 0).groupby(table[key]).sum().reindex(total.index, fill_value=0)
        assert rest.any()
        assert not ((rest > 0) & (rest < FEW)).any()


def test_rates_of_a_group_do_not_tell_what_is_kept_back_by_outcome() -> None:
    """Of 3 denied people of a group all is known from the mistakes about the other group, as rates too."""
    n_rows = 400
    X = pd.DataFrame({"a": np.arange(n_rows)})
    y = pd.Series(np.where(X["a"] < 203, "no", "yes"))
    rows = PeopleRows(X, y, pd.Series(np.where(X["a"] < 200, "early", "late")))
    model = RUGClassifier(max_depth=1, random_state=0).fit(X, y)
    report = build_report(Evidence(model, identity(), rows, rows, "loan", "no", sensitive=("g",)))
    wrong = grid(report, "fairness", "Decided wrongly").set_index(["True outcome", "Group"])
    rates = grid(report, "fairness", "Rates by group").set_index("Group")
    assert is_untold(wrong["Wrong"]["no", "late"])
    assert is_untold(wrong["Wrong"]["no", "early"])
    for group in ("early", "late"):
        assert is_untold(rates["Rightly favoured (TPR)"][group])
        assert is_untold(rates["Precision"][group])
        assert is_untold(rates["Decided favourably"][group])
    assert not is_untold(rates["Wrongly favoured (FPR)"]["late"])


def is_untold(value: object) -> bool:
    return all(own is None for own in value) if isinstance(value, tuple) else bool(pd.isna(value))


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([3, 40, 20], [True, False, True]),  # 3 would be what is left of the total
        ([3, 40, 2], [True, False, True]),  # 5 together
        ([40, 20], [False, False]),
        ([4], [True]),
        ([5, 5], [False, False]),
        ([1, 9], [True, True]),
    ],
)
def test_who_is_told_of_beside_a_total(counts: list[int], expected: list[bool]) -> None:
    assert untold(counts).tolist() == expected
    assert untold([0, *counts]).tolist()[1:] == expected, "nobody tells nothing"


def test_what_happened_to_a_handful_is_not_told_by_chance_either() -> None:
    table = grid(mortgage_report(), "performance", "What was said, and what happened")
    is_hidden = table["Happened"].map(is_untold)
    is_few = table["Test people"].isna()
    assert is_few.any()
    assert is_hidden[is_few].all()
    assert (table["Test people"][~is_few] >= FEW).all()
    assert is_hidden.sum() > 1  # or the total would give the few away


def test_a_ratio_just_below_four_fifths_is_not_written_as_four_fifths() -> None:
    """“0.80 times as often, which is below 0.8” is signed by nobody."""
    decided = ["yes"] * 899 + ["no"] * 101
    truth = ["no", "yes"] * 500
    found = audit(truth, decided, sensitive_features=["a"] * 500 + ["b"] * 500, positive_class="yes")
    assert "b are decided favourably 0.798 times as often as a (399 of 500 against 500 of 500)" in four_fifths(found)


def test_a_gap_that_cannot_be_estimated_is_not_called_smaller() -> None:
    """On the first page too."""
    assert "No gap of this kind is larger." in _no_larger("")
    assert "3 rates rest on too few people" in _no_larger("a, x (1 row); b, x (2 rows); c, x (3 rows)")
    evidence = mortgages()
    test = evidence.test
    is_left = ~((test.y == "denied") & test.groups.str.endswith("yes")).to_numpy()
    few = PeopleRows(test.X[is_left], test.y[is_left], test.groups[is_left])
    said = facts(build_report(with_(evidence, test=few, others=None)), "brief")["Groups"]
    assert "No gap of this kind is larger." not in said
    assert "yes, denied (0 rows)" in said.split("not estimable: ")[1]


def test_the_dictionary_is_held_against_the_rules() -> None:
    """It may be younger than the model: what rules look at is not kept out of them."""
    evidence = mortgages()
    used = str(evidence.model.rules_[0].features[0])
    unused = next(name for name in evidence.test.X.columns if name not in evidence.model.rules_.features())
    entries = {used: ColumnEntry(left_out=True), unused: ColumnEntry(left_out=True)}
    said = sentences(build_report(with_(evidence, dictionary=DataDictionary(entries))), "data")
    assert f"Kept out of the rules: {unused}." in said
    assert f"The dictionary wants “{used}” kept out of the rules, but rules look there: train again." in said


def test_whom_rules_do_not_decide_is_told_in_people() -> None:
    assert (
        _without(0, 1, 200) == "For 1 test person (0.5 %) both sides weigh the same; this person needs manual review."
    )
    assert _without(3, 2, 200) == (
        "To 3 test people (1.5 %) no rule applies, and for 2 test people (1.0 %) both sides weigh the same; these need "
        "manual review."
    )


def test_one_rule_and_one_leaf_are_spoken_of_as_one() -> None:
    assert [size_in_words(1.0, "rules"), size_in_words(1.0, "leaves")] == ["1 rule", "1 leaf"]
    assert size_in_words(1234.0, "leaves") == "1,234 leaves"


def test_what_many_splits_say_stands_on_the_first_page() -> None:
    evidence = mortgages()
    assert evidence.training is not None
    own = evidence.training
    found = fairness_over_splits(
        evidence.model, own.X, own.y, sensitive_features=own.groups, n_splits=2, positive_class=evidence.favourable
    )
    assert "Over random splits" not in facts(mortgage_report(), "brief")
    said = facts(build_report(with_(evidence, splits=found)), "brief")["Over random splits"]
    (line,) = found.summary().to_dict("records")
    assert said.startswith(f"{100 * line['largest_gap']:.1f} points")
    assert said.endswith(str(line["verdict"]))


def test_a_rule_that_covers_few_of_a_large_group_tells_nothing_about_them() -> None:
    n_rows = 400
    X = pd.DataFrame({"a": np.arange(n_rows)})
    y = pd.Series(np.where(X["a"] < 100, "yes", "no"))
    groups = pd.Series(np.where(np.arange(n_rows) < 98, "early", "late"))
    rows = PeopleRows(X, y, groups)
    model = RUGClassifier(max_depth=1, random_state=0).fit(X, y)
    report = build_report(Evidence(model, identity(), rows, rows, "loan", "yes", sensitive=("g",)))
    told = grid(report, "rules", "What every rule does").query("Group == 'late'")
    assert len(told)
    assert set(told["Rule"]) < set(grid(report, "rules", "Rules, heaviest first")["No."])
    assert (told["People"] >= FEW).all()


def test_a_rule_that_covers_few_people_tells_nothing_about_them() -> None:
    X = pd.DataFrame({"a": np.arange(400)})
    y = pd.Series(np.where(X["a"] < 100, "yes", "no"))
    model = RUGClassifier(max_depth=1, random_state=0).fit(X, y)
    places = [0, 1, 2, *range(300, 400)]
    test = PeopleRows(X.iloc[places].reset_index(drop=True), y.iloc[places].reset_index(drop=True), None)
    told = grid(build_report(Evidence(model, identity(), test, None, "loan", "yes")), "rules", "Rules, heaviest")
    is_few = told["Test people"].isna()
    assert is_few.any()
    assert not is_few.all()
    assert [share == (None, None, None) for share in told["Right, test"]] == is_few.tolist()


def test_a_group_of_a_handful_is_not_in_the_table_of_the_data() -> None:
    evidence = mortgages()
    assert evidence.training is not None
    few = evidence.training.groups.copy()  # type: ignore[union-attr]
    few.iloc[:2] = "few"
    changed = with_(evidence, training=PeopleRows(evidence.training.X, evidence.training.y, few), fit=None)
    report = build_report(changed)
    assert "few" not in set(grid(report, "data", "Groups by")["Group"])
    assert "Groups of fewer than 5 people are left out" in sentences(report, "data")


def test_without_a_limit_none_is_spoken_of() -> None:
    report = build_report(with_(mortgages(), epsilon=None, fit=None))
    assert "No limit was set." in sentences(report, "fairness")
    assert "The limit is about" not in sentences(report, "fairness")
    assert "The limit is about" in sentences(mortgage_report(), "fairness")


def test_the_people_explained_get_the_reasons_that_are_counted() -> None:
    """Somebody who is counted as left to a person must not be shown with reasons."""
    test = mortgages().test
    otherwise = test.y.map({"approved": "denied", "denied": "approved"})  # so that few refusals turn out right
    evidence = with_(mortgages(), test=PeopleRows(test.X, otherwise, test.groups))
    teller, given = _Teller(evidence), given_reasons(evidence)
    assert "manual review" in set(given["status"])
    for place, status in zip(given["applicant"], given["status"], strict=True):
        told = dict(teller.facts(int(place)).items)["Reasons"]
        assert told.startswith("Needs manual review") == (status == "manual review")


def test_how_sure_is_what_other_test_people_say() -> None:
    evidence = mortgages()
    told = [block for block in mortgage_report().section("people").blocks if isinstance(block, Facts)]
    finder = ConfidenceFinder(evidence.model, evidence.test.X, evidence.test.y)
    found = [finder.find(evidence.test.X.iloc[place], without=place) for place in range(len(evidence.test))]
    every = {str(own) for own in found if own.n >= FEW}
    sure = [dict(block.items)["How sure"] for block in told if "How sure" in dict(block.items)]
    assert set(sure) & every
    of_a_handful = f"Fewer than {FEW} test people were decided alike: too few to tell how good that is."
    assert all(text.endswith(of_a_handful) for text in set(sure) - every)


# -- what is not known -------------------------------------------------------------------------------------


def with_(evidence: Evidence, **changes: object) -> Evidence:
    from dataclasses import replace

    return replace(evidence, **changes)  # type: ignore[arg-type]


def test_open_points_are_gathered_on_the_first_page() -> None:
    points = grid(mortgage_report(), "brief", "Open points")
    assert {"Stability", "Fairness", "Data", "Oversight", "Monitoring"} <= set(points["Section"])
    said = build_report(with_(mortgages(), statements=Statements({"purpose": "For mortgages."})))
    assert not any("Purpose:" in text for text in grid(said, "brief", "Open points")["What is missing"])
    assert facts(said, "brief")["Purpose"] == "For mortgages."


def test_without_training_rows_and_groups_the_report_says_so() -> None:
    evidence = mortgages()
    rows = PeopleRows(evidence.test.X, evidence.test.y)
    bare = build_report(with_(evidence, training=None, test=rows, sensitive=(), others=None, fit=None, epsilon=None))
    assert "training rows were not given" in sentences(bare, "data")
    assert "No sensitive attribute was named" in sentences(bare, "fairness")
    assert "other models need the training rows" in sentences(bare, "performance")


def test_three_outcomes_have_a_report_too() -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.normal(size=400), "b": rng.normal(size=400)})
    y = pd.Series(np.select([X["a"] > 0.5, X["b"] > 0], ["high", "middle"], "low"))
    rows = PeopleRows(X, y, pd.Series(rng.choice(["x", "y"], 400)))
    report = build_report(
        Evidence(RUGClassifier(random_state=0).fit(X, y), identity(), rows, rows, "band", "high", sensitive=("g",))
    )
    assert grid(report, "performance", "True outcome").shape == (3, 5)
    assert "two outcomes only" in sentences(report, "performance")


# -- the file ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("report", [mortgage_report, hostile], ids=["mortgages", "hostile"])
def test_the_file_reads_back_and_keeps_to_its_schema(report) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    text = report().to_json()
    assert ModelReport.from_json(text) == report()
    assert ModelReport.from_json(text).to_json() == text
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(text), schema)


def test_the_same_evidence_gives_the_same_report() -> None:
    assert build_report(mortgages()).to_json() == mortgage_report().to_json()


def test_charts_are_well_formed_and_stay_inside_their_frame() -> None:
    from xml.etree import ElementTree

    sections = [section for report in (mortgage_report(), hostile()) for section in report.sections]
    pictures = [block for section in sections for block in section.blocks if isinstance(block, Picture)]
    assert {picture.kind for picture in pictures} >= {"bars", "intervals"}
    for picture in pictures:
        root = ElementTree.fromstring(svg(picture))
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        for node in root.iter():
            for name in ("x", "cx", "x1", "x2"):
                assert 0 <= float(node.attrib.get(name, 0)) <= width, ElementTree.tostring(node)
            for name in ("y", "cy", "y1", "y2"):
                assert 0 <= float(node.attrib.get(name, 0)) <= height
        assert not {node.tag.rpartition("}")[2] for node in root.iter()} & {"script", "a", "image", "foreignObject"}


def test_colours_are_those_of_the_dashboard() -> None:
    from rugboard.shell import theme
    from rugcore.report import evidence

    assert evidence.GROUP_COLOURS == theme.GROUPS
    assert theme.MODELS["fair"] == evidence.MODEL_COLOUR
    assert theme.MODELS["rug"] == evidence.OTHER_COLOUR
    assert list(mortgages().class_colours().values()) == list(theme.CLASSES[:2])


# -- what people say ---------------------------------------------------------------------------------------


def test_statements_and_thresholds_stand_in_the_report() -> None:
    statements = Statements({"oversight": "Two people look.\n\nEvery week."}, {"gap": 0.04})
    trained = ChangeEntry("2026-01-02T03:04:05Z", "Trained")
    report = build_report(with_(mortgages(), statements=statements, changes=(trained,)))
    assert "Two people look." in sentences(report, "oversight")
    watched = grid(report, "monitoring", "What the model did")
    assert watched.iloc[-1].tolist()[2:] == ["above 4.0 points", "entered"]
    assert grid(report, "changes", "Change log")["When"][0] == "2026-01-02 03:04 UTC"


NONSENSE = ("", "[]", '{"colour": "red"}', '{"purpose": 3}', '{"thresholds": {"gap": 2}}', '{"thresholds": []}')


@pytest.mark.parametrize("text", NONSENSE)
def test_statements_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="Expected"):
        Statements.from_json(text)


@pytest.mark.parametrize("text", ["", "{}", '{"note": "x", "guidance": [{"name": 1, "topics": []}]}'])
def test_a_template_of_guidance_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="Expected a template of guidance"):
        Guidance.from_json(text)


def test_the_cross_reference_names_sections_by_their_numbers_and_promises_nothing() -> None:
    report = mortgage_report()
    titles = {f"{n}. {section.title}" for n, section in enumerate(report.sections, start=1)}
    tables = [block for block in report.section("guidance").blocks if isinstance(block, Grid)]
    assert tables
    named = {place for table in tables for _, places in table.rows for place in str(places).split("; ")}
    assert named <= titles
    assert "no statement that the model complies" in sentences(report, "guidance")


def everybody_alike() -> Evidence:
    """A model that approves everybody, of whom all are approved: no gap, and nothing above the whole."""
    own = mortgages()
    approved = own.test.y == own.favourable
    test = PeopleRows(own.test.X[approved], own.test.y[approved], own.test.groups[approved])  # type: ignore[index]
    vetoed = own.model.governed(vetoed=[rule for rule in own.model.rules_ if rule.label != own.favourable])
    while any(rule.label != own.favourable for rule in vetoed.rules_):
        vetoed = vetoed.governed(vetoed=[rule for rule in vetoed.rules_ if rule.label != own.favourable])
    return replace(own, model=vetoed, test=test, others=None, fit=vetoed.fairness_)


def test_where_there_is_no_gap_no_pair_is_named() -> None:
    report = build_report(everybody_alike())
    said = sentences(report, "fairness")
    assert "more often than" not in said
    assert "no two groups that can be compared differ" in said
    assert "all groups that can be compared are decided favourably equally often" in said
    assert "nobody" in set(grid(report, "fairness", "Gaps in points")["Worse rate"])
    watched = grid(report, "monitoring", "What the model did")
    assert not watched["Act"].isin(["above 100.0 %", "below 0.0 %"]).any(), "nobody could ever act on it"
    assert facts(report, "brief")["Right decisions"].startswith("100.0 %")


def test_rules_that_people_decided_on_are_told_apart() -> None:
    evidence = everybody_alike()
    table = grid(build_report(evidence), "rules", "Rules that people decided on")
    out = governance_of(evidence.model).vetoed
    assert len(out)
    assert table["Rule"].tolist() == [f"if {rule}" for rule in out]
    assert set(table["Decided"]) == {"vetoed: never used"}


def test_rounds_are_told_such_that_they_do_not_contradict_each_other() -> None:
    """More rounds than max_iter, and an objective that rises: both are explained where they occur."""
    own = mortgages().training
    assert own is not None
    strict = FairRUGClassifier(max_depth=1, max_iter=1, epsilon=0.001, penalty=0.1, positive_class="approved")
    strict.fit(own.X, own.y, sensitive_features=own.groups)
    assert len(strict.history_) > strict.max_iter + 1
    n_steered = sum(one.gap is not None for one in strict.history_)
    assert f"{n_steered} rounds came on top" in text_of(method(replace(mortgages(), model=strict)))
    assert "came on top" not in sentences(mortgage_report(), "method"), "it was fair enough from the start"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (12_023.4, "12,023"),
        (11_883.0, "11,883"),
        (0.123456, "0.1235"),
        (1e20, "1e+20"),
        (-9.7e-17, "0"),
        (7e-06, "under 0.0001"),
        (-7e-06, "above -0.0001"),
    ],
)
def test_numbers_of_a_column_are_written_alike(value: float, written: str) -> None:
    assert number(value) == written


def test_a_percentage_is_never_torn_apart() -> None:
    assert harmless("Right for 71.8 %. 5 % % of") == "Right for 71.8\u00a0%. 5\u00a0% % of"


def test_a_gap_is_told_as_what_it_is() -> None:
    """Not who fares worse: whoever is wrongly decided favourably gains by it."""
    line = mortgages().test_audit.gaps.loc["dmc"]  # type: ignore[union-attr]
    said = sentences(mortgage_report(), "fairness")
    assert (
        f"“{line['worse_group']}” whose true outcome is “{line['worst_class']}” are decided wrongly "
        f"{100 * line['gap']:.1f} points more often than “{line['better_group']}”"
    ) in said
    assert "fare worse" not in mortgage_report().to_json()
    compared = facts(mortgage_report(), "fairness")
    assert all(compared[own.title] == own.explanation for own in NOTIONS.values()), "titles are explained"


def test_the_dictionary_tells_orders_and_what_nobody_can_change() -> None:
    own = ColumnEntry(order=("bad", "fair"), values={"bad": "poor"}, change="never")
    assert meaning(own) == "from worst to best: poor, fair; nobody can change it; values: bad = poor"


def test_directions_are_told_in_words() -> None:
    model = RUGClassifier(monotonic_cst={"debt": -1, "income": 1, "rating": ("poor", "good")})
    rows = _parameters(replace(mortgages(), model=model)).rows
    shown = {row[0]: row[1] for row in rows}["monotonic_cst"]
    assert shown == "debt: more harms; income: more helps; rating: from worst to best poor, good"


def test_one_rule_is_spoken_of_as_one() -> None:
    X = pd.DataFrame({"a": np.arange(300.0)})
    y = pd.Series(np.where(X["a"] < 100, "yes", "no"))
    both = RUGClassifier(max_depth=1, random_state=0).fit(X, y)
    model = both.refit(without=list(both.rules_)[1:])
    assert len(model.rules_) == 1
    rows = PeopleRows(X, y)
    report = build_report(Evidence(model, identity(), rows, rows, "loan", "yes"))
    assert "1 rule that votes on" in facts(report, "brief")["Model"]
    assert sentences(report, "rules").startswith("1 rule with 1 condition. ")


def test_a_model_that_is_clearly_better_is_named_on_the_first_page() -> None:
    evidence = mortgages()
    knows_all = OtherModel("Oracle", evidence.truth)
    wrong = np.where(evidence.truth == "approved", "denied", "approved").astype(object)
    report = build_report(replace(evidence, others=(knows_all, OtherModel("Liar", wrong))))
    assert facts(report, "brief")["Clearly more often right"] == "Oracle (100.0 %)"
    assert "Clearly more often right" not in facts(build_report(replace(evidence, others=None)), "brief")


def test_a_long_purpose_does_not_fill_the_first_page() -> None:
    purpose = "word " * 2_000
    report = build_report(replace(mortgages(), statements=Statements({"purpose": purpose})))
    shown = facts(report, "brief")["Purpose"]
    assert len(shown) < 450
    assert shown.endswith("… (goes on in its section)")
    assert purpose.strip() in sentences(report, "purpose")


def test_the_dictionary_of_the_report_tells_all_that_is_said() -> None:
    unsaid = {item.name for item in fields(ColumnEntry)} - {"label", "unit", "wording"}
    said: dict[str, object] = {
        "description": "words",
        "values": {"1": "one"},
        "special": {-9.0: "none"},
        "protected": True,
        "left_out": True,
        "past_fact": True,
        "effect": "harms",
        "change": "never",
        "lowest": 1.0,
        "highest": 2.0,
        "order": ("a", "b"),
    }
    assert set(said) == unsaid, "a new field of an entry must be told, too"
    for name, value in said.items():
        assert meaning(replace(ColumnEntry(), **{name: value})) != "label only", name  # type: ignore[arg-type]
