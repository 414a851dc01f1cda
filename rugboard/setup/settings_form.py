"""The settings of a training run, each with one line of help in plain words."""

import streamlit as st

from rugboard.runs.plan import EXACT, FAIRNESS_NOTIONS, GUARANTEES, PROXY, SECONDS_TO_SEARCH, TREES
from rugboard.setup import current_draft, directions_view
from rugboard.setup.drafts import Draft, TrainingSettings
from rugboard.shell.formats import duration, percent, points, short
from rugboard.shell.notions import NOTION_HELP, NOTION_NAMES
from rugboard.shell.sliders import GAPS, PRICES, steps_with
from rugboard.shell.text import named, value_in_words
from rugcore.fair_training import STEERING_ROUNDS
from rugcore.fairness import notion_of

RULE_COSTS = {"length": "its number of conditions", "unit": "the same for every rule"}
PRICINGS = {TREES: "By trees", EXACT: "Trees, then a proof"}
SOLVERS = {"auto": "The best one here", "highs": "HiGHS", "gurobi": "Gurobi (needs a licence)"}
GUARANTEE_NAMES = {
    "realised": "On the decisions themselves",
    "confident": "On new people, tested with 95 % confidence",
    "proxy": "On the loss of the linear program",
}
MOST_ROUNDS = 200
LONGEST_RULE = 10


def key(name: str) -> str:
    return f"{name}-{current_draft.draft_number()}"


def ask_settings(draft: Draft, start: TrainingSettings, n_outcomes: int) -> TrainingSettings:
    """All settings, which begin as `start` says; those that few people touch are folded away."""
    has_groups = bool(draft.columns.sensitive)
    max_depth = st.slider(
        "Longest rule, in conditions",
        1,
        LONGEST_RULE,
        start.max_depth,
        key=key("max_depth"),
        persist_state="session",
        help="The most conditions that a rule may have (depth). Longer rules fit better and are harder to read.",
    )
    penalty = st.select_slider(
        "Price of a rule: the higher, the fewer rules",
        steps_with(PRICES, start.penalty),
        start.penalty,
        short,
        key=key("penalty"),
        persist_state="session",
        help="A rule is learned only if it saves mistakes worth more than its price (lambda).",
    )
    keep_directions = directions_view.ask_directions(draft.with_settings(start), n_outcomes)
    train_fair, epsilon, fairness = _ask_fairness(start, has_groups, draft.columns.favourable)
    with st.expander("Advanced"):
        guarantee = _ask_guarantee(start, fairness) if has_groups and train_fair else start.guarantee
        pricing = _ask_pricing(start)
        max_iter, rule_cost = _ask_search(start)
        min_support = _ask_support(start)
        solver, time_limit = _ask_solver(start)
        test_share, split_seed = _ask_split(start)
    return TrainingSettings(
        max_depth=max_depth,
        penalty=penalty,
        max_iter=max_iter,
        rule_cost=rule_cost,
        pricing=pricing,
        min_support=min_support,
        solver=solver,
        time_limit=time_limit,
        train_fair=train_fair,
        fairness=fairness,
        epsilon=epsilon,
        guarantee=guarantee,
        test_share=test_share,
        split_seed=split_seed,
        keep_directions=keep_directions,
    )


def _ask_fairness(start: TrainingSettings, has_groups: bool, favourable: object) -> tuple[bool, float, str]:
    if not has_groups:
        st.caption("Only RUG is trained: without a sensitive attribute there are no groups to treat alike.")
        return start.train_fair, start.epsilon, start.fairness
    train_fair = st.toggle(
        "Train FairRUG as well",
        start.train_fair,
        key=key("train_fair"),
        persist_state="session",
        help="A second model that keeps the groups close to each other in what must be alike.",
    )
    if not train_fair:
        return False, start.epsilon, start.fairness
    epsilon = st.select_slider(
        "Largest allowed gap",
        steps_with(GAPS, start.epsilon),
        start.epsilon,
        points,
        key=key("epsilon"),
        persist_state="session",
        help="Epsilon: how far two groups may lie apart in what must be alike, in percentage points.",
    )
    fairness = st.selectbox(
        "What must be alike",
        FAIRNESS_NOTIONS,
        FAIRNESS_NOTIONS.index(start.fairness),
        NOTION_NAMES.__getitem__,
        key=key("fairness"),
        persist_state="session",
        help="  \n".join(NOTION_HELP.values()),
    )
    st.caption(_notion_in_words(str(fairness), favourable))
    return True, float(epsilon), str(fairness)


def _notion_in_words(notion: str, favourable: object) -> str:
    return f"{notion_of(notion).asked(named(value_in_words(favourable)))}."


def _ask_guarantee(start: TrainingSettings, fairness: str) -> str:
    """The paper's constraint is about losses: it is not there for notions that are not."""
    offered = [name for name in GUARANTEES if name != PROXY or notion_of(fairness).bounds_losses]
    return st.radio(
        "Where the gap is held",
        offered,
        offered.index(start.guarantee) if start.guarantee in offered else 0,
        GUARANTEE_NAMES.__getitem__,
        key=key("guarantee" if PROXY in offered else "guarantee_of_decisions"),
        persist_state="session",
        help="On the decisions (“realised”): the limit holds for how training rows are decided; takes longer. On new "
        "people (“confident”): two fifths of the training rows are kept apart and test the model. If it passes, the "
        "gap on new people from the same source is within the limit, with 95 % confidence; if not, you are told what "
        "can be assured, and how many people it would take. Small tables hardly ever pass. On the loss (“proxy”): it "
        "holds inside the linear program, as in the paper; decisions may then differ by more.",
    )


def _ask_pricing(start: TrainingSettings) -> str:
    pricing = st.selectbox(
        "How rules are found",
        list(PRICINGS),
        list(PRICINGS).index(start.pricing),
        PRICINGS.__getitem__,
        key=key("pricing"),
        persist_state="session",
        help="The search looks at all rules over deciles and categories, until it has proved that none are better, or "
        f"until the time is up ({duration(SECONDS_TO_SEARCH)} unless you set a limit). Then it says how far the rules "
        "may be from the best. The most rounds are those of trees, and a rule may rest on few people.",
    )
    return str(pricing)


def _ask_search(start: TrainingSettings) -> tuple[int, str]:
    rounds = st.number_input(
        "Most rounds",
        0,
        MOST_ROUNDS,
        min(start.max_iter, MOST_ROUNDS),
        key=key("max_iter"),
        persist_state="session",
        help="How often new rules are looked for (column generation). More rounds: better rules, more time. FairRUG "
        f"may add up to {STEERING_ROUNDS} to even out the groups; RUG may then take as many.",
    )
    cost = st.selectbox(
        "What a rule costs",
        list(RULE_COSTS),
        list(RULE_COSTS).index(start.rule_cost),
        RULE_COSTS.__getitem__,
        key=key("rule_cost"),
        persist_state="session",
        help="Rule cost: by length, short rules are preferred; by unit, few rules are.",
    )
    return int(rounds), str(cost)


def _ask_support(start: TrainingSettings) -> float | None:
    support = st.number_input(
        "Fewest people behind a rule",
        1.0,
        None,
        start.min_support,
        step=1.0,
        format="%.0f",
        key=key("min_support"),
        persist_state="session",
        placeholder="by the size of the table",
        help="A rule about a handful of people tells more about them than about the next applicant. Empty: 1 in 100 "
        "training rows, but 5 to 20 are enough.",
    )
    return None if support is None else float(support)


def _ask_solver(start: TrainingSettings) -> tuple[str, float | None]:
    solver = st.selectbox(
        "Solver",
        list(SOLVERS),
        list(SOLVERS).index(start.solver),
        SOLVERS.__getitem__,
        key=key("solver"),
        persist_state="session",
        help="The program that solves the linear programs. The result is equally good with each.",
    )
    limit = st.number_input(
        "Time limit per model, in seconds",
        1.0,
        None,
        start.time_limit,
        step=10.0,
        placeholder="none",
        key=key("time_limit"),
        persist_state="session",
        help="Stops between rounds with the best rules so far. Empty: no limit.",
    )
    return str(solver), None if limit is None else float(limit)


def _ask_split(start: TrainingSettings) -> tuple[float, int]:
    share = st.select_slider(
        "Rows held out for the test",
        steps_with((0.1, 0.2, 0.3, 0.4, 0.5), start.test_share),
        start.test_share,
        percent,
        key=key("test_share"),
        persist_state="session",
        help="The training never sees them; the models are judged on them.",
    )
    seed = st.number_input(
        "Seed",
        0,
        2**32 - 1,
        start.split_seed,
        key=key("split_seed"),
        persist_state="session",
        help="Decides which rows are held out. The same seed gives the same rows and the same model.",
    )
    return float(share), int(seed)
