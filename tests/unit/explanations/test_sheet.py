"""The one-page sheet: complete, offline, and safe with names from strangers."""

from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from rugcore import applicant_sheet
from rugcore.comparison import Contribution, ShapExplanation
from rugcore.explanations import Confidence
from rugcore.explanations.counterfactuals import Change, Flip, Flips
from rugcore.explanations.explanation import Explanation, explain_row
from rugcore.explanations.reasons import Reason, Reasons
from rugcore.explanations.reasons.giving import BALANCE, NO_RULE
from rugcore.explanations.sheet import MOST_COLUMNS
from rugcore.rules import Interval, Membership, Rule

HOSTILE = '<script>alert("x")</script><img src=http://evil.example/x.png onerror=alert(1)>&\'"\u202e\x00'
ALLOWED_TAGS = {
    *("html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "section", "table", "tr", "td", "span"),
    *("div", "svg", "rect", "line", "ul", "ol", "li"),
}
ALLOWED_ATTRIBUTES = {
    *("lang", "charset", "http-equiv", "content", "name", "class", "width", "height", "viewbox", "aria-hidden"),
    *("x", "y", "x1", "x2", "y1", "y2", "rx", "style"),
}


class Reader(HTMLParser):
    """What a browser would see."""

    EMPTY = ("meta", "rect", "line")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.EMPTY:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def explanation(name: str = "income", value: str = "nurse", label: str = "refuse", n_rules: int = 1) -> Explanation:
    rules = [Rule((Interval(name, upper=20.0 + n),), label, 1.0 / (n + 1)) for n in range(n_rules)]
    rules.append(Rule((Membership("job", (value,)),), "grant", 0.25))
    return explain_row(
        {name: 10.0, "job": value}, rules, np.array(["grant", label], dtype=object), np.array([0.6, 0.4])
    )


def shap(name: str = "income", label: str = "refuse", n_columns: int = 2) -> ShapExplanation:
    items = [Contribution(f"{name}{n or ''}", 10.0, (-0.5) ** n) for n in range(n_columns)]
    return ShapExplanation(label, label, -0.2, tuple(items), 0.3)


def flips(name: str = "income", label: str = "refuse") -> Flips:
    flip = Flip((Change(name, 10.0, 21.0, 0.5), Change("job", None, name, 1.0)), 1.5, 0.3, False, False, {})
    return Flips(label, "grant", (flip,), 3)


def full_sheet(name: str, label: str = "refuse") -> str:
    own = explanation(name, name, label)
    return applicant_sheet(
        own,
        title=f"Why? {name}",
        applicant=name,
        cells={name: 10.0, "job": name},
        shap=shap(name, label),
        flips=flips(name, label),
        reasons=Reasons(label, "reasons", (Reason(name, "low", f"{name} is low", 1.0, 1.0),)),
        compared_with=f"people who are {name}",
        note=name,
    )


def test_everything_that_matters_is_on_it() -> None:
    text = Reader(full_sheet("income")).text
    for part in (
        "refuse",
        "Weight 1.00 for it (1 rule), weight 0.25 against it (1 rule).",
        "income is low",
        "income <= 20 here 10",
        "Rules against it",
        "job is income here income",
        "LightGBM, another model, decides refuse",
        "Compared with people who are income.",
        "from -0.20 for the average of people who are income to +0.30 here",
        "+1.00",
        "What would lead to grant",
        "income: 10 → 21",
        "job: missing → income",
    ):
        assert part in text, part


def test_an_outcome_of_several_words_reads_as_one() -> None:
    """Nobody is decided did not reoffend."""
    spared = Flips("reoffended", "did not reoffend", (), 3, "limits")
    other = replace(shap(), predicted="did not reoffend", towards="did not reoffend")
    text = Reader(applicant_sheet(explanation(label="reoffended"), flips=spared, shap=other)).text
    assert 'What would lead to "did not reoffend"' in text
    assert 'Nothing that can change leads to "did not reoffend".' in text
    assert 'another model, decides "did not reoffend".' in text
    assert 'adds to the score for "did not reoffend", from' in text


def test_no_advice_goes_out_before_a_person_has_decided() -> None:
    for status, is_open in (("manual review", True), ("reasons", False)):
        text = Reader(applicant_sheet(explanation(), flips=flips(), reasons=Reasons("refuse", status, ()))).text
        assert ("Not for the applicant before a person has decided." in text) == is_open


def test_where_nothing_can_change_it_says_of_what_nobody_knows() -> None:
    """“Protected columns and past facts stay” alone would call a column protected of which nobody has said anything."""
    nothing = Flips("refuse", "grant", (), 3, "limits")
    text = Reader(applicant_sheet(explanation(), flips=nothing, unsaid=["overtime", "sex"], hidden=["sex"])).text
    assert "Nothing that can change leads to grant." in text
    assert "Nobody has said whether people can change “overtime”: that stays as it is." in text
    many = Reader(applicant_sheet(explanation(), flips=nothing, unsaid=["x" * 900] * 20)).text
    assert "and 14 more: that stays as it is." in many
    assert "Nobody has said" not in Reader(applicant_sheet(explanation(), flips=flips(), unsaid=["overtime"])).text


@pytest.mark.parametrize("name", [HOSTILE, "a]]>b", "</title></style><svg onload=alert(1)>", "javascript:alert(1)"])
def test_text_from_strangers_stays_text(name: str) -> None:
    html = full_sheet(name, label=name)
    found = Reader(html)
    assert set(found.tags) <= ALLOWED_TAGS
    assert found.attributes <= ALLOWED_ATTRIBUTES
    assert found.open == []
    assert found.tags.count("title") == found.tags.count("style") == 1
    assert "\u202e" not in html
    assert "\x00" not in html
    assert name.split("\u202e")[0][:30] in found.text


def test_it_needs_nothing_from_elsewhere() -> None:
    html = full_sheet("income")
    for word in ("http:", "https:", "//", "url(", "@import", "<script", "src=", "href="):
        assert word not in html
    assert "default-src 'none'" in html
    assert html.startswith("<!doctype html>")


def test_light_dark_and_print() -> None:
    html = full_sheet("income")
    assert "prefers-color-scheme: dark" in html
    assert "@media print" in html
    assert "size: A4" in html


def test_it_is_complete_however_much_there_is() -> None:
    """Long names are cut; rules and values are all there."""
    long = "x" * 5000
    own = explanation(long, long, n_rules=60)
    cells = {f"{n} {long}": long for n in range(200)}
    html = applicant_sheet(own, cells=cells, shap=shap(long, n_columns=80), flips=flips(long), applicant=long)
    assert len(html) < 120_000
    text = Reader(html).text
    assert all(f"<= {20 + n} here 10" in text for n in range(60))
    assert "72 other columns" in text
    assert all(f"{n} xxx" in text for n in range(200))


def test_one_of_something_is_not_said_in_the_plural() -> None:
    text = Reader(applicant_sheet(explanation(), shap=shap(n_columns=MOST_COLUMNS + 1))).text
    assert "1 other column " in text


def test_how_sure_it_is_and_where_it_comes_from() -> None:
    own = explanation()
    rule = replace(own.rules_for[0].rule, coverage=0.2, precision=0.8)
    own = replace(own, rules_for=(replace(own.rules_for[0], rule=rule),))
    text = Reader(
        applicant_sheet(
            own,
            cells={"income": 10.0, "sex": "f"},
            flips=flips(),
            confidence=Confidence(0.9, 60, 54, 0.80, 0.95),
            n_people=100,
            hidden=["sex"],
            marks={"Run": "r1", "Model": "abc"},
        )
    ).text
    assert "The model is 90 % sure. Of 60 test people decided alike, 54 turned out so" in text
    assert "right for 80 % of only 20 training people" in text
    assert "sex" not in text
    assert "Run r1 · Model abc" in text


def test_what_a_person_has_to_look_at_is_not_called_clear() -> None:
    """People decided alike may bear a refusal out whose reason the data do not."""
    sure = Confidence(0.82, 900, 738, 0.80, 0.84)
    for status, said in (("manual review", "For a person to decide: The model"), ("reasons", "Clear: The model")):
        given = Reasons("refuse", status, (), "It is in doubt.")
        assert said in Reader(applicant_sheet(explanation(), confidence=sure, reasons=given)).text
    assert "Clear: The model" in Reader(applicant_sheet(explanation(), confidence=sure)).text


def test_a_protected_column_is_nowhere_on_the_page() -> None:
    """Neither in a rule nor beside another model: not even its name."""
    cells = {"income": 10.0, "sex": "f"}
    rule = Rule((Interval("income", upper=20.0), Membership("sex", ("f",))), "refuse", 1.0)
    own = explain_row(cells, [rule], np.array(["grant", "refuse"]), np.array([0.6, 0.4]))
    other = replace(shap(), contributions=(Contribution("sex", "f", 0.75), Contribution("income", 10.0, 0.5)))
    text = Reader(applicant_sheet(own, cells=cells, shap=other, hidden=["sex"])).text
    assert "sex" not in text
    assert "income <= 20 here 10" in text
    assert "a condition on a protected column" in text
    assert "a protected column +0.75" in " ".join(text.split())


def test_no_condition_is_lost_and_no_number_cut() -> None:
    """Three conditions on columns with names as long as a line, and numbers with many digits."""
    names = [f"{n} Aggregated monthly average outstanding revolving balance over the previous months" for n in range(3)]
    cells = {name: -1_234_567.125 - n for n, name in enumerate(names)}
    conditions = tuple(Interval(name, upper=987_654.375 + n) for n, name in enumerate(names))
    own = explain_row(cells, [Rule(conditions, "refuse", 1.0)], np.array(["grant", "refuse"]), np.array([0.6, 0.4]))
    changes = tuple(Change(name, cells[name], 987_655.5, 1.0) for name in names)
    html = applicant_sheet(
        own, cells=cells, flips=Flips("refuse", "grant", (Flip(changes, 3.0, 1.0, False, False, {}),), 3)
    )
    text = Reader(html).text
    for n, name in enumerate(names):
        value = f"-1,234,56{7 + n}.125"
        assert f"{name} <= 987,65{4 + n}.375 here {value}" in text
        assert f"{name}: {value} → 987,655.5" in text
    assert "…" not in text
    assert "line-clamp" not in html


def test_outcomes_have_the_colours_that_were_given() -> None:
    colours = {"grant": "#2a78c2", "refuse": "#d1610f"}
    html = applicant_sheet(explanation(), shap=shap(), colours=colours)
    head, _, rest = html.partition("Rules for this decision")
    rules_for, _, rest = rest.partition("Rules against it")
    rules_against, _, in_shap = rest.partition("another model")
    assert "fill:#d1610f" in head
    assert "fill:#d1610f" in rules_for
    assert "fill:#2a78c2" not in rules_for
    assert "fill:#2a78c2" in rules_against
    assert in_shap.index("fill:#d1610f") < in_shap.index("fill:#2a78c2")  # +1 for refuse, then -0.5


def test_with_three_outcomes_every_rule_says_its_own() -> None:
    rules = [Rule((Interval("x", lower=0),), label, 1.0 + n) for n, label in enumerate(["ask", "grant", "refuse"])]
    own = explain_row({"x": 1.0}, rules, np.array(["ask", "grant", "refuse"]), np.full(3, 1 / 3))
    text = Reader(applicant_sheet(own)).text
    assert all(f"→ {label}" in text for label in ("ask", "grant", "refuse"))


def test_only_what_is_given_is_shown() -> None:
    text = Reader(applicant_sheet(explanation())).text
    for heading in ("Reasons", "another model", "What would lead", "All values"):
        assert heading not in text


def test_defaults_are_said() -> None:
    share = np.array([0.4, 0.6])
    bare = explain_row({"x": 1.0}, [], np.array(["grant", "refuse"]), share)
    text = Reader(applicant_sheet(bare, reasons=Reasons("refuse", "manual review", (), NO_RULE))).text
    assert "No rule applies; the usual outcome was taken." in text
    assert "Needs manual review" in text
    tied = [Rule((), "grant", 1.0), Rule((), "refuse", 1.0)]
    tie = explain_row({"x": 1.0}, tied, np.array(["grant", "refuse"]), share)
    text = Reader(applicant_sheet(tie, reasons=Reasons("refuse", "manual review", (), BALANCE))).text
    assert text.count("The rules balance; the usual outcome was taken.") == 2  # under the decision, and as a reason
    assert "Needs manual review" in text


def test_without_a_word_on_whom_it_compares_with_it_is_the_average() -> None:
    text = Reader(applicant_sheet(explanation(), shap=shap())).text
    assert "from -0.20 for the average applicant to +0.30 here" in text
    assert "Compared with" not in text


def test_an_impossible_flip_is_said() -> None:
    html = applicant_sheet(explanation(), flips=Flips("refuse", "grant", (), 3))
    assert "Nothing within three changes turns the decision into grant." in Reader(html).text


def test_bars_share_a_scale() -> None:
    html = applicant_sheet(explanation(n_rules=2))
    assert 'width="160.0"' in html  # the heaviest rule
    assert 'width="80.0"' in html  # half of it
    assert 'width="40.0"' in html  # the rule against, a quarter
