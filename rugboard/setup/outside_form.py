"""The question about another model: which column holds its decision or score, where that is cut, and what follows."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from rugboard.session.server import store
from rugboard.setup.columns_form import Questions
from rugboard.setup.drafts import ColumnChoices, outside_column
from rugboard.shell.formats import percent
from rugboard.shell.text import brief, named, plain, value_in_words
from rugcore.dictionary import DataDictionary, value_text
from rugcore.errors import InputError
from rugcore.outside_models import OutsideModel, is_undecided, outcomes_in_words, read_outside, read_score

DECISIONS, SCORE = "decisions", "score"
KINDS = {DECISIONS: "Decisions", SCORE: "A score"}
STEPS = 100  # about as many as a slider can be set to with care
HALF = 0.5  # where a score from 0 to 1 is cut at first
WHAT = (
    "If the table says what another model decided, that model is audited beside the rules, and rules can learn to "
    "imitate it. No rule may use the column."
)


@dataclass(frozen=True)
class ScoreRange:
    """What a slider for a cut-off needs."""

    low: float
    high: float
    step: float
    digits: int
    start: float

    @classmethod
    def of(cls, score: np.ndarray) -> "ScoreRange":
        """From the lowest to the highest score in round steps; it starts in the middle of the people, or at a half."""
        lowest, highest = float(score.min()), float(score.max())
        power = math.floor(math.log10((highest - lowest) / STEPS))
        step, digits = 10.0**power, max(-power, 0)
        low, high = (round(side(bound / step) * step, digits) for side, bound in _bounds(lowest, highest))
        is_share = lowest >= 0 and highest <= 1
        middle = HALF if is_share and low < HALF < high else float(np.median(score))
        return cls(low, high, step, digits, min(max(round(middle, digits), low), high))


def _bounds(lowest: float, highest: float) -> tuple[tuple[Any, float], tuple[Any, float]]:
    return (math.floor, lowest), (math.ceil, highest)


def ask_outside(about: Questions, chosen: ColumnChoices, dictionary: DataDictionary) -> ColumnChoices:
    """Folded unless there is such a column: most tables have none."""
    before = outside_column(about.opening.columns)
    with st.expander("Another model's decisions, if the table has some", expanded=before is not None):
        column = _ask_column(about, chosen, dictionary)
        if column is None:
            st.caption(WHAT)
            return replace(chosen, outside=None, is_outside_refused=False)
        if chosen.favourable is None:
            st.caption("Say which outcome is the good one to go on.")
            return replace(chosen, outside=OutsideModel(column), is_outside_refused=False)
        return _asked_about(about, chosen, column, dictionary)


def _ask_column(about: Questions, chosen: ColumnChoices, dictionary: DataDictionary) -> str | None:
    names = [name for name in about.shape.columns if name != chosen.target and name not in chosen.sensitive]
    before = outside_column(about.opening.columns)
    return st.selectbox(
        "Which column holds what another model decided?",
        names,
        index=names.index(before) if before in names else None,
        format_func=lambda name: brief(dictionary.shown_name(name)),
        placeholder="None",
        key=f"{about.key('outside')}-{chosen.target}-{'-'.join(chosen.sensitive)}",
        persist_state="session",
        help="Its decisions, called as the outcomes are, or its score as a number.",
    )


def _asked_about(about: Questions, chosen: ColumnChoices, column: str, dictionary: DataDictionary) -> ColumnChoices:
    frame = _rows(about.snapshot, column, chosen.target or "")
    model = OutsideModel(column, skip_blanks=_ask_blanks(about, frame[column], dictionary))
    kept = frame[~is_undecided(frame[column], dictionary)] if model.skip_blanks else frame
    try:
        if _ask_kind(about, frame, column, chosen, dictionary) == SCORE:
            model = _ask_cut_off(about, kept, model, chosen, dictionary)
        show_effect(kept, model, chosen, dictionary)
    except InputError as error:
        st.error(plain(error), icon=":material/error:")
        return replace(chosen, outside=model, is_outside_refused=True)
    return replace(chosen, outside=model, is_outside_refused=False)


def _rows(snapshot: str, column: str, target: str) -> pd.DataFrame:
    """Those that a training would use."""
    frame = store().snapshots.load(snapshot, [column, target])
    return frame[frame[target].notna()]


def _ask_blanks(about: Questions, column: pd.Series, dictionary: DataDictionary) -> bool:
    """Nobody is left out unless somebody says so."""
    n_blank = int(is_undecided(column, dictionary).sum())
    if not 0 < n_blank < len(column):
        return False
    before = about.opening.columns.outside
    return st.checkbox(
        f"Leave the {n_blank:,} of {len(column):,} rows without a decision out of the run",
        value=before is not None and before.skip_blanks,
        key=f"{about.key('outside_blanks')}-{column.name}",
        persist_state="session",
        help="Both models are then judged on the same people.",
    )


def _ask_kind(
    about: Questions, frame: pd.DataFrame, column: str, chosen: ColumnChoices, dictionary: DataDictionary
) -> str:
    before = about.opening.columns.outside
    if before is not None and before.column == column:
        usual = SCORE if before.is_score else DECISIONS
    else:
        usual = SCORE if _looks_like_score(frame, column, chosen.target or "", dictionary) else DECISIONS
    found = st.segmented_control(
        "It holds",
        list(KINDS),
        default=usual,
        required=True,
        format_func=KINDS.__getitem__,
        key=f"{about.key('outside_kind')}-{column}",
        persist_state="session",
    )
    return str(found or usual)


def _looks_like_score(frame: pd.DataFrame, column: str, target: str, dictionary: DataDictionary) -> bool:
    """Numbers that are no outcomes."""
    if not pd.api.types.is_numeric_dtype(frame[column].dtype) or pd.api.types.is_bool_dtype(frame[column].dtype):
        return False
    outcomes = {*map(value_text, frame[target].unique()), *outcomes_in_words(frame, target, dictionary).map(value_text)}
    return not {value_text(value) for value in frame[column].dropna().unique()} <= outcomes


def _ask_cut_off(
    about: Questions, frame: pd.DataFrame, model: OutsideModel, chosen: ColumnChoices, dictionary: DataDictionary
) -> OutsideModel:
    """Which side is favourable is asked: of a score of risk, the high ones are refused."""
    good = named(value_in_words(chosen.favourable))
    before = about.opening.columns.outside
    before = before if before is not None and before.column == model.column and before.is_score else None
    score = read_score(frame.loc[~is_undecided(frame[model.column], dictionary), model.column])
    side, cut = st.columns([1, 1.6], gap="large")
    with side:
        is_high = st.radio(
            f"Who is {good}",
            [True, False],
            index=0 if before is None or before.high_is_good else 1,
            format_func=lambda high: "from the cut-off up" if high else "below the cut-off",
            key=f"{about.key('outside_side')}-{model.column}",
            persist_state="session",
            help="Of a score of risk it is those below.",
        )
    with cut:
        own = ScoreRange.of(score)
        cut_off = st.slider(
            "Cut-off",
            own.low,
            own.high,
            own.start if before is None or before.cut_off is None else min(max(before.cut_off, own.low), own.high),
            own.step,
            f"%.{own.digits}f",
            key=f"{about.key('outside_cut')}-{model.column}",
            persist_state="session",
        )
    return replace(model, cut_off=float(cut_off), high_is_good=bool(is_high))


def show_effect(frame: pd.DataFrame, model: OutsideModel, chosen: ColumnChoices, dictionary: DataDictionary) -> None:
    """What it decides, at once."""
    target = chosen.target or ""
    decided = read_outside(frame, model, target, chosen.favourable, dictionary).decided
    outcomes = outcomes_in_words(frame, target, dictionary).to_numpy(dtype=object)
    is_good = (frame[target].astype(object) == chosen.favourable).to_numpy(dtype=bool)
    good = named(value_in_words(chosen.favourable))
    label = outcomes[is_good][0]
    st.markdown(
        f"The other model decides **{percent(float(np.mean(decided == label)))}** of {len(frame):,} people {good}; the "
        f"data says {percent(float(is_good.mean()))}. It decides as the data says for "
        f"{percent(float(np.mean(decided == outcomes)))}."
    )
    if len(set(decided)) == 1:
        st.warning(
            f"Everybody is decided {named(value_in_words(decided[0]))}: there is nothing to imitate. Move the cut-off.",
            icon=":material/tune:",
        )
