"""What is odd about a table: counts, and remarks with what to do about them."""

import streamlit as st

from rugboard.setup import table_summary
from rugboard.setup.drafts import ColumnChoices
from rugboard.setup.table_summary import TableHealth
from rugboard.shell.formats import counted
from rugboard.shell.text import plain
from rugcore.data_quality import QUESTIONS, Finding
from rugcore.dictionary import DataDictionary

MOST_REMARKS = 6  # more are not all shown at once
WARNING, QUESTION, NOTE = ":orange[:material/warning:]", ":blue[:material/help:]", ":gray[:material/info:]"
MARKS = (WARNING, QUESTION, NOTE)


def show_health(health: TableHealth, chosen: ColumnChoices, dictionary: DataDictionary) -> None:
    st.subheader("4 · Health", anchor=False)
    counts = (
        counted(sum(column.missing_share > 0 for column in health.columns), "column") + " with blanks",
        f"{sum(column.n_distinct <= 1 for column in health.columns)} with one value",
        counted(health.n_duplicates, "repeated row"),
        counted(len(set(health.doubtful())), "doubtful column"),
    )
    st.caption(
        " · ".join(counts),
        help="Repeated rows equal an earlier one. Doubtful are identifiers, columns that tell the outcome, "
        "dates, and empty ones: they are left out unless you tick them.",
    )
    show_remarks(table_summary.remarks(health, chosen, dictionary))


def show_remarks(found: tuple[Finding, ...]) -> None:
    """What matters most first; the rest is folded away."""
    if not found:
        st.caption(
            "Few blanks if any, no repeated rows, no identifiers, and no column that alone gives the outcome away."
        )
        return
    in_order = sorted(found, key=lambda finding: MARKS.index(mark_of(finding)))
    urgent = [finding for finding in in_order if mark_of(finding) != NOTE][:MOST_REMARKS]
    rest = [finding for finding in in_order if finding not in urgent]
    if urgent:
        with st.container(border=True, gap="small", key="remarks"):
            for finding in urgent:
                st.markdown(f"{mark_of(finding)} {plain(finding.sentence)}")
    if rest:
        with st.expander(counted(len(rest), "more remark" if urgent else "remark")):
            for finding in rest:
                st.markdown(f"{mark_of(finding)} {plain(finding.sentence)}")


def mark_of(finding: Finding) -> str:
    if finding.severity == "warning":
        return WARNING
    return QUESTION if finding.topic in QUESTIONS else NOTE
