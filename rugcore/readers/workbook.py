"""Reads a spreadsheet from its standard input and writes one sheet as lines of JSON; run as a program of its own.

The library that reads spreadsheets gives up on some damaged files by ending the whole process, and may ask for any
amount of memory. In a process of its own, with a limit, neither reaches anybody else.
"""

import io
import json
import re
import sys
import zipfile
import zlib
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

DAMAGED, PROTECTED, NO_SUCH_SHEET, EMPTY, TOO_LARGE = range(3, 8)  # exit codes; 1 and 2 are Python's own
MOMENT = "moment"  # how a date or a time is marked among the cells
ERROR_CELL = re.compile(rb"""<(?:\w+:)?c\s(?:[^>]*\s)?t=["']e["']""")
# A formula, and the beginning of the result that was saved with it.
FORMULA = re.compile(rb"""<(?:\w+:)?f(?:\s[^>]*)?(?:/>|>[^<]*</(?:\w+:)?f>)(\s*<(?:\w+:)?v(?:\s[^>/]*)?>[^<])?""")
MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s")
UNREADABLE_PARTS = (
    zipfile.BadZipFile, zlib.error, ElementTree.ParseError, LookupError, NotImplementedError, OSError, EOFError,
    RuntimeError,
)  # fmt: skip
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def main(arguments: list[str]) -> int:
    """Arguments: the most bytes of memory, the most bytes of output, and the sheet or nothing for the first filled."""
    max_memory, max_output, wanted = int(arguments[0]), int(arguments[1]), arguments[2:]
    _limit_memory(max_memory)
    import python_calamine

    try:
        return _convert(sys.stdin.buffer.read(), wanted, max_output)
    except python_calamine.PasswordError:
        return PROTECTED
    except python_calamine.CalamineError as error:
        sys.stderr.write(str(error))
        return DAMAGED
    except MemoryError:
        return TOO_LARGE


def _limit_memory(max_memory: int) -> None:
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = max_memory if hard == resource.RLIM_INFINITY else min(max_memory, hard)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    except (ValueError, OSError):  # macOS does not know this limit
        return


def _convert(data: bytes, wanted: list[str], max_output: int) -> int:
    import python_calamine

    with python_calamine.load_workbook(io.BytesIO(data)) as book:
        shown = [
            sheet.name
            for sheet in book.sheets_metadata
            if sheet.typ == python_calamine.SheetTypeEnum.WorkSheet
            and sheet.visible == python_calamine.SheetVisibleEnum.Visible
        ]
        if wanted and wanted[0] not in shown:
            return _say({"sheets": shown}, NO_SUCH_SHEET)
        for name in wanted or shown:
            sheet = book.get_sheet_by_name(name)
            if sheet.height:
                _say({"sheets": shown, "sheet": name} | _odd_cells(data, name), 0)
                return _write_rows(sheet, max_output)
        return _say({"sheets": shown}, EMPTY)


def _odd_cells(data: bytes, sheet: str) -> dict[str, int]:
    """Cells that the library returns as empty without a word: only files of the kind .xlsx tell.

    Errors such as #DIV/0!, formulas without a saved result, and all but the first of merged cells.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            cells = parts.read(_part_of(parts, sheet))
    except (
        zipfile.BadZipFile,
        zlib.error,
        ElementTree.ParseError,
        LookupError,
        NotImplementedError,
        OSError,
        EOFError,
    ):
        cells = b""
    return {
        "errors": sum(1 for _ in ERROR_CELL.finditer(cells)),
        "formulas": sum(1 for found in FORMULA.finditer(cells) if found[1] is None),
        "merged": sum(1 for _ in MERGED.finditer(cells)),
    }


def _part_of(parts: zipfile.ZipFile, sheet: str) -> str:
    """Where the cells of a sheet lie in an .xlsx file; a `LookupError` if that cannot be seen."""
    book = ElementTree.fromstring(parts.read("xl/workbook.xml"))
    relations = ElementTree.fromstring(parts.read("xl/_rels/workbook.xml.rels"))
    own = next((item for item in book.iter() if item.tag.endswith("}sheet") and item.get("name") == sheet), None)
    targets = {item.get("Id"): item.get("Target", "") for item in relations}
    target = targets[own.get(RELATION) if own is not None else None]
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _say(item: dict[str, Any], code: int) -> int:
    sys.stdout.write(json.dumps(item) + "\n")
    return code


def _write_rows(sheet: Any, max_output: int) -> int:
    encode: Callable[[Any], str] = json.JSONEncoder(default=_moment, separators=(",", ":")).encode
    n_written = 0
    for row in sheet.iter_rows():
        line = encode([None if cell == "" else cell for cell in row])
        n_written += len(line)
        if n_written > max_output:
            return TOO_LARGE
        sys.stdout.write(line + "\n")
    return 0


def _moment(cell: Any) -> dict[str, str]:
    return {MOMENT: str(cell)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
