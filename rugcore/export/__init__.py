"""A trained model in other languages: the same decisions, with test cases to prove it, and no rugcore needed there."""

from rugcore.export.excel import to_excel
from rugcore.export.files import FORMATS, ExportFormat, default_class, export_file, refuse_export
from rugcore.export.javascript import to_javascript
from rugcore.export.json_form import json_schema, to_json
from rugcore.export.pmml import to_pmml
from rugcore.export.python_code import to_python
from rugcore.export.sql import DIALECTS, to_sql

__all__ = [
    "DIALECTS",
    "FORMATS",
    "ExportFormat",
    "default_class",
    "export_file",
    "json_schema",
    "refuse_export",
    "to_excel",
    "to_javascript",
    "to_json",
    "to_pmml",
    "to_python",
    "to_sql",
]
