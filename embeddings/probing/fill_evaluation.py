"""How well a network fills blanks of sentences that it has not read: the measure that passages of its own corpora would flatter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from embeddings.arrays import Bools, Float64s, Int64s
from embeddings.corpora.evaluation_sets import MASK, BlankSentence
from embeddings.probing.context_states import TokenSpan
from embeddings.probing.fill_mask import is_spaced, logits, token_head
from embeddings.probing.network import (
    Network,
    candidates,
    in_batches,
    mask_name,
    token_names,
)
from embeddings.probing.sentence_answers import BlankScores
from embeddings.text.tokenizer import WORD_START

TOP = 5
BATCH = 64
_WORD = re.compile(r"[^\W\d_]+")


def evaluate_blanks(reader: Network, blanks: Sequence[BlankSentence]) -> BlankScores:
    """Score a network on sentences with one blank each.

    Guesses are the likeliest tokens but the special ones; probabilities are those of the whole vocabulary. A sentence is not covered if
    none of its answers is one token of the vocabulary, or if it is longer than the network takes. Of several answers each is right: the
    best rank counts, and their probabilities are added up.

    Raises
    ------
    InputError
        If the network has no MLM head.
    """
    token_head(reader)
    name, mask = mask_name(reader), reader.wordpiece.mask_id
    encoded = [reader.wordpiece.encode(blank.text.replace(MASK, name)) for blank in blanks]
    answers = [_answer_ids(reader, blank) for blank in blanks]
    too_long = np.array([len(tokens.ids) > reader.longest for tokens in encoded], bool)
    has_blank = np.array([tokens.ids.count(mask) == 1 for tokens in encoded], bool)
    covered = np.array([bool(ids) for ids in answers], bool) & has_blank & ~too_long
    rows = np.flatnonzero(covered).tolist()
    rank, loss = np.full(len(blanks), TOP), np.full(len(blanks), np.nan)
    is_copy = np.zeros(len(blanks), bool)
    rank[rows], loss[rows], is_copy[rows] = _ask(
        reader,
        [TokenSpan(encoded[row], (encoded[row].ids.index(mask),)) for row in rows],
        [answers[row] for row in rows],
        [blanks[row].text for row in rows],
    )

    def scores(chosen: Bools, groups: Iterable[str] = ()) -> BlankScores:
        """Average over the chosen sentences, and over each group of them."""
        selected = chosen & covered
        return BlankScores(
            _mean(rank[selected] == 0),
            _mean(rank[selected] < 3),
            _mean(rank[selected] < TOP),
            _mean(loss[selected]),
            _mean(is_copy[selected]),
            int(selected.sum()),
            int(chosen.sum()),
            int((too_long & chosen).sum()),
            {
                group: scores(np.array([group == of_blank for of_blank in names]))
                for group in groups
            },
        )

    names = [blank.group for blank in blanks]
    return scores(np.ones(len(blanks), bool), filter(None, dict.fromkeys(names)))


def _answer_ids(reader: Network, blank: BlankSentence) -> list[int]:
    """Return the tokens that are an answer; those of several tokens and unknown ones are left out."""
    spaced = is_spaced(blank.text, blank.text.index(MASK))
    words = [reader.wordpiece.word_ids(answer, spaced=spaced) for answer in blank.answers]
    ids = [word[0] for word in words if len(word) == 1 and word[0] != reader.wordpiece.unk_id]
    return list(dict.fromkeys(ids))


def _ask(
    reader: Network, masked: Sequence[TokenSpan], answers: Sequence[list[int]], texts: Sequence[str]
) -> tuple[Int64s, Float64s, Bools]:
    """Fill blanks: the rank of the best answer (0 of the first guess, `TOP` past the last), the loss, and whether a word is repeated."""
    allowed = torch.from_numpy(candidates(reader)).to(reader.device)
    names = token_names(reader)
    rank = np.full(len(masked), TOP)
    loss = np.empty(len(masked))
    is_copy = np.zeros(len(masked), bool)

    def guess(rows: list[int]) -> tuple[Float64s, Int64s]:
        scores = logits(reader, [masked[row] for row in rows])
        is_answer = torch.zeros_like(scores, dtype=torch.bool)
        for number, row in enumerate(rows):
            is_answer[number, answers[row]] = True
        logs = scores.log_softmax(-1).masked_fill(~is_answer, -torch.inf)
        nats = -logs.logsumexp(-1)
        best = scores.masked_fill(~allowed, -torch.inf).topk(TOP).indices
        return nats.double().cpu().numpy(), best.cpu().numpy()

    for rows, (nats, best) in in_batches(reader, [len(m.tokens.ids) for m in masked], BATCH, guess):
        loss[rows] = nats
        hit = np.array(
            [np.isin(guesses, answers[row]) for guesses, row in zip(best, rows, strict=True)]
        )
        rank[rows] = np.where(hit.any(1), hit.argmax(1), TOP)
        for row, token in zip(rows, best[:, 0].tolist(), strict=True):
            word = names[token].removeprefix(WORD_START).casefold()
            is_copy[row] = word in _WORD.findall(texts[row].replace(MASK, " ").casefold())
    return rank, loss, is_copy


def _mean(values: NDArray[np.generic]) -> float:
    """Return the mean; NaN of nothing."""
    return float(values.astype(np.float64).mean()) if len(values) else float("nan")
