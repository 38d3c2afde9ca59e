"""What networks and translators answer, computed on demand and kept: attention maps, translations seen from inside, scores of a card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from app.answers import cached
from app.loaders import shelf_models
from app.loaders.shelf_models import ask, ask_in_queue
from embeddings.results.network_answers import (
    BleuScore,
    HeadEffects,
    LogProbabilityRange,
    TranslationAblation,
    TranslationAttribution,
    TranslationInside,
    TranslatorHeads,
)
from embeddings.shelf import Entry

if TYPE_CHECKING:
    from embeddings.attention_view.payload import Panel
    from embeddings.networks.encoder_decoder import TranslationConfig
    from embeddings.results.network_walks import DecoderWalk


from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from embeddings.attention_view.payload import Panel
    from embeddings.results.network_answers import AttentionMap


def parts(entry: Entry, text: str) -> tuple[str, ...]:
    """Return a text as one part, or, where a model cannot read it whole, its sentences."""
    told: tuple[str, ...] = ask("translator.cut", entry, text)
    return told


def inside(entry: Entry, text: str, beam: int) -> TranslationInside:
    """Return a sentence translated, with all that can be seen of it."""
    answer: TranslationInside = ask_in_queue("translation_steps.look_inside", entry, text, beam)
    return answer


def walked(entry: Entry, text: str, layer: int, head: int) -> DecoderWalk:
    """Return every array on a sentence's way through a translator's decoder."""
    walk: DecoderWalk = ask("decoder_walk.walk_decoder", entry, text, layer, head)
    return walk


def ablated(entry: Entry, text: str, beam: int, heads: TranslatorHeads) -> TranslationAblation:
    """Return a text translated with all heads on, and again with some off."""
    ablation: TranslationAblation = ask_in_queue(
        "ablated_translation.ablate_translation", entry, text, heads, beam
    )
    return ablation


def head_effects(entry: Entry, text: str, beam: int) -> dict[str, HeadEffects]:
    """Return how much each head matters for the translation of a text, by kind of attention."""
    effects: dict[str, HeadEffects] = ask_in_queue(
        "ablated_translation.translation_head_effects", entry, text, beam
    )
    return effects


def attributed(entry: Entry, text: str, beam: int) -> TranslationAttribution:
    """Return which words of a sentence, and which earlier words of its translation, moved each word of it."""
    attribution: TranslationAttribution = ask_in_queue(
        "translation_attribution.attribute_translation", entry, text, beam
    )
    return attribution


def config(entry: Entry) -> TranslationConfig:
    """Return a translator's sizes."""
    sizes: TranslationConfig = shelf_models.open_with_base(entry).network.config
    return sizes


def panel(
    entry: Entry, text_and_beam: tuple[str, int], kind: str, level: str, special: str
) -> Panel:
    """Return one kind of attention of a text and a beam as it is shown, with what each head does."""
    return _panel(shelf_models.with_base(entry), text_and_beam, kind, (level, special))


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


@cached(64)
def _panel(
    entries: tuple[Entry, ...], text_and_beam: tuple[str, int], kind: str, options: tuple[str, str]
) -> Panel:
    """Return the panel of a translator, kept under the state of the network in it too."""
    from embeddings.attention_view.payload import Panel
    from embeddings.probing.attention_maps import head_profiles, prepare
    from embeddings.probing.translation_steps import attention_map

    entry = entries[0]
    attentions = inside(entry, *text_and_beam).attention
    of_kind = attention_map(attentions, kind, entry.name)
    shown = prepare(of_kind, level=options[0], special=options[1])
    key = str((entry.stamp, text_and_beam, kind, options))
    return Panel(shown, head_profiles(of_kind), f"{entry.name}: {attentions.target}", key)


@cached(64)
def attention(entry: Entry, first: str, second: str, measure: str = "weights") -> AttentionMap:
    """Return the attention of a text in a network, all heads; ``measure`` is "weights" or "norms"."""
    from embeddings.probing.attention_weights import attention as read_attention

    return read_attention(shelf_models.reader(entry), first, second, measure)


@cached(64)
def attention_panel(
    entry: Entry, texts: tuple[str, str], level: str, special: str, sentences: str, measure: str
) -> Panel:
    """Return the attention of a text as it is shown, with what each head does."""
    from embeddings.attention_view.payload import Panel
    from embeddings.probing.attention_maps import as_shares, head_profiles, prepare

    weights = attention(entry, *texts, measure)
    shown = prepare(weights, level=level, special=special, sentences=sentences)
    key = str((entry.stamp, texts, level, special, sentences, measure))
    return Panel(shown, head_profiles(as_shares(weights)), " ".join(filter(None, texts)), key)
