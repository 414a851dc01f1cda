"""What a visitor chose and has not trained yet: kept for a day under a name in the address, for a refresh."""

import re
import time
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import streamlit as st

from rugboard.runs import files
from rugboard.runs.home import ONLY_THE_OWNER
from rugboard.runs.snapshots import A_DAY
from rugboard.session.server import store
from rugboard.setup import current_draft
from rugboard.setup.drafts import Draft, draft_from_json, draft_to_json

DRAFT = "draft"  # the name in the address
_ID = "_draft_id"
DRAFT_ID = re.compile(r"[0-9a-f]{32}")


def begin(draft: Draft) -> None:
    """Another table: another draft."""
    st.session_state[_ID] = uuid4().hex
    current_draft.open_draft(draft)


def reopen() -> None:
    """After a refresh, go on with the draft that the address names."""
    in_address = st.query_params.get(DRAFT)
    if in_address is None or current_draft.opening() is not None:
        return
    kept = kept_draft(in_address)
    if kept is not None:
        st.session_state[_ID] = in_address
        current_draft.open_draft(kept)


def remember() -> None:
    """Let the address name what was begun, so that a refresh does not lose it."""
    draft, draft_id = current_draft.draft(), st.session_state.get(_ID)
    if draft is None or not isinstance(draft_id, str):
        return
    keep_draft(draft_id, draft)
    if st.query_params.get(DRAFT) != draft_id:
        st.query_params[DRAFT] = draft_id


# -- files -------------------------------------------------------------------------------------------------


def keep_draft(draft_id: str, draft: Draft) -> None:
    """Keep a draft for a day, as long as its table waits for a first run. What cannot be kept is lost by a refresh."""
    path, text = _draft_path(draft_id), draft_to_json(draft)
    with suppress(OSError):
        path.parent.mkdir(mode=ONLY_THE_OWNER, parents=True, exist_ok=True)
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            return
        files.write_text(path, text)
        _remove_old(path.parent)


def kept_draft(draft_id: str) -> Draft | None:
    """The draft that an address names, if it is still there; an address may say anything."""
    if not DRAFT_ID.fullmatch(draft_id):
        return None
    try:
        return draft_from_json(_draft_path(draft_id).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _draft_path(draft_id: str) -> Path:
    """Where people sign in, each has a folder: an address that is passed on opens nothing."""
    own = store()
    folder = own.home.root / "drafts"
    return (folder / own.person.digest if own.person.id else folder) / f"{draft_id}.json"


def _remove_old(folder: Path) -> None:
    for path in folder.iterdir():
        with suppress(FileNotFoundError):  # somebody else was quicker
            if path.is_file() and time.time() - path.stat().st_mtime > A_DAY:
                path.unlink()
