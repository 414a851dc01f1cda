"""Start: choose a demo, train on it, read the rules, and see why one row got its decision."""

import streamlit as st

from rugcore import list_demos
from rugcore.errors import RugError
from rugcore.explain import CoveringRule
from rugcore.generation import Round
from ui import state
from ui.tables import show_rules, show_values
from ui.text import counted, percent, plain, points_between
from ui.training import MAX_ROUNDS, TrainedModel, TrainingRequest, demo_split, demo_title, train_once

PRICES = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


def main() -> None:
    show_introduction()
    request = ask_what_to_train()
    if st.button("Train on this data", type="primary", key="train"):
        state.want_model(request)
    wanted = state.wanted_model()
    if wanted is None:
        st.info("No model yet. Training takes a few seconds.", icon=":material/info:")
        return
    trained = train_with_progress(wanted)
    show_scores(trained)
    show_rule_table(trained)
    show_one_decision(trained)


def show_introduction() -> None:
    st.title("Decisions you can read")
    st.markdown(
        "The RUG Dashboard learns a short list of weighted if-then rules from a table of past decisions.  \n"
        "A new case is decided by the rules that apply to it: the side with the larger total weight wins.  \n"
        "So every decision comes with its reasons, in the words of your table."
    )


def ask_what_to_train() -> TrainingRequest:
    with st.container(border=True):
        demo_column, depth_column, price_column = st.columns([2, 1, 1], gap="large")
        with demo_column:
            demo = st.selectbox("Demo data", list_demos(), format_func=demo_title, key="demo")
            show_description(demo)
        max_depth = depth_column.slider(
            "Longest rule", 1, 5, 2, key="max_depth", help="The most conditions that a rule may have (depth)."
        )
        penalty = price_column.select_slider(
            "Price of a rule",
            PRICES,
            1.0,
            format_func="{:g}".format,
            key="penalty",
            help="Lambda: the higher the price, the fewer the rules.",
        )
    return TrainingRequest(demo, max_depth, penalty)


def show_description(demo: str) -> None:
    dataset = demo_split(demo).dataset
    st.caption(
        f"{plain(dataset.description)} The rules may not look at “{plain(dataset.sensitive)}”, the sensitive attribute."
    )


def train_with_progress(request: TrainingRequest) -> TrainedModel:
    bar = st.progress(0.0, text="Training starts.")

    def report(done: Round) -> None:
        text = f"Round {done.number} of at most {MAX_ROUNDS}: {counted(done.n_rules, 'rule')} tried."
        bar.progress(min(done.number / MAX_ROUNDS, 1.0), text=text)

    trained = train_once(request, report)
    bar.empty()
    return trained


def show_scores(trained: TrainedModel) -> None:
    request, rules = trained.request, trained.model.rules_
    st.header(plain(demo_title(request.demo)))
    st.caption(
        f"Trained on {counted(len(trained.split.y_train), 'row')}, with rules of at most "
        f"{counted(request.max_depth, 'condition')} at a price of {request.penalty:g}; judged on "
        f"{counted(len(trained.split.y_test), 'row')} that the training never saw."
    )
    accuracy, baseline, count, length = st.columns(4)
    accuracy.metric(
        "Test accuracy",
        percent(trained.test_accuracy),
        points_between(trained.majority_share, trained.test_accuracy),
        delta_description="points",
        help="Share of the test rows that the rules decide as the data says.",
        border=True,
        height="stretch",
    )
    baseline.metric(
        f"Always “{plain(trained.majority_label)}”",
        percent(trained.majority_share),
        help="The accuracy of giving every row the most common answer. A useful model beats it.",
        border=True,
        height="stretch",
    )
    count.metric("Rules", len(rules), border=True, height="stretch")
    length.metric("Conditions per rule", f"{trained.average_length:.1f}", border=True, height="stretch")
    if trained.test_accuracy <= trained.majority_share:
        st.warning(
            "On the test rows the rules do no better than always answering "
            f"“{plain(trained.majority_label)}”. Another price or length of the rules may help."
        )


def show_rule_table(trained: TrainedModel) -> None:
    st.subheader("The rules")
    show_rules(trained.model.rules_, trained.heaviest_weight, key="rules")


def show_one_decision(trained: TrainedModel) -> None:
    st.subheader("Why this decision?")
    n_rows = len(trained.split.y_test)
    label, key = f"Test row (1 to {n_rows:,})", f"row_of_{trained.request.demo}"
    position = st.number_input(label, 1, n_rows, 1, key=key, width=220) - 1
    values, reasons = st.columns(2, gap="large")
    with values:
        show_values(trained.split.X_test.iloc[position], key="values")
    with reasons:
        show_reasons(trained, position)


def show_reasons(trained: TrainedModel, position: int) -> None:
    explanation = trained.model.explain(trained.split.X_test.iloc[[position]])
    decision, outcome = st.columns(2)
    decision.metric("Decision of the rules", plain(explanation.decision), border=True)
    outcome.metric("In the data", plain(trained.split.y_test.iloc[position]), border=True)
    if explanation.is_uncovered:
        st.info("No rule applies to this row, so it gets the most common decision.")
    if explanation.is_tie:
        st.info("The rules on both sides weigh the same, so the more common decision is taken.")
    show_side("For", explanation.rules_for, trained, key="rules_for")
    show_side("Against", explanation.rules_against, trained, key="rules_against")


def show_side(title: str, covering: tuple[CoveringRule, ...], trained: TrainedModel, key: str) -> None:
    """The rules on one side of a decision."""
    rules = [item.rule for item in covering]
    if not rules:
        st.markdown(f"**{title}**: no rule")
        return
    weight = sum(rule.weight for rule in rules)
    st.markdown(f"**{title}**: {counted(len(rules), 'rule')}, total weight {weight:.2f}")
    show_rules(rules, trained.heaviest_weight, key, brief=True)


try:
    main()
except RugError as error:
    state.forget_model()  # or the page would try the same again at every click
    st.error(plain(error))
