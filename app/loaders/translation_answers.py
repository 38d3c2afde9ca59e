"""Cached translations: models, one sentence seen from inside, its attention maps, the scores of a card.

A fused translator is two models: its own layers, and the BERT on the shelf that its card names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from app.answers import cached, once_per_run
from app.loaders import shelf_models
from embeddings.results.ablations import HeadEffects, TranslationAblation, TranslatorHeads
from embeddings.results.translations import (
    BleuScore,
    LogProbabilityRange,
    TranslationAttribution,
    TranslationInside,
)
from embeddings.shelf import Entry

if TYPE_CHECKING:
    from embeddings.attention_view.payload import Panel
    from embeddings.models.encoder_decoder import TranslationConfig
    from embeddings.probing.translator import Translator
    from embeddings.results.network_walks import DecoderWalk


def parts(entry: Entry, text: str) -> tuple[str, ...]:
    """Return a text as one part, or, where a model cannot read it whole, its sentences."""
    from embeddings.probing.translator import cut

    return cut(_translator(entry, _bert(entry)), text)


def inside(entry: Entry, text: str, beam: int) -> TranslationInside:
    """Return a sentence translated, with all that can be seen of it."""
    return _inside(entry, _bert(entry), text, beam)


def walked(entry: Entry, text: str, layer: int, head: int) -> DecoderWalk:
    """Return every array on a sentence's way through a translator's decoder."""
    return _walked(entry, _bert(entry), text, layer, head)


def ablated(entry: Entry, text: str, beam: int, heads: TranslatorHeads) -> TranslationAblation:
    """Return a text translated with all heads on, and anew with some off."""
    return _ablated(entry, _bert(entry), text, beam, heads)


def head_effects(entry: Entry, text: str, beam: int) -> dict[str, HeadEffects]:
    """Return how much each head matters for the translation of a text, by kind of attention."""
    return _head_effects(entry, _bert(entry), text, beam)


def attributed(entry: Entry, text: str, beam: int) -> TranslationAttribution:
    """Return which words of a sentence, and which earlier words of its translation, moved each word of it."""
    return _attributed(entry, _bert(entry), text, beam)


def config(entry: Entry) -> TranslationConfig:
    """Return a translator's sizes."""
    return _translator(entry, _bert(entry)).network.config


def panel(
    entry: Entry, text_and_beam: tuple[str, int], kind: str, level: str, special: str
) -> Panel:
    """Return one kind of attention of a text and a beam as it is shown, with what each head does."""
    return _panel(entry, _bert(entry), text_and_beam, kind, (level, special))


def bleu(entry: Entry) -> tuple[tuple[str, BleuScore], ...]:
    """Return the BLEU that a card brings, by test set and beam; what is of no known shape is left out."""
    recorded = shelf_models.card(entry).get("bleu")
    scores: list[tuple[str, BleuScore]] = []
    for test_set, values in recorded.items() if isinstance(recorded, Mapping) else ():
        try:
            score = BleuScore(
                float(values["score"]),
                str(values["signature"]),
                float(values["lower_score"]),
                str(values["lower_signature"]),
                int(values["sentences"]),
            )
        except (KeyError, TypeError, ValueError):
            continue
        scores.append((str(test_set), score))
    return tuple(scores)


def log_probability_range(entry: Entry) -> LogProbabilityRange | None:
    """Return how sure a translator is of its own kind of sentences, by its card; None where that is not known."""
    from embeddings.shelf.calibrating import read_log_probabilities

    return read_log_probabilities(shelf_models.card(entry))


@once_per_run
def _bert(entry: Entry) -> Entry | None:
    """Return the BERT that is fused into a translator; None for a plain Transformer."""
    from embeddings.shelf.loading import fused_bert  # torch: seconds

    return fused_bert(entry)


@cached(3)
def _translator(entry: Entry, bert: Entry | None) -> Translator:
    from embeddings.probing.translator import open_translator

    shelf_models.note_opening(entry)
    reader = shelf_models.reader(bert) if bert else None
    return open_translator(entry.path, reader, entry.name)


@cached(64, is_heavy=True)
def _inside(entry: Entry, bert: Entry | None, text: str, beam: int) -> TranslationInside:
    from embeddings.models.hypotheses import DecodingConfig
    from embeddings.probing.translation_steps import look_inside

    return look_inside(_translator(entry, bert), text, DecodingConfig(beam))


@cached(16, is_heavy=True)
def _ablated(
    entry: Entry, bert: Entry | None, text: str, beam: int, heads: TranslatorHeads
) -> TranslationAblation:
    from embeddings.models.hypotheses import DecodingConfig
    from embeddings.probing.ablated_translation import ablate_translation

    return ablate_translation(_translator(entry, bert), text, heads, DecodingConfig(beam))


@cached(16, is_heavy=True)
def _head_effects(entry: Entry, bert: Entry | None, text: str, beam: int) -> dict[str, HeadEffects]:
    from embeddings.models.hypotheses import DecodingConfig
    from embeddings.probing.ablated_translation import translation_head_effects

    return translation_head_effects(_translator(entry, bert), text, DecodingConfig(beam))


@cached(16)
def _walked(entry: Entry, bert: Entry | None, text: str, layer: int, head: int) -> DecoderWalk:
    from embeddings.probing.decoder_walk import walk_decoder

    return walk_decoder(_translator(entry, bert), text, layer, head)


@cached(8, is_heavy=True)
def _attributed(entry: Entry, bert: Entry | None, text: str, beam: int) -> TranslationAttribution:
    from embeddings.models.hypotheses import DecodingConfig
    from embeddings.probing.translation_attribution import attribute_translation

    return attribute_translation(_translator(entry, bert), text, DecodingConfig(beam))


@cached(64)
def _panel(
    entry: Entry,
    bert: Entry | None,
    text_and_beam: tuple[str, int],
    kind: str,
    options: tuple[str, str],
) -> Panel:
    from embeddings.attention_view.payload import Panel
    from embeddings.probing.attention_maps import head_profiles, prepare
    from embeddings.probing.translation_steps import attention_map

    attentions = _inside(entry, bert, *text_and_beam).attention
    of_kind = attention_map(attentions, kind, entry.name)
    shown = prepare(of_kind, level=options[0], special=options[1])
    key = str((entry.stamp, text_and_beam, kind, options))
    return Panel(shown, head_profiles(of_kind), f"{entry.name}: {attentions.target}", key)
