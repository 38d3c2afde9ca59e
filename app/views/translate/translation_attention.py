"""Translate: each kind of attention, in the view of the page Attention; plain next to fused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from app.components.attention_component import attention_view, view_labels
from app.loaders import network_answers
from app.widgets import address, inputs, outputs
from app.widgets.attention_heads import weights
from app.widgets.frame import PageState
from app.widgets.snippets import HeadChoice
from app.wording import Wording
from embeddings.attention_view.html_page import standalone
from embeddings.attention_view.payload import VIEWS, Panel, ViewState
from embeddings.results.network_answers import ATTENTIONS, AVERAGE, AttentionMap, TranslationInside
from embeddings.shelf import Entry

TOKEN_LABELS = {"cls": "<s>", "sep": "</s>"}  # where BERT has [CLS] and [SEP]


def show_attention(
    page: PageState,
    entry: Entry,
    translations: Mapping[Entry, TranslationInside],
    text: str,
    beam: int,
) -> HeadChoice:
    """Show one kind of attention; return what is drawn, for the same in Python."""
    say = page.say
    kinds = [
        kind
        for kind in ATTENTIONS
        if any(kind in translation.kinds for translation in translations.values())
    ]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = inputs.choice(say, "translate_kind", kinds)
        level = inputs.choice(say, "translate_level", ("word", "token"))
        special = inputs.choice(say, "translate_special", ("shown", "hidden"))
    st.caption(say(f"translate.about_{kind}"))
    entries = [
        translator for translator, translation in translations.items() if kind in translation.kinds
    ]
    panels = [
        network_answers.panel(translator, (text, beam), kind, level, special)
        for translator in entries
    ]
    panels = [panel for panel in panels if _same_shape(panel.shown, panels[0].shown)]
    if not (panels[0].shown.from_side.labels and panels[0].shown.to_side.labels):
        st.info(say("attention_shown.nothing"))
        return HeadChoice(entries[0].name, kind, level, special, 1, AVERAGE)
    view_state = _read_view_state(panels[0].shown)
    token_labels = {} if kind.startswith("bert") else TOKEN_LABELS
    attention_view(say, panels, view_state, _save_view_state, token_labels)
    if kind not in translations[entry].kinds:
        st.caption(say("translate.only_fused"))
    _offer_files(page, panels, view_state, token_labels)
    return HeadChoice(entries[0].name, kind, level, special, view_state.layer, view_state.head)


def first_head(entry: Entry) -> HeadChoice:
    """Return what is drawn at first: the mean of the heads of the cross-attention in the last layer but one."""
    layer = max(1, network_answers.config(entry).num_hidden_layers - 1)
    return HeadChoice(entry.name, "cross", "word", "shown", layer, AVERAGE)


def _read_view_state(attention_map: AttentionMap) -> ViewState:
    """Return the layer, head and view of the address; at first the heads' average in the last layer but one."""
    layer = address.keep(
        "translate_layer", max(1, attention_map.layers - 1), (1, attention_map.layers)
    )
    head = address.keep("translate_head", AVERAGE, attention_map.heads)
    word = address.keep("translate_word", -1, (-1, len(attention_map.from_side) - 1))
    return ViewState(layer, head, address.keep("translate_view", VIEWS[0], VIEWS), word=word)


def _save_view_state(view_state: ViewState) -> None:
    """Write the layer, head and view chosen inside the component to the address."""
    address.put(
        translate_layer=view_state.layer,
        translate_head=view_state.head,
        translate_view=view_state.view,
        translate_word=view_state.word,
    )


def _same_shape(first: AttentionMap, second: AttentionMap) -> bool:
    """Whether two networks have the same layers and heads, so that one view state fits both."""
    return (first.layers, first.heads) == (second.layers, second.heads)


def _offer_files(
    page: PageState, panels: Sequence[Panel], view_state: ViewState, token_labels: Mapping[str, str]
) -> None:
    """Offer the view as one HTML file, and the weights of the head shown as CSV."""
    say = page.say
    with st.container(horizontal=True):
        outputs.download(
            say("attention.html"),
            lambda: _view_page(say, panels, view_state, token_labels),
            "klyuch-translation.html",
            "translate_html",
            help=say("attention.html_help"),
        )
        looks = say("attention.looks")
        make = partial(weights, panels[0].shown, view_state, looks)
        outputs.csv(say, make, "translate-attention")


def _view_page(
    say: Wording, panels: Sequence[Panel], view_state: ViewState, token_labels: Mapping[str, str]
) -> str:
    """Return the view as an HTML file."""
    return standalone(
        panels,
        view_state,
        heading=say("translate.attention"),
        about=", ".join(panel.shown.model for panel in panels),
        labels=view_labels(say) | dict(token_labels),
        language=say.language,
    )
