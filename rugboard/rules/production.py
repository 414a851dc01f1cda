"""Files with which other systems decide as the model does."""

from typing import Any

import streamlit as st

from rugboard.runs.results import Results
from rugboard.session import adjusted_models
from rugboard.shell.downloads import file_part, show_file, withdraw_file
from rugboard.shell.text import named, plain, value_in_words
from rugcore.errors import RugError
from rugcore.export import DIALECTS, FORMATS, default_class, export_file, refuse_export

FILE = "rules_export"
TABLE = "people"


def show_production(results: Results, model: str) -> None:
    """A choice of formats, one file, and what it does with blanks and where no rule applies."""
    solved = adjusted_models.now(results, model)
    with st.container(border=True, key="production"):
        to, options = ask_format(results, len(solved.classes_))
        st.markdown(says(solved))
        try:
            refuse_export(solved, to, **options)
        except RugError as error:
            withdraw_file(FILE)
            st.warning(plain(str(error)), icon=":material/warning:")
            return
        dialect, table, positive_class = (options.get(name) for name in ("dialect", "table", "positive_class"))
        show_file(
            file_label(to, table),
            lambda: export_file(solved, to, dialect=dialect, table=table, positive_class=positive_class),
            f"{file_part(results.run.name)}-{model}{FORMATS[to].ending}",
            FILE,
            help_text="With the present weights. The file names its model and brings 100 test cases with their "
            "answers, taken from nobody.",
        )


def ask_format(results: Results, n_classes: int) -> tuple[str, dict[str, Any]]:
    """Which format, and what else it wants to know."""
    formats = [name for name in FORMATS if name != "scorecard" or n_classes == 2]
    first, second, third = st.columns(3)
    to = first.selectbox(
        "Format",
        formats,
        format_func=lambda name: FORMATS[name].name,
        key=f"export_format_{results.run.id}",
        persist_state="session",
    )
    if to == "scorecard":
        return to, {"positive_class": results.plan.favourable}
    if to != "sql":
        return to, {}
    dialect = second.selectbox(
        "Database",
        list(DIALECTS),
        format_func=lambda name: DIALECTS[name][0],
        key=f"export_dialect_{results.run.id}",
        persist_state="session",
    )
    table = third.text_input(
        "Table", TABLE, key=f"export_table_{results.run.id}", max_chars=200, persist_state="session"
    )
    return to, {"dialect": dialect, "table": table or ""}


def file_label(to: str, table: str | None) -> str:
    """It says which table a statement reads: a name that is still being typed is not in the file yet."""
    return f"Download {FORMATS[to].name}" + (f" for {named(table)}" if table else "")


def says(solved: Any) -> str:
    """What happens where rules have nothing to say, as the model does it."""
    default = named(value_in_words(default_class(solved)))
    return (
        "The file decides every row as this model does, without this dashboard. A blank meets a condition only where "
        f"the rule says so; where no rule applies, the decision is {default}. Columns and values are called as on this "
        "page."
    )
