"""Where tables come from: the demos that ship with the project, files that a visitor uploads, and unfinished drafts."""

from dataclasses import dataclass, replace

from rugboard.runs import memory
from rugboard.runs.personal_store import PersonalSnapshots
from rugboard.session.cache import cached
from rugboard.session.server import store
from rugboard.setup import questions, table_summary
from rugboard.setup.demo_dictionaries import demo_dictionary
from rugboard.setup.drafts import ColumnChoices, Draft, TableChoice, TrainingSettings, usable_features
from rugcore import Dataset, list_demos, load_demo
from rugcore.dictionary import protected_by_name
from rugcore.readers import ReadTable, read_table_file

# The demos as a person would call them.
DEMO_TITLES = {
    "hmda": "Mortgages in Boston",
    "credit_data": "Consumer loans",
    "lending_club": "Lending Club loans",
    "adult": "Incomes in the US census",
    "compas": "Defendants in Florida (COMPAS)",
}
DEMOS_KEPT = 8
# On screen in seconds, and worth it: over ten splits (seeds 31 to 40) RUG with directions was right for 79.0 % of the
# test rows, always answering "good" for 71.8 %, and a decision tree with as many leaves as there are rules for 77.1 %
# (standard error of the difference 0.5).
FIRST_TRY = "credit_data"
ENOUGH = 500  # of its rows to have every outcome among them
FIRST_SETTINGS = TrainingSettings(max_depth=2, epsilon=0.05)
FIRST_GROUPS = {"age": (30.0, 45.0)}  # large enough to compare; some kinds of marital status are not


def demo_names() -> list[str]:
    return list_demos()


def demo_title(name: str) -> str:
    return DEMO_TITLES.get(name, name.replace("_", " "))


@cached(entries=DEMOS_KEPT)
def demo(name: str) -> Dataset:
    """Loaded once; nobody may change it."""
    return load_demo(name)


def demo_draft(name: str, settings: TrainingSettings = TrainingSettings()) -> Draft:  # noqa: B008 - frozen
    """Everything about a demo is known; a protected attribute is no reason for a decision unless somebody says so."""
    chosen = demo(name)
    table = TableChoice(_demo_snapshot(store().snapshots, name), demo_title(name), name)
    if not store().snapshots.exists(table.snapshot):  # it went with the last run that used it
        _demo_snapshot.clear()
        table = replace(table, snapshot=_demo_snapshot(store().snapshots, name))
    columns = ColumnChoices(
        target=chosen.target,
        favourable=chosen.favourable,
        sensitive=(chosen.sensitive,),
        kept_out=(*chosen.sensitive_options, *(name for name in chosen.X.columns if protected_by_name(name))),
    )
    return Draft(table, columns, settings, demo_dictionary(name))


def first_draft() -> Draft:
    """What one click on the first page trains."""
    draft = demo_draft(FIRST_TRY, FIRST_SETTINGS)
    columns = replace(draft.columns, sensitive=tuple(FIRST_GROUPS), bands=FIRST_GROUPS)
    return with_default_features(draft.with_columns(columns))


@cached(entries=2 * DEMOS_KEPT)
def _demo_snapshot(snapshots: PersonalSnapshots, name: str) -> str:
    chosen = demo(name)
    return snapshots.save_for_everybody(chosen.X.assign(**{chosen.target: chosen.y}))


@dataclass(frozen=True)
class Upload:
    """A file as it came, kept only while another sheet of it may be wanted."""

    name: str
    data: bytes
    sheets: tuple[str, ...]
    sheet: str | None


def read_upload(name: str, data: bytes, sheet: str | None = None) -> tuple[Draft, Upload | None]:
    """A draft for the table in a file, and the file itself if it has more sheets than one.

    Columns that are protected by their names or values are no features unless somebody ticks them. Refused with
    one sentence if the file cannot be read for certain.
    """
    read: ReadTable = read_table_file(data, name, sheet=sheet)
    title = name if read.sheet is None or len(read.sheets) < 2 else f"{name}, {read.sheet}"
    kept = Upload(name, data, read.sheets, read.sheet) if len(read.sheets) > 1 else None
    choice = TableChoice(store().snapshots.save(read.frame, title), title, notes=read.notes)
    del read
    memory.give_back()  # a large file would stay in memory twice
    return Draft(choice, ColumnChoices(kept_out=table_summary.protected(choice.snapshot))), kept


def with_default_features(draft: Draft) -> Draft:
    """The draft with the features that the page Data would suggest."""
    shape, health = (
        table_summary.shape(draft.table.snapshot),
        table_summary.health(draft.table.snapshot, draft.columns.target),
    )
    against = [*health.doubtful(), *questions.unanswered(draft.table, health)]
    features = usable_features(shape.columns, draft.columns, against)
    return draft.with_columns(replace(draft.columns, features=features))


def warm_up() -> None:
    """What the first click needs: the demo with its summary, and the engine with its kernels."""
    import plotly.graph_objects  # noqa: F401

    from rugcore import RUGClassifier

    first_draft()
    tiny = demo(FIRST_TRY)
    RUGClassifier(max_depth=1, max_iter=1).fit(tiny.X.head(ENOUGH), tiny.y.head(ENOUGH)).predict(tiny.X)
