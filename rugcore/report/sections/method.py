"""How the model was learned and how it decides: parameters, seed, rounds, and a proof of optimal weights."""

from typing import Any

from rugcore.generation.loop import PROVED
from rugcore.lp.certificate import TOLERANCE, Certificate
from rugcore.report.blocks import Block, Column, Facts, Grid, Heading, Paragraph
from rugcore.report.evidence import Evidence
from rugcore.report.formats import counted, number, percent
from rugcore.report.sections.common import faint, missing, outcome

MEANINGS = {
    "max_depth": "most conditions of a rule",
    "penalty": "price of a rule against a mistake (lambda)",
    "max_iter": "most rounds of looking for rules",
    "rule_cost": "what a rule costs: its length, or one",
    "weight_threshold": "rules below this share of the largest weight are left out",
    "pricing": "how new rules are looked for",
    "loss": "how mistakes are counted with three or more classes",
    "min_support": "fewest training rows behind a rule; none: by the size of the table",
    "special_values": "numbers that are no amounts",
    "monotonic_cst": "directions that no rule goes against",
    "positive_class": "the outcome that serves people well",
    "solver": "of the linear program",
    "time_limit": "seconds",
    "random_state": "seed",
    "fairness": "what is compared between groups",
    "epsilon": "largest gap that was asked for",
    "guarantee": "how the gap is bounded",
    "confidence": "of an assured gap",
    "validation_fraction": "of earlier versions; has no effect",
    "min_cell_size": "fewest rows of a rate that is compared",
}
NOT_SHOWN = ("callback",)
STOPPED = {
    "converged": "no better rule was found",
    "max_iter": "the most rounds were reached",
    "held_out": "more rounds did worse on rows held out",
    "time_limit": "the time was up",
    "callback": "somebody stopped it",
}


def method(evidence: Evidence) -> tuple[Block, ...]:
    return (
        Heading("How it decides"),
        Paragraph(_how(evidence)),
        Heading("How it was learned"),
        Paragraph(_learned(evidence)),
        _parameters(evidence),
        Heading("Rounds"),
        *_rounds(evidence),
        Heading("Optimality certificate"),
        *_certificate(evidence),
    )


def _how(evidence: Evidence) -> str:
    model = evidence.model
    usual, default = outcome(model.classes_[int(model.class_share_.argmax())]), outcome(model.default_class_)
    without = (
        f"Where no rule applies, or the sums are equal, the more common outcome is taken (here: {usual})"
        if default == usual
        else f"Where no rule applies, {default} is decided, which is most common among such people; where sums are "
        "equal, the more common outcome of the two"
    )
    return (
        "The model is a list of if-then rules, each with a weight and the outcome that it votes for. All rules that "
        "apply to a person vote; the outcome with the larger sum of weights is decided. Nothing else has a say. "
        f"{without}. Either way the person needs manual review."
    )


def _learned(evidence: Evidence) -> str:
    text = (
        "A linear program finds the weights: it weighs the losses on the training rows against the price of the rules. "
        "Its dual prices tell which further rules would lower the sum, and these are looked for round by round (column "
        "generation)."
    )
    if evidence.is_fair_model:
        text += " Training also bounds the gap between groups; the section on fairness says what was asked and reached."
    return text


def _parameters(evidence: Evidence) -> Grid:
    given = {name: own for name, own in evidence.model.get_params().items() if name not in NOT_SHOWN}
    rows = tuple((name, _parameter(name, own), MEANINGS.get(name, "")) for name, own in sorted(given.items()))
    return Grid("Parameters", (Column("Parameter", width=0.9), Column("Value", width=1.3), Column("Meaning")), rows)


def _parameter(name: str, value: Any) -> str:
    if name != "monotonic_cst" or not isinstance(value, dict):
        return _shown(value)
    return "; ".join(f"{column}: {_direction(own)}" for column, own in value.items())


def _direction(own: Any) -> str:
    """A sign, or categories from the worst to the best."""
    if isinstance(own, int | float):
        return {1: "more helps", -1: "more harms"}.get(int(own), "none")
    return f"from worst to best {', '.join(map(outcome, own))}"


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_shown(own)}" for name, own in value.items())
    return number(value) if isinstance(value, float) else str(value)


def _rounds(evidence: Evidence) -> tuple[Block, ...]:
    model, history, bound = evidence.model, evidence.model.history_, evidence.model.lower_bound_
    facts = Facts(
        (
            (
                "Rounds",
                f"{model.n_iter_}; training ended because {STOPPED.get(model.stop_reason_, model.stop_reason_)}",
            ),
            ("Objective", number(float(model.objective_))),
            ("Lower bound", "not known: only exact pricing has one" if bound is None else number(bound)),
            *_proof(history[-1].optimality_gap if history else None),
            ("Solver", model.solver_),
        )
    )
    if len(history) < 2:
        return (facts,)
    table = Grid(
        "Rounds of training",
        (Column("Round", "count"), Column("Objective", "number"), Column("Rules in the program", "count")),
        tuple((place, float(own.objective), int(own.n_rules)) for place, own in enumerate(history, start=1)),
    )
    return facts, table, faint(_about_rounds(evidence))


def _about_rounds(evidence: Evidence) -> str:
    """Why the table does not end with the objective above it, and may be longer than max_iter."""
    text = (
        "The first round makes the rules that all others add to. After the last one, what rules do not need was taken "
        "out of them and the program solved again: its objective need not be that of the last round."
    )
    steered = [own.number for own in evidence.model.history_ if own.gap is not None]
    if steered and evidence.is_fair_model and evidence.model.guarantee != "proxy":
        text += (
            f" {counted(len(steered), 'round')} came on top, to find rules that bring the groups closer: groups and "
            "outcomes with the worse rate count more there, so that objectives are not comparable with those before."
        )
    return text


def _proof(gap: float | None) -> tuple[tuple[str, str], ...]:
    """What the lower bound says about the rules, if there is one."""
    if gap is None:
        return ()
    if gap <= PROVED:
        return (("Gap to the best possible", "none: no rules over deciles and categories have a lower objective"),)
    return (("Gap to the best possible", f"at most {percent(gap)} of the objective"),)


def _certificate(evidence: Evidence) -> tuple[Block, ...]:
    pool = getattr(evidence.model, "pool_", None)
    if pool is None:
        return (missing("Not worked out: it needs the pool file of the model, which was not there."),)
    found: Certificate = pool.certificate()
    verdict = "holds" if found.holds() else "does NOT hold"
    about = (
        "the weights of the linear program. Those of the model were then moved to bring the groups closer, and need "
        "not be optimal for the program"
        if not _are_of_program(pool)
        else "the weights of the model, before rules below the threshold are left out"
    )
    return (
        Paragraph(
            f"The certificate {verdict}. By duality, no other weights of the {counted(len(pool.candidates), 'rule')} "
            "that "
            f"were found are better. It is worked out from the data, without trusting the solver, and is about {about}."
        ),
        Facts(
            (
                ("Primal violation", f"{abs(found.primal_violation):.1e}"),
                ("Dual violation", f"{abs(found.dual_violation):.1e}"),
                ("Gap between primal and dual", f"{abs(found.gap):.1e}"),
                ("Largest that passes", f"{TOLERANCE:.0e}"),
            )
        ),
        faint("It says nothing about rules that were never found; only exact pricing gives a bound on those."),
    )


def _are_of_program(pool: Any) -> bool:
    return bool((pool.rule_weight == pool.solution.rule_weight).all())
