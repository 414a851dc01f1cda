"""Sliders that re-weight the rules of a trained model, and what that changes."""

from dataclasses import replace

import streamlit as st

from rugboard.rules import cached
from rugboard.rules.cached import KeyFigures
from rugboard.runs.plan import FAIR, Plan
from rugboard.runs.results import Results
from rugboard.session import adjusted_models, adjustments, group_names
from rugboard.session.adjustments import AS_TRAINED, Adjustment, rule_id
from rugboard.session.keeping import show_keep_button
from rugboard.shell.fields import Field, field_showing, value_of
from rugboard.shell.formats import NOTHING, counted, percent, points, short, whole
from rugboard.shell.metrics import show_metric
from rugboard.shell.sliders import GAPS, PRICES, steps_with
from rugboard.shell.text import named, plain, value_in_words
from rugboard.shell.theme import name_of_model

ONE_ANSWER = 0.99  # of the test rows decided alike


def show_reweighting(results: Results, model: str) -> None:
    """The sliders, and beside them the model now against the model as trained."""
    with st.container(border=True, gap="small", key="weighing"):
        sliders, numbers = st.columns(2, gap="large")
        with sliders:
            ask(results, model)
        change = adjustments.current(results.run.id, model)
        with numbers:
            show_against_trained(results, model, change)
        show_note(results, model, change)
        show_left_out(results, model, change)


# -- asking ------------------------------------------------------------------------------------------------


def ask(results: Results, model: str) -> None:
    """What the sliders say goes into the visitor's adjustment, which alone decides what is shown."""
    plan, change = results.plan, adjustments.current(results.run.id, model)
    price = _field("penalty", results, model, change.penalty, plan.penalty_of(model))
    penalty, epsilon = st.columns(2) if model == FAIR else (st.container(), None)
    with penalty:
        st.select_slider(
            "Price of a rule",
            steps_with(PRICES, plan.penalty_of(model), change.penalty),
            price.start,
            format_func=lambda price: _marked(short(price), price == plan.penalty_of(model), plan),
            key=price.key,
            on_change=_take,
            args=(results, model),
            help="Lambda: what a rule costs against a mistake. The higher the price, the fewer the rules.",
        )
    if epsilon is None:
        return
    gap = _field("epsilon", results, model, change.epsilon, plan.epsilon)
    with epsilon:
        st.select_slider(
            "Largest allowed gap",
            steps_with(GAPS, plan.epsilon, change.epsilon),
            gap.start,
            format_func=lambda gap: _marked(points(gap), gap == plan.epsilon, plan),
            key=gap.key,
            on_change=_take,
            args=(results, model),
            help="Epsilon: how far two groups may lie apart on the training rows, in percentage points.",
        )


def _marked(value: str, is_own: bool, plan: Plan) -> str:
    return f"{value} · {as_it_was(plan)}" if is_own else value


def as_it_was(plan: Plan) -> str:
    """What the model of a run is called before a visitor touches it."""
    return "as trained" if plan.origin is None else "as kept"


def _name(slider: str, results: Results, model: str) -> str:
    return f"rules_{slider}_{model}_{results.run.id}"


def _field(slider: str, results: Results, model: str, chosen: float | None, trained: float) -> Field:
    return field_showing(_name(slider, results, model), trained if chosen is None else chosen)


def _take(results: Results, model: str) -> None:
    """A slider was moved."""
    said = {slider: value_of(_name(slider, results, model)) for slider in ("penalty", "epsilon")}
    change = adjustments.current(results.run.id, model)
    adjustments.adjust(results, model, replace(change, penalty=said["penalty"], epsilon=said["epsilon"]))


# -- what it changes ---------------------------------------------------------------------------------------


def show_against_trained(results: Results, model: str, change: Adjustment) -> None:
    now = cached.key_figures(results, model, change)
    trained = cached.key_figures(results, model, AS_TRAINED)
    accuracy, gap, rules = st.columns([1, 1.2, 0.7])
    with accuracy:
        show_metric(
            "Right decisions",
            percent(now.test_accuracy),
            f"was {percent(trained.test_accuracy)}",
            "Accuracy: the share of the test rows that the rules decide as the data says.",
        )
    with gap:
        help_text = f"The largest gap between two groups, on the test rows ({_notion(results)})."
        show_metric("Largest gap", _gap(now), f"was {_gap(trained)}", help_text)
    with rules:
        show_metric("Rules", whole(now.n_rules), f"was {whole(trained.n_rules)}", "How many rules have a say.")


def _gap(figures: KeyFigures) -> str:
    return NOTHING if figures.gap is None else points(figures.gap.on_test_rows)


def _notion(results: Results) -> str:
    return results.plan.fairness.upper() if results.plan.sensitive else "there are no groups here"


def show_note(results: Results, model: str, change: Adjustment) -> None:
    words, way_back, keep = st.columns([2.2, 1, 1], vertical_alignment="center")
    words.caption(in_a_sentence(results, model, change))
    with keep:
        show_keep_button(results, key=f"keep_{model}")
    way_back.button(
        _way_back(results, model, change),
        key=f"as_trained_{model}",
        icon=":material/undo:",
        disabled=not change.is_any,
        on_click=adjustments.adjust,
        args=(results, model, AS_TRAINED),
        width="stretch",
        help=f"Back to the model {as_it_was(results.plan)}, with all of its rules.",
    )


def _way_back(results: Results, model: str, change: Adjustment) -> str:
    """Names the trained values, so that they are in sight wherever the sliders stand."""
    if change.without:
        return f"Back to {as_it_was(results.plan)}, with all rules"
    price = f"Back to price {short(results.plan.penalty_of(model))}"
    return f"{price}, gap {points(results.plan.epsilon)}" if model == FAIR else price


def in_a_sentence(results: Results, model: str, change: Adjustment) -> str:
    """What this is, and whether the allowed gap is reached."""
    if model == FAIR and (missed := missed_target(results, change)):
        return f":orange[:material/warning:] {missed}"
    if one_answer := nearly_one_answer(cached.key_figures(results, model, change)):
        return f":orange[:material/warning:] {one_answer}"
    if change.without:
        return (
            "The other rules that training found are re-weighted without those that you left out; some that had no "
            "say before may have one now. The run stays as it is."
        )
    if change.is_any:
        return (
            f"You see the rules that training found, re-weighted; the run stays as it is. A new training with these "
            f"settings may find better rules for {name_of_model(model)}."
        )
    return (
        "Move a slider, and the rules that training found are re-weighted in a moment. No new rules are looked for, "
        "and the run stays as it is."
    )


def nearly_one_answer(figures: KeyFigures) -> str:
    """A sentence if hardly anybody is decided otherwise than the rest."""
    if figures.usual_share < ONE_ANSWER:
        return ""
    who = "Everybody" if figures.usual_share == 1 else f"{percent(figures.usual_share)} of the test rows"
    return (
        f"{who} would be decided {named(value_in_words(figures.usual))}. A small gap means little then: whoever "
        "should be decided otherwise is decided wrongly. Lower the price of a rule, or allow a larger gap."
    )


def missed_target(results: Results, change: Adjustment) -> str:
    """A sentence if the fair model does not keep the allowed gap; else nothing."""
    fit = group_names.in_fit(adjusted_models.fair_with_adjustment(results, change).fairness_, results)
    if fit.guarantee != "realised" or fit.met:
        return ""
    worst = fit.worst
    limit, left = points(fit.epsilon), points(fit.realised_gap)
    left = "a little more than that" if left == limit else left
    first, second = named(worst.first), named(worst.second)
    within = "" if worst.label is None else f" among those whose outcome is {named(value_in_words(worst.label))}"
    return (
        f"The target is not met: at most {limit} were asked for, and the fairest weights found leave "
        f"{left} on the training rows, between {first} and {second}{within}. Allow a larger gap, "
        "or train with longer rules or more rounds."
    )


# -- rules left out ----------------------------------------------------------------------------------------


def show_left_out(results: Results, model: str, change: Adjustment) -> None:
    if not change.without:
        return
    st.markdown(f"**{counted(len(change.without), 'rule')} left out**")
    for rule in change.without:
        words, way_back = st.columns([2.3, 1], vertical_alignment="center")
        words.markdown(f"If {plain(rule)}, then {named(value_in_words(rule.label))}")
        way_back.button(
            "Put back",
            key=f"put_back_{rule_id(rule)}",
            icon=":material/add_circle:",
            on_click=adjustments.put_back,
            args=(results, model, rule),
            width="stretch",
        )
