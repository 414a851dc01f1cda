"""What a file really is: the bytes are asked, not the name. Also the limits that every file is held to."""

import codecs
import gzip
import io
import re
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Literal

from rugcore.errors import InputError

MAX_BYTES = 500_000_000  # of a file, and again of what a compressed file unfolds to
START = 65_536  # enough to see what a text is, little enough to look at more than once
PIECE = 1 << 20
MOST_CONTROL_CHARACTERS = 0.01  # of the start; text has next to none, compressed or compiled data about a tenth

READABLE = "CSV, Parquet or a spreadsheet (.xlsx, .xls, .ods)"
PARQUET = b"PAR1"
GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
CONTROL_CHARACTERS = bytes(set(range(32)) - set(b"\t\n\f\r\x1a"))  # DOS ended its files with \x1a
WORKBOOK_PARTS = {"[Content_Types].xml", "content.xml"}
PROMISES = {
    ".gz": "a gzip file",
    ".zip": "a zip file",
    ".parquet": "a Parquet file",
    ".pq": "a Parquet file",
    ".xlsx": "an Excel workbook",
    ".xlsm": "an Excel workbook",
    ".xlsb": "an Excel workbook",
    ".ods": "an OpenDocument spreadsheet",
}
OTHER_TEXT = (
    (re.compile(r"\s*<(!doctype|\?xml|html|head|meta|body|table|style|div)\b", re.IGNORECASE), "a web page or XML"),
    (re.compile(r'\s*(\{\s*["}]|\[\s*[\[{"])'), "JSON"),
    (re.compile(r"%PDF-"), "a PDF document"),
    (re.compile(r"\{\\rtf"), "a text document (RTF)"),
)

Kind = Literal["parquet", "excel", "text"]


@dataclass(frozen=True)
class Content:
    """The bytes of a file, and what to call it in a message."""

    name: str
    data: bytes
    inner_name: str = ""  # of what a compressed file held

    @property
    def ending(self) -> str:
        return PurePath(self.inner_name or self.name).suffix.lower()


def opened(source: bytes | str | Path, name: str | None) -> Content:
    """The bytes, unless there are none or too many."""
    content = Content(name or "The file", source) if isinstance(source, bytes) else _from_disk(Path(source), name)
    refuse_size(content.name, len(content.data))
    if not content.data:
        raise InputError(f"{content.name} cannot be read as a table: it is empty (0 bytes).")
    return content


def _from_disk(path: Path, name: str | None) -> Content:
    if not path.is_file():
        what = "it is a folder" if path.is_dir() else f"there is no file {path}"
        raise InputError(f"Expected {path} to be a file with a table, but {what}.")
    try:
        refuse_size(name or str(path), path.stat().st_size)
        return Content(name or str(path), path.read_bytes())
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror or error}).") from error


def refuse_size(name: str, n_bytes: int, state: str = "") -> None:
    """Said while a file unfolds, before it can fill the memory."""
    if n_bytes > MAX_BYTES:
        raise InputError(
            f"Expected at most {MAX_BYTES / 1e6:,.0f} MB, but {name} has more{state}. Keep only the columns and rows "
            "that you need."
        )


def unpacked(content: Content) -> tuple[Content, list[str]]:
    """What a gzip or zip file holds, one level deep; any other file as it is."""
    if content.data.startswith(GZIP):
        inner = Content(content.name, _gunzipped(content), PurePath(content.name).stem)
        note = "The file was compressed (gzip) and has been unpacked."
    elif content.data.startswith(ZIP) and not is_workbook(content):
        inner = _only_member(content)
        note = "The file was compressed (zip) and has been unpacked."
    else:
        return content, []
    is_packed = inner.data.startswith(GZIP) or (inner.data.startswith(ZIP) and not is_workbook(inner))
    if is_packed or not inner.data:
        what = "another compressed file" if inner.data else "nothing"
        raise InputError(f"Expected {content.name} to hold a table, but it holds {what}. Unpack it first.")
    return inner, [note]


def is_workbook(content: Content) -> bool:
    """Whether a zip file is a spreadsheet; refused if it would unfold to more than the limit, wherever it came from."""
    return bool(WORKBOOK_PARTS & set(_members(content)))


def unfolded_size(content: Content) -> int:
    """What a spreadsheet holds when it is unpacked, in bytes."""
    if not content.data.startswith(ZIP):
        return len(content.data)
    return sum(member.file_size for member in _members(content).values())


def _gunzipped(content: Content) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content.data)) as packed:
            data = packed.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise _damaged(content, "gzip", error) from error
    refuse_size(content.name, len(data), " when unpacked")
    return data


def _members(content: Content) -> dict[str, zipfile.ZipInfo]:
    """The files in a zip file, spreadsheets included; refused if they would unfold to more than the limit."""
    try:
        with zipfile.ZipFile(io.BytesIO(content.data)) as packed:
            members = {member.filename: member for member in packed.infolist() if not member.is_dir()}
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise _damaged(content, "zip", error) from error
    refuse_size(content.name, sum(member.file_size for member in members.values()), " when unpacked")
    return members


def _only_member(content: Content) -> Content:
    names = [name for name in _members(content) if not name.startswith("__MACOSX/")]
    if len(names) != 1:
        raise InputError(f"Expected one table in {content.name}, but it packs {len(names)} files. Unpack it first.")
    try:
        with zipfile.ZipFile(io.BytesIO(content.data)) as packed:
            return Content(content.name, packed.read(names[0]), names[0])
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError) as error:  # RuntimeError: a password
        raise _damaged(content, "zip", error) from error


def _damaged(content: Content, kind: str, error: Exception) -> InputError:
    return InputError(
        f"{content.name} cannot be read as a {kind} file ({str(error).rstrip('.')}). It may be damaged, cut short or "
        "protected; fetch or save it again."
    )


def kind_of(content: Content) -> Kind:
    """By the first bytes; a name that promises what the bytes do not hold is a damaged file."""
    if content.data.startswith(PARQUET):
        return "parquet"
    if content.data.startswith((ZIP, OLD_OFFICE)):
        return "excel"
    if content.ending in PROMISES:
        raise InputError(
            f"Expected {content.name} to be {PROMISES[content.ending]}, as its name says, but its content is not. "
            "It may be damaged or have the wrong name; save it again."
        )
    return "text"


# --- Text ---------------------------------------------------------------------------------------------------


def encoding_of(content: Content) -> tuple[str, list[str]]:
    """UTF-8 if every byte agrees, UTF-16 if the file says so, and else Windows-1252, which is then said."""
    if content.data.startswith(UTF_16):
        _refuse_undecodable(content, "utf-16", "UTF-16, as its first bytes say")
        return "utf-16", ["The text is UTF-16, and was read as such."]
    _refuse_binary(content, content.data)
    odd_line = _first_line_not_in("utf-8", content.data)
    if odd_line is None:
        return ("utf-8-sig" if content.data.startswith(codecs.BOM_UTF8) else "utf-8"), []
    _refuse_undecodable(content, "cp1252", "UTF-8 or Windows-1252")
    return "cp1252", [
        f"The text is not UTF-8 (see line {odd_line}); it was read as Windows-1252. Check the letters with accents."
    ]


def _refuse_undecodable(content: Content, encoding: str, expected: str) -> None:
    odd_line = _first_line_not_in(encoding, content.data)
    if odd_line is not None:
        raise InputError(
            f"Expected {content.name} to be text in {expected}, but line {odd_line} is not. Open it where it came "
            "from and save it again with the encoding UTF-8 (in a spreadsheet: CSV UTF-8)."
        )


def _first_line_not_in(encoding: str, data: bytes) -> int | None:
    """Piece by piece, because the whole text would take several times the file."""
    decoder = codecs.getincrementaldecoder(encoding)()
    for start in range(0, len(data), PIECE):
        piece = data[start : start + PIECE]
        try:
            decoder.decode(piece, final=start + PIECE >= len(data))
        except UnicodeDecodeError as error:
            return 1 + data.count(b"\n", 0, start + error.start)
    return None


def _refuse_binary(content: Content, data: bytes) -> None:
    start = data[:START]
    n_control = len(start) - len(start.translate(None, CONTROL_CHARACTERS))
    if b"\0" in data or n_control > MOST_CONTROL_CHARACTERS * len(start):
        raise InputError(
            f"Expected {content.name} to be {READABLE}, but it holds binary data that is none of these. "
            "Save it in one of these formats."
        )


def start_of(content: Content, encoding: str) -> str:
    """The first lines of a text; refused if they show that it is no table."""
    start = content.data[:START].decode(encoding, errors="ignore")
    _refuse_binary(content, start.encode())
    for pattern, what in OTHER_TEXT:
        if pattern.match(start):
            raise InputError(
                f"Expected {content.name} to be {READABLE}, but it holds {what}. Open it in a spreadsheet and save "
                "it as .xlsx or CSV, or export the table from where it came from."
            )
    return start if len(content.data) <= START else start[: start.rfind("\n") + 1] or start
