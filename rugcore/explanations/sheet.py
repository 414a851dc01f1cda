"""An applicant's explanation as a page of HTML that opens anywhere, offline, and prints on A4.

Long names and values wrap; where there is much of them, a second sheet of paper is better than a cut. What is shown is
written as the dashboard writes it: the same words, the same digits, the same colours.

No scripts, nothing from elsewhere, and every name or value from the user's table escaped: it is text from strangers.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from numbers import Real
from typing import Any

from rugcore.explanations.confidence import Confidence, record_in_words
from rugcore.explanations.counterfactuals import Change, Flip, Flips
from rugcore.explanations.explanation import CoveringRule, Explanation
from rugcore.explanations.reasons import Reasons
from rugcore.explanations.reasons.giving import BALANCE, NO_RULE
from rugcore.explanations.shap_values import ShapExplanation
from rugcore.rules import words
from rugcore.rules.conditions import Condition, Membership
from rugcore.rules.rule import special_meaning
from rugcore.tables.table import is_blank

MOST_COLUMNS = 8  # of another model's explanation; the others are one bar
MOST_FLIPS = 3
MOST_LISTED, LONGEST_LISTED = 6, 40  # names of columns in a sentence
MOST_DIGITS = 9  # weights that agree in so many are equal
LONGEST_NAME = 140  # of a name or a value; nobody means a longer one
LONGEST_TEXT = 400
AVERAGE = "the average applicant"
# Of proposals, where the decision itself is open.
NOT_YET = "Not for the applicant before a person has decided."

BAR_WIDTH, BAR_HEIGHT = 160, 10
DECIDED, ANOTHER = "var(--decided)", "var(--another)"  # colours where none are given

STYLE = """
:root { color-scheme: light dark; --ink: #1b2430; --faint: #5b6675; --line: #d8dee6; --paper: #fff;
  --decided: #2f6fb3; --another: #b4541a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7ecf2; --faint: #9aa6b4; --line: #38424e; --paper: #14191f;
  --decided: #6fa8e0; --another: #e08a4f; } }
@page { size: A4; margin: 12mm; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 48rem; padding: 1.5rem; background: var(--paper); color: var(--ink);
  font: 14px/1.4 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.35em; margin: 0; } h2 { font-size: 1em; margin: 1.1em 0 .3em; break-after: avoid; }
p { margin: .2em 0; } .faint { color: var(--faint); } .decision { font-size: 1.5em; font-weight: 600; }
.decision svg { display: inline; margin-right: .4em; }
table { border-collapse: collapse; width: 100%; } td { border-top: 1px solid var(--line); padding: .25em .4em;
  vertical-align: top; } td.bar { width: 11rem; } td.number { text-align: right; width: 4.5rem;
  font-variant-numeric: tabular-nums; } .number { white-space: nowrap; } ul, ol { margin: .2em 0; padding-left: 1.3em; }
tr, li { break-inside: avoid; } svg { display: block; margin-top: .3em; } .axis { stroke: var(--faint); }
@media print { :root { color-scheme: light; --ink: #000; --faint: #444; --line: #bbb; --paper: #fff;
  --decided: #2f6fb3; --another: #b4541a; } body { font-size: 8.5pt; line-height: 1.25; padding: 0; max-width: none; }
  h2 { margin: .7em 0 .2em; } td { padding: .12em .4em; } svg { margin-top: .1em; } }
""".strip()


@dataclass(frozen=True)
class _Paint:
    """A colour for every outcome."""

    decision: Any
    given: Mapping[Any, str]

    def of(self, label: Any) -> str:
        return self.given.get(label, DECIDED if label == self.decision else ANOTHER)

    def against(self, label: Any) -> str:
        """Of what speaks against an outcome: the colour of the other one, if there is only one."""
        others = [other for other in self.given if other != label]
        return self.of(others[0]) if len(others) == 1 else ANOTHER


@dataclass(frozen=True)
class _People:
    """Whom the model was trained on: how many, and the share of every outcome."""

    count: int
    usual: Mapping[Any, float]
    hidden: frozenset[str]  # what may not be told about them


def applicant_sheet(
    explanation: Explanation,
    *,
    title: str = "Why this decision?",
    applicant: str = "",
    cells: Mapping[str, Any] | None = None,
    shap: ShapExplanation | None = None,
    flips: Flips | None = None,
    unsaid: Collection[str] = (),
    reasons: Reasons | None = None,
    compared_with: str = "",
    confidence: Confidence | None = None,
    n_people: int | None = None,
    usual: Mapping[Any, float] | None = None,
    hidden: Collection[str] = (),
    note: str = "",
    marks: Mapping[str, str] | None = None,
    colours: Mapping[Any, str] | None = None,
) -> str:
    """A page to print for one applicant, as HTML: the decision, the rules for and against it, and what else is given.

    Parameters
    ----------
    explanation : Explanation
        From `model.explain(row)`.
    title, applicant : str
        What stands at the top.
    cells : dict or None
        The applicant's values.
    shap : ShapExplanation or None
        What each column adds to the output of LightGBM, to compare.
    flips : Flips or None
        The nearest changes that would flip the decision, from `nearest_flips`.
    unsaid : collection of str
        Columns of which nobody has said whether people can change them: where no change is found, they are named.
    reasons : Reasons or None
        The main reasons in words.
    compared_with : str
        Who reasons and SHAP values compare with, such as "people who were approved".
    confidence : Confidence or None
        How sure the decision is, from `ConfidenceFinder`.
    n_people : int or None
        How many people the model was trained on: with it, every rule says how many it rests on.
    usual : dict or None
        The share of every outcome among them: with it, a rule that is wrong about most says what is usual.
    hidden : collection of str
        Protected columns, which are neither named nor shown.
    note : str
        A line at the foot: which model, which day.
    marks : dict or None
        What identifies the decision, such as run and model, printed below the note.
    colours : dict or None
        A CSS colour for every outcome, such as #2a78c2.
    """
    paint = _Paint(explanation.decision, colours or {})
    people = _People(n_people or 0, usual or {}, frozenset(hidden))
    parts = [
        _head(explanation, title, applicant, paint, confidence, reasons),
        _reasons(reasons, compared_with),
        _flips(flips, [name for name in unsaid if name not in people.hidden], reasons),
        _rules("Rules for this decision", explanation.rules_for, explanation, paint, people),
        _rules("Rules against it", explanation.rules_against, explanation, paint, people),
        _shap(shap, paint, compared_with, hidden),
        _values(cells, hidden),
        _foot(note, marks or {}),
    ]
    return _page(title if not applicant else f"{title} {applicant}", "\n".join(part for part in parts if part))


def _page(title: str, body: str) -> str:
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _text(item: Any, longest: int = LONGEST_TEXT) -> str:
    """Escaped, on one line, without characters that cannot be seen, and not longer than there is room for."""
    return escape(_brief("".join(letter if letter.isprintable() else " " for letter in str(item)), longest))


def _brief(text: str, longest: int = LONGEST_NAME) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _section(heading: str, body: str) -> str:
    return f"<section>\n<h2>{_text(heading)}</h2>\n{body}\n</section>"


def _table(lines: Iterable[str]) -> str:
    return "<table>\n" + "\n".join(f"<tr>{line}</tr>" for line in lines) + "\n</table>"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


# --- How it was decided, as the dashboard says it too -----------------------------------------------------------


def by_default(explanation: Explanation) -> str:
    """That no rule decided, and what follows; nothing where rules did."""
    if not (explanation.is_uncovered or explanation.is_tie):
        return ""
    return f"{NO_RULE if explanation.is_uncovered else BALANCE} This applicant needs manual review."


def grade_in_words(confidence: Confidence, reasons: Reasons | None) -> str:
    """How sure a decision is; one that a person has to look at is not called clear, whatever became of others."""
    is_open = reasons is not None and reasons.status == "manual review"
    return "For a person to decide" if is_open else confidence.grade.capitalize()


def weights_in_words(explanation: Explanation) -> str:
    """What the rules on the two sides weigh."""
    if explanation.is_uncovered:
        return "Weight 0 on every side"
    sides = explanation.rules_for, explanation.rules_against
    for_it, against = (sum(item.rule.weight for item in rules) for rules in sides)
    n_for, n_against = (_counted(len(rules), "rule") for rules in sides)
    digits = _digits_to_tell_apart(for_it, against)
    other_side = f"weight {against:.{digits}f} against it ({n_against})" if sides[1] else "nothing against it"
    return f"Weight {for_it:.{digits}f} for it ({n_for}), {other_side}"


def _digits_to_tell_apart(one: float, other: float) -> int:
    """Two, or as many as it takes to see which weight is the larger one; a tie has two."""
    enough = (digits for digits in range(2, MOST_DIGITS) if round(one, digits) != round(other, digits))
    return next(enough, 2)


# --- The parts of the page --------------------------------------------------------------------------------------


def _head(
    explanation: Explanation,
    title: str,
    applicant: str,
    paint: _Paint,
    confidence: Confidence | None,
    reasons: Reasons | None,
) -> str:
    who = f'<p class="faint">{_text(applicant)}</p>\n' if applicant else ""
    decision = (
        f'<p class="decision">{_dot(paint.of(explanation.decision))}{_text(words.value(explanation.decision))}</p>'
    )
    default = by_default(explanation)
    sure = "" if confidence is None or default else f" {grade_in_words(confidence, reasons)}: {confidence}"
    how = f"{default} {weights_in_words(explanation)}.{sure}".strip()
    return f"<h1>{_text(title)}</h1>\n{who}{decision}\n<p>{_text(how)}</p>"


def _dot(colour: str) -> str:
    rect = f'<rect style="fill:{escape(colour)}" width="10" height="10" rx="5"/>'
    return f'<svg width="12" height="12" viewBox="0 0 10 10" aria-hidden="true">{rect}</svg>'


def _reasons(reasons: Reasons | None, compared_with: str) -> str:
    if reasons is None or reasons.status == "favourable":
        return ""
    if reasons.status == "manual review":
        return _section("Reasons", f"<p>{_text(f'Needs manual review. {reasons.why}'.strip())}</p>")
    items = "\n".join(f"<li>{_text(reason.text)}</li>" for reason in reasons.reasons)
    compared = f'<p class="faint">Compared with {_text(compared_with)}.</p>\n' if compared_with else ""
    return _section("Reasons", f"{compared}<ol>\n{items}\n</ol>")


def _rules(
    heading: str, rules: Sequence[CoveringRule], explanation: Explanation, paint: _Paint, people: _People
) -> str:
    if not rules:
        return ""
    largest = max(item.rule.weight for item in (*explanation.rules_for, *explanation.rules_against))
    votes = len(explanation.score) > 2  # with two outcomes, the heading says which it is
    return _section(heading, _table([_rule(item, largest, paint, votes, people) for item in rules]))


def _rule(item: CoveringRule, largest: float, paint: _Paint, votes: bool, people: _People) -> str:
    conditions = "".join(
        _HIDDEN_CONDITION if c.feature in people.hidden else _condition(c, _in_words(item, c.feature))
        for c in item.rule.conditions
    )
    label = f"<div>→ {_text(words.value(item.rule.label), LONGEST_NAME)}</div>" if votes else ""
    record = record_in_words(item.rule, people.count, people.usual)
    behind = f'<div class="faint">{_text(record)}</div>' if record else ""
    bar = _Bars(0.0, largest).svg(item.rule.weight, paint.of(item.rule.label))
    return (
        f"<td>{conditions or '<div>applies to everybody</div>'}{label}{behind}</td>"
        f'<td class="bar">{bar}</td>'
        f'<td class="number">{item.rule.weight:.2f}</td>'
    )


_HIDDEN = "a protected column"
_HIDDEN_CONDITION = f"<div>a condition on {_HIDDEN}</div>"


def _in_words(item: CoveringRule, column: str) -> Any:
    """The applicant's own value; of a special code, what it stands for."""
    value = item.values[column]
    return special_meaning(item.rule, column, value) or value


def _condition(condition: Condition, value: Any) -> str:
    """Every condition of a rule on a line of its own; of long names and values the ends go, of numbers nothing."""
    short: Condition = replace(condition, feature=_brief(condition.feature))
    if isinstance(short, Membership):
        short = replace(short, values=tuple(_brief(v) if isinstance(v, str) else v for v in short.values))
    clean = "".join(letter if letter.isprintable() else " " for letter in str(short))
    return f'<div>{escape(clean)} <span class="faint">here {_shown(value)}</span></div>'


def _shap(shap: ShapExplanation | None, paint: _Paint, compared_with: str, hidden: Collection[str]) -> str:
    if shap is None:
        return ""
    shown, rest = shap.top(MOST_COLUMNS)
    amounts = [*(item.amount for item in shown), rest]
    bars = _Bars(min(0.0, *amounts), max(0.0, *amounts))
    colours = paint.of(shap.towards), paint.against(shap.towards)
    names = [_HIDDEN if item.column in hidden else _named(item.column, item.value) for item in shown]
    lines = [_bar_line(name, item.amount, bars, colours) for name, item in zip(names, shown, strict=True)]
    if n_more := len(shap.contributions) - len(shown):
        lines.append(_bar_line(_counted(n_more, "other column"), rest, bars, colours))
    head = (
        f'<p class="faint">LightGBM, another model, decides {_text(words.outcome(shap.predicted), LONGEST_NAME)}. SHAP '
        f"values: what each column adds to the score for {_text(words.outcome(shap.towards), LONGEST_NAME)}, from "
        f"{shap.base_value:+.2f} for {_text(f'the average of {compared_with}' if compared_with else AVERAGE)} to "
        f"{shap.output:+.2f} here.</p>"
    )
    return _section("The same applicant in another model", head + _table(lines))


def _bar_line(name: str, amount: float, bars: "_Bars", colours: tuple[str, str]) -> str:
    bar = bars.svg(amount, colours[0] if amount >= 0 else colours[1])
    return f'<td>{name}</td><td class="bar">{bar}</td><td class="number">{amount:+.2f}</td>'


def _not_said(columns: Sequence[str]) -> str:
    """That nobody has said whether these can change; nothing if there are none."""
    listed = ", ".join(f"“{_brief(name, LONGEST_LISTED)}”" for name in columns[:MOST_LISTED])
    more = f" and {len(columns) - MOST_LISTED:,} more" if len(columns) > MOST_LISTED else ""
    return f"Nobody has said whether people can change {listed}{more}: that stays as it is." if columns else ""


def _flips(flips: Flips | None, unsaid: Sequence[str], reasons: Reasons | None) -> str:
    if flips is None or flips.is_already:
        return ""
    wanted = f"What would lead to {words.outcome(flips.wanted)}"
    if not flips.found:
        return _section(wanted, "".join(f"<p>{_text(said)}</p>" for said in (str(flips), _not_said(unsaid)) if said))
    items = "\n".join(f"<li>{_flip(flip)}</li>" for flip in flips.found[:MOST_FLIPS])
    is_open = reasons is not None and reasons.status == "manual review"
    head = f'<p class="faint">{NOT_YET}</p>\n' if is_open else ""
    return _section(wanted, f"{head}<ul>\n{items}\n</ul>")


def _flip(flip: Flip) -> str:
    alike = f" ({flip.alike_in_words})" if flip.alike_in_words and not flip.remark else ""
    follows = f" (with it, {'; '.join(_follows(change) for change in flip.follows)})" if flip.follows else ""
    said = (flip.people_in_words if not flip.remark else "", *flip.consequences)
    besides = "".join(f" {_text(sentence)}" for sentence in said if sentence)
    return "; ".join(_change(change) for change in flip.changes) + follows + _text(f"{alike}{flip.remark}.") + besides


def _change(change: Change) -> str:
    return f"{_named(change.column, change.before)} → {_proposed(change.after)}"


def _follows(change: Change) -> str:
    """Of a column that is worked out: nobody enters its value."""
    return f"{_named(change.column, change.before)} → {_shown(change.after)}"


def _proposed(value: Any) -> str:
    """In full: a digit less might undo what is proposed."""
    if isinstance(value, float) and not is_blank(value):
        return f'<span class="number">{words.number(value)}</span>'
    return _shown(value)


def _values(cells: Mapping[str, Any] | None, hidden: Collection[str]) -> str:
    shown = [_named(name, value) for name, value in (cells or {}).items() if name not in hidden]
    return _section("All values", f'<p class="faint">{"; ".join(shown)}</p>') if shown else ""


def _foot(note: str, marks: Mapping[str, str]) -> str:
    lines = [note, " · ".join(f"{name} {value}" for name, value in marks.items())]
    return "\n".join(f'<p class="faint">{_text(line)}</p>' for line in lines if line)


def _named(column: str, value: Any) -> str:
    return f"{_text(column, LONGEST_NAME)}: {_shown(value)}"


def _shown(value: Any) -> str:
    """A number never breaks between two lines."""
    if is_blank(value):
        return "missing"
    if isinstance(value, Real) and not isinstance(value, bool):
        return f'<span class="number">{words.number(words.measured(float(value)))}</span>'
    return _text(value, LONGEST_NAME)


# --- Bars -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Bars:
    """Bars on a common scale, which contains 0."""

    lowest: float
    highest: float

    def svg(self, amount: float, colour: str) -> str:
        zero, end = self._place(0.0), self._place(amount)
        return (
            f'<svg width="{BAR_WIDTH}" height="{BAR_HEIGHT}" viewBox="0 0 {BAR_WIDTH} {BAR_HEIGHT}" aria-hidden="true">'
            f'<rect style="fill:{escape(colour)}" x="{min(zero, end):.1f}" y="1" width="{abs(end - zero):.1f}" '
            f'height="{BAR_HEIGHT - 2}"/><line class="axis" x1="{zero:.1f}" y1="0" x2="{zero:.1f}" '
            f'y2="{BAR_HEIGHT}"/></svg>'
        )

    def _place(self, amount: float) -> float:
        span = self.highest - self.lowest
        return (amount - self.lowest) / span * BAR_WIDTH if span > 0 else 0.0
