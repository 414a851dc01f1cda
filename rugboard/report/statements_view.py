"""What only people know about a model: fields on the page, kept with the run."""

import streamlit as st

from rugboard.people.person import Person
from rugboard.report import statements_file
from rugboard.runs.results import Results
from rugboard.session import server, state
from rugboard.shell.formats import percent
from rugboard.shell.guard import guarded
from rugboard.shell.text import plain
from rugcore.errors import InputError
from rugcore.report import THRESHOLDS, TOPICS, Statements

PARTS: dict[str, tuple[str, ...]] = {
    "What it is for": ("owner", "purpose", "users", "limits"),
    "Where the data comes from": ("origin", "period", "exclusions"),
    "Who watches over it": ("oversight", "overrides", "monitoring"),
}
LONGEST = 20_000
HEIGHT = 100  # pixels
WITHOUT_GROUPS = tuple(name for name in THRESHOLDS if name != "gap")


@guarded
def show_statements(results: Results) -> None:
    """The fields; both models of a run share them."""
    st.subheader("What only people know", anchor=False)
    st.caption("Kept with the run, for everybody who opens it. Fields that stay empty are named as open in the report.")
    try:
        shown = _shown(results)
    except InputError as error:
        st.error(plain(error), icon=":material/error:")
        return
    is_reader = not server.may_change(results)
    _show_conflict(results)
    with st.form("statements", border=False):
        texts = _ask_texts(results, shown, is_reader)
        thresholds = _ask_thresholds(results, shown, is_reader)
        if is_reader:
            st.caption("Only the owner of the run can write here.")
        if st.form_submit_button("Keep", icon=":material/check:", key="keep_statements", disabled=is_reader):
            _keep(results, shown, texts, thresholds)


def _shown(results: Results) -> Statements:
    """What this visitor saw when the page was opened: what differs from it is their change, whoever wrote since."""
    visit, said = st.session_state.get(_key(results, "shown"), (None, None))
    if visit != state.visit() or said is None:
        said = statements_file.read(results.folder).said
        st.session_state[_key(results, "shown")] = state.visit(), said
    return said


def _key(results: Results, name: str) -> str:
    return f"statement_{results.run.id}_{name}"


def _ask_texts(results: Results, shown: Statements, is_reader: bool) -> dict[str, str]:
    given = {}
    for part, topics in PARTS.items():
        n_said = sum(bool(shown.about(topic)) for topic in topics)
        with st.expander(f"{part} · {n_said} of {len(topics)}", expanded=part == next(iter(PARTS))):
            for topic in topics:
                given[topic] = st.text_area(
                    TOPICS[topic].title,
                    shown.about(topic),
                    key=_key(results, topic),
                    placeholder=TOPICS[topic].question,
                    max_chars=LONGEST,
                    height=HEIGHT,
                    disabled=is_reader,
                )
    return given


def _ask_thresholds(results: Results, shown: Statements, is_reader: bool) -> dict[str, float | None]:
    """In percent; what is left empty is proposed by the report."""
    names = WITHOUT_GROUPS if results.data.groups is None else tuple(THRESHOLDS)
    given: dict[str, float | None] = {}
    with st.expander(f"When somebody acts · {len(shown.thresholds)} of {len(names)}"):
        st.caption("In percent, of the gap in points. Left empty, the report proposes the bound of the test rows.")
        for place, name in zip(st.columns(len(names)), names, strict=True):
            share = shown.thresholds.get(name)
            number = place.number_input(
                THRESHOLDS[name],
                min_value=0.0,
                max_value=100.0,
                value=None if share is None else round(100 * share, 4),
                step=1.0,
                key=_key(results, name),
                placeholder="proposed",
                disabled=is_reader,
            )
            given[name] = None if number is None else round(number / 100, 6)
    return given


Conflict = tuple[
    statements_file.WrittenMeanwhileError, Statements
]  # the last one, and what the visitor has seen by now


def _conflict(results: Results) -> Conflict | None:
    """Of this visit: whoever comes back begins with what stands there."""
    visit, found = st.session_state.get(_key(results, "meanwhile"), (None, None))
    return found if visit == state.visit() else None


def _see(results: Results, seen: Statements, error: statements_file.WrittenMeanwhileError) -> None:
    """What others wrote at the same places is shown now, so that pressing again is knowingly done."""
    texts = {**seen.texts, **{name: error.said.about(name) for name in error.names if name in TOPICS}}
    thresholds = {name: share for name, share in seen.thresholds.items() if name not in error.names}
    thresholds |= {name: share for name, share in error.said.thresholds.items() if name in error.names}
    conflict: Conflict = error, Statements(texts, thresholds)
    st.session_state[_key(results, "meanwhile")] = state.visit(), conflict


def _show_conflict(results: Results) -> None:
    """Until it is kept: both texts are on the screen, and nobody's is lost."""
    found = _conflict(results)
    if found is None:
        return
    error = found[0]
    lines = [f"{statements_file.title_of(name)}: {_written(error.said, name)}" for name in error.names]
    parts = [f"{error} There stands now:", *lines, "Your words are still in the fields. Bring both together, and keep."]
    st.warning("\n\n".join(plain(part) for part in parts), icon=":material/group:")


def _written(said: Statements, name: str) -> str:
    if name in TOPICS:
        return said.about(name) or "nothing"
    share = said.thresholds.get(name)
    return "nothing" if share is None else percent(share)


def signature(person: Person) -> str:
    """Who wrote it, where people sign in; elsewhere nobody knows."""
    return "" if person.sees_all else f"{person.name} ({person.id})"


def _keep(results: Results, shown: Statements, texts: dict[str, str], thresholds: dict[str, float | None]) -> None:
    """Only what this visitor changed: somebody else may have written another field meanwhile."""
    new_texts = {topic: text for topic, text in texts.items() if text.strip() != shown.about(topic)}
    new_shares = {name: share for name, share in thresholds.items() if share != shown.thresholds.get(name)}
    server.store().refuse_unless_own(results.run.id)
    conflict = _conflict(results)
    seen = shown if conflict is None else conflict[1]
    try:
        statements_file.keep(results.folder, new_texts, new_shares, signature(server.store().person), seen)
    except statements_file.WrittenMeanwhileError as error:
        _see(results, seen, error)
        st.rerun()
    except (InputError, OSError) as error:
        st.error(f"This cannot be kept: {plain(error)}", icon=":material/error:")
        return
    for name in ("shown", "meanwhile", *TOPICS, *THRESHOLDS):  # the fields begin anew, with what others wrote meanwhile
        st.session_state.pop(_key(results, name), None)
    st.toast("Kept with the run.", icon=":material/check:")
    st.rerun()
