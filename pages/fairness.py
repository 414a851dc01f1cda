"""Fairness: how the groups fare under each model, how far that can be known, and what more fairness would cost."""

import streamlit as st

from ui import charts, fairness_charts, fairness_show, fairness_tables, fairness_words, page
from ui.fairness_frontier import held
from ui.fairness_points import show_frontier
from ui.fairness_promise import show_promise
from ui.fairness_standing import TEST, TRAINING, Standing, by_difference, epsilon_now, groups, outcomes, standings
from ui.numbers import NOTHING, points
from ui.page import drawer, guarded
from ui.runs.plan import FAIR
from ui.runs.results import Results
from ui.runs.store import FAILED
from ui.scorecard import NOTION_NAMES
from ui.text import named, plain, value_in_words

MANY_GROUPS = 8  # beyond, charts show the groups that differ most
RATE_WIDTH = 119  # pixels for a rate with its interval
ROW_NAMES = {TEST: "Test rows", TRAINING: "Training rows"}


@guarded
@held()
def main() -> None:
    page.title("Fairness", "How the groups fare under each model, how sure that is, and what more fairness would cost.")
    results = page.results_or_stop()
    if not has_groups(results):
        return
    say_what_is_missing(results)
    rows, with_peer = ask(results)
    fairness_show.show_changes(results)
    with st.spinner("Training LightGBM on the same rows …" if with_peer else "Weighing the rules …"):
        found = tuple(standings(results, with_peer))
    order = in_order(results, found, rows)
    show_verdicts(results, found)
    show_gaps(results, found)
    show_error_rates(results, found, rows, order)
    show_promise(results, found)
    show_frontier(results, found)
    show_audit(results, found, rows, order)
    show_whole_audit(results, found)


# -- what there is to compare ------------------------------------------------------------------------------


def has_groups(results: Results) -> bool:
    if results.data.groups is None:
        page.empty_state(
            "This run has no sensitive attribute, so there are no groups to compare. Choose one and train again.",
            page.DATA,
            "Choose a sensitive attribute",
        )
        return False
    found = groups(results)
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
            fairness_show.ask_epsilon(results)
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


def in_order(results: Results, found: tuple[Standing, ...], rows: str) -> tuple[str, ...]:
    """The groups by name; many groups by how much they differ."""
    names = groups(results)
    return tuple(names if len(names) <= MANY_GROUPS else by_difference(found, rows))


# -- verdict and gaps --------------------------------------------------------------------------------------


@guarded
def show_verdicts(results: Results, found: tuple[Standing, ...]) -> None:
    notion, epsilon, classes = results.plan.fairness, epsilon_now(results), outcomes(results)
    for place, item in zip(st.columns(len(found)), found, strict=True):
        with place:
            fairness_show.show_verdict(item, notion, epsilon, classes)


@guarded
def show_gaps(results: Results, found: tuple[Standing, ...]) -> None:
    notion, epsilon = results.plan.fairness, epsilon_now(results)
    st.subheader(
        "How far the groups are apart",
        anchor=False,
        help="  \n".join(f"{NOTION_NAMES[name]}: {text}" for name, text in fairness_words.NOTION_HELP.items()),
    )
    wish = f"“{NOTION_NAMES[notion].lower()}”, at most {points(epsilon)}"
    wish = f"FairRUG was asked for {wish} on the training rows." if FAIR in results.summaries else f"The limit: {wish}."
    st.caption(
        f"The largest difference between two groups in the share decided wrongly, in three readings. {wish} The bars "
        "on the test rows are 95 % intervals.",
        help=fairness_words.INTERVAL_HELP,
    )
    figure = fairness_charts.gaps(found, epsilon, notion)
    charts.show(figure, key="fairness-gaps", alt="Gaps between groups by model, on training and test rows")

    def numbers() -> None:
        fairness_show.show_table(fairness_tables.gaps_to_read(found), GAP_HEADINGS, "gaps_table", "Gaps")
        fairness_show.show_download("Gaps as CSV", fairness_tables.gaps, found, results, "gaps")

    drawer("The numbers", "gaps_in_numbers", numbers)


GAP_HEADINGS: dict[str, tuple[str, str | None]] = {
    "notion": ("What is compared", "DMC, ODM and EOP: see the help of the heading."),
    "model": ("Model", None),
    "training": ("Training", "The largest gap on the training rows, counted exactly."),
    "test": ("Test", "The largest gap on the test rows."),
    "interval": ("95 % interval", fairness_words.INTERVAL_HELP),
    "outcome": ("Outcome", "The true outcome within which the gap on the test rows is largest."),
    "worse": ("Decided wrongly more often", "The worse-off group of the widest pair, on the test rows."),
    "better": ("Less often", "The better-off group of that pair."),
}


# -- error rates -------------------------------------------------------------------------------------------


@guarded
def show_error_rates(results: Results, found: tuple[Standing, ...], rows: str, order: tuple[str, ...]) -> None:
    st.subheader("Who is decided wrongly, and how often", anchor=False)
    st.caption(
        f"Share of each group decided wrongly, by the outcome that is true for them, on the {ROW_NAMES[rows].lower()}. "
        "Bars are 95 % intervals: the fewer the people, the longer the bar.",
        help="Wilson's score interval. Error rates by class and group: with two outcomes, the false negative and the "
        "false positive rate.",
    )
    figure = fairness_charts.error_rates(found, rows, ask_how_many(order, "rates"))
    charts.show(figure, key="fairness-error-rates", alt="Error rates by outcome, group and model")
    show_not_estimable(found, rows)

    def numbers() -> None:
        headings: dict[str, tuple[str, str | None]] = {
            "outcome": ("True outcome", None),
            "group": ("Group", None),
            "n": ("People", "Rows of this outcome in this group."),
        } | {item.name: (f"{item.name}, %", "Percent decided wrongly, with the 95 % interval.") for item in found}
        table = fairness_tables.rates_to_read(found, rows, order)
        fairness_show.show_table(table, headings, "rates_table", "Error rates by outcome and group")
        fairness_show.show_download("Error rates as CSV", fairness_tables.rates, found, results, "error-rates")

    drawer("The numbers", "rates_in_numbers", numbers)


def ask_how_many(order: tuple[str, ...], chart: str) -> tuple[str, ...]:
    """All groups, or of many those that differ most."""
    if len(order) <= MANY_GROUPS:
        return order
    label = f"Show all {len(order)} groups"
    help_text = f"Else the {MANY_GROUPS} whose share of wrong decisions lies farthest from that of everybody."
    is_all = st.toggle(label, key=f"all_groups_{chart}", persist_state="session", help=help_text)
    return order if is_all else order[:MANY_GROUPS]


def show_not_estimable(found: tuple[Standing, ...], rows: str) -> None:
    lacking = fairness_tables.not_estimable(found, rows)
    if not lacking:
        return
    least = found[0].audits[rows].least_cell
    st.warning(fairness_words.not_estimable(lacking, least), icon=":material/visibility_off:")


# -- what an auditor expects -------------------------------------------------------------------------------


@guarded
def show_audit(results: Results, found: tuple[Standing, ...], rows: str, order: tuple[str, ...]) -> None:
    favourable = value_in_words(results.plan.fair_settings()["positive_class"])
    st.subheader("What an auditor asks for", anchor=False)
    st.caption(
        f"How often each group is selected, that is decided {named(favourable)}, and how far that agrees with who "
        f"qualifies, that is whose true outcome is {named(favourable)}. On the {ROW_NAMES[rows].lower()}, in percent, "
        "with 95 % intervals.",
        help="Demographic parity compares selection rates. The rates below hold the favourable outcome against all "
        "others. Wilson's score interval for rates, Newcombe's for differences.",
    )
    figure = fairness_charts.selection_rates(found, rows, ask_how_many(order, "selection"))
    charts.show(figure, key="fairness-selection-rates", alt="Share decided favourably by group and model")
    show_rates_by_model(found, rows, order)
    fairness_show.show_download("Rates by group as CSV", fairness_tables.groups, found, results, "groups")


@st.fragment
@guarded
def show_rates_by_model(found: tuple[Standing, ...], rows: str, order: tuple[str, ...]) -> None:
    """A tab a model; only the open one is made."""
    places = st.tabs([item.name for item in found], key="rates_of_model", on_change="rerun")
    for place, item in zip(places, found, strict=True):
        with place:
            if place.open:
                show_rates_of(item, rows, order)


def show_rates_of(item: Standing, rows: str, order: tuple[str, ...]) -> None:
    parity = item.audits[rows].parity
    difference, ratio, words = st.columns([1, 1, 3.2], vertical_alignment="center")
    with difference:
        bounds = (
            NOTHING if parity.difference != parity.difference else fairness_words.interval(parity.lower, parity.upper)
        )
        fairness_show.show_metric(
            "Difference", points(parity.difference), bounds,
            "Demographic parity difference: highest minus lowest selection rate, with its 95 % interval.",
        )  # fmt: skip
    with ratio:
        number = NOTHING if parity.ratio != parity.ratio else f"{parity.ratio:.2f}"
        fairness_show.show_metric(
            "Ratio", number, "screen: 0.80",
            "Demographic parity ratio: lowest selection rate over the highest. Below four fifths, agencies in the "
            "United States look closer (29 CFR 1607.4 D).",
        )  # fmt: skip
    with words:
        st.markdown(fairness_words.screen(parity))
        if parity.not_estimable:
            st.caption(f":material/visibility_off: Not estimable: {plain(parity.not_estimable)}")
    table = fairness_tables.groups_to_read(item, rows, order)
    fairness_show.show_table(
        table, GROUP_HEADINGS, f"groups_table_{item.model}", f"Rates by group, {item.name}", RATE_WIDTH
    )


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
def show_whole_audit(results: Results, found: tuple[Standing, ...]) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(
            "**The whole audit in one file**: every model, every rate and gap, training and test rows.", width="stretch"
        )
        make = fairness_tables.whole_audit
        fairness_show.show_download("Download the audit", make, found, results, "fairness-audit", is_main=True)


main()
