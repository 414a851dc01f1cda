"""The last time that newer people were held against a model of a run: kept in its folder, for the report.

monitoring-rug.json and monitoring-fair.json hold shares and counts, the name of the file and when; nobody's values.
"""

import json
import time
from pathlib import Path

from rugboard.runs import files
from rugcore.errors import InputError
from rugcore.monitoring import Monitoring, monitoring_from_json, monitoring_to_json
from rugcore.report import MOMENT, NewerPeople


def file_of(folder: Path, model: str) -> Path:
    return folder / f"monitoring-{model}.json"


def keep(folder: Path, model: str, name: str, found: Monitoring) -> None:
    """In the place of what was found before."""
    when = time.strftime(MOMENT, time.gmtime())
    content = {"name": name, "when": when, "found": json.loads(monitoring_to_json(found))}
    files.write_text(file_of(folder, model), json.dumps(content, ensure_ascii=False))


def read(folder: Path, model: str) -> NewerPeople | None:
    """What is kept; None where nobody has looked. A damaged file is an `InputError`, never passed over."""
    try:
        content = json.loads(file_of(folder, model).read_text(encoding="utf-8"))
        return NewerPeople(
            str(content["name"]), str(content["when"]), monitoring_from_json(json.dumps(content["found"]))
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"What newer people showed cannot be read ({error}). Load their file again.") from error
