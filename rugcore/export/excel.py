"""The model as an Excel workbook that decides with formulas.

Thresholds, values and classes stand in cells, which keep every digit and every letter; a formula would cut numbers
after 15 digits and text after 255 letters, and could be ended by a quote in a name. Votes are whole numbers below
10**15, so sums are exact. Text is compared with EXACT: the sign = sees no difference between small and large letters.
"""

import re
from collections.abc import Sequence
from decimal import Context, Decimal
from itertools import pairwise
from typing import Any

from rugcore.errors import InputError
from rugcore.export.cases import ExportCase, cases_of
from rugcore.export.portable import MOST_UNITS, Alternatives, CellTest, PortableModel
from rugcore.export.sheets import Formula, Sheet, letters, workbook
from rugcore.export.text import head, refuse_letters, refuse_long_numbers, texts
from rugcore.rules import words
from rugcore.rules.decisions import TIE_TOLERANCE
from rugcore.writers.workbook import MOST_LETTERS

# Beside what XML cannot hold: a return, which comes back as a new line, and what is read as the number of a letter.
NOT_IN_EXCEL = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|_x[0-9A-Fa-f]{4}_")
MOST_LISTED = 20  # values of a column that a formula compares one by one; more would make it too long
LONGEST_FORMULA = 8000  # a spreadsheet takes 8,192 letters
MOST_COLUMNS = 16_000  # of a sheet; a spreadsheet takes 16,384
N_EMPTY_LINES = 20  # ready to be filled in
HEADER_LINES = 3  # weights of the rules, their classes, names
SIGN = {"above": ">", "up to": "<=", "equal": "=", "different": "<>"}
DIGITS = 14  # spreadsheets see no difference behind the fifteenth digit
NEXT_TO_ZERO = 1e-9
UNREADABLE = "cannot be read"
CONSTANTS, DECIDE, CHECK = "Constants", "Decide", "Check"


def to_excel(model: Any) -> bytes:
    """The model as an Excel workbook that decides with formulas: fill in the sheet Decide.

    The sheet Check decides a hundred test cases that come along, and compares. Spreadsheets compare numbers by their
    first 15 digits: two numbers that differ behind them are the same to a spreadsheet.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    """
    return filled_workbook(model, ())


def filled_workbook(model: Any, rows: Sequence[Sequence[Any]]) -> bytes:
    """The workbook of `to_excel` with a line for each of the `rows`, which are the cells of the columns of rules."""
    own = PortableModel.of(model)
    refuse_excel(model)
    cases = cases_of(own, neighbours=neighbours)
    writer = ExcelWriter(own)
    decide, check = writer.decide(rows), writer.check(cases)
    return workbook([writer.read_me(len(cases)), decide, writer.rules(), check, writer.constants()])


def neighbours(number: float) -> tuple[float, float]:
    """The next numbers on either side that every spreadsheet can tell from it: a step of the last digit or more."""
    if not number:
        return -NEXT_TO_ZERO, NEXT_TO_ZERO
    digits, exact = Context(prec=DIGITS), Decimal(repr(number))
    below, above = digits.next_minus(digits.next_minus(exact)), digits.next_plus(digits.next_plus(exact))
    return float(below), float(above)


def refuse_excel(source: Any) -> None:
    """Refuse what `to_excel` would refuse, but for formulas that are too long."""
    model = PortableModel.of(source)
    refuse_letters(model, NOT_IN_EXCEL, "Excel")
    refuse_long_numbers(model, "a spreadsheet", MOST_UNITS)
    for text in texts(model):
        if len(text) > MOST_LETTERS:
            raise InputError(
                f"Expected texts of at most {MOST_LETTERS:,} letters for Excel, but one has {len(text):,}."
            )
    values = [test.value for rule in model.rules for own in rule.conditions for tests in own for test in tests]
    if "" in values:
        raise InputError(
            "Expected values that a spreadsheet can tell from blanks, but a rule names the empty text. Give it a name "
            "in the table and train again."
        )
    _refuse_near_thresholds(model)
    if len(model.rules) + len(model.columns) > MOST_COLUMNS:
        raise InputError(f"Expected at most {MOST_COLUMNS:,} rules for Excel, but got {len(model.rules):,}.")


def _refuse_near_thresholds(model: PortableModel) -> None:
    """To a spreadsheet they would be one."""
    tests = [test for rule in model.rules for own in rule.conditions for tests in own for test in tests]
    for number, column in enumerate(model.columns):
        found = sorted(
            {float(t.value) for t in tests if t.column == number and t.value is not None and column.kind == "number"}
        )
        for low, high in pairwise(found):
            if high < neighbours(low)[1]:
                raise InputError(
                    f"Expected thresholds that a spreadsheet can tell apart, but {low!r} and {high!r} of column "
                    f"{column.name[:60]!r} differ only behind the {DIGITS}th digit. Take another format."
                )


class ExcelWriter:
    """The sheets of one model; constants get their cells as formulas ask for them."""

    def __init__(self, model: PortableModel) -> None:
        self.model = model
        self._constants: list[Any] = []
        self._place: dict[Any, int] = {}
        n_inputs, n_classes = len(model.columns), len(model.classes)
        self._decision = n_inputs
        self._scores = n_inputs + 3
        self._votes = self._scores + n_classes
        self._first_rule = self._votes + n_classes
        self._after = self._first_rule + len(model.rules)

    # -- sheets --------------------------------------------------------------------------------------------

    def read_me(self, n_cases: int) -> Sheet:
        same = (
            f"{CHECK}!{letters(self._after + 2)}{HEADER_LINES + 1}:{letters(self._after + 2)}{HEADER_LINES + n_cases}"
        )
        lines: list[list[Any]] = [
            *([line] for line in head(self.model)),
            [
                "Fill in the sheet Decide, one line a person; copy its last line down if you need more. A line that "
                "is blank as a whole is nobody. Leave a cell empty where something is not known."
            ],
            [
                "A spreadsheet compares numbers by their first 15 digits: numbers that differ only behind them may be "
                "decided otherwise than by the model."
            ],
            [Formula(f'SUM({same})&" of {n_cases} test cases are decided as the model decides them."')],
        ]
        return Sheet("Read me", lines, widths=[110], is_wrapped=True)

    def decide(self, rows: Sequence[Sequence[Any]] = ()) -> Sheet:
        """Empty lines to fill in, or lines that `rows` have filled in."""
        filled = rows or [[None] * len(self.model.columns)] * N_EMPTY_LINES
        lines = [
            self._line(number, list(row), True) for number, row in zip(self._numbers(len(filled)), filled, strict=True)
        ]
        return self._sheet(DECIDE, lines, [])

    def check(self, cases: list[ExportCase]) -> Sheet:
        lines = []
        for number, case in zip(self._numbers(len(cases)), cases, strict=True):
            decision, expected = (f"{letters(place)}{number}" for place in (self._decision, self._after))
            n_rules, expected_rules = (f"{letters(place)}{number}" for place in (self._decision + 2, self._after + 1))
            same = f"IF(AND({self._is_same(decision, expected)},{n_rules}={expected_rules}),1,0)"
            lines.append([*self._line(number, list(case.cells), False), case.decision, case.n_rules, Formula(same)])
        return self._sheet(CHECK, lines, ["expected", "rules expected", "as the model"])

    def rules(self) -> Sheet:
        lines: list[list[Any]] = [["rule", "if ... then", "outcome", "weight"]]
        for number, (rule, own) in enumerate(zip(self.model.source.rules_, self.model.rules, strict=True), start=1):
            text = NOT_IN_EXCEL.sub("?", own.text)[:MOST_LETTERS]
            lines.append([f"R{number}", text, self.model.classes[own.class_code], float(rule.weight)])
        return Sheet("Rules", lines, widths=[8, 110, 20, 12], bold_lines=frozenset({1}), frozen_lines=1)

    def constants(self) -> Sheet:
        """To be made last."""
        lines = [["constants that the formulas compare with"], *([value] for value in self._constants)]
        return Sheet(CONSTANTS, lines, widths=[60], bold_lines=frozenset({1}))

    def _sheet(self, name: str, lines: list[list[Any]], more: list[str]) -> Sheet:
        model = self.model
        labels = [words.value(label) for label in model.classes]
        names = [column.name for column in model.columns]
        names += ["decision", "decided by", "rules that apply", *(f"score {label}"[:MOST_LETTERS] for label in labels)]
        names += [f"votes {label}"[:MOST_LETTERS] for label in labels]
        names += [f"R{number}" for number in range(1, len(model.rules) + 1)]
        blank = [None] * (self._first_rule - 1)
        weights = [*blank, "weight in units", *(rule.units for rule in model.rules)]
        classes = [*blank, "number of outcome", *(rule.class_code + 1 for rule in model.rules)]
        texts = {n for n, column in enumerate(model.columns) if column.kind == "category"}
        return Sheet(
            name,
            [weights, classes, [*names, *more], *lines],
            widths=[18.0] * self._first_rule,
            text_columns=frozenset(texts),
            bold_lines=frozenset({HEADER_LINES}),
            frozen_lines=HEADER_LINES,
        )

    def _numbers(self, n_lines: int) -> range:
        return range(HEADER_LINES + 1, HEADER_LINES + 1 + n_lines)

    # -- one line ------------------------------------------------------------------------------------------

    def _line(self, number: int, inputs: list[Any], may_be_empty: bool) -> list[Any]:
        model = self.model
        n_classes = len(model.classes)
        rules = [Formula(self._checked(f"IF({self._applies(rule.conditions, number)},1,0)")) for rule in model.rules]
        votes = [f"{letters(self._votes + code)}{number}" for code in range(n_classes)]
        total = f"({'+'.join(votes)})"
        applying = f"SUM({self._of_rules(number)})" if model.rules else "0"
        scores = [
            f"({own}-({total}-{own})/{n_classes - 1})/{self._constant(float(10**model.decimals))}" for own in votes
        ]
        shown = [self._decided(votes, total, number), self._decided_by(votes, total), applying, *scores]
        if may_be_empty and inputs:
            everything = f"{letters(0)}{number}:{letters(len(inputs) - 1)}{number}"
            shown = [f'IF(COUNTA({everything})=0,"",{text})' for text in shown]
        return [
            *inputs,
            *(Formula(text) for text in shown),
            *(Formula(self._vote(c, number)) for c in range(n_classes)),
            *rules,
        ]

    def _of_rules(self, line: int, is_fixed: bool = False) -> str:
        mark = "$" if is_fixed else ""
        first, last = letters(self._first_rule), letters(self._after - 1)
        return f"{first}{mark}{line}:{last}{mark}{line}"

    def _vote(self, code: int, number: int) -> str:
        if not self.model.rules:
            return "0"
        weights, classes = self._of_rules(1, True), self._of_rules(2, True)
        return f"SUMPRODUCT({self._of_rules(number)}*({classes}={code + 1})*{weights})"

    def _decided(self, votes: list[str], total: str, number: int) -> str:
        *others, last = self.model.by_share
        found = self._class(last)
        for code in reversed(others):
            found = f"IF({self._is_best(votes, total, code)},{self._class(code)},{found})"
        found = f"IF({total}<=0,{self._class(self.model.default)},{found})"
        unread = [self._is_unreadable(place, number) for place in range(len(self.model.columns))]
        return f'IF(OR({",".join(unread)}),"{UNREADABLE}",{found})' if unread else found

    def _decided_by(self, votes: list[str], total: str) -> str:
        best = "+".join(f"IF({self._is_best(votes, total, code)},1,0)" for code in range(len(votes)))
        return f'IF({total}<=0,"default",IF({best}>1,"tie","rules"))'

    def _is_best(self, votes: list[str], total: str, code: int) -> str:
        tolerance = self._constant(TIE_TOLERANCE)
        others = [f"{votes[code]}>={own}-{tolerance}*{total}" for place, own in enumerate(votes) if place != code]
        return f"AND({','.join(others)})"

    def _class(self, code: int) -> str:
        return self._constant(self.model.classes[code])

    def _is_same(self, one: str, other: str) -> str:
        return f"EXACT({one},{other})" if isinstance(self.model.classes[0], str) else f"{one}={other}"

    # -- conditions ----------------------------------------------------------------------------------------

    def _applies(self, conditions: tuple[Alternatives, ...], line: int) -> str:
        return f"AND({','.join(self._condition(own, line) for own in conditions)})" if conditions else "TRUE"

    def _condition(self, alternatives: Alternatives, line: int) -> str:
        listed = [own[0].value for own in alternatives if len(own) == 1 and own[0].said == "equal"]
        column = alternatives[0][0].column
        parts = []
        if len(listed) > MOST_LISTED and self.model.columns[column].kind == "category":
            parts.append(f"SUMPRODUCT(--EXACT({self._cell(column, line)},{self._block(listed)}))>0")
            alternatives = tuple(own for own in alternatives if own[0].said != "equal")
        parts += [self._all_of(own, line) for own in alternatives]
        return parts[0] if len(parts) == 1 else f"OR({','.join(parts)})"

    def _all_of(self, tests: tuple[CellTest, ...], line: int) -> str:
        if tests[0].said == "blank":
            return f"LEN({self._cell(tests[0].column, line)})=0"
        column = tests[0].column
        cell = self._cell(column, line)
        values = [test.value for test in tests if test.said != "known"]
        is_text = self.model.columns[column].kind == "category"
        if is_text and len(values) > MOST_LISTED:
            own = [f"SUMPRODUCT(--EXACT({cell},{self._block(values)}))=0"]
        else:
            own = [self._test(test, cell, is_text) for test in tests if test.said != "known"]
        return f"AND({','.join([self._is_known(column, line), *own])})"

    def _test(self, test: CellTest, cell: str, is_text: bool) -> str:
        value = self._constant(test.value)
        if not is_text:
            return f"{cell}{SIGN[test.said]}{value}"
        return f"EXACT({cell},{value})" if test.said == "equal" else f"NOT(EXACT({cell},{value}))"

    def _is_known(self, column: int, line: int) -> str:
        cell = self._cell(column, line)
        test = {"number": "ISNUMBER({})", "code": "ISNUMBER({})", "boolean": "ISLOGICAL({})", "category": "LEN({})>0"}
        return test[self.model.columns[column].kind].format(cell)

    def _is_unreadable(self, column: int, line: int) -> str:
        """Something is there, but not what the column holds; an error is nothing that can be read either."""
        cell = self._cell(column, line)
        if self.model.columns[column].kind == "category":
            return f"ISERROR({cell})"
        return f"AND(LEN({cell})>0,NOT({self._is_known(column, line)}))"

    def _cell(self, column: int, line: int) -> str:
        return f"${letters(column)}{line}"

    def _constant(self, value: Any) -> str:
        """The cell of a constant; true is not 1, nor is text a number."""
        key = (type(value).__name__, value)
        if key not in self._place:
            self._constants.append(value)
            self._place[key] = len(self._constants) + 1
        return f"{CONSTANTS}!$A${self._place[key]}"

    def _block(self, values: list[Any]) -> str:
        """The cells of several constants, one below the other."""
        key = ("block", *values)
        if key not in self._place:
            self._place[key] = len(self._constants) + 2
            self._constants.extend(values)
        first = self._place[key]
        return f"{CONSTANTS}!$A${first}:$A${first + len(values) - 1}"

    def _checked(self, formula: str) -> str:
        if len(formula) > LONGEST_FORMULA:
            raise InputError(
                "Expected rules that fit into a cell of a spreadsheet, but one would take "
                f"{len(formula):,} letters. Take another format, or train with a smaller max_depth."
            )
        return formula
