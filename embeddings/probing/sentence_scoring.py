"""How probable a masked network takes a sentence to be: pseudo-log-likelihood, and minimal pairs of grammar by it.

PLL(s) = sum over tokens t of log p(s_t | s without s_t) (Salazar et al. 2020, equation 1). A token in the middle of a word that is
split would be guessed from the rest of the word, so split words would score too high: with a token, the tokens to its right in the
same word are masked too (Kauf and Ivanova 2023, within-word left-to-right).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
import torch

from embeddings.analysis.score_answers import clustered_standard_error
from embeddings.arrays import Float64s
from embeddings.corpora.evaluation_sets import MinimalPair
from embeddings.errors import InputError
from embeddings.probing.context_states import TokenSpan
from embeddings.probing.fill_mask import layer_states, token_head
from embeddings.probing.network import TEXTS_AT_A_TIME, Network, check_fits, in_batches
from embeddings.probing.sentence_answers import GrammarScores, Lens, SentenceScore
from embeddings.results import Report, Rows, progress_of
from embeddings.text.tokenizer import Tokens

CHUNK = 512  # pairs whose maskings are held in memory together


Masking = tuple[TokenSpan, int]
"""A sentence with a token masked, and with it the rest of its word; and the id that stood at its position."""


def score(reader: Network, text: str) -> SentenceScore:
    """Return the pseudo-log-likelihood of one sentence, token by token, as `score_sentences`."""
    return score_sentences(reader, [text])[0]


def score_sentences(
    reader: Network, texts: Sequence[str], *, layers: bool = True, lens: Lens | None = None
) -> Rows[SentenceScore]:
    """Return the pseudo-log-likelihood of each sentence, token by token.

    Parameters
    ----------
    layers : bool, default True
        Read every layer by the head; otherwise ``log_probabilities`` has the last row alone.
    lens : Lens, optional
        Read lower layers by it (``network.lens()``) instead of the logit lens.

    Raises
    ------
    InputError
        If the network has no MLM head, a text has no token, has a [MASK], or is longer than the network takes.
    """
    token_head(reader)
    if not texts:
        return Rows()
    encoded = [_encode(reader, text) for text in texts]
    maskings = [list(_maskings(reader, tokens)) for tokens in encoded]
    flat = [masking for sentence_maskings in maskings for masking in sentence_maskings]
    scores = _log_probabilities(reader, flat, layers, lens)
    ends = np.cumsum([len(sentence_maskings) for sentence_maskings in maskings])
    return Rows(
        _sentence_score(reader, text, sentence_maskings, part)
        for text, sentence_maskings, part in zip(
            texts, maskings, np.split(scores, ends[:-1], axis=1), strict=True
        )
    )


def evaluate_pairs(
    reader: Network,
    pairs: Sequence[MinimalPair],
    report: Report | None = None,
) -> GrammarScores:
    """Return in how many pairs the good sentence has the higher pseudo-log-likelihood; a tie does not count.

    Raises
    ------
    InputError
        As `score_sentences`.
    """
    by_sum: list[bool] = []
    by_mean: list[bool] = []
    unknown = 0
    stream, advance = iter(pairs), progress_of(report, "grammar", len(pairs))
    while part := list(islice(stream, CHUNK)):
        texts = [text for pair in part for text in (pair.good, pair.bad)]
        scores = score_sentences(reader, texts, layers=False)
        for good, bad in zip(scores[::2], scores[1::2], strict=True):
            by_sum.append(good.total > bad.total)
            by_mean.append(good.per_token > bad.per_token)
            unknown += bool(good.unknown or bad.unknown)
        advance(len(by_sum))
    names = [pair.paradigm or f"#{number}" for number, pair in enumerate(pairs)]
    shares, sizes = _accuracy_by(names, by_sum), Counter(names)
    return GrammarScores(
        float(np.mean(by_sum)),
        float(np.mean(by_mean)),
        len(pairs),
        unknown,
        _accuracy_by([pair.phenomenon for pair in pairs], by_sum),
        _accuracy_by([pair.paradigm for pair in pairs], by_sum),
        clustered_standard_error([*shares.values()], [sizes[name] for name in shares]),
    )


def word_ends(tokens: Tokens) -> list[int]:
    """Return for each token the position past the last one of its word.

    Tokens belong to one word where no character lies between them and the second is a tail (it begins with ##, or in vocabularies
    that mark beginnings is not marked).
    """
    marked = any(token.startswith("▁") for token in tokens.tokens)
    ends = [position + 1 for position in range(len(tokens.ids))]
    for position in range(len(tokens.ids) - 2, -1, -1):
        follower = tokens.tokens[position + 1]
        touches = 0 < tokens.offsets[position][1] == tokens.offsets[position + 1][0]
        is_tail = follower[:1].isalnum() if marked else follower.startswith("##")
        if touches and is_tail and tokens.offsets[position + 1][1] > 0:
            ends[position] = ends[position + 1]
    return ends


def _encode(reader: Network, text: str) -> Tokens:
    """Read a sentence; refuse one that is empty, too long, or has a [MASK]."""
    tokens = reader.wordpiece.encode(text)
    if not any(end for _, end in tokens.offsets):
        raise InputError("grammar_empty")
    check_fits(reader, tokens)
    pieces = reader.wordpiece
    special = (pieces.mask_id, pieces.cls_id, pieces.sep_id, pieces.pad_id)
    for token_id, token, (_, end) in zip(tokens.ids, tokens.tokens, tokens.offsets, strict=True):
        if end and token_id in special:  # typed: those that frame the sentence have no characters
            raise InputError("grammar_mask", text=text, mask=token)
    return tokens


def _maskings(reader: Network, tokens: Tokens) -> Iterator[Masking]:
    """Yield one masking a token of the text."""
    mask = reader.wordpiece.mask_id
    for position, end in enumerate(word_ends(tokens)):
        if tokens.offsets[position][1] == 0:  # [CLS], [SEP]
            continue
        ids = (*tokens.ids[:position], *[mask] * (end - position), *tokens.ids[end:])
        yield TokenSpan(replace(tokens, ids=ids), (position,)), tokens.ids[position]


def _log_probabilities(
    reader: Network, maskings: Sequence[Masking], layers: bool, lens: Lens | None
) -> Float64s:
    """Return log p of each target at its place, shape (layers + 1 or 1, maskings)."""
    head = token_head(reader)
    rows = reader.config.num_hidden_layers + 1 if layers else 1
    scores = np.empty((rows, len(maskings)))

    def ask(numbers: list[int]) -> Float64s:
        masked, ids = zip(*(maskings[number] for number in numbers), strict=True)
        with torch.inference_mode():
            states = layer_states(reader, masked, every=layers, lens=lens)
            targets = torch.tensor(ids, device=reader.device)[:, None]
            logs = [head(h).float().log_softmax(-1).gather(1, targets)[:, 0] for h in states]
        return torch.stack(logs).double().cpu().numpy()

    lengths = [len(masked.tokens.ids) for masked, _ in maskings]
    for numbers, part in in_batches(reader, lengths, TEXTS_AT_A_TIME, ask):
        scores[:, numbers] = part
    return scores


def _sentence_score(
    reader: Network, text: str, maskings: Sequence[Masking], scores: Float64s
) -> SentenceScore:
    """Pair a sentence's tokens with their log-probabilities."""
    return SentenceScore(
        text,
        tuple(masked.tokens.tokens[masked.positions[0]] for masked, _ in maskings),
        tuple(masked.tokens.offsets[masked.positions[0]] for masked, _ in maskings),
        scores,
        sum(target == reader.wordpiece.unk_id for _, target in maskings),
    )


def _accuracy_by(names: Sequence[str], right: Sequence[bool]) -> dict[str, float]:
    """Return the share of right ones by name, in the order of the names; unnamed ones are left out."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for name, is_right in zip(names, right, strict=True):
        if name:
            groups[name].append(is_right)
    return {name: float(np.mean(results)) for name, results in groups.items()}
