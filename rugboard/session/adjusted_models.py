"""Models weighed anew from the rules that training found: another lambda, another epsilon, without some rules.

What a visitor changed is an `Adjustment`, held per run and model as long as the browser tab, so that every page shows
the same model. The run itself is never changed. The models are solved once for everybody who asks for the same.
"""

import json
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np
import streamlit as st
from scipy import sparse

from rugboard.runs.errors import RunError
from rugboard.runs.plan import FAIR, RUG, Plan
from rugboard.runs.results import Results
from rugboard.session import server
from rugcore.errors import FairnessWarning
from rugcore.rules import Rule, condition_to_dict
from rugcore.tables import plain_value

MODELS_KEPT = 24  # each holds the program of its rules
DECISIONS_KEPT = 24  # each holds a value a row
COVERED_KEPT = 2  # asked for a few times in a row, then never again
_ADJUSTMENTS, _WAS_READ = "_adjustments", "_address_was_read"


@dataclass(frozen=True)
class Adjustment:
    """What differs from the model as it was trained; nothing, by default."""

    penalty: float | None = None  # lambda; None: as trained
    epsilon: float | None = None
    without: tuple[Rule, ...] = ()  # left out, in the order in which that was asked

    @property
    def is_any(self) -> bool:
        return self != Adjustment()

    @property
    def key(self) -> str:
        """The same text for the same model, whatever the order of the rules left out."""
        return json.dumps([self.penalty, self.epsilon, sorted(rule_id(rule) for rule in self.without)])

    def leaving_out(self, rule: Rule) -> "Adjustment":
        return replace(self.putting_back(rule), without=(*self.putting_back(rule).without, rule))

    def putting_back(self, rule: Rule) -> "Adjustment":
        kept = tuple(other for other in self.without if rule_id(other) != rule_id(rule))
        return replace(self, without=kept)


AS_TRAINED = Adjustment()


def rule_id(rule: Rule) -> str:
    """A short name for what a rule says, whatever its weight."""
    said = [[condition_to_dict(condition) for condition in rule.conditions], plain_value(rule.label)]
    return sha256(json.dumps(said).encode()).hexdigest()[:16]


# -- what a visitor changed --------------------------------------------------------------------------------


def adjustment(run_id: str, model: str) -> Adjustment:
    """What this visitor changed about a model ("rug" or "fair") of a run."""
    held = st.session_state.get(_ADJUSTMENTS, {})
    found = held.get((run_id, model), AS_TRAINED)
    return found if isinstance(found, Adjustment) else AS_TRAINED


def adjust(results: Results, model: str, new: Adjustment) -> None:
    """Remember it; values equal to the trained ones are no change."""
    held = dict(st.session_state.get(_ADJUSTMENTS, {}))
    held[results.run.id, model] = _normal(results.plan, model, new)
    st.session_state[_ADJUSTMENTS] = held


def _normal(plan: Plan, model: str, new: Adjustment) -> Adjustment:
    penalty = None if new.penalty == plan.penalty else new.penalty
    epsilon = None if new.epsilon == plan.epsilon or model == RUG else new.epsilon
    return replace(new, penalty=penalty, epsilon=epsilon)


# -- the address -------------------------------------------------------------------------------------------

# What the sliders say, so that a link shows the same to a colleague; rules left out would make an endless address.
IN_ADDRESS = {(RUG, "penalty"): "rug_price", (FAIR, "penalty"): "fair_price", (FAIR, "epsilon"): "limit"}
MOST = {"penalty": 1e6, "epsilon": 1.0}


def read_address(run_id: str | None) -> None:
    """When a visitor comes, the address decides; afterwards it follows."""
    if not st.session_state.get(_WAS_READ):
        st.session_state[_WAS_READ] = True
        if run_id is not None:
            _take_from_address(run_id)


def write_address(run_id: str) -> None:
    for (model, name), word in IN_ADDRESS.items():
        value = getattr(adjustment(run_id, model), name)
        if value is None:
            st.query_params.pop(word, None)
        elif st.query_params.get(word) != f"{value:g}":
            st.query_params[word] = f"{value:g}"


def _take_from_address(run_id: str) -> None:
    try:
        plan = server.store().get(run_id).plan
    except RunError:
        return  # the page will say so
    held = dict(st.session_state.get(_ADJUSTMENTS, {}))
    for (model, name), word in IN_ADDRESS.items():
        value = _number(st.query_params.get(word, ""), MOST[name])
        if value is not None and model in plan.models:
            before = held.get((run_id, model), AS_TRAINED)
            held[run_id, model] = _normal(plan, model, replace(before, **{name: value}))
    st.session_state[_ADJUSTMENTS] = held


def _number(text: str, most: float) -> float | None:
    """Within what a slider could say, or nothing: anybody can write an address."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= most else None


# -- the models --------------------------------------------------------------------------------------------


def resolved(
    run: Results | str,
    model: str,
    penalty: float | None = None,
    epsilon: float | None = None,
    without: Iterable[Rule] = (),
) -> Any:
    """A model of a run under another lambda or epsilon, or without some rules; None means as trained.

    Nobody may change what comes out of here: all visitors share it.
    """
    results = server.results(run) if isinstance(run, str) else run
    return with_adjustment(results, model, Adjustment(penalty, epsilon, tuple(without)))


def with_adjustment(results: Results, model: str, change: Adjustment) -> Any:
    change = _normal(results.plan, model, change)
    if not change.is_any:
        return results.fair if model == FAIR else results.rug
    return _resolved(results.run.id, model, change.key, results, change)


def now(results: Results, model: str) -> Any:
    """The model as this visitor has set it."""
    return with_adjustment(results, model, adjustment(results.run.id, model))


def decided(results: Results, model: str, change: Adjustment) -> np.ndarray:
    """What the model decides for every row of the run's table, training rows and test rows alike."""
    change = _normal(results.plan, model, change)
    if not change.is_any:
        return server.predictions(results.run.id, model)
    return _decided(results.run.id, model, change.key, results, change)


def covered(results: Results, model: str, change: Adjustment) -> sparse.csr_array:
    """Which rules of the model cover which rows of the run's table."""
    change = _normal(results.plan, model, change)
    return _covered(results.run.id, model, change.key, results, change)


@st.cache_resource(show_spinner=False, max_entries=MODELS_KEPT)
def _resolved(run_id: str, model: str, key: str, _results: Results, _change: Adjustment) -> Any:  # noqa: ARG001
    trained = _results.fair if model == FAIR else _results.rug
    options: dict[str, Any] = {"penalty": _change.penalty, "without": _change.without}
    if model == FAIR:
        options["epsilon"] = _change.epsilon
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)  # `fairness_.met` says it, and the page tells it
        return trained.refit(**options)


@st.cache_resource(show_spinner=False, max_entries=DECISIONS_KEPT)
def _decided(run_id: str, model: str, key: str, _results: Results, _change: Adjustment) -> np.ndarray:  # noqa: ARG001
    solved = with_adjustment(_results, model, _change)
    found: np.ndarray = solved.classes_[solved.decisions_for(covered(_results, model, _change)).class_code]
    return found


@st.cache_resource(show_spinner=False, max_entries=COVERED_KEPT)
def _covered(run_id: str, model: str, key: str, _results: Results, _change: Adjustment) -> sparse.csr_array:  # noqa: ARG001
    found: sparse.csr_array = with_adjustment(_results, model, _change).covering_rules(_results.data.X)
    return found
