"""The models of a run side by side: a card each, with its progress while it trains and what it is worth afterwards."""

from typing import Any

import streamlit as st

from rugboard.runs.plan import EXACT, FAIR, REALISED, RUG, Plan
from rugboard.runs.records import ModelSummary, RoundRecord, Run
from rugboard.runs.results import Results
from rugboard.session import measures, server, watching
from rugboard.session.measures import Gap
from rugboard.setup.directions_words import directions_in_words
from rugboard.shell.formats import NOTHING, counted, decimal, duration, percent, points, points_between, whole
from rugboard.shell.metrics import show_metric
from rugboard.shell.notions import NOTION_NAMES
from rugboard.shell.text import named, plain, value_in_words
from rugboard.shell.theme import name_of_model
from rugcore.fairness import ROUNDING
from rugcore.generation import PROVED

ON_SAMPLE = "Right decisions and gaps are counted over all rows."
BY_HEART = 0.03  # more right decisions on the training rows than on the test rows
CARD_HEIGHT = 158  # of a card with numbers; one with a progress bar is as high, so that nothing jumps

LIMITS = ("max_iter", "time_limit")  # what ends a training before no better rule is found

ONE_ANSWER = (
    "Everybody gets the same decision, and only the chances differ: see “Chances and cut-off” on the page Compare."
)
WHAT_IT_IS = {
    RUG: "for accuracy alone",
    FAIR: "with a limit on the gap",
}


def show_cards(run: Run, *, side_by_side: bool) -> None:
    """One card per model, with the same numbers in the same order."""
    plan, trained = run.plan, _summaries(run)
    places = st.columns(len(plan.models)) if side_by_side else [st.container() for _ in plan.models]
    for place, model in zip(places, plan.models, strict=True):
        height: Any = "content" if model in trained else CARD_HEIGHT
        with place, st.container(border=True, height=height, gap="small", key=f"card_{model}"):
            if model in trained:
                _show_numbers(server.results(run.id), model, trained)
            else:
                _show_progress(run, plan, model)


def _summaries(run: Run) -> dict[str, ModelSummary]:
    """Of a run that trains, those that everybody who watches it sees."""
    return server.store().summaries(run.id) if run.is_over else watching.look(run.id).summaries


def show_basis(results: Results) -> None:
    """What the numbers stand on, and what they must beat."""
    summary = next(iter(results.summaries.values()))
    usual = measures.baseline(results)
    st.caption(
        f"{_trained_on(results, summary)}; judged on {counted(summary.test_rows, 'row')} that the "
        f"training never saw. Of those, always answering {named(value_in_words(usual.label))} is right for "
        f"{percent(usual.test_accuracy)}{tree_in_words(results)}."
    )
    if useless := no_better_in_words(results):
        st.warning(useless, icon=":material/warning:")
    if kept := results.plan.directions():
        st.caption(f":material/trending_up: Directions were kept. {directions_in_words(kept)}")
    if proved := proof_in_words(results):
        st.caption(f":material/verified: {proved}")
    if said := limit_in_words(results):
        st.caption(said)
    show_promise(results)


def no_better_in_words(results: Results) -> str:
    """Which models are of no use on the test rows, and what may help; nothing where all are better than one answer."""
    usual = measures.baseline(results)
    useless = [model for model, own in results.summaries.items() if own.test_accuracy <= usual.test_accuracy]
    if not useless:
        return ""
    names = " and ".join(name_of_model(model) for model in useless)
    is_worse = all(results.summaries[model].test_accuracy < usual.test_accuracy for model in useless)
    how = f"{'are' if len(useless) > 1 else 'is'} {'worse' if is_worse else 'no better'}"
    is_one_answer = all(measures.says_the_same_of_all(results, model) for model in useless)
    advice = ONE_ANSWER if is_one_answer else _advice(results.summaries[useless[0]])
    return f"On the test rows {names} {how} than always answering {named(value_in_words(usual.label))}. {advice}"


def _trained_on(results: Results, summary: ModelSummary) -> str:
    """A run that was kept from another is judged on the sample, where there is one, and learned from all rows."""
    if results.is_sampled and results.all_rows is None:
        return "Trained on all training rows of the table"
    return f"Trained on {counted(summary.train_rows, 'row')}"


def tree_in_words(results: Results) -> str:
    right = measures.tree_of_same_size(results) if RUG in results.summaries else None
    if right is None:
        return ""
    said = f", and a decision tree with as many leaves as RUG has rules for {percent(right)}"
    summary = results.summaries[RUG]
    n_more = round((right - summary.test_accuracy) * summary.test_rows)
    return f"{said}: {counted(n_more, 'row')} more than RUG" if n_more > 0 else said


def proof_in_words(results: Results) -> str:
    """What exact pricing has proved of RUG; nothing where it was not asked for, or has no bound."""
    summary = results.summaries.get(RUG)
    if summary is None or summary.proof_gap is None:
        return ""
    if summary.proof_gap <= PROVED:
        return "Proved: over deciles and categories, no rules of this length cost less than those of RUG."
    return f"Not proved to be the best: at most {percent(summary.proof_gap)} of what RUG's rules cost could be saved."


def limit_in_words(results: Results) -> str:
    """Which trainings ended before they were done; nothing where all did."""
    ended = {model: own for model, own in results.summaries.items() if own.stop_reason in LIMITS}
    if not ended:
        return ""
    said = [f"{name_of_model(model)} at {_limit(results.plan, model, own)}" for model, own in ended.items()]
    return f"Not trained to the end: {' and '.join(said)}. A higher limit (under Advanced) may find better rules."


def _limit(plan: Plan, model: str, summary: ModelSummary) -> str:
    if summary.stop_reason == "time_limit":
        return f"the limit of {duration(plan.rug_settings()['time_limit'] or summary.seconds)}"
    n_rounds = _rounds(summary)
    return f"the limit of {counted(n_rounds, 'round')}{_why_so_many(plan, model, n_rounds)}"


def _why_so_many(plan: Plan, model: str, n_rounds: int) -> str:
    """Both models may take more rounds than the setting says, as many as FairRUG needs to even out the groups."""
    if plan.guarantee != REALISED or FAIR not in plan.models:
        return ""
    if model == RUG:
        return ", as many as FairRUG may take"
    n_more = n_rounds - plan.max_iter
    return f", {n_more} of them to even out the groups" if n_more > 0 else ", with none needed to even out the groups"


def _rounds(summary: ModelSummary) -> int:
    """After the first rules, as the setting counts them."""
    return max(summary.rounds - 1, 0)


def _advice(summary: ModelSummary) -> str:
    """Rules that are much better on the rows they were learned from have learned them by heart."""
    if summary.train_accuracy - summary.test_accuracy > BY_HEART:
        return "The training rows are fitted much better, so a higher price of a rule or shorter rules may help."
    return "A lower price of a rule or longer rules may help."


def show_promise(results: Results) -> None:
    """Whether FairRUG keeps the limit: on the training rows, to which it applies, and on others."""
    found = measures.gap(results, FAIR) if FAIR in results.summaries else None
    if found is None:
        return
    said = promise_in_words(results.plan, found)
    if said:
        st.warning(f"{said} The page Fairness shows how sure that is.", icon=":material/balance:")


def promise_in_words(plan: Plan, found: Gap) -> str:
    """A sentence where the limit is not kept, or not known to be; nothing where all is well."""
    limit = points(plan.epsilon)
    training, test = found.on_training_rows, found.on_test_rows
    if plan.guarantee == "realised" and training > plan.epsilon + ROUNDING:
        return f"FairRUG did not reach the limit of {limit}: the training rows show {points(training)}."
    if test > plan.epsilon + ROUNDING:
        return (
            f"FairRUG's gap is {points(training)} on the training rows, but {points(test)} on the test rows, against a "
            f"limit of {limit}: it need not carry over to new people."
        )
    if test != test:
        return f"No two groups have enough test rows to tell whether the limit of {limit} carries over to new people."
    return ""


def show_notes(run: Run) -> None:
    """What a person should know about how the run was done, if anything."""
    for note in run.notes:
        st.info(plain(note), icon=":material/info:")


# -- while it trains ---------------------------------------------------------------------------------------


def _show_progress(run: Run, plan: Plan, model: str) -> None:
    _show_head(model, "")
    rounds = [record for record in watching.look(run.id).rounds if record.model == model]
    n_done = max((record.number for record in rounds), default=0)
    most = plan.most_rounds(model)
    st.progress(min(n_done / max(most, 1), 0.99), text=_progress_text(run, most, rounds, n_done))


def _progress_text(run: Run, most: int, rounds: list[RoundRecord], n_done: int) -> str:
    if run.is_over:
        return "not trained"
    if not rounds:
        return "waiting"
    rules = counted(rounds[-1].rules, "rule")
    if n_done > most:
        if run.plan.pricing == EXACT:
            return f"round {n_done}, searching, {rules} so far"
        return f"round {n_done}, evening out the groups, {rules} so far"
    return f"round {n_done} of about {most}, {rules} so far"


def _show_head(model: str, how_long: str) -> None:
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", gap="small"):
        st.markdown(f"**{name_of_model(model)}** · {WHAT_IT_IS.get(model, '')}", width="content")
        if how_long:
            st.caption(how_long, width="content")


# -- afterwards --------------------------------------------------------------------------------------------


def _show_numbers(results: Results, model: str, trained: dict[str, ModelSummary]) -> None:
    summary = trained[model]
    _show_head(model, f"{counted(_rounds(summary), 'round')}, {duration(summary.seconds)}")
    accuracy, gap, rules = st.columns(3)
    with accuracy:
        show_metric(
            "Right decisions",
            percent(summary.test_accuracy),
            f"training {percent(summary.train_accuracy)}",
            "Accuracy: the share of the test rows that the rules decide as the data says."
            + _against_rug(model, trained),
        )
    with gap:
        _show_gap(results, model)
    with rules:
        length = decimal(measures.average_length(results, model))
        show_metric(
            "Rules", whole(summary.rules), f"{length} conditions each", "How many rules have a say, and how long."
        )


def _against_rug(model: str, trained: dict[str, ModelSummary]) -> str:
    if model == RUG or RUG not in trained:
        return ""
    difference = points_between(trained[RUG].test_accuracy, trained[model].test_accuracy)
    return f" Against RUG: {difference:+.1f} points."


def _show_gap(results: Results, model: str) -> None:
    found = measures.gap(results, model)
    if found is None:
        show_metric("Largest gap", NOTHING, None, "Choose a sensitive attribute on the page Data to compare groups.")
        return
    training = f"training {points(found.on_training_rows)}"
    show_metric("Largest gap", points(found.on_test_rows), training, _gap_help(results.plan, found))


def _gap_help(plan: Plan, found: Gap) -> str:
    tiny = f" {NOTHING}: no two groups have enough rows." if found.on_test_rows != found.on_test_rows else ""
    return (
        f"How far two groups lie apart at most ({NOTION_NAMES[plan.fairness].lower()}). FairRUG was "
        f"asked to keep it within {points(plan.epsilon)} on the training rows; on other rows it can differ.{tiny}"
    )
