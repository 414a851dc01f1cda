"""Report: a model on paper, for whoever must sign for it."""

from rugboard.report.statements_view import show_statements
from rugboard.report.view import show_report
from rugboard.runs.plan import FAIR, RUG
from rugboard.runs.results import Results
from rugboard.session import page
from rugboard.shell.choices import ask_one
from rugboard.shell.guard import guarded
from rugboard.shell.theme import name_of_model


@guarded
def main() -> None:
    page.title("Report", "A model on paper, for validators, auditors and the file.")
    results = page.results_or_stop()
    show_report(results, ask_model(results))
    show_statements(results)


def ask_model(results: Results) -> str:
    """The fair one first: it is usually the one to be released."""
    names = [name for name in (FAIR, RUG) if name in results.summaries]
    return ask_one("Model", names, "report_model", name_of_model)


main()
