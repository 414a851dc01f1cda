"""Which model this is: names, versions, hashes, and lines to sign."""

import platform
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from rugcore.report.blocks import Block, Facts, Heading, Paragraph, SignOff
from rugcore.report.evidence import Evidence
from rugcore.report.formats import counted
from rugcore.report.sections.common import faint, missing, outcome

PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "numba", "highspy")
ROLES = ("Model owner", "Model developer", "Independent validator", "Approver")


def identity(evidence: Evidence) -> tuple[Block, ...]:
    own = evidence.identity
    owner = evidence.statements.about("owner")
    return (
        Facts(
            (
                ("Model", f"{own.kind}, {counted(len(evidence.model.rules_), 'rule')}"),
                ("Name", own.name),
                *((("Run", own.run_id),) if own.run_id else ()),
                ("Trained", own.trained.replace("T", " ").replace("Z", " UTC") or "not recorded"),
                ("Data", own.data_name),
                ("What is decided", f"{evidence.target}; favourable: {outcome(evidence.favourable)}"),
                ("Groups by", evidence.attribute or "no sensitive attribute was named"),
                *((("Owner", owner),) if owner else ()),
                *own.more,
            )
        ),
        *(() if owner else (missing("Nobody has said who owns this model."),)),
        Heading("Hashes"),
        Facts((("Model file, SHA-256", own.model_hash), ("Data, SHA-256", own.data_hash))),
        faint("Whoever has the files can check that this report is about them: the hashes change with any byte."),
        Heading("Versions"),
        Paragraph(f"{versions()}. They are those of the machine that wrote this report."),
        Heading("Sign-off"),
        SignOff(ROLES),
    )


def versions() -> str:
    own = import_module("rugcore").__version__  # the package itself, which is there before any room of it
    found = [("rugcore", own), ("Python", platform.python_version())]
    return ", ".join(f"{name} {number}" for name, number in [*found, *((name, _version(name)) for name in PACKAGES)])


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
