"""Evidence to make reports of, small and quick."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from rugcore import FairRUGClassifier, Period, load_demo, monitor, surrogate_rules
from rugcore.dictionary import ColumnEntry, DataDictionary
from rugcore.report import (
    Evidence,
    ModelIdentity,
    ModelReport,
    NewerPeople,
    OutsideFound,
    PeopleRows,
    Statements,
    build_report,
    other_models,
)

EPSILON = 0.05


@cache
def mortgages() -> Evidence:
    """FairRUG on a demo, with training rows and two models beside it."""
    demo = load_demo("hmda")
    X = demo.X.drop(columns=list(demo.sensitive_options))
    groups = "African American: " + demo.X[demo.sensitive].astype(str)
    is_test = np.arange(len(X)) % 4 == 0
    training = PeopleRows(X[~is_test], demo.y[~is_test], groups[~is_test])
    test = PeopleRows(X[is_test], demo.y[is_test], groups[is_test])
    model = FairRUGClassifier(
        max_depth=2, max_iter=4, penalty=3.0, epsilon=EPSILON, positive_class=demo.favourable, random_state=0
    ).fit(training.X, training.y, sensitive_features=training.groups)
    return Evidence(
        model=model,
        identity=identity(),
        test=test,
        training=training,
        target=demo.target,
        favourable=demo.favourable,
        sensitive=(demo.sensitive,),
        epsilon=EPSILON,
        others=other_models(training, test, demo.favourable),
        fit=model.fairness_,
    )


@cache
def mortgage_report() -> ModelReport:
    return build_report(mortgages())


def identity(name: str = "Mortgages") -> ModelIdentity:
    return ModelIdentity(name, "FairRUG", "ab" * 32, "Boston", "cd" * 32, trained="2026-01-02T03:04:05Z")


# Names as strangers write them. None of it may be read as markup, as code of typst, as a formula or as a direction.
HOSTILE = (
    '<script>alert(1)</script><img src=x onerror="alert(2)">',
    '#import "@preview/evil:1.0.0": *  #panic("typst") $x$ *bold* _it_ `raw` @label <tag> \\ // c /* d */',
    '=HYPERLINK("http://example.invalid";"x")',
    "שלום \u202eabc\u202c مرحبا",
    "W" * 300,
    "emoji \U0001f600 中文 \u0000\u0008\ufffe",
    "]]> &amp; &lt;b&gt; {value} {{ column }} %s ${jndi}",
)
# The same for what stands in a table: long words without a place to break, fields of Word, scripts, controls.
NASTY = (
    "q" * 300,
    "\u05d0" * 150 + "\u2067" + "(x)",
    "\U0001f469\u200d\U0001f4bb\U0001f1f3\U0001f1f1" * 20,
    '{ INCLUDETEXT "c:\\\\secret" } { DDEAUTO c:\\\\cmd } #eval("panic()") #read("/etc/passwd")',
    "</title></style><svg/onload=alert(1)>\x1b[31m\x07\r\n\x85\u2028\ud800 end",
)


@cache
def hostile() -> ModelReport:
    """The same names everywhere that a stranger can write: columns, values, groups, outcomes, statements."""
    rng = np.random.default_rng(0)
    n_rows = 600
    X = pd.DataFrame(
        {
            HOSTILE[0]: rng.normal(size=n_rows),
            HOSTILE[1]: rng.choice([HOSTILE[2], HOSTILE[3], HOSTILE[5]], n_rows),
            HOSTILE[4]: rng.normal(size=n_rows),
        }
    )
    y = pd.Series(np.where(X[HOSTILE[0]] + (X[HOSTILE[1]] == HOSTILE[2]) + X[HOSTILE[4]] > 0.3, HOSTILE[6], HOSTILE[1]))
    groups = pd.Series(rng.choice([HOSTILE[0], HOSTILE[3]], n_rows), name=HOSTILE[5])
    is_test = np.arange(n_rows) % 3 == 0
    training, test = (PeopleRows(X[own], y[own], groups[own]) for own in (~is_test, is_test))
    model = FairRUGClassifier(max_depth=2, max_iter=2, positive_class=HOSTILE[6], random_state=0).fit(
        training.X, training.y, sensitive_features=training.groups
    )
    surrogate: Any = surrogate_rules(
        test.X, model.predict(test.X), sensitive_features=test.groups, n_folds=2, max_depth=1, max_iter=1
    )
    dictionary = DataDictionary(
        {HOSTILE[4]: ColumnEntry(description=HOSTILE[1], values={}, special={-9.0: HOSTILE[0]})}
    )
    evidence = Evidence(
        model=model,
        identity=replace(identity(HOSTILE[0]), data_name=HOSTILE[1], more=((HOSTILE[4], HOSTILE[5]),)),
        test=test,
        training=training,
        target=HOSTILE[5],
        favourable=HOSTILE[6],
        sensitive=(HOSTILE[3],),
        dictionary=dictionary,
        epsilon=EPSILON,
        statements=Statements({"purpose": HOSTILE[0], "limits": "\n\n".join(HOSTILE)}),
        others=other_models(training, test, HOSTILE[6]),
        notes=HOSTILE,
        fit=model.fairness_,
        outside=OutsideFound(
            tuple(("Column", name) for name in HOSTILE),
            model.predict(test.X[::-1]),
            fidelity=surrogate.fidelity_,
            rules=surrogate.rules_,
        ),
        newer=NewerPeople(
            HOSTILE[0],
            "2026-01-02T03:04:05Z",
            monitor(model, Period(training.X, training.y, training.groups), Period(test.X, test.y, test.groups)),
        ),
    )
    return build_report(evidence)
