"""HiGHS: the default solver, free and always there."""

import numpy as np

from rugcore.errors import SolverError
from rugcore.lp.program import Basis, BasisStatus, LinearProgram, Solution


class HighsSolver:
    """Simplex, so that the answer is a vertex; warm-started whenever a basis is given."""

    name = "highs"

    def solve(self, program: LinearProgram, start: Basis | None = None) -> Solution:
        import highspy  # 0.1 s, paid by those who solve

        highs = highspy.Highs()
        set_option(highs, "output_flag", False)
        set_option(highs, "solver", "simplex")
        # Presolve would throw the given basis away, and these programs have little to presolve.
        set_option(highs, "presolve", "off")
        # The entries are 1 and -1/(K-1): there is nothing to scale.
        set_option(highs, "simplex_scale_strategy", 0)
        pass_program(highs, highspy, program)
        if start is not None:
            highs.setBasis(self._to_highs(highspy, start))  # a refused basis only costs time
        highs.run()
        status = highs.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            raise SolverError(f"HiGHS stopped with the status {highs.modelStatusToString(status)!r}.")
        return self._solution(highs, program)

    @staticmethod
    def _to_highs(highspy: "object", start: Basis) -> "object":
        known = highspy.HighsBasisStatus  # type: ignore[attr-defined]
        statuses = [known.kLower, known.kBasic, known.kUpper]
        basis = highspy.HighsBasis()  # type: ignore[attr-defined]
        basis.col_status = [statuses[status] for status in start.columns.tolist()]
        basis.row_status = [statuses[status] for status in start.rows.tolist()]
        basis.valid = True
        basis.alien = True  # let HiGHS repair a basis that is not square
        return basis

    @staticmethod
    def _solution(highs: "object", program: LinearProgram) -> Solution:
        found = highs.getSolution()  # type: ignore[attr-defined]
        info = highs.getInfo()  # type: ignore[attr-defined]
        _, basic = highs.getBasicVariables()  # type: ignore[attr-defined]
        x, activity = np.array(found.col_value), np.array(found.row_value)
        columns = _statuses(x, program.lower, program.upper)
        rows = _statuses(activity, program.row_lower, program.row_upper)
        columns[basic[basic >= 0]] = BasisStatus.BASIC
        rows[-1 - basic[basic < 0]] = BasisStatus.BASIC  # HiGHS counts the rows down from -1
        return Solution(
            objective=float(info.objective_function_value),
            x=x,
            row_duals=np.array(found.row_dual),
            basis=Basis(columns, rows),
            n_iterations=int(info.simplex_iteration_count),
        )


def _statuses(value: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """The bound that each nonbasic value stands at (asking HiGHS for every status by name takes longer)."""
    return np.where(value - lower <= upper - value, BasisStatus.LOWER, BasisStatus.UPPER).astype(np.int8)


def set_option(highs: "object", option: str, value: object) -> None:
    from highspy import HighsStatus

    if highs.setOptionValue(option, value) != HighsStatus.kOk:  # type: ignore[attr-defined]
        raise SolverError(f"HiGHS refuses the option {option}={value!r}.")


def pass_program(
    highs: "object", highspy: "object", program: LinearProgram, is_integer: np.ndarray | None = None
) -> None:
    """Columns are continuous unless `is_integer` says otherwise."""
    matrix = program.matrix
    kinds = np.zeros(program.n_columns, dtype=np.int32) if is_integer is None else is_integer.astype(np.int32)
    status = highs.passModel(  # type: ignore[attr-defined]
        program.n_columns,
        program.n_rows,
        matrix.nnz,
        int(highspy.MatrixFormat.kColwise),  # type: ignore[attr-defined]
        int(highspy.ObjSense.kMinimize),  # type: ignore[attr-defined]
        0.0,
        program.cost,
        program.lower,
        program.upper,
        program.row_lower,
        program.row_upper,
        matrix.indptr.astype(np.int32),
        matrix.indices.astype(np.int32),
        matrix.data,
        kinds,
    )
    if status == highspy.HighsStatus.kError:  # type: ignore[attr-defined]
        raise SolverError("HiGHS refuses the linear program.")
