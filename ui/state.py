"""What the dashboard remembers of a visitor, with names and types."""

import streamlit as st

from ui.training import TrainingRequest

_REQUEST = "training_request"


def wanted_model() -> TrainingRequest | None:
    """The model that the visitor asked for last."""
    request = st.session_state.get(_REQUEST)
    return request if isinstance(request, TrainingRequest) else None


def want_model(request: TrainingRequest) -> None:
    st.session_state[_REQUEST] = request


def forget_model() -> None:
    st.session_state.pop(_REQUEST, None)
