"""The model as a SELECT, built once as a tree and written in the words of each database.

Every number is compared as a double, because the model does: a whole number beyond 2**53 is rounded before it is
compared, here as there. NaN, which some databases take for the largest number, is a blank here as there. No comparison
stands under a NOT: for a blank it would be neither true nor false.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rugcore.errors import InputError, missing_package
from rugcore.export.cases import ExportCase, cases_of
from rugcore.export.portable import LARGEST_WHOLE, CellTest, PortableColumn, PortableModel, PortableRule
from rugcore.export.text import comment, head, refuse_letters, rule_lines, slug
from rugcore.rules import words
from rugcore.rules.decisions import TIE_TOLERANCE

Tree = Any  # of sqlglot, which is loaded only where SQL is asked for

# What a user calls a database -> its name, and what sqlglot calls it.
DIALECTS = {
    "postgres": ("PostgreSQL", "postgres"),
    "sqlserver": ("SQL Server", "tsql"),
    "oracle": ("Oracle", "oracle"),
    "snowflake": ("Snowflake", "snowflake"),
    "bigquery": ("BigQuery", "bigquery"),
    "spark": ("Spark", "spark"),
    "sqlite": ("SQLite", "sqlite"),
    "duckdb": ("DuckDB", "duckdb"),
}
NOT_IN_SQL = re.compile("[\x00\ud800-\udfff]")
WITHOUT_NAN = {"sqlserver", "sqlite"}
IGNORING_CASE = {"sqlserver", "sqlite", "bigquery", "spark", "duckdb"}  # in the names of columns
WITHOUT_FLAGS = {"sqlserver", "oracle", "sqlite"}  # true and false are 1 and 0
SOURCE = "source"
PREFIX = "rug_"


def to_sql(model: Any, table: str = "people", dialect: str = "postgres") -> str:
    """The model as a SELECT over a table: its columns, and the decision, scores and number of rules that apply.

    A second statement in the text is a check: it decides a hundred test cases that come along, and counts those that
    are decided as the model decides them. Needs the package sqlglot (`pip install 'rug-dashboard[export]'`).

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    table : str, default="people"
        The table to decide about, also with its schema, such as `bank.people`. Its columns are called as in training.
    dialect : str, default="postgres"
        "postgres", "sqlserver", "oracle", "snowflake", "bigquery", "spark", "sqlite" or "duckdb".
    """
    own = PortableModel.of(model)
    writer = SqlWriter(own, dialect)
    place = writer.table(table)
    cases = cases_of(own)
    intro = [*head(own), *writer.notes, "", *rule_lines(own)]
    return "\n".join(
        [
            *(f"-- {comment(line)}".rstrip() for line in intro),
            "",
            f"{writer.text(writer.decisions(place), pretty=True)};",
            "",
            f"-- The check: {len(cases)} cases made from thresholds, nobody's row. Both numbers must be the same.",
            f"{writer.check(cases)};",
            "",
        ]
    )


def refuse_sql(model: Any, table: str = "people", dialect: str = "postgres") -> None:
    """Refuse what `to_sql` would refuse."""
    SqlWriter(PortableModel.of(model), dialect).table(table)


class SqlWriter:
    """Trees of one model for one database."""

    def __init__(self, model: PortableModel, dialect: str) -> None:
        if dialect not in DIALECTS:
            raise InputError(f"Expected dialect to be one of {', '.join(DIALECTS)}, but got {dialect!r}.")
        try:
            from sqlglot import exp
        except ImportError as error:
            raise missing_package("SQL", "export") from error
        self.exp = exp
        self.model = model
        self.dialect = dialect
        self.columns = output_names(model)
        refuse_letters(model, NOT_IN_SQL, "SQL")
        self._refuse_names()
        self._refuse_empty_text()

    @property
    def notes(self) -> list[str]:
        """What is special about this database."""
        found = ["Columns are called as in training, letter for letter. Infinite numbers must not occur."]
        if self.dialect == "oracle":
            found.append("Oracle keeps empty text as a blank, and so it is decided.")
        scores = zip(self.columns["scores"], self.model.classes, strict=True)
        return [*found, *(f"{name}: score of {words.clear(label)}" for name, label in scores)]

    def text(self, tree: Tree, pretty: bool = False) -> str:
        return str(tree.sql(dialect=DIALECTS[self.dialect][1], pretty=pretty))

    def table(self, name: str) -> Tree:
        """The table that the user names, if it is a name."""
        from sqlglot.errors import SqlglotError

        try:
            found = self.exp.to_table(name.strip(), dialect=DIALECTS[self.dialect][1])
        except (SqlglotError, ValueError) as error:
            raise _no_table(name) from error
        parts = [part for key, part in found.args.items() if part]
        if not name.strip() or not all(isinstance(part, self.exp.Identifier) and part.name for part in parts):
            raise _no_table(name)
        for part in parts:
            part.pop_comments()
        found.pop_comments()
        return found

    # -- the decision --------------------------------------------------------------------------------------

    def decisions(self, table: Tree) -> Tree:
        """The rows of the table with votes, then with scores and the decision."""
        exp, names = self.exp, self.columns
        votes = [self._votes(code).as_(name) for code, name in enumerate(names["votes"])]
        applying = [self._case([(self._applies(rule), exp.Literal.number(1))], 0) for rule in self.model.rules]
        n_rules = (self._sum(applying) or exp.Literal.number(0)).as_(names["n_rules"])
        inner = exp.select(exp.Column(this=exp.Star(), table=exp.to_identifier(SOURCE)), *votes, n_rules)
        inner = inner.from_(exp.alias_(table.copy(), SOURCE, table=True))
        scores = [self._score(code).as_(name) for code, name in enumerate(names["scores"])]
        star = exp.Column(this=exp.Star(), table=exp.to_identifier("voted"))
        outer = exp.select(star, *scores, self._decision().as_(names["decision"]))
        return outer.from_(inner.subquery("voted"))

    def _votes(self, class_code: int) -> Tree:
        """Sums of doubles that are whole: exact in any order."""
        rules = [rule for rule in self.model.rules if rule.class_code == class_code]
        zero = self._as_double(self.exp.Literal.number(0))
        added = [self._case([(self._applies(r), self.exp.Literal.number(r.units))], 0) for r in rules]
        found = self._sum([zero, *added])
        assert found is not None
        return found

    def _sum(self, parts: Sequence[Tree]) -> Tree:
        """In halves, so that no database finds it nested too deeply."""
        if len(parts) <= 2:
            return (
                None if not parts else parts[0] if len(parts) == 1 else self.exp.Add(this=parts[0], expression=parts[1])
            )
        half = len(parts) // 2
        left, right = self._sum(parts[:half]), self._sum(parts[half:])
        return self.exp.Add(this=left, expression=self.exp.paren(right))

    def _case(self, branches: Sequence[tuple[Tree, Tree]], otherwise: Tree) -> Tree:
        found = self.exp.Case()
        for condition, then in branches:
            found = found.when(condition, then)
        last = self.exp.Literal.number(otherwise) if isinstance(otherwise, int) else otherwise
        return found.else_(last)

    def _vote(self, code: int) -> Tree:
        return self.exp.column(self.columns["votes"][code], table="voted")

    def _total(self) -> Tree:
        found = self._sum([self._vote(code) for code in range(len(self.model.classes))])
        assert found is not None
        return found

    def _score(self, code: int) -> Tree:
        """The votes for the class, minus an even share of those for the others, as weights."""
        exp, n_others = self.exp, len(self.model.classes) - 1
        others = self._sum([self._vote(other) for other in range(n_others + 1) if other != code])
        if n_others > 1:
            others = exp.Div(this=exp.paren(others), expression=exp.Literal.number(n_others), typed=False, safe=False)
        score = exp.Sub(this=self._vote(code), expression=others)
        if not self.model.decimals:
            return score
        per_unit = self._double(10.0**self.model.decimals)
        return exp.Div(this=exp.paren(score), expression=per_unit, typed=False, safe=False)

    def _decision(self) -> Tree:
        exp, model = self.exp, self.model
        nobody = exp.LTE(this=self._total(), expression=exp.Literal.number(0))
        branches = [(self._is_best(code), self._value(model.classes[code])) for code in model.by_share[:-1]]
        branches.insert(0, (nobody, self._value(model.classes[model.default])))
        return self._case(branches, self._value(model.classes[model.by_share[-1]]))

    def _is_best(self, code: int) -> Tree:
        """No other class has more votes, but for the tolerance."""
        exp = self.exp
        forgiven = exp.Mul(this=self._double(TIE_TOLERANCE), expression=exp.paren(self._total()))
        least = [
            exp.GTE(this=self._vote(code), expression=exp.Sub(this=self._vote(other), expression=forgiven.copy()))
            for other in range(len(self.model.classes))
            if other != code
        ]
        return exp.and_(*least)

    # -- conditions ----------------------------------------------------------------------------------------

    def _applies(self, rule: PortableRule) -> Tree:
        exp = self.exp
        if not rule.conditions:
            return exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(1))
        return exp.and_(*(self._condition(condition) for condition in rule.conditions))

    def _condition(self, alternatives: Any) -> Tree:
        return self.exp.or_(*(self._all_of(tests) for tests in alternatives))

    def _all_of(self, tests: tuple[CellTest, ...]) -> Tree:
        """An upper threshold keeps NaN out by itself: it is the largest number, or no number."""
        has_upper = any(test.said == "up to" for test in tests)
        return self.exp.and_(*(self._test(test, may_be_nan=not has_upper) for test in tests))

    def _test(self, test: CellTest, may_be_nan: bool) -> Tree:
        exp = self.exp
        column = self.model.columns[test.column]
        cell = self._cell(column, may_be_nan)
        if test.said == "blank":
            return exp.Is(this=cell, expression=exp.Null())
        if test.said == "known":
            return exp.Is(this=cell, expression=exp.Not(this=exp.Null()))
        kind = {"above": exp.GT, "up to": exp.LTE, "equal": exp.EQ, "different": exp.NEQ}[test.said]
        value = self._double(test.value) if column.kind == "number" else self._compared(self._value(test.value), column)
        return kind(this=cell, expression=value)

    def _cell(self, column: PortableColumn, may_be_nan: bool) -> Tree:
        exp = self.exp
        cell = exp.column(exp.to_identifier(column.name, quoted=True), table=SOURCE)
        if column.kind != "number":
            return self._compared(cell, column)
        number = self._as_double(cell)
        if not may_be_nan or self.dialect in WITHOUT_NAN:
            return number
        if self.dialect == "bigquery":
            return self._case([(exp.IsNan(this=number), exp.Null())], number.copy())
        nan = exp.Literal.string("NaN")
        return exp.func(
            "NULLIF", number, exp.column("BINARY_DOUBLE_NAN") if self.dialect == "oracle" else self._cast(nan, "DOUBLE")
        )

    def _compared(self, text: Tree, column: PortableColumn) -> Tree:
        """SQL Server sees no difference between small and large letters, or with spaces behind, but between bytes."""
        if self.dialect != "sqlserver" or column.kind != "category":
            return text
        return self._cast(self._cast(text, "NVARCHAR(MAX)"), "VARBINARY(MAX)")

    # -- constants -----------------------------------------------------------------------------------------

    def _cast(self, what: Tree, kind: str) -> Tree:
        dialect = DIALECTS[self.dialect][1] if "(" in kind else None
        return self.exp.cast(what, kind, dialect=dialect)

    def _as_double(self, what: Tree) -> Tree:
        """Oracle's DOUBLE PRECISION is a decimal number."""
        return self.exp.func("TO_BINARY_DOUBLE", what) if self.dialect == "oracle" else self._cast(what, "DOUBLE")

    def _double(self, number: float) -> Tree:
        """A constant that is this very double."""
        exp = self.exp
        if float(number).is_integer() and abs(number) <= LARGEST_WHOLE:
            return self._literal(str(int(number)))
        if self.dialect == "oracle":
            return exp.func("TO_BINARY_DOUBLE", self._literal(repr(float(number))))
        if self.dialect == "sqlite":
            return self._fraction(number)
        return self._cast(exp.Literal.string(repr(float(number))), "DOUBLE")

    def _literal(self, digits: str) -> Tree:
        """Numbers below zero are written with a minus."""
        exp = self.exp
        return exp.Neg(this=exp.Literal.number(digits[1:])) if digits.startswith("-") else exp.Literal.number(digits)

    def _fraction(self, number: float) -> Tree:
        """SQLite reads a long decimal to within a few last bits; a whole number over powers of two is exact."""
        exp = self.exp
        if len(repr(abs(number)).replace(".", "").strip("0")) <= 15 and 1e-5 < abs(number) < 1e15:
            return self._literal(repr(float(number)))  # few digits, and a small power of ten: one exact division
        exact = Fraction(number)
        power = exact.denominator.bit_length() - 1
        found = self._cast(self._literal(str(exact.numerator)), "DOUBLE")
        while power > 0:
            step = min(power, 52)
            found = exp.Div(this=found, expression=self._literal(f"{2**step}.0"), typed=False, safe=False)
            power -= step
        return exp.paren(found)

    def _value(self, value: Any) -> Tree:
        """A class or a category."""
        exp = self.exp
        if isinstance(value, bool):
            if self.dialect in WITHOUT_FLAGS:
                return exp.Literal.number(int(value))
            return exp.Boolean(this=value)
        if isinstance(value, int):
            return self._literal(str(value))
        if isinstance(value, float):
            return self._double(value)
        return exp.National(this=value) if self.dialect == "sqlserver" else exp.Literal.string(value)

    # -- the check -----------------------------------------------------------------------------------------

    def check(self, cases: Sequence[ExportCase]) -> str:
        """Counts the cases, and those that are decided as the model does."""
        exp = self.exp
        lines = [self.text(self._case_line(case)) for case in cases]
        decided = self.decisions(exp.to_table(f"{PREFIX}cases"))
        is_same = exp.and_(
            exp.EQ(this=exp.column(self.columns["decision"]), expression=exp.column(f"{PREFIX}expected")),
            exp.EQ(this=exp.column(self.columns["n_rules"]), expression=exp.column(f"{PREFIX}expected_rules")),
        )
        same = exp.func("SUM", self._case([(is_same, exp.Literal.number(1))], 0))
        counts = exp.select(exp.func("COUNT", exp.Star()).as_("cases"), same.as_("as_the_model"))
        query = self.text(counts.from_(decided.subquery("decided")), pretty=True)
        return f"WITH {PREFIX}cases AS (\n" + "\nUNION ALL ".join(lines) + f"\n)\n{query}"

    def _case_line(self, case: ExportCase) -> Tree:
        exp = self.exp
        cells = [
            self._case_cell(cell, column).as_(exp.to_identifier(column.name, quoted=True))
            for cell, column in zip(case.cells, self.model.columns, strict=True)
        ]
        expected = [
            self._value(case.decision).as_(f"{PREFIX}expected"),
            exp.Literal.number(case.n_rules).as_(f"{PREFIX}expected_rules"),
        ]
        line = exp.select(*cells, *expected)
        return line.from_("dual") if self.dialect == "oracle" else line

    def _case_cell(self, cell: Any, column: PortableColumn) -> Tree:
        """Each with its type: a database takes that of a column from its first line."""
        exp = self.exp
        if column.kind == "number":
            return self._as_double(exp.Null() if cell is None else self._double(cell))
        if cell is not None:
            return self._value(cell)
        kinds = {"category": "TEXT", "boolean": "BOOLEAN", "code": "BIGINT"}
        own = {
            "sqlserver": {"category": "NVARCHAR(1)", "boolean": "BIT"},
            "oracle": {"category": "VARCHAR2(1)", "boolean": "NUMBER(1)", "code": "NUMBER(19)"},
            "sqlite": {"boolean": "BIGINT"},
        }
        return self._cast(exp.Null(), own.get(self.dialect, {}).get(column.kind, kinds[column.kind]))

    # -- what cannot be said -------------------------------------------------------------------------------

    def _refuse_names(self) -> None:
        names = [column.name.lower() for column in self.model.columns]
        twice = [name for name in names if names.count(name) > 1]
        if twice and self.dialect in IGNORING_CASE:
            raise InputError(
                "Expected column names that differ in more than small and large letters, because "
                f"{DIALECTS[self.dialect][0]} sees no other difference, but two are called {twice[0]!r}. "
                "Rename one and train again."
            )

    def _refuse_empty_text(self) -> None:
        values = [t.value for rule in self.model.rules for c in rule.conditions for own in c for t in own]
        if self.dialect == "oracle" and "" in values:
            raise InputError(
                "Expected values that Oracle can tell from blanks, but a rule names the empty text. Give it a name in "
                "the table and train again."
            )


def _no_table(name: str) -> InputError:
    return InputError(
        f"Expected table to be the name of a table, such as people or bank.people, but got {name[:60]!r}."
    )


def output_names(model: PortableModel) -> dict[str, Any]:
    """What the new columns are called: plain names that no column of the model has."""
    taken = {column.name.lower() for column in model.columns}
    prefix = PREFIX
    while any(name.startswith(prefix) for name in taken):
        prefix = f"{prefix}{PREFIX}"
    labels = [slug(words.value(label)) for label in model.classes]
    are_clear = len(set(labels)) == len(labels) and all(labels)
    ends = labels if are_clear else [str(number) for number in range(1, len(labels) + 1)]
    return {
        "votes": [f"{prefix}votes_{end}" for end in ends],
        "n_rules": f"{prefix}rules_that_apply",
        "scores": [f"{prefix}score_{end}" for end in ends],
        "decision": f"{prefix}decision",
    }
