"""Fairness: how the groups fare under each model, how far that can be known, and what more fairness would cost."""

from math import isnan

import streamlit as st

from rugboard.applicants import marks
from rugboard.fairness import charts as fairness_charts
from rugboard.fairness import levelling_down, tables, view
from rugboard.fairness import words as fairness_words
from rugboard.fairness.alternatives_view import found as alternatives
from rugboard.fairness.alternatives_view import show_alternatives
from rugboard.fairness.borrowing import show_borrowing
from rugboard.fairness.burden import Allowed, show_burden
from rugboard.fairness.frontier import held
from rugboard.fairness.frontier_view import show_frontier
from rugboard.fairness.levelling_down import RateChange
from rugboard.fairness.limit import FairnessLimit
from rugboard.fairness.promise import show_promise
from rugboard.fairness.splits_view import found as over_splits
from rugboard.fairness.splits_view import show_splits
from rugboard.fairness.splits_words import in_short
from rugboard.runs.plan import FAIR, RUG
from rugboard.runs.records import FAILED
from rugboard.runs.results import Results
from rugboard.session import adjustment_notice, group_names, page, run_models
from rugboard.session.evaluations import TEST, TRAINING, Evaluation, by_difference, by_selection, evaluate_all
from rugboard.shell import charts
from rugboard.shell.formats import NOTHING, points
from rugboard.shell.guard import drawer, guarded
from rugboard.shell.metrics import show_metric
from rugboard.shell.notions import NOTION_HELP, NOTION_NAMES
from rugboard.shell.tables import show_table
from rugboard.shell.text import brief, named, plain, value_in_words
from rugcore.fairness import SelectionParity, clear_ratio

MANY_GROUPS = 8  # beyond, charts show the groups that differ most
RATE_WIDTH = 124  # pixels for a rate with its interval
LONGEST_REASON = 300  # letters; the table below says it of every group
ON_SAMPLE = "Models as trained are judged on all rows; a model that is called (sample) is judged in the sample."
ROW_NAMES = {TEST: "Test rows", TRAINING: "Training rows"}


@guarded
@held()
def main() -> None:
    page.title("Fairness", "How the groups fare, and how sure that is.")
    results = page.results_or_stop(on_page=ON_SAMPLE)
    if not has_groups(results):
        return
    say_what_is_missing(results)
    first = st.container()  # the verdict, which the controls below it decide
    rows, with_peer = ask(results)
    limit = FairnessLimit.of(results)
    adjustment_notice.show_state(results)
    with st.spinner("Training LightGBM on the same rows …" if with_peer else "Weighing the rules …"):
        found = tuple(evaluate_all(results, with_peer))
    with first:
        show_headline(results, found, limit)
    show_verdicts(results, found, limit)
    changes = levelling_down.changes(results, found, rows)
    show_levelling(changes, rows)
    show_splits(results, limit)
    show_details(results, found, rows, changes, limit)
    show_frontier(results, found, limit, alternatives(results))
    show_whole_audit(found, limit)


# -- what there is to compare ------------------------------------------------------------------------------


def has_groups(results: Results) -> bool:
    if results.data.groups is None:
        page.empty_state(
            "This run has no sensitive attribute, so there are no groups to compare. Choose one and train again.",
            page.DATA,
            "Choose a sensitive attribute",
        )
        return False
    found = group_names.of_run(results)
    if len(found) < 2:
        page.empty_state(
            f"All rows belong to one group, {named(found[0])}, so there is nothing to compare it with.",
            page.DATA,
            "Choose another attribute",
        )
        return False
    return True


def say_what_is_missing(results: Results) -> None:
    """There is no FairRUG, and why."""
    if FAIR in results.summaries:
        return
    run = results.run
    if FAIR not in results.plan.models:
        st.info("Only RUG was trained in this run. Train FairRUG to see what treating the groups alike would cost.")
    elif run.status == FAILED:
        st.warning(f"FairRUG could not be trained: {plain(run.error or 'the run failed.')}", icon=":material/error:")
    else:
        st.info("FairRUG is not trained yet; this is RUG alone.", icon=":material/hourglass_top:")
    page.link(page.TRAIN, "Go to Train", ":material/model_training:")


def ask(results: Results) -> tuple[str, bool]:
    """The allowed gap, the rows that rates are shown for, and whether LightGBM is to stand beside."""
    with st.container(border=True, key="controls"):
        gap, rows_of, peer = st.columns([1.6, 1.1, 1.2], gap="medium", vertical_alignment="center")
    with gap:
        if FAIR in results.summaries:
            view.ask_epsilon(results)
        else:
            st.caption(f"Limit in the charts: {points(results.plan.epsilon)}")
    with rows_of:
        rows = st.segmented_control(
            "Rates by group on",
            tuple(ROW_NAMES),
            default=TEST,
            required=True,
            format_func=ROW_NAMES.__getitem__,
            key="fairness_rows",
            persist_state="session",
            help="Test rows were kept from the training and show how the model treats new people. Training rows are "
            "the ones it learned from.",
        )
    with peer:
        with_peer = st.toggle(
            "Compare with LightGBM",
            key="fairness_peer",
            persist_state="session",
            help="A strong model that nobody can read, trained on the same rows. Takes a moment the first time.",
        )
    return str(rows), bool(with_peer)


# -- verdict and gaps --------------------------------------------------------------------------------------


@guarded
def show_headline(results: Results, found: tuple[Evaluation, ...], limit: FairnessLimit) -> None:
    """The page in a line. Many splits are about the limit as trained, and are silent about another one."""
    asked = next((item for item in found if item.model == FAIR), found[0])
    splits = over_splits(results) if limit.epsilon == results.plan.epsilon else None
    view.show_headline(asked, limit.notion, limit.epsilon, in_short(splits))


@guarded
def show_verdicts(results: Results, found: tuple[Evaluation, ...], limit: FairnessLimit) -> None:
    """A card per model."""
    if FAIR in results.summaries:
        words = fairness_words.limit_in_words(limit.notion, limit.epsilon, results.plan.guarantee)
        st.caption(words, help=NOTION_HELP[limit.notion])
    if said := run_models.outside_in_words(results):
        st.caption(f"{said} It was not trained here: whether it has seen the test rows is not known.")
    for place, item in zip(st.columns(len(found)), found, strict=True):
        with place:
            view.show_verdict(item, limit.notion, limit.epsilon)


@guarded
def show_levelling(changes: tuple[RateChange, ...], rows: str) -> None:
    """Groups can be made alike by making some worse off: that must not stay unsaid."""
    if levelling_down.worse_off(changes):
        st.warning(levelling_down.in_short(changes, rows), icon=":material/trending_down:")


@guarded
def show_gaps(found: tuple[Evaluation, ...], limit: FairnessLimit) -> None:
    st.caption(
        f"The largest gap between two groups. The limit is about “{NOTION_NAMES[limit.notion].lower()}” only. Bars: "
        "95 % intervals; training rows are counted in full.",
        help="  \n".join(f"{NOTION_NAMES[name]}: {text}" for name, text in NOTION_HELP.items()),
    )
    if fairness_charts.has_gaps(found):
        figure = fairness_charts.gaps(found, limit.epsilon, limit.notion)
        charts.show(figure, key="fairness-gaps", alt="Gaps between groups by model, on training and test rows")
    else:
        show_nothing_to_draw(found, TEST)

    show_table(tables.gaps_to_read(found), GAP_HEADINGS, "gaps_table", "Gaps")
    view.show_download("Gaps as CSV", tables.gaps, (found, limit), limit, "gaps")


GAP_HEADINGS: dict[str, tuple[str, str | None]] = {
    "notion": ("What is compared", "See the help above."),
    "model": ("Model", None),
    "training": ("Training", "The largest gap on the training rows, counted exactly."),
    "test": ("Test", "The largest gap on the test rows."),
    "interval": ("95 % interval", fairness_words.INTERVAL_HELP),
    "outcome": ("Outcome", "The true outcome within which the gap on the test rows is largest."),
    "worse": (
        "Worse rate",
        "Of the widest pair, on the test rows: more mistakes, or fewer favourable decisions. A mistake may also serve "
        "a person.",
    ),
    "better": ("Better rate", "The other group of that pair."),
}


# -- for those who open it ---------------------------------------------------------------------------------


@guarded
def show_details(
    results: Results, found: tuple[Evaluation, ...], rows: str, changes: tuple[RateChange, ...], limit: FairnessLimit
) -> None:
    """Folded: each is made when it is opened."""
    drawer("How far the groups are apart, by every notion", "gaps", lambda: show_gaps(found, limit))
    drawer(
        "Who is decided wrongly, and how often",
        "error_rates",
        lambda: show_error_rates(results, found, rows, changes, limit),
    )
    if any(item.fit is not None for item in found):
        drawer(
            "What FairRUG was asked for, and what it did",
            "promise",
            lambda: show_promise(results, found, limit),
        )
    drawer("Rates by group, as an auditor asks for them", "audit", lambda: show_audit(results, found, rows, limit))
    model = FAIR if FAIR in results.summaries else RUG
    drawer("How far away the other decision is, by group", "burden", lambda: show_burden_of(results, model, limit))
    drawer("Small groups, with help from larger ones", "borrowing", lambda: show_borrowing(results, model, limit))
    if FAIR in results.summaries:
        drawer("Beside fairlearn", "beside_fairlearn", lambda: show_alternatives(results, found, limit))


@guarded
def show_burden_of(results: Results, model: str, limit: FairnessLimit) -> None:
    """What people can change is the same as on the page Applicants."""
    allowed = Allowed(marks.limits_of(results, marks.usual_marks(results)))
    show_burden(results, model, allowed, limit)


# -- error rates -------------------------------------------------------------------------------------------


@guarded
def show_error_rates(
    results: Results, found: tuple[Evaluation, ...], rows: str, changes: tuple[RateChange, ...], limit: FairnessLimit
) -> None:
    st.caption(
        f"Share of each group decided wrongly, by true outcome, on the {ROW_NAMES[rows].lower()}. {BARS[rows]}",
        help="Wilson's score interval. With two outcomes these are the false negative and the false positive rate.",
    )
    names = group_names.of_run(results)
    order = tuple(names if len(names) <= MANY_GROUPS else by_difference(found, rows))
    show_error_chart(found, rows, order)
    headings: dict[str, tuple[str, str | None]] = {
        "outcome": ("True outcome", None),
        "group": ("Group", None),
        "n": ("People", "Rows of this outcome in this group."),
    } | {item.name: (f"{item.name}, %", f"Percent decided wrongly{IN_BRACKETS[rows]}.") for item in found}
    table = tables.rates_to_read(found, rows, order)
    show_table(table, headings, "rates_table", "Error rates by outcome and group")
    view.show_download("Error rates as CSV", tables.rates, (found,), limit, "error-rates")
    show_all_changes(changes, rows)


def show_error_chart(found: tuple[Evaluation, ...], rows: str, order: tuple[str, ...]) -> None:
    """The groups of which something is known, and a word about the others."""
    estimable = {group for (_, group), line in found[0].rates[rows].items() if not line["not_estimable"]}
    shown = ask_how_many(tuple(group for group in order if group in estimable), "rates", "of wrong decisions")
    if shown:
        figure = fairness_charts.error_rates(found, rows, shown)
        charts.show(figure, key="fairness-error-rates", alt="Error rates by outcome, group and model")
        show_not_estimable(found, rows, [group for group in order if group not in estimable])
    else:
        show_nothing_to_draw(found, rows)


BARS = {
    TEST: "Bars are 95 % intervals: the fewer the people, the longer the bar.",
    TRAINING: "These rows are counted in full, so there are no intervals.",
}
IN_BRACKETS = {TEST: ", with the 95 % interval", TRAINING: ""}


def show_all_changes(changes: tuple[RateChange, ...], rows: str) -> None:
    if changes:
        st.markdown("**FairRUG compared with RUG, the largest change first**")
        st.caption(levelling_down.in_words(changes, rows))
        table = levelling_down.to_read(changes)
        show_table(table, levelling_down.HEADINGS, "changes_table", "FairRUG compared with RUG")


def ask_how_many(order: tuple[str, ...], chart: str, share: str) -> tuple[str, ...]:
    """All groups, or of many those that differ most."""
    if len(order) <= MANY_GROUPS:
        return order
    label = f"Show all {len(order)} groups with enough people"
    help_text = f"Else the {MANY_GROUPS} whose share {share} lies farthest from that of everybody."
    is_all = st.toggle(label, key=f"all_groups_{chart}", persist_state="session", help=help_text)
    return order if is_all else order[:MANY_GROUPS]


def show_not_estimable(found: tuple[Evaluation, ...], rows: str, without: list[str]) -> None:
    """Groups of which nothing is known in one sentence; of the others, which rates are not."""
    least = found[0].audits[rows].min_cell_size
    lacking = [item for item in tables.not_estimable(found, rows) if item[1] not in without]
    texts = [
        *([fairness_words.not_estimable(lacking, least)] if lacking else []),
        *([fairness_words.left_off(without)] if without else []),
    ]
    if texts:
        st.warning(" ".join(texts), icon=":material/visibility_off:")


def show_nothing_to_draw(found: tuple[Evaluation, ...], rows: str) -> None:
    """In the place of a chart."""
    st.warning(fairness_words.nothing_to_draw(found[0].audits[rows].min_cell_size), icon=":material/visibility_off:")


# -- what an auditor expects -------------------------------------------------------------------------------


@guarded
def show_audit(results: Results, found: tuple[Evaluation, ...], rows: str, limit: FairnessLimit) -> None:
    favourable = value_in_words(results.plan.fair_settings()["positive_class"])
    st.caption(
        f"Selected: decided {named(favourable)}. Qualify: the true outcome is {named(favourable)}. On the "
        f"{ROW_NAMES[rows].lower()}, in percent{IN_BRACKETS[rows]}.",
        help="Demographic parity compares selection rates. Wilson's score interval for rates, Newcombe's for "
        "differences, Katz's log interval for the ratio.",
    )
    names = group_names.of_run(results)
    order = tuple(names if len(names) <= MANY_GROUPS else by_selection(found, rows))
    estimable = [group for group, line in found[0].groups[rows].items() if not isnan(line["selection_rate"])]
    shown = ask_how_many(tuple(group for group in order if group in estimable), "selection", "of favourable decisions")
    if shown:
        figure = fairness_charts.selection_rates(found, rows, shown)
        charts.show(figure, key="fairness-selection-rates", alt="Share decided favourably by group and model")
    else:
        show_nothing_to_draw(found, rows)
    show_rates_by_model(found, rows, order)
    view.show_download("Rates by group as CSV", tables.groups, (found,), limit, "groups")


@guarded
def show_rates_by_model(found: tuple[Evaluation, ...], rows: str, order: tuple[str, ...]) -> None:
    """One tab per model; only the open one is made."""
    places = st.tabs([item.name for item in found], key="rates_of_model", on_change="rerun")
    for place, item in zip(places, found, strict=True):
        with place:
            if place.open:
                show_rates_of(item, rows, order)


def show_rates_of(item: Evaluation, rows: str, order: tuple[str, ...]) -> None:
    parity = item.audits[rows].parity
    difference, ratio, words = st.columns([1, 1, 3.2], vertical_alignment="center")
    with difference:
        show_metric(
            "Difference", points(parity.difference), bounds_of_difference(parity, rows),
            "Demographic parity difference: highest minus lowest selection rate, with its 95 % interval (Newcombe's).",
        )  # fmt: skip
    with ratio:
        show_metric(
            "Ratio", NOTHING if isnan(parity.ratio) else clear_ratio(parity.ratio), bounds_of_ratio(parity, rows),
            "Demographic parity ratio: lowest selection rate over the highest, with its 95 % interval (Katz's). Below "
            "four fifths, agencies in the United States look closer (29 CFR 1607.4 D).",
        )  # fmt: skip
    with words:
        open_question = fairness_words.could_be_on_the_other_side(parity) if rows == TEST else ""
        st.markdown(f"{fairness_words.screen(parity)} {open_question}".strip())
        if parity.not_estimable:
            st.caption(f":material/visibility_off: Not estimable: {plain(brief(parity.not_estimable, LONGEST_REASON))}")
    table = tables.groups_to_read(item, rows, order)
    show_table(table, GROUP_HEADINGS, f"groups_table_{item.model}", f"Rates by group, {item.name}", RATE_WIDTH)


def bounds_of_difference(parity: SelectionParity, rows: str) -> str:
    if isnan(parity.difference):
        return NOTHING
    return "exact" if rows == TRAINING else fairness_words.interval(parity.lower, parity.upper)


def bounds_of_ratio(parity: SelectionParity, rows: str) -> str:
    if isnan(parity.ratio):
        return "screen: 0.8"
    if rows == TRAINING:
        return "exact; screen: 0.8"
    return "no interval" if isnan(parity.ratio_lower) else f"{parity.ratio_lower:.2f} to {parity.ratio_upper:.2f}"


GROUP_HEADINGS: dict[str, tuple[str, str | None]] = {
    "group": ("Group", None),
    "n": ("People", None),
    "base_rate": ("Qualify", "Base rate: share whose true outcome is the favourable one."),
    "selection_rate": ("Selected", "Selection rate: share decided favourably."),
    "tpr": ("Qualify, selected", "TPR, true positive rate: of those who qualify, the share selected."),
    "fnr": ("Qualify, missed", "FNR, false negative rate: of those who qualify, the share not selected."),
    "fpr": ("Others, selected", "FPR, false positive rate: of those who do not qualify, the share selected."),
    "ppv": ("Selected, qualify", "PPV, precision: of those selected, the share who qualify."),
    "error": ("Wrong", "Error rate: share decided wrongly, over all outcomes."),
}


@guarded
def show_whole_audit(found: tuple[Evaluation, ...], limit: FairnessLimit) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown("**The whole audit in one file**", width="stretch")
        make = tables.whole_audit
        view.show_download("Download the audit", make, (found, limit), limit, "fairness-audit", is_main=True)


main()
