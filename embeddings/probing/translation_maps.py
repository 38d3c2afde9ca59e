"""A translation's attentions as maps that the attention view draws, and a translation with all that can be seen of it.

Rows of the decoder's own attention are the tokens that it reads, from the start sign on; rows of its attention to the
source or to BERT are the tokens that it says, one place further.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from embeddings.configuration import check_choice
from embeddings.errors import InputError
from embeddings.models.hypotheses import DecodingConfig
from embeddings.probing.attention import side_of
from embeddings.probing.translation import Translator
from embeddings.probing.translation_steps import (
    beam_tree,
    decoding_steps,
    translation_attention,
)
from embeddings.results.attention import AttentionMap, Side
from embeddings.results.translation import (
    ATTENTIONS,
    SideToken,
    TranslationAttention,
    TranslationInside,
)
from embeddings.runtime import one_thread
from embeddings.text.subwords import SPECIAL
from embeddings.text.wordpiece import Tokens

_SIGNS = {*SPECIAL, "[CLS]", "[SEP]"}


def look_inside(
    translator: Translator, text: str, config: DecodingConfig | None = None, topn: int = 10
) -> TranslationInside:
    """Translate a sentence and return everything on the way; torch uses one core.

    Raises
    ------
    InputError
        If the text is empty, or longer than the network takes at once.
    """
    with one_thread():
        seen = translation_attention(translator, text, config)
        steps = decoding_steps(translator, text, config, topn)
        tree = beam_tree(translator, text, config)
    words, looked = _looked(seen)
    unknown = tuple(dict.fromkeys(translator.vocabulary.encode(text).unknown))
    return TranslationInside(seen, steps, tree, words, looked, unknown)


def attention_map(seen: TranslationAttention, kind: str, model: str = "") -> AttentionMap:
    """Return one kind of a translation's attention as a map of all its layers and heads.

    Parameters
    ----------
    kind : str
        "cross" (target to source), "encoder" (source to itself), "decoder" (target to what stands before it),
        "bert_encoder" and "bert_decoder" (source and target to BERT's tokens, of a fused network).

    Raises
    ------
    InputError
        If the kind is none of these, or the network is plain and has no BERT.
    """
    check_choice("kind", kind, ATTENTIONS)
    weights: NDArray[np.float32] | None = getattr(seen, kind)
    if weights is None:
        raise InputError("translation_needs_bert")
    looking, looked = _sides(seen, kind)
    heads = tuple(str(head + 1) for head in range(weights.shape[1]))
    return AttentionMap(model, looking, looked, weights, heads)


def _sides(seen: TranslationAttention, kind: str) -> tuple[Side, Side]:
    """Return what looks and what is looked at; one object where a text looks at itself."""
    if kind in ("encoder", "decoder"):
        own = seen.source_tokens if kind == "encoder" else seen.input_tokens
        side = _side(own, seen.source if kind == "encoder" else seen.target, kind == "decoder")
        return side, side
    looked = seen.source_tokens if kind == "cross" else seen.bert_tokens
    if kind == "bert_encoder":
        return _side(seen.source_tokens, seen.source), _side(looked, seen.source)
    return _side(seen.target_tokens, seen.target, is_target=True), _side(looked, seen.source)


def _side(tokens: Sequence[SideToken], text: str, is_target: bool = False) -> Side:
    """Join tokens to words; the target is marked as the second text."""
    is_sign = [one.token in _SIGNS and one.start == one.end for one in tokens]
    given = Tokens(
        ids=tuple(int(sign) for sign in is_sign),
        tokens=tuple(one.token for one in tokens),
        offsets=tuple((one.start, one.end) for one in tokens),
        segments=(0,) * len(tokens),
    )
    return replace(side_of(given, (text,), {1}), segments=(int(is_target),) * len(tokens))


def _looked(seen: TranslationAttention) -> tuple[tuple[str, ...], NDArray[np.float32]]:
    """Return the source's words and how much each step looks at each of them."""
    side = _side(seen.source_tokens, seen.source)
    layer = max(0, len(seen.cross) - 2)
    starts = np.flatnonzero(np.diff(np.array(side.words), prepend=-1))
    shares = np.add.reduceat(seen.cross[layer].mean(0), starts, axis=-1)
    return side.word_labels, shares.astype(np.float32)
