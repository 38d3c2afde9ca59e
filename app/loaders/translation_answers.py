"""Cached translations: models, one sentence seen from inside, its attention maps, the scores of a card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from app.loaders import shelf_models
from embeddings.results.translations import BleuScore, TranslationInside
from embeddings.shelf import Entry

if TYPE_CHECKING:
    from embeddings.attention_view.payload import Panel
    from embeddings.models.encoder_decoder import TranslationConfig
    from embeddings.probing.translator import Translator
    from embeddings.results.network_walks import DecoderWalk


def parts(entry: Entry, text: str) -> tuple[str, ...]:
    """Return a text as one part, or, where a model cannot read it whole, its sentences."""
    from embeddings.probing.translator import cut

    return cut(_translator(entry, _changed(entry)), text)


def inside(entry: Entry, text: str, beam: int) -> TranslationInside:
    """Return a sentence translated, with all that can be seen of it."""
    return _inside(entry, _changed(entry), text, beam)


def walked(entry: Entry, text: str, layer: int, head: int) -> DecoderWalk:
    """Return every array on a sentence's way through a translator's decoder."""
    return _walked(entry, _changed(entry), text, layer, head)


def config(entry: Entry) -> TranslationConfig:
    """Return a translator's sizes."""
    return _translator(entry, _changed(entry)).network.config


def panel(entry: Entry, asked: tuple[str, int], kind: str, level: str, special: str) -> Panel:
    """Return one kind of attention of a text and a beam as it is shown, with what each head does."""
    return _panel(entry, _changed(entry), asked, kind, (level, special))


def bleu(entry: Entry) -> tuple[tuple[str, BleuScore], ...]:
    """Return the BLEU that a card brings, by test set and beam; what is of no known shape is left out."""
    told = shelf_models.card(entry).get("bleu")
    found: list[tuple[str, BleuScore]] = []
    for name, one in told.items() if isinstance(told, Mapping) else ():
        try:
            score = BleuScore(
                float(one["score"]),
                str(one["signature"]),
                float(one["lower_score"]),
                str(one["lower_signature"]),
                int(one["sentences"]),
            )
        except (KeyError, TypeError, ValueError):
            continue
        found.append((str(name), score))
    return tuple(found)


def _changed(entry: Entry) -> int:
    """When a model's card was written: one of the same name that came later is another model."""
    card = entry.path / "card.json"
    return card.stat().st_mtime_ns if card.exists() else 0


@st.cache_resource(max_entries=3, show_spinner=False)
def _translator(entry: Entry, changed: int) -> Translator:  # noqa: ARG001
    from embeddings.shelf.loading import load_translator  # torch: seconds

    return load_translator(entry.path)


@st.cache_resource(max_entries=32, show_spinner=False)
def _inside(entry: Entry, changed: int, text: str, beam: int) -> TranslationInside:
    from embeddings.models.hypotheses import DecodingConfig
    from embeddings.probing.translation_steps import look_inside

    return look_inside(_translator(entry, changed), text, DecodingConfig(beam))


@st.cache_resource(max_entries=16, show_spinner=False)
def _walked(entry: Entry, changed: int, text: str, layer: int, head: int) -> DecoderWalk:
    from embeddings.probing.decoder_walk import walk_decoder

    return walk_decoder(_translator(entry, changed), text, layer, head)


@st.cache_resource(max_entries=12, show_spinner=False)
def _panel(
    entry: Entry, changed: int, asked: tuple[str, int], kind: str, options: tuple[str, str]
) -> Panel:
    from embeddings.attention_view.payload import Panel
    from embeddings.probing.attention_maps import head_profiles, prepare
    from embeddings.probing.translation_steps import attention_map

    seen = _inside(entry, changed, *asked).attention
    found = attention_map(seen, kind, entry.name)
    shown = prepare(found, level=options[0], special=options[1])
    key = str((entry.path, changed, asked, kind, options))
    return Panel(shown, head_profiles(found), f"{entry.name}: {seen.target}", key)
