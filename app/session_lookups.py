"""A session's state looked up by key, where Streamlit makes a dictionary of all of it.

``st.text_input``, ``st.selectbox``, ``st.slider`` and others ask Streamlit's ``filtered_state`` for their own key alone. It is built anew
for each of them from every value of the session, a tenth of a click on a page of a hundred widgets. What is replaced is private to
Streamlit, so another version than the one that was measured and tested keeps its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

if TYPE_CHECKING:
    from streamlit.runtime.state.safe_session_state import SafeSessionState

TESTED = "1.67."  # how the version of Streamlit begins in which this stands for its own
INTERNAL = "$$STREAMLIT_INTERNAL_KEY"  # how keys begin that Streamlit keeps to itself


class StateByKey(Mapping[str, Any]):
    """What ``filtered_state`` holds, without building it until all of it is asked for."""

    def __init__(self, state: SafeSessionState) -> None:
        self._state = state

    def __getitem__(self, key: str) -> Any:
        """Return the value of a key that a page has given; KeyError for any other."""
        from streamlit.runtime.state.common import is_element_id

        if is_element_id(key) or key.startswith(INTERNAL):
            raise KeyError(key)
        with self._state._lock:
            return self._state._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())

    def __repr__(self) -> str:
        return repr(self._whole())

    def _whole(self) -> dict[str, Any]:
        """Return all of it as Streamlit builds it."""
        with self._state._lock:
            return self._state._state.filtered_state


def look_up_by_key() -> None:
    """Let every session of this server be looked up by key from now on, where Streamlit is of the version that was tested."""
    if not st.__version__.startswith(TESTED):
        return
    from streamlit.runtime.state.safe_session_state import SafeSessionState

    SafeSessionState.filtered_state = property(StateByKey)  # type: ignore[assignment]
