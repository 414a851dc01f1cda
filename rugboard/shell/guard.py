"""A guard against errors: no visitor ever sees a traceback."""

import functools
import logging
import runpy
from collections.abc import Callable
from typing import ParamSpec

import streamlit as st

from rugboard.places import APP
from rugboard.runs.errors import storage_error
from rugboard.runs.home import Home
from rugboard.shell.text import plain
from rugcore.errors import RugError

SORRY = (
    "Something went wrong here that we did not foresee; the server's log says more. Reload the page, or go on with "
    "another one."
)
# Until app.py has run once, Streamlit takes the folder pages/ for an app of its old kind, and runs a page that is
# opened directly without app.py. The page then runs app.py itself.
ROUTER = str(APP)
LOG = logging.getLogger(__name__)
_PAGE = "_page"  # which page app.py has sent the visitor to

P = ParamSpec("P")


def is_routed() -> bool:
    """Whether app.py has seen this visitor."""
    return _PAGE in st.session_state


def is_new_page(page: str) -> bool:
    """For app.py, once at the start of each script run: whether the visitor was elsewhere before."""
    is_new = bool(st.session_state.get(_PAGE) != page)
    st.session_state[_PAGE] = page
    return is_new


def guarded(function: Callable[P, None]) -> Callable[P, None]:
    """A page, fragment or dialog that never shows a traceback: a refusal is a sentence, all else an apology."""

    @functools.wraps(function)
    def guard(*args: P.args, **kwargs: P.kwargs) -> None:
        if not is_routed():
            runpy.run_path(ROUTER)
            return
        try:
            function(*args, **kwargs)
        except RugError as error:
            st.error(plain(error), icon=":material/error:")
        except Exception as error:
            LOG.exception("The page failed in %s.", function.__name__)
            st.error(_in_words(error), icon=":material/error:")

    return guard


def _in_words(error: Exception) -> str:
    """About a disk that is full, read-only or gone there is something to say."""
    trouble = storage_error(error, Home.current().root) if isinstance(error, OSError) else None
    return SORRY if trouble is None else plain(trouble)


@st.fragment
@guarded
def drawer(label: str, key: str, show: Callable[[], None]) -> None:
    """More to read for those who open it: made only then, and without drawing the rest of the page again."""
    # Without an icon: that would stand where the arrow says that there is something to open.
    with st.expander(label, key=key, on_change="rerun") as box:
        if box.open:
            show()
