"""Models that a person can read whole, beside the rules: which they are, what they are told, and what is proven."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from rugboard.runs.results import Results

SECONDS = 30  # for one of them, so that the page stays usable
COMPLEXITY = 20  # of a list: a rule costs one, and one for each of its conditions
BINOCT, GOSDT, STREED, LIST, FAIR_LIST, FAIR_TREE = "binoct", "gosdt", "streed", "list", "fair_list", "fair_tree"
# The integer program proves next to nothing beyond two questions.
DEPTHS = {BINOCT: 2, GOSDT: 3, STREED: 3, FAIR_TREE: 3}
PACKAGES = {GOSDT: "gosdt", STREED: "pystreed", FAIR_TREE: "pystreed"}
READABLE = (LIST, FAIR_LIST, BINOCT, GOSDT, STREED, FAIR_TREE)
LISTS = (LIST, FAIR_LIST)
FAIR_SETTINGS = ("fairness", "epsilon", "positive_class")

# The notions that each of the fair ones can keep to.
NOTIONS = {FAIR_LIST: ("dmc", "eop"), FAIR_TREE: ("eop", "demographic_parity")}


@dataclass(frozen=True)
class Proof:
    """How good a model is on the training rows, and how good any of its kind could be at most."""

    loss: float
    lower_bound: float
    stop_reason: str  # "" of a list

    def in_words(self, model: str) -> str:
        kind, what = ("list", "as short") if model in LISTS else ("tree", f"of at most {DEPTHS[model]} questions")
        if model in (FAIR_LIST, FAIR_TREE):
            what += " within the gap"
        counted = " A row that it wrongly covers counts once per rule." if model in LISTS else ""
        if self.stop_reason == "too large":
            return (
                "Not proven to be good: the table is too large for the search, and this is the tree that asks the best "
                "next question each time."
            )
        if model == GOSDT and self.stop_reason == "optimal":
            return f"Proven the best {kind} {what}, if every leaf is counted as one mistake more."
        if self.loss <= self.lower_bound + 0.5:
            return f"Proven: no {kind} {what} makes fewer mistakes on the training rows than its {self.loss:,.0f}."
        least = f"every {kind} {what} makes at least {self.lower_bound:,.0f}"
        return f"It makes {self.loss:,.0f} mistakes on the training rows; {least}, as far as proven.{counted}"

    @classmethod
    def of(cls, model: Any) -> "Proof":
        return cls(float(model.loss_), float(model.lower_bound_), getattr(model, "stop_reason_", ""))


def offered(results: Results) -> tuple[str, ...]:
    """Those that this run can be compared with, whether or not their packages are installed."""
    n_groups = 0 if results.data.groups is None else results.data.groups.nunique()
    is_binary, notion = len(results.outcomes) == 2, results.plan.fairness
    fits = {
        LIST: is_binary,
        FAIR_LIST: is_binary and n_groups >= 2 and notion in NOTIONS[FAIR_LIST],
        FAIR_TREE: is_binary and n_groups == 2 and notion in NOTIONS[FAIR_TREE],
    }
    return tuple(model for model in READABLE if fits.get(model, True))


def is_installed(model: str) -> bool:
    return model not in PACKAGES or find_spec(PACKAGES[model]) is not None


def made(results: Results) -> dict[str, Any]:
    """Untrained, by name; only those whose packages are there."""
    from rugcore.comparison import BinOCTClassifier, BooleanRulesClassifier, GOSDTClassifier, STreeDClassifier

    limit: dict[str, Any] = {"time_limit": float(SECONDS)}
    fair: dict[str, Any] = {name: results.plan.fair_settings()[name] for name in FAIR_SETTINGS}
    # Rules for the rarer outcome are the better list; where only one outcome is looked at, rules must speak for that.
    towards = fair | ({"positive_class": None} if results.plan.fairness == "dmc" else {})
    makers: dict[str, Callable[[], Any]] = {
        LIST: lambda: BooleanRulesClassifier(COMPLEXITY, **limit),
        FAIR_LIST: lambda: BooleanRulesClassifier(COMPLEXITY, **limit, **towards),
        BINOCT: lambda: BinOCTClassifier(DEPTHS[BINOCT], **limit),
        GOSDT: lambda: GOSDTClassifier(DEPTHS[GOSDT], **limit),
        STREED: lambda: STreeDClassifier(DEPTHS[STREED], **limit),
        FAIR_TREE: lambda: STreeDClassifier(DEPTHS[FAIR_TREE], **limit, **fair),
    }
    return {model: makers[model]() for model in offered(results) if is_installed(model)}
