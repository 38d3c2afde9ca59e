"""Lexical substitutes: what the network would put in the place of a word, with and without seeing the word.

For a word T in a context C, and every whole word s of the vocabulary:

    P(s) = 1/Z P(s | C) P(s | T)^w

- P(s | C) with T replaced by one [MASK];
- P(s | T) = softmax(cos(e_s, e_T) / temperature), e the rows of the token embedding matrix, e_T the mean over T's tokens; w is the weight
  ``embedding``.

Arefyev et al. (2020), sections 3 and 4 (+embs).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from embeddings.analysis.context_answers import SenseNames
from embeddings.analysis.sense_induction import Closeness
from embeddings.arrays import Float32s, Float64s, Int64s
from embeddings.configuration import check_range
from embeddings.probing.context_states import Occurrence, blanked, token_span
from embeddings.probing.fill_mask import logits, token_head
from embeddings.probing.network import (
    Network,
    in_batches,
    token_names,
    whole_words,
)
from embeddings.probing.sentence_answers import Substitutes
from embeddings.text.lemmas import lemma, lemma_key
from embeddings.text.tokenizer import WORD_START

NAMED = 5  # words a sense
# nats: a probability below e^-30 counts as that, so that neither source can veto a word alone
FLOOR = -30.0
TEMPERATURE = 0.1  # divides the cosine with the word
NAMING = 0.5  # the weight of nearness to the word where senses are named
NAMING_TOPN = 200  # of each context


def substitutes(
    reader: Network,
    contexts: Sequence[Occurrence],
    topn: int = 200,
    embedding: float = 0.0,
) -> Substitutes:
    """Return the likeliest substitutes of each word in its text.

    Parameters
    ----------
    reader : Network
        A network with its MLM head.
    contexts : sequence of (text, (start, end))
        A text and the characters of the word in it; a text that is too long is cut around the word.
    topn : int, default 200
        Substitutes a context; the rest of the distribution is dropped.
    embedding : float, default 0
        Weight of nearness to the word by the token embedding matrix; 0: the word is not seen.

    Raises
    ------
    InputError
        As `word_states`; if the network has no MLM head, or a number is out of range.
    """
    token_head(reader)
    check_range("embedding", embedding, 0.0, 100.0)
    chosen = whole_words(reader).nonzero()[0]
    check_range("topn", topn, 1, len(chosen))
    located = [token_span(reader, text, span) for text, span in contexts]
    blanks = [token_span(reader, text, span) for text, span in blanked(reader, contexts)]
    allowed = torch.from_numpy(chosen).to(reader.device)
    with torch.inference_mode():
        table = reader.network.encoder.inputs.tokens.weight
        lengths = table.norm(dim=1).clamp_min(1e-12).index_select(0, allowed)

    def near(rows: list[int]) -> Tensor:
        """Log P(s | T), shape (texts, allowed)."""
        words = [table[[located[r].tokens.ids[i] for i in located[r].positions]] for r in rows]
        word = torch.nn.functional.normalize(torch.stack([tokens.mean(0) for tokens in words]))
        # of 250 000 rows no copy is made: lengths are divided by after the product
        cosines: Tensor = (word @ table.T).index_select(1, allowed) / lengths
        return (cosines / TEMPERATURE).log_softmax(-1)

    def likeliest(rows: list[int]) -> tuple[Float32s, Int64s]:
        """Return the largest probabilities of each text, falling, and which of the allowed tokens they are of."""
        scores = logits(reader, [blanks[row] for row in rows]).index_select(1, allowed)
        total = scores.log_softmax(-1).clamp_min(FLOOR)
        if embedding:
            with torch.inference_mode():
                total = total + embedding * near(rows).clamp_min(FLOOR)
        values, best = total.softmax(-1).topk(topn)
        return values.cpu().numpy(), best.cpu().numpy()

    ids = np.empty((len(contexts), topn), np.int32)
    probabilities = np.empty((len(contexts), topn), np.float32)
    sizes = [len(span.tokens.ids) for span in located]
    for rows, (values, best) in in_batches(reader, sizes, 32, likeliest):
        probabilities[rows], ids[rows] = values, chosen[best]
    truncated = np.array([span.truncated for span in located], bool)
    return Substitutes(ids, probabilities, token_names(reader), truncated)


def naming_substitutes(reader: Network, contexts: Sequence[Occurrence]) -> Substitutes | None:
    """Return the substitutes that `telling_substitutes` names senses by; None without an MLM head or whole words."""
    words = int(whole_words(reader).sum())
    if reader.network.tokens is None or not words:
        return None
    return substitutes(reader, contexts, min(NAMING_TOPN, words), NAMING)


def telling_substitutes(
    substituted: Substitutes,
    labels: Int64s,
    number: int,
    language: str,
    left_out: Collection[str] = (),
    near: Closeness | None = None,
) -> SenseNames:
    """Return the substitutes that tell each sense from the others by `most_telling`; their weight is c(s, sense).

    P(s | sense) is the mean over its contexts, forms of a lemma together; c is 1 without ``near``.

    Parameters
    ----------
    substituted : Substitutes
        Of each context.
    labels : NDArray of int64
        Sense of each context, below ``number``.
    number : int
        Senses; one without a context here gets no name.
    language : str
        Of the lemmas.
    left_out : collection of str
        Keys of lemmas that do not count, as the word's own.
    near : Closeness, optional
        Of the words of a static companion: what it lacks does not count, nor what says nothing (a
        two-thousandth of its corpus), and c is the closeness to the sense's contexts.
    """
    totals: dict[str, Float64s] = {}
    shown: dict[str, str] = {}
    close: dict[str, Float32s | None] = {}
    for row, label in enumerate(labels):
        for token, chance in zip(substituted.ids[row], substituted.probabilities[row], strict=True):
            text = substituted.tokens[token].removeprefix(WORD_START)
            if not text.isalpha() or (key := lemma_key(text, language)) in left_out:
                continue
            if near is not None and key not in close:
                close[key] = near.of((key, text.lower()))
            if near is not None and close[key] is None:
                continue
            shown.setdefault(key, lemma(text, language))
            totals.setdefault(key, np.zeros(number))[label] += chance
    telling = most_telling(totals, labels, number, 1e-5, None if near is None else close)
    return SenseNames(tuple(shown[key] for key in keys) for keys in telling)


def most_telling(
    totals: Mapping[str, Float64s],
    labels: Int64s,
    number: int,
    smoothing: float,
    weights: Mapping[str, NDArray[Any] | None] | None = None,
) -> SenseNames:
    """Return up to five words a sense, of highest P(w | sense) log((P(w | sense) + s) / (P(w | the other senses) + s)) weight(w, sense).

    Parameters
    ----------
    totals : mapping of str to NDArray, shape (number,)
        What each word has in the contexts of each sense, added up; the first of equals comes first.
    labels : NDArray of int64
        Sense of each context, below ``number``.
    smoothing : float
        s.
    weights : mapping of str to NDArray, shape (number,), optional
    """
    if not totals:
        return SenseNames(((),) * number)
    keys = list(totals)
    sizes = np.bincount(labels, minlength=number)
    sums = np.array([totals[key] for key in keys])
    inside = sums / np.maximum(sizes, 1)
    outside = (sums.sum(1, keepdims=True) - sums) / np.maximum(sizes.sum() - sizes, 1)
    scores = inside * np.log((inside + smoothing) / (outside + smoothing))
    if weights is not None:
        scores *= np.array([weights[key] for key in keys])
    order = np.argsort(-scores, axis=0, kind="stable")[:NAMED]
    return SenseNames(
        tuple(keys[i] for i in order[:, label] if scores[i, label] > 0) for label in range(number)
    )
