"""A model on paper: one `report.json` with all that a validator asks for, and PDF, HTML and DOCX made from it."""

from rugcore.report.blocks import Block, ChartMark, Column, Facts, Grid, Heading, Paragraph, Picture, SignOff
from rugcore.report.building import SECTIONS, build_report
from rugcore.report.document import MOMENT, ModelReport, Section
from rugcore.report.docx_form import to_docx
from rugcore.report.evidence import (
    Evidence,
    FrontierLine,
    ModelIdentity,
    NewerPeople,
    OtherModel,
    OutsideFound,
    PeopleRows,
    StabilityFound,
)
from rugcore.report.guidance import Guidance
from rugcore.report.html_form import to_html
from rugcore.report.pdf_form import to_pdf
from rugcore.report.statements import THRESHOLDS, TOPICS, ChangeEntry, RuleChangeEffect, Statements, entry_from
from rugcore.report.working_out import frontier_lines, measured_model, other_models, size_in_words

__all__ = [
    "MOMENT",
    "SECTIONS",
    "THRESHOLDS",
    "TOPICS",
    "Block",
    "ChangeEntry",
    "ChartMark",
    "Column",
    "Evidence",
    "Facts",
    "FrontierLine",
    "Grid",
    "Guidance",
    "Heading",
    "ModelIdentity",
    "ModelReport",
    "NewerPeople",
    "OtherModel",
    "OutsideFound",
    "Paragraph",
    "PeopleRows",
    "Picture",
    "RuleChangeEffect",
    "Section",
    "SignOff",
    "StabilityFound",
    "Statements",
    "build_report",
    "entry_from",
    "frontier_lines",
    "measured_model",
    "other_models",
    "size_in_words",
    "to_docx",
    "to_html",
    "to_pdf",
]
