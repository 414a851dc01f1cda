"""What the numbers of the page Fairness say, in sentences. Names from data files come out of here escaped."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rugboard.runs.plan import CONFIDENT, PROXY
from rugboard.session.evaluations import TEST, TRAINING, Comparability, Evaluation
from rugboard.shell.formats import NOTHING, counted, decimal, percent, points, thousandths
from rugboard.shell.notions import NOTION_NAMES
from rugboard.shell.text import listed, named, plain, value_in_words
from rugcore.fair_training import CellFit, ContrastFit, FairnessFit
from rugcore.fairness import (
    FOUR_FIFTHS,
    ROUNDING,
    SelectionParity,
    clear_ratio,
    is_in_their_favour,
    notion_of,
    selected_counts,
)

MINUS = "\u2212"
NO_WEIGHT_OF_ITS_OWN = 0.05  # a cell that counts between 0.95 and 1.05 times counts like the others
NO_PRICE = 1e-6  # of the total loss, for the whole gap: rounding of the solver
NO_PADDING = 1e-6  # of the total loss

INTERVAL_HELP = (
    "The interval would hold the true difference of this pair of groups in about 95 of 100 samples (Newcombe's hybrid "
    "score interval; for single rates Wilson's). It does not make up for the pair having been chosen because it is "
    "the worst."
)


def short_points(share: float) -> str:
    """A difference of shares without its unit: 3.2, with a true minus sign."""
    if math.isnan(share):
        return NOTHING
    text = f"{100 * share:.1f}"
    return "0.0" if float(text) == 0 else text.replace("-", MINUS)


def interval(lower: float, upper: float) -> str:
    """Bounds of a difference, in points."""
    return f"{short_points(lower)} to {short_points(upper)} points"


def outcome(label: Any) -> str:
    return named(value_in_words(label))


def share_in_words(evaluation: Evaluation, notion: str, label: Any) -> str:
    """Which share a gap compares: of one outcome, or of all (None)."""
    positive = outcome(evaluation.audits[TEST].positive_class)
    return notion_of(notion).share(None if label is None else outcome(label), positive)


# -- the verdict -------------------------------------------------------------------------------------------


def headline(evaluation: Evaluation, notion: str, epsilon: float, over_splits: str = "") -> str:
    """The page in a line: one model on the test rows, its gap and the four-fifths screen.

    What many splits say is firmer than what the test rows of one say, and takes the place of their verdict.
    """
    n_rows = counted(evaluation.n_rows[TEST], "test row")
    worst = Worst.of(evaluation, TEST, notion)
    if worst is None:
        said = f"{over_splits or '**Nothing can be told.**'} On {n_rows} no two groups are large enough to be compared."
    else:
        apart = f"{points(worst.gap)} apart ({short_points(worst.lower)} to {short_points(worst.upper)})"
        found = _in_short(evaluation, notion, certainty(worst.gap, worst.lower, worst.upper, epsilon))
        verdict = over_splits or f"**{found}.**"
        said = f"{verdict} On {n_rows} the groups are {apart}; allowed: {short_points(epsilon)}."
    return f"{said} {short_screen(evaluation.audits[TEST].parity)}"


def _in_short(evaluation: Evaluation, notion: str, found: str) -> str:
    name = evaluation.name
    as_far = f" {AS_FAR_AS_MEASURED}" if Comparability.of(evaluation.audits[TEST], notion).missing else ""
    return {
        WITHIN: f"{name} keeps the limit on the test rows{as_far}",
        ABOVE: f"{name} is above the limit on the test rows",
    }.get(found, f"Whether {name} keeps the limit on new people cannot be told from the test rows")


def short_screen(parity: SelectionParity) -> str:
    """The four-fifths screen in a sentence."""
    if parity.is_below_four_fifths is None:
        return "The four-fifths screen cannot be applied here."
    side = "below" if parity.is_below_four_fifths else "not below"
    bounds = f"{parity.ratio_lower:.2f} to {parity.ratio_upper:.2f}"
    doubt = f", which may be chance ({bounds})" if parity.ratio_lower < FOUR_FIFTHS <= parity.ratio_upper else ""
    return f"Four-fifths screen: {clear_ratio(parity.ratio)}, {side} {FOUR_FIFTHS:g}{doubt}."


WITHIN, WITHIN_PERHAPS, ABOVE_PERHAPS, ABOVE, UNKNOWN = "within", "perhaps within", "perhaps above", "above", "unknown"
AS_FAR_AS_MEASURED = "as far as it can be measured"


@dataclass(frozen=True)
class Worst:
    """The largest gap of a notion, and between whom it is."""

    gap: float
    lower: float
    upper: float
    label: Any  # the outcome, or None for all
    worse: str
    better: str
    worse_error: float
    better_error: float
    worse_count: str  # "3 of 45"
    better_count: str

    @classmethod
    def of(cls, evaluation: Evaluation, rows: str, notion: str) -> "Worst | None":
        """None where no two groups can be compared."""
        line = evaluation.gaps[rows].get(notion)
        if line is None or math.isnan(line["gap"]):
            return None
        return cls(
            float(line["gap"]),
            float(line["lower"]),
            float(line["upper"]),
            line["worst_class"],
            str(line["worse_group"]),
            str(line["better_group"]),
            float(line["worse_error"]),
            float(line["better_error"]),
            f"{line['worse_wrong']:,} of {line['worse_n']:,}",
            f"{line['better_wrong']:,} of {line['better_n']:,}",
        )


def certainty(gap: float, lower: float, upper: float, epsilon: float) -> str:
    """Whether a gap on rows that stand for others is within epsilon, and whether that could be chance."""
    if math.isnan(gap):
        return UNKNOWN
    if gap <= epsilon + ROUNDING:
        return WITHIN if max(abs(lower), abs(upper)) <= epsilon else WITHIN_PERHAPS
    return ABOVE if lower > epsilon else ABOVE_PERHAPS


def exactly(gap: float, epsilon: float) -> str:
    """The same on rows that stand for themselves: there is no chance in it."""
    return UNKNOWN if math.isnan(gap) else WITHIN if gap <= epsilon + ROUNDING else ABOVE


def verdict(evaluation: Evaluation, notion: str) -> str:
    """One model on the test rows: between whom the gap is, and who could not be compared."""
    worst = Worst.of(evaluation, TEST, notion)
    if worst is None:
        return f"No two groups are large enough to be compared. {way_out(evaluation.audits[TEST].min_cell_size)}"
    compared = Comparability.of(evaluation.audits[TEST], notion)
    share = share_in_words(evaluation, notion, worst.label)
    return f"{share[0].upper()}{share[1:]}: {difference(worst)}. {left_out(compared)}".strip()


def how_sure(evaluation: Evaluation, notion: str, epsilon: float) -> str:
    """What was asked for, and how far the test rows can tell whether it is so."""
    worst = Worst.of(evaluation, TEST, notion)
    if worst is None:
        return ""
    compared = Comparability.of(evaluation.audits[TEST], notion)
    limit = limit_of(evaluation, epsilon)
    parts = (
        f"{limit[0].upper()}{limit[1:]}.",
        doubt(worst, epsilon, is_whole=not compared.missing),
        training_too(evaluation, worst, notion, epsilon),
        picked(compared.n_pairs) if worst.gap else "",
    )
    return " ".join(part for part in parts if part)


def way_out(least: int) -> str:
    """What can be done where too few people stand behind the rates."""
    return (
        f"A rate needs {least} people. A larger share of test rows, fewer sensitive attributes, wider bands or more "
        "rows would help."
    )


def left_out(compared: Comparability, most: int = 2) -> str:
    """A gap says nothing about groups that were not compared."""
    n_lacking = len(compared.missing)
    if not n_lacking:
        return ""
    shown = [f"{named(item.group)}{_among(item.label)}, {counted(item.n_rows, 'row')}" for item in compared.missing]
    more = f"; and {n_lacking - most:,} more" if n_lacking > most else ""
    text = f"**Not estimable:** {'; '.join(shown[:most])}{more}."
    # Where there is but one stratum, that nothing can be compared was said before.
    incomparable = [label for label in compared.incomparable if label is not None]
    return f"{text} So {listed(map(value_in_words, incomparable))} could not be compared." if incomparable else text


def _among(label: Any) -> str:
    return "" if label is None else f" among {outcome(label)}"


def difference(worst: Worst) -> str:
    """Both rates with the people behind them."""
    if worst.gap == 0:
        return "the same in every group that can be compared"
    return (
        f"{named(worst.worse)} **{percent(worst.worse_error)}** ({worst.worse_count}), {named(worst.better)} "
        f"**{percent(worst.better_error)}** ({worst.better_count})"
    )


def limit_of(evaluation: Evaluation, epsilon: float) -> str:
    """Only FairRUG was asked for anything, and under "proxy" not for decisions."""
    if evaluation.fit is None:
        return f"the limit is {short_points(epsilon)}"
    if evaluation.fit.guarantee == PROXY:
        return f"the limit of {short_points(epsilon)} was set for losses, not for decisions"
    return f"you asked for at most {short_points(epsilon)}"


def doubt(worst: Worst, epsilon: float, *, is_whole: bool = True) -> str:
    """Test rows are a sample: what they cannot tell."""
    likely = f"probably lies between {short_points(worst.lower)} and {short_points(worst.upper)} points"
    possible = f"may lie anywhere from {interval(worst.lower, worst.upper)}"
    allowed = "within what is allowed" + ("" if is_whole else f" {AS_FAR_AS_MEASURED}")
    chance = "This may be chance"
    if worst.lower > 0:
        chance = "That they differ is hardly chance; that they differ by more than the limit may be"
    return {
        WITHIN: f"The true difference {likely}, {allowed}.",
        WITHIN_PERHAPS: f"It need not stay so: the true difference {possible}.",
        ABOVE_PERHAPS: f"{chance}: the true difference {possible}.",
        ABOVE: f"Chance hardly explains it: the true difference {likely}.",
    }[certainty(worst.gap, worst.lower, worst.upper, epsilon)]


def training_too(evaluation: Evaluation, worst: Worst, notion: str, epsilon: float) -> str:
    """Chance is no excuse where rows that know no chance say the same."""
    is_doubtful = certainty(worst.gap, worst.lower, worst.upper, epsilon) == ABOVE_PERHAPS
    if not is_doubtful or exactly(evaluation.gap(TRAINING, notion), epsilon) != ABOVE:
        return ""
    return "On the training rows, where there is no chance, the gap is above the limit as well."


def picked(n_pairs: int) -> str:
    """The interval is that of one pair, and does not know that it was chosen."""
    if n_pairs < 2:
        return ""
    return f"This is the widest of {n_pairs:,} pairs: picking it makes a large gap by chance more likely."


def on_training_rows(evaluation: Evaluation, notion: str, epsilon: float) -> str:
    """The rows that the promise is about: here a gap is a fact, not an estimate."""
    who = f"On the {counted(evaluation.n_rows[TRAINING], 'training applicant')}"
    worst = Worst.of(evaluation, TRAINING, notion)
    if worst is None:
        return f"{who}, no two groups are large enough to be compared."
    compared = Comparability.of(evaluation.audits[TRAINING], notion)
    within = "within the limit" + (f" {AS_FAR_AS_MEASURED}" if compared.missing else "")
    side = within if exactly(worst.gap, epsilon) == WITHIN else f"above the limit of {short_points(epsilon)}"
    if worst.gap == 0:
        return f"{who} there is no difference: {side}. {left_out(compared)}".strip()
    share = share_in_words(evaluation, notion, worst.label)
    where = f"{share}, {named(worst.worse)} against {named(worst.better)}"
    return f"{who} the largest difference is **{points(worst.gap)}** ({where}): {side}. {left_out(compared)}".strip()


EXPECTED_BY = {
    "test": "counted on rows kept from training",
    "folds": "five models, each trained without a fifth of the rows, decided that fifth",
    "likely groups": "training rows, each counted in every group by how likely it belongs there",
    "training rows": "counted on the training rows, which flatters a little",
}


def expected_in_words(evaluation: Evaluation) -> str:
    """What to expect on new people, between whom, and how that is known; nothing of a model that was not asked."""
    expected = None if evaluation.fit is None else evaluation.fit.expected
    if expected is None:
        return ""
    if expected.gap is None or expected.worse is None or expected.better is None:
        return f"What to expect on new people cannot be told: the table is too small ({plain(expected.too_few)})."
    if points(expected.gap) == points(0.0):  # nobody has the larger rate
        return f"On new people **{points(0.0)}** are to be expected ({EXPECTED_BY[expected.source]})."
    of_these = "" if expected.label is None else f" of {outcome(expected.label)}"
    fit, favourable = evaluation.fair_fit, evaluation.audits[TEST].positive_class
    favour = is_in_their_favour(expected.label, favourable, [*dict.fromkeys(cell.label for cell in fit.cells)])
    return (
        f"On new people **{points(expected.gap)}** are to be expected: {named(expected.worse)}{of_these} "
        f"{notion_of(fit.notion).larger_rate(outcome(favourable))} than {named(expected.better)}"
        f"{', here in their favour' if favour else ''} ({EXPECTED_BY[expected.source]})."
    )


def limit_in_words(notion: str, epsilon: float, guarantee: str) -> str:
    """In which mode FairRUG was trained, and what its limit is therefore about."""
    asked = f"FairRUG was asked for “{NOTION_NAMES[notion].lower()}”, at most {points(epsilon)} apart"
    where = {
        PROXY: "in the losses of its optimisation, not in decisions",
        CONFIDENT: "on new people, with 95 % confidence (tested on rows kept apart)",
    }.get(guarantee, "in decisions on the training rows")
    return f"{asked}, **{where}**."


# -- what binds --------------------------------------------------------------------------------------------


def is_binding(contrast: ContrastFit, fit: FairnessFit) -> bool:
    return contrast.price is not None and abs(contrast.price) > NO_PRICE * max(fit.loss, 1.0)


def price_per_point(contrast: ContrastFit) -> float:
    """What one percentage point less would cost, in units of loss."""
    return float("nan") if contrast.price is None else abs(contrast.price) / 100


def prices(fit: FairnessFit, most: int = 3) -> list[str]:
    """The dearest constraints first; proxy only."""
    binding = sorted((item for item in fit.contrasts if is_binding(item, fit)), key=lambda item: -abs(item.price or 0))
    return [price(contrast, fit) for contrast in binding[:most]]


def price(contrast: ContrastFit, fit: FairnessFit) -> str:
    per_point = price_per_point(contrast)
    total = fit.loss + fit.padding
    share = f", {100 * per_point / total:.2f} % of the total" if total > 0 else ""
    among = "" if contrast.label is None else f" among {outcome(contrast.label)}"
    return (
        f"Asking for one point less between {named(contrast.first)} and {named(contrast.second)}{among} would cost "
        f"{decimal(per_point)} units of loss{share}."
    )


def weights(fit: FairnessFit, most: int = 4) -> list[str]:
    """The cells that counted most differently from the others; realised only."""
    special = [cell for cell in fit.cells if cell.n_rows and abs(cell.importance - 1) > NO_WEIGHT_OF_ITS_OWN]
    special.sort(key=lambda cell: -abs(math.log(max(cell.importance, 1e-3))))
    return [weight(cell) for cell in special[:most]]


def weight(cell: CellFit) -> str:
    who = f"Applicants of {named(cell.group)} with the outcome {outcome(cell.label)}"
    if cell.importance < 0.005:
        return f"{who} counted hardly at all."
    return f"{who} counted {cell.importance:.2f} times as much as with equal weights."


# -- what cannot be known ----------------------------------------------------------------------------------


def not_estimable(lacking: Sequence[tuple[Any, str, str]], least: int, most: int = 6) -> str:
    """Which rates there are not, given the outcome, the group and how many rows stand behind each."""
    shown = [f"{named(group)} among {outcome(label)} ({reason})" for label, group, reason in lacking[:most]]
    more = f"; and {len(lacking) - most:,} more, see the numbers below" if len(lacking) > most else ""
    return (
        f"**Not estimable**, because fewer than {least} people stand behind the rate, and left out of every gap: "
        f"{'; '.join(shown)}{more}."
    )


def left_off(names: Sequence[str]) -> str:
    """Groups that a chart leaves out, because it would have nothing to show of them."""
    n_groups = counted(len(names), "group")
    verb = "is" if len(names) == 1 else "are"
    return f"{n_groups} of too few people {verb} left off the chart: {listed(names, 8)}."


def nothing_to_draw(least: int) -> str:
    return f"There is nothing to draw: not one group is large enough. {way_out(least)}"


# -- padding -----------------------------------------------------------------------------------------------


def has_padding(fit: FairnessFit) -> bool:
    return fit.guarantee == PROXY and fit.padding > NO_PADDING * max(fit.loss, 1.0)


def padding(fit: FairnessFit) -> str:
    """In two sentences, for a lawyer."""
    share = fit.padding / (fit.loss + fit.padding)
    return (
        "To bring the groups closer together on paper, the optimisation booked mistakes to the better-off groups that "
        f"nobody in them suffered: {decimal(fit.padding)} units, {percent(share)} of the total (this is called "
        f"padding). The difference of {thousandths(fit.lp_gap or 0.0)} between mean losses in its books is therefore "
        "no evidence of equal treatment; in the decisions on the training applicants the groups are "
        f"{points(fit.realised_gap)} apart, and that number counts."
    )


# -- demographic parity ------------------------------------------------------------------------------------


JUST_BELOW = 0.01  # of four fifths


def screen(parity: SelectionParity) -> str:
    """What the four-fifths screen says, and that it is a screen."""
    is_known = parity.is_below_four_fifths is not None
    if not is_known or parity.lowest_group is None or parity.highest_group is None:
        return "The four-fifths screen cannot be applied here."
    just = "just " if abs(parity.ratio - FOUR_FIFTHS) < JUST_BELOW and parity.is_below_four_fifths else ""
    side = f"{just}below" if parity.is_below_four_fifths else "not below"
    advice = "look closer at why" if parity.is_below_four_fifths else "this alone gives no reason to look closer"
    who = (
        "All groups that can be compared get the favourable decision equally often"
        if parity.lowest_group == parity.highest_group
        else f"{named(parity.lowest_group)} gets the favourable decision {clear_ratio(parity.ratio)} times as often as "
        f"{named(parity.highest_group)} ({selected_counts(parity)})"
    )
    return (
        f"{who}, {side} the four-fifths screen ({FOUR_FIFTHS:g}): {advice}. A screen is neither proof of "
        "discrimination nor of its absence."
    )


def could_be_on_the_other_side(parity: SelectionParity) -> str:
    """What few people leave open about the ratio; on rows that stand for others."""
    if math.isnan(parity.ratio):
        return ""
    if math.isnan(parity.ratio_lower):
        return "The ratio has no interval here: nobody is selected in a group, or everybody in both."
    if parity.ratio_lower < FOUR_FIFTHS <= parity.ratio_upper:
        return "On which side of the screen the true ratio lies cannot be told from so few people."
    return ""
