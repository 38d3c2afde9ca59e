"""The attention view as a component of a page; of a long text one head is sent at a time, on request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import streamlit as st

from app.components import component
from app.wording import Wording
from embeddings.attention_view.html_page import fitting, script, style
from embeddings.attention_view.payload import LABELS, Panel, ViewState, payload

KEY = "attention_component"
MAX_BYTES = 64_000  # bytes of weights at once: all heads of a short text, one head of a long one


def attention_view(
    say: Wording,
    panels: Sequence[Panel],
    view_state: ViewState,
    on_select: Callable[[ViewState], None] | None = None,
    labels: Mapping[str, str] | None = None,
) -> None:
    """Draw texts next to each other; ``on_select`` is called when another head or word is chosen in the view.

    Without ``on_select`` the view remembers the choice itself.

    ``labels`` replace the view's own: a translator's special tokens are not [CLS] and [SEP].
    """

    def handle_change() -> None:
        if on_select and (requested := _requested_view_state()):
            on_select(requested)

    requested = _requested_view_state()
    if requested and on_select is None:
        view_state = requested
    view_state = replace(view_state, turn=requested.turn if requested else 0)
    heads = fitting(panels, view_state, MAX_BYTES)
    words = view_labels(say) | dict(labels or {})
    data = payload(panels, view_state, heads, labels=words, language=say.language)
    component("attention", style(), script("component"))(
        key=KEY, data={**data, "theme": st.context.theme.type}, default={"at": None},
        on_at_change=handle_change,
    )  # fmt: skip


def _requested_view_state() -> ViewState | None:
    """Return the view state that the component asked for last."""
    state = (st.session_state.get(KEY) or {}).get("at") or {}
    if not {"layer", "head", "view", "turn"} <= set(state):
        return None
    layer, turn = int(state["layer"]), int(state["turn"])
    word = int(state.get("word", -1))
    return ViewState(layer, str(state["head"]), str(state["view"]), turn, word)


def view_labels(say: Wording) -> dict[str, str]:
    """Return the labels of the view in the language of the screen."""
    return {name: say(f"attention_shown.{name}") for name in LABELS}
