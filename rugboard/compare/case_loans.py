"""The case study loan by loan: the models that explain, and a few loans that are typical of what happens."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from rugboard.compare import charts as compare_charts
from rugboard.compare.case_study import FEW, LEAVES, MORE, case_task
from rugboard.compare.report import Task
from rugboard.session.cache import cached
from rugboard.shell import charts, tables, theme
from rugboard.shell.agreement import agreement_in_words
from rugboard.shell.formats import counted
from rugboard.shell.text import named, plain, value_in_words
from rugcore.comparison import RuleExplainer, ShapExplainer, agreement
from rugcore.explanations import CoveringRule, Explanation
from rugcore.tables import plain_value

BOTH_BAD, BOTH_GOOD, APART, BY_DEFAULT = "Both see trouble", "Both see none", "They differ", "No rule applies"
MOST_COLUMNS, MOST_RULES = 6, 5


@dataclass(frozen=True, eq=False)
class TrainedCase:
    """The task with its models, trained as the worker trains them."""

    task: Task
    models: dict[str, Any]

    @property
    def truth(self) -> np.ndarray:
        return self.task.y_test.to_numpy(dtype=object)

    @property
    def is_uncovered(self) -> np.ndarray:
        """Test loans on which none of the few rules has a say."""
        found: np.ndarray = self.models[FEW].decisions(self.task.X_test).is_uncovered
        return found


@cached(entries=1)
def trained_case() -> TrainedCase:
    """The same for everybody: nothing in it depends on chance or on a visitor."""
    task = case_task()
    return TrainedCase(task, {name: model.fit(task.X_train, task.y_train) for name, model in task.models.items()})


@cached(entries=1)
def explainer() -> ShapExplainer:
    return ShapExplainer(trained_case().models[LEAVES], trained_case().task.X_train)


@cached(entries=1)
def rule_explainer() -> RuleExplainer:
    """Of the few rules, against the same loans."""
    return RuleExplainer(trained_case().models[FEW], trained_case().task.X_train)


@cached(entries=1)
def typical() -> dict[str, int]:
    """A test loan of every kind: among those of a kind, the one in the middle of LightGBM's scores."""
    found, bad = trained_case(), trained_case().task.positive_class
    X = found.task.X_test
    rules, leaves = (found.models[name].predict(X) for name in (FEW, LEAVES))
    is_right, covered = rules == found.truth, ~found.is_uncovered
    kinds = {
        BOTH_BAD: covered & is_right & (rules == leaves) & (rules == bad),
        BOTH_GOOD: covered & is_right & (rules == leaves) & (rules != bad),
        APART: covered & (rules != leaves),
        BY_DEFAULT: ~covered,
    }
    scores = found.models[LEAVES].raw_output(X)
    return {name: _middle(np.flatnonzero(own), scores) for name, own in kinds.items() if own.any()}


def _middle(rows: np.ndarray, scores: np.ndarray) -> int:
    return int(rows[np.argsort(scores[rows], kind="stable")[len(rows) // 2]])


# -- on the screen -----------------------------------------------------------------------------------------


def show_loans() -> None:
    st.subheader("One loan, explained both ways", anchor=False)
    st.caption("Loans of the test rows, each typical of its kind: the one in the middle of LightGBM's scores.")
    loans = typical()
    kind = st.segmented_control(
        "Loan", list(loans), default=next(iter(loans)), required=True, key="case_loan", label_visibility="collapsed"
    )
    row = loans[str(kind or next(iter(loans)))]
    X = trained_case().task.X_test
    explanations = {name: trained_case().models[name].explain(X.iloc[row]) for name in (FEW, MORE)}
    rules, black_box = st.columns(2, gap="large")
    with rules:
        show_rules("The few rules", explanations[FEW])
        show_rules("The rules after more rounds", explanations[MORE])
    with black_box:
        show_shap(X.iloc[row], explanations[FEW])
    outcome = named(value_in_words(plain_value(trained_case().truth[row])))
    st.markdown(f":material/flag: What became of the loan, according to the data: {outcome}.")
    with st.expander("All that is known about this loan"):
        tables.show_values(X.iloc[row], f"case_values_{row}")


def show_rules(name: str, found: Explanation) -> None:
    """The decision, and every rule that had a say in it with the values of the loan."""
    decision = named(value_in_words(found.decision))
    if found.is_uncovered:
        st.markdown(
            f"**{name}: {decision} by default.** No rule applies, so that the more common outcome of the training "
            "loans is taken. Somebody should look at such a loan."
        )
        return
    st.markdown(f"**{name}: {decision}{', by default: both sides weigh the same' if found.is_tie else ''}**")
    covering = sorted((*found.rules_for, *found.rules_against), key=lambda item: -item.rule.weight)
    st.markdown("\n".join(rule_in_words(item) for item in covering[:MOST_RULES]))
    if len(covering) > MOST_RULES:
        rest = sum(item.rule.weight for item in covering[MOST_RULES:])
        st.caption(f"and {counted(len(covering) - MOST_RULES, 'lighter rule')}, of weight {rest:.2f} together")


def rule_in_words(item: CoveringRule) -> str:
    own = dict(item.values)
    here = " and ".join(plain(tables.cell_in_words(own[name])) for name in item.rule.features)
    label = named(value_in_words(item.rule.label))
    return f"- {plain(item.rule)} (here {here}) → {label}, weight {item.rule.weight:.2f}"


def show_shap(row: pd.Series, rules: Explanation) -> None:
    shap = explainer().explain(row, rules.decision)
    by_rules = rule_explainer().explain(row, rules.decision)
    towards = named(value_in_words(shap.towards))
    st.markdown(f"**LightGBM: {named(value_in_words(shap.predicted))}**")
    shown, rest = shap.top(MOST_COLUMNS)
    steps = [(f"{item.column}: {tables.cell_in_words(item.value)}", item.amount) for item in shown]
    steps.append((counted(len(shap.contributions) - len(shown), "other column"), rest))
    charts.show(
        compare_charts.contributions(steps, _colours(shap.towards)),
        key="case-shap",
        alt=f"What every column adds to the score of LightGBM towards {value_in_words(shap.towards)}",
    )
    st.caption(
        f"SHAP values: what each column adds to the score for {towards}, from {shap.base_value:+.2f} for the average "
        f"training loan to {shap.output:+.2f} here; above 0 it decides {towards}."
    )
    st.caption(f"Do they agree? {agreement_in_words(agreement(rules, by_rules, shap))}")


def _colours(label: Any) -> tuple[str, str]:
    """Of what speaks for a decision, and of what speaks against it."""
    classes = [plain_value(item) for item in trained_case().models[FEW].classes_]
    favourable = next(item for item in classes if item != trained_case().task.positive_class)
    for_it = theme.colour_of_class(label, classes, favourable)
    return for_it, next(theme.colour_of_class(item, classes, favourable) for item in classes if item != label)
