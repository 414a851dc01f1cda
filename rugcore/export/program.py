"""What the programs of all languages are filled with, each in the literals and statements of its own."""

from collections.abc import Callable
from typing import Any

from rugcore.export.cases import ExportCase, cases_of
from rugcore.export.portable import CellTest, PortableModel, PortableRule
from rugcore.export.text import comment, head, rule_lines
from rugcore.rules.decisions import TIE_TOLERANCE


def filled(
    program: str,
    model: PortableModel,
    mark: str,
    literal: Callable[[Any], str],
    rule: Callable[[PortableModel, int, PortableRule, str], str],
    indent: str,
) -> str:
    """A `program` with the model in it, behind what every file begins with; `mark` begins a comment.

    `literal` writes a value, `rule` the statement of a rule, given its number and its words.
    """
    intro = "".join(f"{mark} {comment(line)}\n" for line in head(model))
    own_rules = zip(model.rules, rule_lines(model), strict=True)
    return intro + program.format(
        model_id=literal(model.model_id),
        version=literal(model.version),
        classes=literal(list(model.classes)),
        by_share=list(model.by_share),
        default=model.default,
        units=10**model.decimals,
        tolerance=TIE_TOLERANCE,
        columns=literal([(column.name, column.kind) for column in model.columns]),
        rules="".join(rule(model, number, own, words) for number, (own, words) in enumerate(own_rules, start=1)),
        cases="".join(f"{indent}{literal(_cells(case))},\n" for case in cases_of(model)),
    )


def _cells(case: ExportCase) -> tuple[Any, ...]:
    return case.cells, case.decision, case.n_rules


def guarded(tests: tuple[CellTest, ...]) -> tuple[CellTest, ...]:
    """Where a blank is different from everything, it is asked for first."""
    asks = all(test.said == "different" for test in tests)
    return (CellTest(tests[0].column, "known"), *tests) if asks else tests
