"""The attention view on a page: Python sends the heads that fit, of a long text one, and the view says which it wants next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import streamlit as st

from app.wording import Wording
from embeddings.attention_view.html_page import fitting, script, style
from embeddings.attention_view.payload import LABELS, Panel, ViewState, payload

KEY = "attention_component"
WIRE = 64_000  # bytes of weights at once: all heads of a short text, one head of a long one


def attention_view(
    say: Wording,
    panels: Sequence[Panel],
    at: ViewState,
    moved: Callable[[ViewState], None],
    labels: Mapping[str, str] | None = None,
) -> None:
    """Draw texts beside each other; ``moved`` hears of it when the person goes to another head.

    ``labels`` stand in the place of the view's own: a translator's signs are not [CLS] and [SEP].
    """

    def hear() -> None:
        if wanted := _wanted():
            moved(wanted)

    wanted = _wanted()
    at = replace(at, turn=wanted.turn if wanted else 0)
    sent = fitting(panels, at, WIRE)
    words = view_labels(say) | dict(labels or {})
    data = payload(panels, at, sent, labels=words, language=say.language)
    _registered()(
        key=KEY, data={**data, "theme": st.context.theme.type}, default={"at": None},
        on_at_change=hear,
    )  # fmt: skip


def _wanted() -> ViewState | None:
    """Return where the person last went inside the view."""
    wanted = (st.session_state.get(KEY) or {}).get("at") or {}
    if not {"layer", "head", "view", "turn"} <= set(wanted):
        return None
    layer, turn = int(wanted["layer"]), int(wanted["turn"])
    return ViewState(layer, str(wanted["head"]), str(wanted["view"]), turn)


def view_labels(say: Wording) -> dict[str, str]:
    """Return what the view says, in the language of the screen."""
    return {name: say(f"attention_shown.{name}") for name in LABELS}


@st.cache_resource(show_spinner=False)
def _registered() -> Callable[..., object]:
    """Register the component, once."""
    return st.components.v2.component(
        "klyuch_attention",
        html='<div class="klyuch-attention"></div>',
        css=style(),
        js=script("component"),
    )
