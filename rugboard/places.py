"""Where the parts of the dashboard lie: in a checkout side by side, in an installed package inside it."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
PROJECT = PACKAGE.parent  # the checkout, or where packages are installed
_INSTALLED = PACKAGE / "_app"  # only the wheel has this folder; see pyproject.toml
IS_CHECKOUT = not _INSTALLED.is_dir()
APP = (PROJECT if IS_CHECKOUT else _INSTALLED) / "app.py"
