"""Fill the blank: what a masked network puts at [MASK], with probabilities, layer by layer.

The MLM head gives scores over the vocabulary at chosen positions (`logits`, `layer_logits`); their softmax is probability.

How well a network does so is measured on sentences that it has not read (`evaluate_blanks`): passages of its own corpora would flatter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from embeddings.arrays import Bools, Float64s, Int64s
from embeddings.configuration import check_range
from embeddings.corpora.evaluation_sets import BlankSentence
from embeddings.errors import CheckpointError, InputError, shortened
from embeddings.networks.bert import TokenHead
from embeddings.probing.context_states import TokenSpan
from embeddings.probing.network import (
    TEXTS_AT_A_TIME,
    Network,
    candidates,
    check_fits,
    in_batches,
    mask_name,
    pad,
    token_names,
    unknown_parts,
    whole_words,
)
from embeddings.probing.sentence_answers import (
    BlankScores,
    Filled,
    FilledMask,
    Guess,
    Lens,
    RequestedWord,
)
from embeddings.runtime import one_thread
from embeddings.text.lemmas import lemma_key
from embeddings.text.tokenizer import WORD_START, Tokens
from embeddings.text.word_positions import MASK, marked_blanks, words_at

SCORED_GUESSES = 5  # guesses of a blank that are scored
_LETTERS = re.compile(r"[^\W\d_]+")


def token_head(reader: Network) -> TokenHead:
    """Return the head that scores the vocabulary.

    Raises
    ------
    InputError
        If the network came without one.
    """
    if reader.network.tokens is None:
        raise InputError("fill_no_head", name=reader.name)
    return reader.network.tokens


def logits(reader: Network, located: Sequence[TokenSpan]) -> Tensor:
    """Scores at every position of ``located``, text by text, shape (positions, vocab_size)."""
    return layer_logits(reader, located, every=False)[0]


def layer_states(
    reader: Network, located: Sequence[TokenSpan], *, every: bool = True, lens: Lens | None = None
) -> list[Tensor]:
    """Return the states that the MLM head reads at every position of ``located``, (positions, hidden_size), by layer or of the last alone.

    Without a ``lens`` they are those of the layers themselves (the logit lens; nostalgebraist 2020), with one they are mapped to the last.

    Raises
    ------
    CheckpointError
        If the lens is another network's.
    """
    encoder = reader.network.encoder
    ids, segments, real = pad(reader, [p.tokens for p in located])
    flat = [row * ids.shape[1] + i for row, p in enumerate(located) for i in p.positions]
    keep = torch.tensor(flat, device=ids.device)
    output = encoder(ids, segments, real, need_states=every, keep=keep)
    below = [h.flatten(0, 1)[keep] for h in output.hidden_states[:-1]]
    if lens is None:
        return [*map(encoder.as_last, below), output.last]
    size = reader.config.hidden_size
    if lens.jacobians.shape != (reader.config.num_hidden_layers, size, size):
        raise CheckpointError("lens_other", name=reader.name)
    jacobians, means = (torch.from_numpy(a).to(keep.device) for a in (lens.jacobians, lens.means))
    mapped = [(h - m) @ j.T + means[-1] for h, m, j in zip(below, means, jacobians, strict=False)]
    return [*mapped, output.last]


def layer_logits(
    reader: Network, located: Sequence[TokenSpan], *, every: bool = True, lens: Lens | None = None
) -> Tensor:
    """Scores by every layer (or the last alone), shape (layers + 1 or 1, positions, vocab_size).

    p_l = softmax(head(h_l)), the head of the last layer applied to the state of each, or to what `layer_states` makes of it.
    The head was trained on the last layer alone: what it reads in the others is what they already hold in its form.
    """
    head = token_head(reader)
    with torch.inference_mode(), one_thread():
        states = layer_states(reader, located, every=every, lens=lens)
        return torch.stack([head(h).float() for h in states])


def fill(  # noqa: PLR0913
    reader: Network,
    text: str,
    topn: int = 10,
    *,
    second: str = "",
    words: Sequence[str] = (),
    only_words: bool = True,
    lens: Lens | None = None,
) -> Filled:
    """Return the likeliest tokens at every [MASK] of a text, at every layer.

    p(v) = softmax(head(h))_v, h the state at the mask. Layer by layer the same head reads the state of each layer: the
    logit lens (nostalgebraist 2020). The head was trained on the last layer alone, so lower layers show what they already
    hold in its form. Several masks are filled independently of each other. [UNK], [SEP] and the other special tokens are not
    offered; the probabilities stay those of the whole vocabulary, theirs included.

    Parameters
    ----------
    reader : Network
        A network with its MLM head.
    text, second : str
        A sentence, and what follows it if the network is to see a pair; [MASK] where a word is missing, in either.
    topn : int, default 10
        Tokens a mask.
    words : sequence of str
        Words whose probability is asked for too. One of several tokens t_1 ... t_k is put at k masks, and
        p = prod over i of p(t_i given t_1 ... t_(i-1) in place, the rest masked). One that the vocabulary lacks has none: it
        is left out and named in ``unknown``.
    only_words : bool, default True
        Leave out parts of words, signs and digits; probabilities stay as they are.
    lens : Lens, optional
        Read lower layers by it (``network.lens()``) instead of the logit lens.

    Raises
    ------
    InputError
        If there is no [MASK], the network has no MLM head, the text is longer than it takes, or ``topn`` is out of range.
    """
    check_range("topn", topn, 1, reader.config.vocab_size)
    token_head(reader)
    masks_at, unknown = read_masks(reader, text, second)
    logs = layer_logits(reader, [masks_at], lens=lens).double().log_softmax(-1).cpu().numpy()
    probabilities = np.exp(logs)  # (layers + 1, masks, V)
    entropies = -np.sum(probabilities * logs, -1, where=probabilities > 0)
    lacking = {word for word in words if reader.wordpiece.unk_id in guess_pieces(reader, word)}
    masks = []
    for number, position in enumerate(masks_at.positions):
        by_layer = probabilities[:, number]  # (layers + 1, V)
        start, end = masks_at.tokens.offsets[position]
        segment = masks_at.tokens.segments[position]
        spaced = is_spaced((text, second)[segment], start)
        allowed = allowed_guesses(reader, only_words, spaced=spaced)
        ranked = [best_ids(layer, allowed, topn) for layer in by_layer]
        guesses = tuple(map(partial(named_guesses, reader), by_layer, ranked))
        requested = tuple(
            _word_probability(reader, masks_at, number, word, spaced, by_layer)
            for word in words
            if word not in lacking
        )
        trace = by_layer[:, ranked[-1]]
        of_mask = (guesses[-1], guesses, trace, entropies[:, number], requested)
        masks.append(FilledMask(start, end, segment, *of_mask))
    unknown += tuple(word for word in words if word in lacking)
    return Filled(text, second, tuple(masks), tuple(dict.fromkeys(unknown)))


def read_masks(reader: Network, text: str, second: str) -> tuple[TokenSpan, tuple[str, ...]]:
    """Read a text and find its masks, and what [UNK] stands for in it."""
    name = mask_name(reader)
    first, follows = (marked_blanks(part).replace(MASK, name) for part in (text, second))
    tokens = reader.wordpiece.encode(first, follows if second.strip() else None)
    positions = tuple(i for i, t in enumerate(tokens.ids) if t == reader.wordpiece.mask_id)
    if not positions:
        raise InputError("fill_no_mask", text=shortened(text))
    unknown = unknown_parts(reader, tokens, (first, follows))
    return TokenSpan(check_fits(reader, tokens), positions), unknown


def allowed_guesses(reader: Network, only_words: bool, *, spaced: bool = True) -> Bools:
    """Which rows may be guessed: all but special tokens, or whole words alone."""
    allowed = candidates(reader)
    if not only_words:
        return allowed
    return allowed & whole_words(reader, unspaced=reader.wordpiece.of_bytes and not spaced)


def best_ids(probabilities: Float64s, allowed: Bools, topn: int) -> Int64s:
    """Ids of the likeliest allowed tokens, falling."""
    order = np.argsort(-probabilities, kind="stable")
    return order[allowed[order]][:topn]


def named_guesses(reader: Network, probabilities: Float64s, ids: Int64s) -> tuple[Guess, ...]:
    """Put names to ids."""
    names = token_names(reader)
    return tuple(Guess(names[i], float(probabilities[i])) for i in ids)


def _word_probability(
    reader: Network, masks_at: TokenSpan, number: int, word: str, spaced: bool, by_layer: Float64s
) -> RequestedWord:
    """Probability of one word, as its tokens, at one mask."""
    names, pieces = token_names(reader), guess_pieces(reader, word, spaced=spaced)
    tokens = tuple(names[i] for i in pieces)
    if len(pieces) == 1:
        column = by_layer[:, pieces[0]]
        rank = 1 + int((by_layer[-1] > column[-1]).sum())
        return RequestedWord(word, tokens, float(column[-1]), rank, tuple(map(float, column)))
    total = sum(
        float(logits(reader, [read])[0].log_softmax(-1)[piece])
        for read, piece in guess_factors(reader, masks_at, number, pieces)
    )
    return RequestedWord(word, tokens, float(np.exp(total)), 0, ())


def guess_factors(
    reader: Network, masks_at: TokenSpan, number: int, pieces: Sequence[int]
) -> list[tuple[TokenSpan, int]]:
    """Return, for each token of a guess, what the network reads when it is asked for it, and the token's id.

    The tokens replace mask ``number``, those from the one that is asked for masked.
    """
    mask, at = reader.wordpiece.mask_id, masks_at.positions[number]
    factors = []
    for done, piece in enumerate(pieces):
        inside = [*pieces[:done], *[mask] * (len(pieces) - done)]
        factors.append((_spread(reader, masks_at.tokens, at, inside, done), piece))
    return factors


def is_spaced(text: str, start: int) -> bool:
    """Whether a space stands before the mask, or was taken into it, as RoBERTa's does."""
    return text[start : start + 1].isspace() or text[max(0, start - 1) : start].isspace()


def guess_pieces(reader: Network, word: str, *, spaced: bool = True) -> list[int]:
    """Tokens of a word of one's own."""
    pieces = reader.wordpiece.word_ids(word, spaced=spaced)
    if not pieces:
        raise InputError("fill_word_empty", word=word)
    return pieces


def _spread(reader: Network, tokens: Tokens, at: int, inside: list[int], done: int) -> TokenSpan:
    """Put several tokens in the place of one mask; the next to be read is number ``done`` of them."""
    size = len(tokens.ids)
    wide = tokens.at([*range(at), *[at] * len(inside), *range(at + 1, size)])
    ids = (*wide.ids[:at], *inside, *wide.ids[at + len(inside) :])
    return TokenSpan(check_fits(reader, replace(wide, ids=ids)), (at + done,))


def repeated_guesses(text: str, guesses: Sequence[Guess], language: str) -> tuple[Guess, ...]:
    """Return the guesses that repeat a word of the text, in any of its forms.

    Examples
    --------
    >>> guesses = (Guess("doors", 0.5), Guess("box", 0.2))
    >>> repeated_guesses("The key of the door opens the [MASK].", guesses, "en")
    (Guess(token='doors', probability=0.5),)
    """
    keys = {lemma_key(word, language) for word, _, _ in words_at(text.replace(MASK, " "))}
    return tuple(
        guess
        for guess in guesses
        if lemma_key(guess.token.removeprefix(WORD_START), language) in keys
    )


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
    rank, loss, is_copy = _ask(
        reader,
        [TokenSpan(encoded[row], (encoded[row].ids.index(mask),)) for row in rows],
        [answers[row] for row in rows],
        [blanks[row].text for row in rows],
    )

    def scores(chosen: Bools, groups: Iterable[str] = ()) -> BlankScores:
        """Average over the chosen sentences, and over each group of them."""
        selected = chosen[covered]
        return BlankScores(
            _mean(rank[selected] == 0),
            _mean(rank[selected] < 3),
            _mean(rank[selected] < SCORED_GUESSES),
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
    """Fill blanks: the rank of the best answer, the loss, and whether a word is repeated.

    The first guess has rank 0; an answer that is no guess has rank `SCORED_GUESSES`.
    """
    allowed = torch.from_numpy(candidates(reader)).to(reader.device)
    names = token_names(reader)
    rank = np.full(len(masked), SCORED_GUESSES)
    loss = np.empty(len(masked))
    is_copy = np.zeros(len(masked), bool)

    def guess(rows: list[int]) -> tuple[Float64s, Int64s]:
        scores = logits(reader, [masked[row] for row in rows])
        is_answer = torch.zeros_like(scores, dtype=torch.bool)
        for number, row in enumerate(rows):
            is_answer[number, answers[row]] = True
        logs = scores.log_softmax(-1).masked_fill(~is_answer, -torch.inf)
        nats = -logs.logsumexp(-1)
        best = scores.masked_fill(~allowed, -torch.inf).topk(SCORED_GUESSES).indices
        return nats.double().cpu().numpy(), best.cpu().numpy()

    lengths = [len(sentence.tokens.ids) for sentence in masked]
    for rows, (nats, best) in in_batches(reader, lengths, TEXTS_AT_A_TIME, guess):
        loss[rows] = nats
        for row, guesses in zip(rows, best.tolist(), strict=True):
            ranks = (n for n, guess in enumerate(guesses) if guess in answers[row])
            rank[row] = next(ranks, SCORED_GUESSES)
            word = names[guesses[0]].removeprefix(WORD_START).casefold()
            is_copy[row] = word in _LETTERS.findall(texts[row].replace(MASK, " ").casefold())
    return rank, loss, is_copy


def _mean(values: NDArray[np.generic]) -> float:
    """Return the mean; NaN of nothing."""
    return float(values.astype(np.float64).mean()) if len(values) else float("nan")
