"""How often the model is right on rows that it never saw, against other models, and whether its chances are honest."""

from typing import Any

import numpy as np

from rugcore.comparison import paired
from rugcore.fairness import notion_of
from rugcore.report.blocks import Block, ChartMark, Column, Grid, Heading, Interval, Paragraph, Picture, Value
from rugcore.report.evidence import MODEL_COLOUR, OTHER_COLOUR, Evidence, OtherModel
from rugcore.report.formats import count, counted, percent
from rugcore.report.sections.common import (
    FEWEST_TOLD,
    UNTOLD,
    faint,
    known,
    lines_of,
    missing,
    outcome,
    people,
    share_of,
    untold,
)

N_BINS = 10
FEW_ALIKE = (
    f"Fewer than {FEWEST_TOLD} people are not counted, nor is told what happened to them, because somebody could "
    "know them; nor to the next "
    "larger number where the total would give them away."
)
LATER = (
    "Not worked out: no newer rows were held against the model. As far as is recorded, the test rows are of the same "
    "source and time as the training rows, so that nothing is known about a changed population. Newer rows can be "
    "held against the model on the page New cases, or with the command “monitor”."
)
ChanceLine = tuple[str, float, int | None, Interval]  # what was said, its mean, people, whom it happened to
OWN, OTHERS = "this model", "others"


def performance(evidence: Evidence) -> tuple[Block, ...]:
    n, n_right = len(evidence.test), int(evidence.is_right.sum())
    usual = baseline(evidence)
    n_usual = int((usual.decided == evidence.truth).sum())
    return (
        Paragraph(
            f"Of {count(n)} test people {count(n_right)} were decided as the data says: "
            f"{percent(n_right / n)}. Deciding “{usual.name.removeprefix('Always ')}” for everybody would be right for "
            f"{percent(n_usual / n)}."
        ),
        Heading("Against other models"),
        *_against(evidence, usual),
        Heading("Which mistakes"),
        _confusion(evidence),
        Heading("Chances"),
        *_chances(evidence),
        Heading("Later people"),
        *_later(evidence),
    )


def _later(evidence: Evidence) -> tuple[Block, ...]:
    newer = evidence.newer
    if newer is None:
        return (missing(LATER),)
    what = "Nothing that asks for a closer look was found. " if newer.found.is_steady else ""
    text = f"Newer people ({newer.name}) were held against the model. {what}The section “Monitoring” has the rest."
    return (Paragraph(text),)


def baseline(evidence: Evidence) -> OtherModel:
    """No model: the most common outcome of the training rows for everybody."""
    label = evidence.model.classes_[int(evidence.model.class_share_.argmax())]
    decided = np.full(len(evidence.test), label, dtype=object)
    return OtherModel(f"Always {outcome(label)}", decided, "nothing to read")


# -- against others ----------------------------------------------------------------------------------------


def _against(evidence: Evidence, usual: OtherModel) -> tuple[Block, ...]:
    own = OtherModel(
        f"{evidence.identity.kind} ({OWN})",
        evidence.decided,
        counted(len(evidence.model.rules_), "rule"),
        *own_scores(evidence),
    )
    outside = () if evidence.outside is None else (evidence.outside.as_other,)
    others = [usual, *outside, *(evidence.others or ())]
    measured = [own, *(other for other in others if not other.why_not)]
    table = Grid(
        f"Right decisions on the {count(len(evidence.test))} test rows",
        (
            Column("Model", width=1.7),
            Column("Right", "percent interval", 1.5),
            Column("F1, macro", "number", 0.7),
            Column("AUC", "number", 0.6),
            Column("To read", width=1.0),
            *((Column("Gap, points", "points", 0.6),) if evidence.has_groups else ()),
            Column("Against this model", width=1.5),
        ),
        tuple(_line(evidence, model, is_own=model is own) for model in measured),
    )
    failed = [missing(f"{other.name} was not measured: {other.why_not}") for other in others if other.why_not]
    lacking = (
        ()
        if evidence.others is not None
        else (missing("Not worked out: other models need the training rows. Name them with --training FILE."),)
    )
    return (_accuracies(evidence, measured), table, faint(TEST), *failed, *lacking)


TEST = (
    "Intervals are Wilson's, with 95 % confidence. Two models are held against each other on the same rows with "
    "McNemar's exact test: of two equally good models, one pair in twenty would differ as much as “clearly”."
)


def own_scores(evidence: Evidence) -> tuple[float, float]:
    """F1 and AUC by the same function as those of the others."""
    from rugcore.comparison import compare

    rows, own = evidence.test, {"own": evidence.model}
    row = next(iter(compare(own, None, None, rows.X, rows.y, positive_class=evidence.favourable)))
    return row.f1_macro, row.auc


def _line(evidence: Evidence, model: OtherModel, is_own: bool) -> tuple[Any, ...]:
    is_right = model.decided == evidence.truth
    share = share_of(int(is_right.sum()), len(is_right))
    versus = "" if is_own else _versus(evidence.is_right, is_right)
    gap = (_gap(evidence, model),) if evidence.has_groups else ()
    return model.name, share, known(model.f1_macro), known(model.auc), model.size or "not known", *gap, versus


def _gap(evidence: Evidence, model: OtherModel) -> float | None:
    """The largest gap between groups, of the kind that the report is about."""
    found, name = evidence.audit_of(model.decided), notion_of(evidence.fairness).name
    line = None if found is None else lines_of(found.gaps).get(name)
    return None if line is None else known(line["gap"])


def _versus(own: np.ndarray, other: np.ndarray) -> str:
    found = paired(other, own)
    if not found.only_first and not found.only_second:
        return "right on the same rows"
    if not found.difference:
        return "equally often right"
    points = f"{100 * found.difference:+.1f} points"
    return f"{points}, may be chance" if found.may_be_chance else f"{points}, clearly"


def _accuracies(evidence: Evidence, models: list[OtherModel]) -> Picture:
    marks = []
    for place, model in enumerate(models):
        share, lower, upper = share_of(int((model.decided == evidence.truth).sum()), len(evidence.test))
        marks.append(ChartMark(model.name, OTHERS if place else OWN, share or 0.0, lower, upper))
    return Picture(
        kind="intervals",
        title="Right decisions by model",
        alt="Dots with 95 % intervals: the share of test people that each model decides rightly.",
        unit="percent",
        axis="decided rightly, percent of the test rows",
        marks=tuple(marks),
        colours={OWN: MODEL_COLOUR, OTHERS: OTHER_COLOUR},
    )


# -- mistakes ----------------------------------------------------------------------------------------------


def _confusion(evidence: Evidence) -> Grid:
    classes = evidence.classes
    lines: list[tuple[Value, ...]] = []
    for label in classes:
        is_own = evidence.truth == label
        counts = [int((is_own & (evidence.decided == other)).sum()) for other in classes]
        lines.append((outcome(label), *counts, share_of(int((is_own & evidence.is_right).sum()), int(is_own.sum()))))
    return Grid(
        "True outcome (lines) against decision (columns), test rows",
        (
            Column("True outcome", width=1.4),
            *(Column(f"decided {outcome(label)}", "count") for label in classes),
            Column("Right", "percent interval", 1.5),
        ),
        tuple(lines),
    )


# -- chances -----------------------------------------------------------------------------------------------


def _chances(evidence: Evidence) -> tuple[Block, ...]:
    if evidence.model.chances_ is None:
        return (missing("This model file is of a version that knows no chances; train it again to have some."),)
    if len(evidence.classes) != 2:
        return (missing("The record of the chances is worked out for two outcomes only."),)
    place = [outcome(label) for label in evidence.model.classes_].index(outcome(evidence.favourable))
    chance = evidence.model.predict_proba(evidence.test.X)[:, place]
    happened = evidence.truth == evidence.favourable
    brier = float(np.mean((chance - happened) ** 2))
    usual = float(evidence.model.class_share_[place])
    plain = float(np.mean((usual - happened) ** 2))
    lines = tuple(_bins(chance, happened))
    return (
        Paragraph(
            f"The model also tells how likely “{outcome(evidence.favourable)}” is. The mean squared distance to what "
            f"happened (Brier score, less is better) is {brier:.3f}; saying the usual share for everybody would be "
            f"{plain:.3f}."
        ),
        _calibration(evidence, lines),
        Grid(
            "What was said, and what happened",
            (
                Column("Chance said", width=1.1),
                Column("On average", "percent"),
                Column("Test people", "count"),
                Column("Happened", "percent interval", 1.6),
            ),
            lines,
        ),
        *((faint(FEW_ALIKE),) if any(line[3] == UNTOLD for line in lines) else ()),
    )


def _bins(chance: np.ndarray, happened: np.ndarray) -> list[ChanceLine]:
    """Tenths of the chance; those without anybody are left out."""
    number = np.minimum((chance * N_BINS).astype(int), N_BINS - 1)
    found, counts = np.unique(number, return_counts=True)
    lines = []
    for own, n, is_untold in zip(found.tolist(), counts.tolist(), untold(counts.tolist()), strict=True):
        is_own = number == own
        words = f"{100 * own // N_BINS} to {100 * (own + 1) // N_BINS} %"
        share = UNTOLD if is_untold else share_of(int(happened[is_own].sum()), n)
        lines.append((words, float(chance[is_own].mean()), people(n), share))
    return lines


def _calibration(evidence: Evidence, lines: tuple[ChanceLine, ...]) -> Picture:
    told = [line for line in lines if line[3] != UNTOLD]
    happened = [ChartMark(words, "happened", own or 0.0, lower, upper) for words, _, _, (own, lower, upper) in told]
    said = [ChartMark(words, "said", mean) for words, mean, _, _ in told]
    return Picture(
        kind="intervals",
        title="Chances said and what happened",
        alt="By chance said, in tenths: the mean chance and the share of people to whom it happened, with intervals.",
        unit="percent",
        axis=f"share of {outcome(evidence.favourable)}, percent",
        marks=tuple(mark for pair in zip(said, happened, strict=True) for mark in pair),
        colours={"said": OTHER_COLOUR, "happened": MODEL_COLOUR},
    )
