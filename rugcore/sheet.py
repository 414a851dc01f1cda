"""An applicant's explanation as one page of HTML that opens anywhere, offline, and prints on one sheet.

On paper, what is too long for its place is cut, with dots; on the screen it is not.

No scripts, nothing from elsewhere, and every name or value from the user's table escaped: it is text from strangers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from rugcore.comparison.shapley import ShapExplanation
from rugcore.encoding.table import is_blank
from rugcore.explain import CoveringRule, Explanation
from rugcore.flips import Flips
from rugcore.reasons import Reasons
from rugcore.rules import words

# What fits on one page; the rest is counted, not hidden.
MOST_RULES = 4
MOST_COLUMNS = 7
MOST_VALUES = 24
MOST_FLIPS = 3
LONGEST_TEXT = 140
LONGEST_NAME = 40

BAR_WIDTH, BAR_HEIGHT = 160, 10

STYLE = """
:root { color-scheme: light dark; --ink: #1b2430; --faint: #5b6675; --line: #d8dee6; --paper: #fff;
  --good: #2f6fb3; --bad: #b4541a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7ecf2; --faint: #9aa6b4; --line: #38424e; --paper: #14191f;
  --good: #6fa8e0; --bad: #e08a4f; } }
@page { size: A4; margin: 12mm; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 48rem; padding: 1.5rem; background: var(--paper); color: var(--ink);
  font: 14px/1.4 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.35em; margin: 0; } h2 { font-size: 1em; margin: 1.1em 0 .3em; }
p { margin: .2em 0; } .faint { color: var(--faint); } .decision { font-size: 1.5em; font-weight: 600; }
table { border-collapse: collapse; width: 100%; } td { border-top: 1px solid var(--line); padding: .25em .4em;
  vertical-align: top; } td.bar { width: 11rem; } td.number { text-align: right; white-space: nowrap; width: 4.5rem;
  font-variant-numeric: tabular-nums; } ul, ol { margin: .2em 0; padding-left: 1.3em; }
svg { display: block; margin-top: .3em; } .good { fill: var(--good); } .bad { fill: var(--bad); }
.axis { stroke: var(--faint); }
@media print { :root { color-scheme: light; --ink: #000; --faint: #444; --line: #bbb; --paper: #fff; --good: #2f6fb3;
  --bad: #b4541a; } body { font-size: 8.5pt; line-height: 1.25; padding: 0; max-width: none; }
  h2 { margin: .7em 0 .2em; } td { padding: .12em .4em; } svg { margin-top: .1em; }
  .lines { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
  .lines.one { -webkit-line-clamp: 1; } .lines.four { -webkit-line-clamp: 4; } }
""".strip()


def applicant_sheet(
    explanation: Explanation,
    *,
    title: str = "Why this decision?",
    applicant: str = "",
    cells: Mapping[str, Any] | None = None,
    shap: ShapExplanation | None = None,
    flips: Flips | None = None,
    reasons: Reasons | None = None,
    note: str = "",
) -> str:
    """The page as text; `cells` are the applicant's values, `note` a line at the foot (which model, which day)."""
    parts = [
        _head(explanation, title, applicant),
        _reasons(reasons),
        _rules("Rules for this decision", explanation.rules_for, "good", explanation),
        _rules("Rules against it", explanation.rules_against, "bad", explanation),
        _shap(shap),
        _flips(flips),
        _values(cells),
        f'<p class="faint lines one">{_text(note)}</p>' if note else "",
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
    text = "".join(letter if letter.isprintable() else " " for letter in str(item))
    return escape(text if len(text) <= longest else f"{text[: longest - 1]}…")


def _section(heading: str, body: str) -> str:
    return f"<section>\n<h2>{_text(heading)}</h2>\n{body}\n</section>"


def _table(lines: Iterable[str]) -> str:
    return "<table>\n" + "\n".join(f"<tr>{line}</tr>" for line in lines) + "\n</table>"


def _more(count: int, what: str) -> str:
    return f'<p class="faint">and {count} more {what}</p>' if count > 0 else ""


# --- The parts of the page --------------------------------------------------------------------------------------


def _head(explanation: Explanation, title: str, applicant: str) -> str:
    who = f'<p class="faint lines one">{_text(applicant)}</p>\n' if applicant else ""
    decision = f'<p class="decision lines one">{_text(words.value(explanation.decision))}</p>'
    return f"<h1 class='lines one'>{_text(title)}</h1>\n{who}{decision}\n<p>{_text(_how(explanation))}</p>"


def _how(explanation: Explanation) -> str:
    if explanation.is_uncovered:
        return "No rule covers this applicant: the more frequent decision was taken by default. Needs manual review."
    if explanation.is_tie:
        return "The rules for two decisions weigh the same: the more frequent one was taken by default."
    n_for, n_against = len(explanation.rules_for), len(explanation.rules_against)
    return f"Decided by a margin of {explanation.margin:.3g}: {_rules_in_words(n_for)} for it, {n_against} against."


def _rules_in_words(count: int) -> str:
    return "1 rule" if count == 1 else f"{count} rules"


def _reasons(reasons: Reasons | None) -> str:
    if reasons is None or reasons.status == "favourable":
        return ""
    if reasons.status == "manual review":
        return _section("Reasons", "<p>Needs manual review: there are no rules to take reasons from.</p>")
    items = "\n".join(f'<li><div class="lines one">{_text(reason.text)}</div></li>' for reason in reasons.reasons)
    return _section("Reasons", f"<ol>\n{items}\n</ol>")


def _rules(heading: str, rules: Sequence[CoveringRule], colour: str, explanation: Explanation) -> str:
    if not rules:
        return ""
    largest = max(item.rule.weight for item in (*explanation.rules_for, *explanation.rules_against))
    lines = [_rule(item, largest, colour) for item in rules[:MOST_RULES]]
    return _section(heading, _table(lines) + _more(len(rules) - MOST_RULES, "of less weight"))


def _rule(item: CoveringRule, largest: float, colour: str) -> str:
    own = ", ".join(f"{_text(name, LONGEST_NAME)}: {_shown(value)}" for name, value in item.values.items())
    here = f'<div class="faint lines one">here {own}</div>' if own else ""
    label = _text(words.value(item.rule.label), LONGEST_NAME)
    bar = _Bars(0.0, largest).svg(item.rule.weight, colour)
    return (
        f'<td><div class="lines">{_text(item.rule, 2 * LONGEST_TEXT)} → {label}</div>{here}</td>'
        f'<td class="bar">{bar}</td>'
        f'<td class="number">{item.rule.weight:.3g}</td>'
    )


def _shap(shap: ShapExplanation | None) -> str:
    if shap is None:
        return ""
    shown, rest = shap.top(MOST_COLUMNS)
    amounts = [*(item.amount for item in shown), rest]
    bars = _Bars(min(0.0, *amounts), max(0.0, *amounts))
    lines = [_bar_line(f"{_text(i.column, LONGEST_NAME)}: {_shown(i.value)}", i.amount, bars) for i in shown]
    if n_more := len(shap.contributions) - len(shown):
        lines.append(_bar_line(f"{n_more} other columns", rest, bars))
    head = (
        f'<p class="faint">Another model, LightGBM, decides {_text(words.value(shap.predicted), LONGEST_NAME)}. Its '
        f"SHAP values towards {_text(words.value(shap.towards), LONGEST_NAME)}: from {shap.base_value:+.3g} on average "
        f"to {shap.output:+.3g} here.</p>"
    )
    return _section("The same applicant in another model", head + _table(lines))


def _bar_line(name: str, amount: float, bars: "_Bars") -> str:
    bar = bars.svg(amount, "good" if amount >= 0 else "bad")
    return (
        f'<td><div class="lines one">{name}</div></td><td class="bar">{bar}</td><td class="number">{amount:+.3g}</td>'
    )


def _flips(flips: Flips | None) -> str:
    if flips is None or flips.is_already:
        return ""
    wanted = f"What would lead to {words.value(flips.wanted)}"
    if not flips.found:
        return _section(wanted, f"<p>{_text(flips)}</p>")
    shown = [_text(flip, 2 * LONGEST_TEXT) for flip in flips.found[:MOST_FLIPS]]
    items = "\n".join(f'<li><div class="lines">{text}</div></li>' for text in shown)
    return _section(wanted, f"<ul>\n{items}\n</ul>")


def _values(cells: Mapping[str, Any] | None) -> str:
    if not cells:
        return ""
    shown = [f"{_text(name, LONGEST_NAME)}: {_shown(value)}" for name, value in list(cells.items())[:MOST_VALUES]]
    rest = _more(len(cells) - len(shown), "values")
    return _section("All values", f'<p class="faint lines four">{"; ".join(shown)}</p>{rest}')


def _shown(value: Any) -> str:
    return "missing" if is_blank(value) else _text(words.clear(value), LONGEST_NAME)


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
            f'<rect class="{colour}" x="{min(zero, end):.1f}" y="1" width="{abs(end - zero):.1f}" '
            f'height="{BAR_HEIGHT - 2}"/><line class="axis" x1="{zero:.1f}" y1="0" x2="{zero:.1f}" '
            f'y2="{BAR_HEIGHT}"/></svg>'
        )

    def _place(self, amount: float) -> float:
        span = self.highest - self.lowest
        return (amount - self.lowest) / span * BAR_WIDTH if span > 0 else 0.0
