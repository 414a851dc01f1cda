"""A guard against errors: no visitor ever sees a traceback."""

import functools
import logging
import runpy
from collections.abc import Callable
from typing import ParamSpec

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from rugboard.people.sign_in import NoRoleError, SignInError
from rugboard.places import APP
from rugboard.runs.errors import storage_error
from rugboard.runs.home import Home
from rugboard.shell import signed_in
from rugboard.shell.text import plain
from rugboard.shell.theme import PRODUCT
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

_checks: dict[str, Callable[[], object]] = {}


def register_check(name: str, check: Callable[[], object]) -> None:
    """What must hold whenever a part of a page is drawn again by itself; it raises if it does not."""
    _checks[name] = check


def _check() -> None:
    """A part of a page holds on to what the page knew when it was opened; who is asking is asked again."""
    signed_in.person()
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None and context.fragment_ids_this_run:
        for check in list(_checks.values()):
            check()


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
            _check()
            function(*args, **kwargs)
        except SignInError as error:
            ask_to_sign_in(error)
        except RugError as error:
            st.error(plain(error), icon=":material/error:")
        except Exception as error:
            LOG.exception("The page failed in %s.", function.__name__)
            st.error(_in_words(error), icon=":material/error:")

    return guard


def on_script_error(error: Exception) -> bool:
    """For what a button does before the page is drawn; True: it is said, and Streamlit need not."""
    if isinstance(error, SignInError):
        ask_to_sign_in(error)
    elif isinstance(error, RugError):
        st.error(plain(error), icon=":material/error:")
    else:
        LOG.error("A page failed.", exc_info=error)
        st.error(_in_words(error), icon=":material/error:")
    return True


def ask_to_sign_in(error: SignInError) -> None:
    """In place of what a person would see who is signed in."""
    with st.container(border=True, horizontal_alignment="center", gap="small", key="sign_in_box"):
        st.space("small")
        st.subheader(PRODUCT, anchor=False, width="content", text_alignment="center")
        st.markdown(f":material/lock: {plain(error)}", width="content", text_alignment="center")
        if isinstance(error, NoRoleError):
            st.button("Sign out", key="sign_out", icon=":material/logout:", on_click=st.logout)
        else:
            st.button("Sign in", key="sign_in", type="primary", icon=":material/login:", on_click=st.login)
        st.space("small")


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
