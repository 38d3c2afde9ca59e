"""Translate: the attentions told apart, in the view of the page Attention; plain beside fused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from app.components.attention_component import attention_view, view_labels
from app.loaders import translation_answers
from app.widgets import address, inputs, outputs
from app.widgets.attention_heads import weights
from app.widgets.frame import PageState
from app.widgets.network_snippets import Attended
from app.wording import Wording
from embeddings.attention_view.html_page import standalone
from embeddings.attention_view.payload import VIEWS, Panel, ViewState
from embeddings.results.attention_map import AVERAGE, AttentionMap
from embeddings.results.translations import ATTENTIONS, TranslationInside
from embeddings.shelf import Entry

SIGNS = {"cls": "<s>", "sep": "</s>"}  # where BERT has [CLS] and [SEP]


def show(
    page: PageState, entry: Entry, found: Mapping[Entry, TranslationInside], asked: tuple[str, int]
) -> Attended:
    """Show one kind of attention; return what is drawn, for the same in Python."""
    say = page.say
    st.header(say("translate.attention"), anchor=False)
    there = [kind for kind in ATTENTIONS if any(kind in one.kinds for one in found.values())]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = inputs.choice(say, "translate_kind", there)
        level = inputs.choice(say, "translate_level", ("word", "token"))
        special = inputs.choice(say, "translate_special", ("shown", "hidden"))
    st.caption(say(f"translate.about_{kind}"))
    those = [one for one in found if kind in found[one].kinds]
    panels = [translation_answers.panel(one, asked, kind, level, special) for one in those]
    panels = [one for one in panels if _alike(one.shown, panels[0].shown)]
    if not (panels[0].shown.from_side.labels and panels[0].shown.to_side.labels):
        st.info(say("attention_shown.nothing"))
        return Attended(those[0].name, kind, level, special, 1, AVERAGE)
    at = _place(panels[0].shown)
    signs = {} if kind.startswith("bert") else SIGNS
    attention_view(say, panels, at, _moved, signs)
    if kind not in found[entry].kinds:
        st.caption(say("translate.only_fused"))
    _save(page, panels, at, signs)
    return Attended(those[0].name, kind, level, special, at.layer, at.head)


def _place(shown: AttentionMap) -> ViewState:
    """Return where the person is: at first the heads' average in the last layer but one."""
    layer = address.keep("translate_layer", max(1, shown.layers - 1), (1, shown.layers))
    head = address.keep("translate_head", AVERAGE, shown.heads)
    return ViewState(layer, head, address.keep("translate_view", VIEWS[0], VIEWS))


def _moved(at: ViewState) -> None:
    """Take over where the person went inside the view."""
    address.put(translate_layer=at.layer, translate_head=at.head, translate_view=at.view)


def _alike(one: AttentionMap, other: AttentionMap) -> bool:
    """Whether two networks have the same layers and heads, so that one choice is good for both."""
    return (one.layers, one.heads) == (other.layers, other.heads)


def _save(
    page: PageState, panels: Sequence[Panel], at: ViewState, signs: Mapping[str, str]
) -> None:
    """Offer the view as one HTML file, and the weights of the head shown as CSV."""
    say = page.say
    with st.container(horizontal=True):
        st.download_button(
            say("attention.html"),
            lambda: _file(say, panels, at, signs),
            "klyuch-translation.html",
            "text/html",
            key="translate_html",
            help=say("attention.html_help"),
            icon=":material/download:",
            on_click="ignore",
            type="tertiary",
        )
        rows = weights(panels[0].shown, at, say("attention.looks"))
        outputs.csv(say, rows, "translate-attention")


def _file(say: Wording, panels: Sequence[Panel], at: ViewState, signs: Mapping[str, str]) -> str:
    """Return the view as an HTML file."""
    return standalone(
        panels,
        at,
        heading=say("translate.attention"),
        about=", ".join(panel.shown.model for panel in panels),
        labels=view_labels(say) | dict(signs),
        language=say.language,
    )
