"""What a visitor changed about the models of a run: another lambda, another epsilon, some rules left out.

Held per run and model as long as the browser tab, so that every page shows the same model; the sliders are in the
address too. The run itself is never changed.
"""

import json
from dataclasses import dataclass, replace
from hashlib import sha256

import streamlit as st

from rugboard.runs.plan import FAIR, RUG, Plan
from rugboard.runs.records import Run
from rugboard.runs.results import Results
from rugcore.rules import Rule, condition_to_dict
from rugcore.tables import plain_value

_ADJUSTMENTS, _WAS_READ = "_adjustments", "_address_was_read"


@dataclass(frozen=True)
class Adjustment:
    """What differs from the model as it was trained; nothing, by default."""

    penalty: float | None = None  # lambda; None: as trained
    epsilon: float | None = None
    without: tuple[Rule, ...] = ()  # left out, in the order in which a visitor did that

    @property
    def is_any(self) -> bool:
        return self != Adjustment()

    @property
    def cache_key(self) -> str:
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


def current(run_id: str, model: str) -> Adjustment:
    """What this visitor changed about a model ("rug" or "fair") of a run."""
    held = st.session_state.get(_ADJUSTMENTS, {})
    found = held.get((run_id, model), AS_TRAINED)
    return found if isinstance(found, Adjustment) else AS_TRAINED


def adjust(results: Results, model: str, new: Adjustment) -> None:
    """Remember it; values equal to the trained ones are no change."""
    held = dict(st.session_state.get(_ADJUSTMENTS, {}))
    held[results.run.id, model] = normal(results.plan, model, new)
    st.session_state[_ADJUSTMENTS] = held


def leave_out(results: Results, model: str, rule: Rule) -> None:
    adjust(results, model, current(results.run.id, model).leaving_out(rule))


def put_back(results: Results, model: str, rule: Rule) -> None:
    adjust(results, model, current(results.run.id, model).putting_back(rule))


def allowed_gap(results: Results) -> float:
    """The largest gap that this visitor allows."""
    changed = current(results.run.id, FAIR).epsilon
    return results.plan.epsilon if changed is None else changed


def normal(plan: Plan, model: str, new: Adjustment) -> Adjustment:
    """Without what is as in the training."""
    penalty = None if new.penalty == plan.penalty_of(model) else new.penalty
    epsilon = None if new.epsilon == plan.epsilon or model == RUG else new.epsilon
    return replace(new, penalty=penalty, epsilon=epsilon)


# -- the address -------------------------------------------------------------------------------------------

# What the sliders say, so that a link shows the same to a colleague; rules left out would make an endless address.
IN_ADDRESS = {(RUG, "penalty"): "rug_price", (FAIR, "penalty"): "fair_price", (FAIR, "epsilon"): "limit"}
MOST = {"penalty": 1e6, "epsilon": 1.0}


def read_address(run: Run | None) -> None:
    """When a visitor comes, the address decides; afterwards it follows."""
    if not st.session_state.get(_WAS_READ):
        st.session_state[_WAS_READ] = True
        if run is not None:
            _take_from_address(run.id, run.plan)


def write_address(run_id: str) -> None:
    for (model, name), word in IN_ADDRESS.items():
        value = getattr(current(run_id, model), name)
        if value is None:
            st.query_params.pop(word, None)
        elif st.query_params.get(word) != f"{value:g}":
            st.query_params[word] = f"{value:g}"


def _take_from_address(run_id: str, plan: Plan) -> None:
    held = dict(st.session_state.get(_ADJUSTMENTS, {}))
    for (model, name), word in IN_ADDRESS.items():
        value = _number(st.query_params.get(word, ""), MOST[name])
        if value is not None and model in plan.models:
            before = held.get((run_id, model), AS_TRAINED)
            held[run_id, model] = normal(plan, model, replace(before, **{name: value}))
    st.session_state[_ADJUSTMENTS] = held


def _number(text: str, most: float) -> float | None:
    """Within what a slider could say, or nothing: anybody can write an address."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= most else None
