"""What moved a guess at a blank, word by word, so that the words add up to its log-probability.

Integrated gradients and occlusion (`embeddings.probing.attribution`) over the rows of the token embedding matrix, from a
text in which every token is [MASK]; positions, segments and special tokens stay as they are. A guess of several tokens is a
product over them from left to right (`embeddings.probing.fill_mask.fill`), so each of its tokens is attributed and their parts are
added up.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from embeddings.configuration import check_range
from embeddings.errors import InputError
from embeddings.probing.attention_weights import side_of, words_of
from embeddings.probing.attribution import (
    TOLERANCE,
    Answer,
    GroupAttributions,
    Rows,
    attribute_groups,
    last_attention,
    masked_path,
    word_shares,
)
from embeddings.probing.context_states import TokenSpan
from embeddings.probing.fill_mask import (
    fill,
    guess_factors,
    guess_pieces,
    is_spaced,
    read_masks,
    token_head,
)
from embeddings.probing.network import MASK, Network, mask_name, pad, token_id, token_names
from embeddings.probing.sentence_answers import GuessAttribution


def attribute_guess(  # noqa: PLR0913
    reader: Network,
    text: str,
    word: str = "",
    *,
    second: str = "",
    blank: int = 1,
    token: str = "",
    tolerance: float = TOLERANCE,
) -> GuessAttribution:
    """Return what each word of a text adds to log p of a guess at a blank, and by how much that falls without the word.

    Parameters
    ----------
    reader : Network
        A network with its MLM head.
    text, second : str
        A sentence, and what follows it if the network is to see a pair; [MASK] where a word is missing, in either.
    word : str
        Any word of the network's vocabulary, of one or several tokens; "" takes the likeliest token.
    blank : int, default 1
        Which [MASK], from 1; the others stay masked.
    token : str
        Instead of ``word``, a token as `fill` lists it ("##s").
    tolerance : float, default 0.01
        Nats that the residual may have; it is what it is at the largest number of points.

    Raises
    ------
    InputError
        If there is no [MASK], no such blank, no other word, the network has no MLM head, the text is longer than it takes, or the
        guess is not in the vocabulary.

    References
    ----------
    Sundararajan et al. (2017), "Axiomatic Attribution for Deep Networks", section 3.
    """
    token_head(reader)
    masks_at, _ = read_masks(reader, text, second)
    check_range("blank", blank, 1, len(masks_at.positions))
    at = masks_at.positions[blank - 1]
    name = mask_name(reader)
    texts = (text.replace(MASK, name), second.replace(MASK, name))
    tokens, piece = masks_at.tokens, reader.wordpiece
    side = side_of(tokens, texts, {piece.cls_id, piece.sep_id, piece.mask_id})
    if all(side.special):
        raise InputError("attribution_no_words")
    if not word and not token:
        token = fill(reader, text, 1, second=second).masks[blank - 1].guesses[0].token
    start, end = tokens.offsets[at]
    segment = tokens.segments[at]
    pieces = _pieces(reader, word, token, is_spaced(texts[segment], start))
    wider = len(pieces) - 1  # what is read has so many tokens more, from the blank on
    fixed = [*side.special[:at], *[True] * len(pieces), *side.special[at + 1 :]]
    groups = [(tuple(i + wider * (i > at) for i in rows),) for _, rows in words_of(side)]

    def attribute(read: TokenSpan, target: int) -> GroupAttributions:
        table = reader.network.encoder.inputs.tokens
        path = masked_path(table, read.tokens.ids, fixed, piece.mask_id)
        answer = _log_probability(reader, read, target)
        return attribute_groups(answer, path, groups, tolerance)

    factors = guess_factors(reader, masks_at, blank - 1, pieces)
    whole = _summed([attribute(*factor) for factor in factors])
    attention = last_attention(reader, tokens, at)
    shift = len(texts[0]) + 1
    names = token_names(reader)
    return GuessAttribution(
        " ".join(filter(None, texts)),
        (start + segment * shift, end + segment * shift),
        word or token,
        tuple(names[i] for i in pieces),
        float(whole.answers[0]),
        float(whole.baselines[0]),
        word_shares(side, whole, attention, shift),
        float(attention[np.array(side.special)].sum()),
        float(whole.residuals[0]),
        whole.steps,
    )


def _pieces(reader: Network, word: str, token: str, spaced: bool) -> list[int]:
    """Return the ids of a guess."""
    if token:
        return [token_id(reader, token)]
    pieces = guess_pieces(reader, word, spaced=spaced)
    if reader.wordpiece.unk_id in pieces:
        raise InputError("removal_word", word=word)
    return pieces


def _log_probability(reader: Network, read: TokenSpan, target: int) -> Answer:
    """Return what gives log p of a token at the only position of a text, from rows of the token embedding matrix."""
    _, segments, _ = pad(reader, [read.tokens])
    (position,) = read.positions
    encoder, head = reader.network.encoder, token_head(reader)

    def answer(rows: Rows) -> Tensor:
        (vectors,) = rows
        size = vectors.shape[1]
        keep = position + size * torch.arange(len(vectors), device=vectors.device)
        repeated = segments.expand(len(vectors), -1)
        logits: Tensor = head(encoder.from_vectors(vectors, repeated, keep=keep).last)
        return logits.float().log_softmax(-1)[:, target, None]

    return answer


def _summed(parts: list[GroupAttributions]) -> GroupAttributions:
    """Return the attributions of a product of probabilities: log p and what it is made of, added up."""
    names = ("answers", "baselines", "residuals", "gradients", "occlusions")
    sums = {name: np.sum([getattr(part, name) for part in parts], 0) for name in names}
    return GroupAttributions(**sums, steps=max(part.steps for part in parts))
