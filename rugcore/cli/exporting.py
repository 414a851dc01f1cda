"""`export`: a saved model in another language, to decide where there is no rugcore."""

import argparse
import sys
from pathlib import Path
from typing import Any

from rugcore.cli.judging import favourable_of, loaded
from rugcore.cli.tables import refuse_bad_place
from rugcore.errors import InputError

# As in `rugcore.export`, which would take long to load for those who want another command; a test compares.
FORMATS = ("sql", "pmml", "scorecard", "python", "javascript", "excel", "json")
DIALECTS = ("postgres", "sqlserver", "oracle", "snowflake", "bigquery", "spark", "sqlite", "duckdb")


def add_export(commands: Any) -> None:
    export = commands.add_parser("export", help="write a saved model in SQL, PMML, Python, JavaScript, Excel or JSON")
    export.add_argument("model", metavar="MODEL.json")
    export.add_argument("--to", required=True, choices=FORMATS, help="the format")
    export.add_argument("--dialect", choices=DIALECTS, help="of SQL (default postgres)")
    export.add_argument("--table", metavar="NAME", help="of SQL: the table to decide about (default people)")
    export.add_argument("--favourable", metavar="VALUE", help="of a scorecard: the outcome that gets the points")
    export.add_argument("--out", metavar="FILE", help="where to write it (default: to the screen)")
    export.set_defaults(run=_export)


def _export(options: argparse.Namespace) -> None:
    from rugcore.atomic import whole_file
    from rugcore.export import export_file

    refuse_bad_place(options.out, "--out")
    if options.to == "excel" and options.out is None:
        raise InputError("Expected --out FILE.xlsx with --to excel: a workbook cannot be shown on the screen.")
    model = loaded(options.model)
    has_points = options.to == "scorecard"  # what the model was told about its classes concerns no other format
    positive_class = favourable_of(options.favourable, model) if options.favourable or has_points else None
    content = export_file(
        model, options.to, dialect=options.dialect, table=options.table, positive_class=positive_class
    )
    if options.out is None:
        sys.stdout.write(content.decode())
        return
    with whole_file(options.out) as file:
        file.write(content)
    print(f"Saved to {Path(options.out)}")
