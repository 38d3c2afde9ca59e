"""The vector of a word in a sentence: the mean of its tokens' states, at every layer.

h_l(w) = 1 / |T_w| * sum over t in T_w of h_(l, t), where T_w are the tokens of the word's characters and h_(l, t) the
state of token t at layer l (l = 0: the embedding output). A text that is too long is cut around the word.

The state of an inflected word says much of its case and number. Less what its form brings, it tells more of the sense (`without_form`):

    c = r - mean of all r,  r = h - m - n / (n + 2) * (f - m)

with m the mean of h over all contexts, f that over the n contexts that have the word in the same form (capitals do not count). A form that
comes once keeps two thirds of what sets it apart, one that comes twenty times a tenth.

`random_words` gives what any two words have in common (`embeddings.analysis.context_separation`); `blanked` has the mask in a word's place.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from embeddings.analysis.context_answers import WordStates
from embeddings.arrays import Float32s
from embeddings.configuration import check_range
from embeddings.errors import InputError, shortened
from embeddings.probing.network import TEXTS_AT_A_TIME, Network, in_batches, mask_name, pad
from embeddings.results import Report, Value
from embeddings.text.tokenizer import Tokens
from embeddings.text.word_positions import form_pattern, word_spans, words_at

HELD = 2  # contexts that the mean of a form is held against
# a text, and the first and past-the-last character of a word
Occurrence = tuple[str, tuple[int, int]]


class TokenSpan(Value):
    """A text as the network reads it, and the ``positions`` of the word's tokens in it.

    ``truncated``: the text was longer than the network takes.
    """

    tokens: Tokens
    positions: tuple[int, ...]
    truncated: bool = False


def token_span(
    reader: Network, text: str, span: tuple[int, int], read: Tokens | None = None
) -> TokenSpan:
    """Find the tokens of ``text[start:end]``, in a text cut around them to what the network takes.

    ``read``: the text's tokens, where they are known already.

    Raises
    ------
    InputError
        If the text is empty, the span lies outside it, or the word gives no token.
    """
    start, end = span
    if not text.strip():
        raise InputError("occurrence_empty")
    if not 0 <= start < end <= len(text):
        raise InputError(
            "occurrence_span", start=start, end=end, length=len(text), text=shortened(text)
        )
    tokens = read or reader.wordpiece.encode(text)
    positions = tokens.covering(start, end)
    if not positions:
        raise InputError("occurrence_no_token", word=text[start:end], text=shortened(text))
    if len(tokens.ids) <= reader.longest:
        return TokenSpan(tokens, positions)
    room = reader.longest - 2  # between [CLS] and [SEP]
    middle = (positions[0] + positions[-1] + 1) // 2
    first = min(max(1, middle - room // 2), len(tokens.ids) - 1 - room)
    window = (0, *range(first, first + room), len(tokens.ids) - 1)
    new = {old: position for position, old in enumerate(window)}
    kept = tuple(new[i] for i in positions if i in new)
    return TokenSpan(tokens.at(window), kept, truncated=True)


def word_states(
    reader: Network,
    contexts: Sequence[Occurrence | tuple[str, str]],
    *,
    report: Report | None = None,
) -> WordStates:
    """Return the vector of each word in its text, at every layer.

    Parameters
    ----------
    reader : Network
        The network and its tokenizer.
    contexts : sequence of (text, (start, end)) or (text, word)
        A text and the characters of the word in it, or the word, of which the first occurrence counts. A text that comes several
        times is read once.
    report : callable, optional
        Called after each batch with how many texts are done.

    Returns
    -------
    WordStates
        ``vectors`` of shape (texts, layers + 1, hidden_size), float32; a text longer than
        ``reader.longest`` is cut around the word, and ``truncated`` says so.

    Raises
    ------
    InputError
        If a text is empty, a span lies outside its text, or a word gives no token.
    """
    occurrences = [
        (text, _first_span(text, place, number) if isinstance(place, str) else place)
        for number, (text, place) in enumerate(contexts, 1)
    ]
    texts_read = dict.fromkeys(text for text, _ in occurrences)
    read = {text: reader.wordpiece.encode(text) for text in texts_read}
    token_spans = [token_span(reader, text, span, read[text]) for text, span in occurrences]
    groups: dict[str | int, list[int]] = {}  # occurrences that share a row of the batch
    for number, (located, (text, _)) in enumerate(zip(token_spans, contexts, strict=True)):
        groups.setdefault(number if located.truncated else text, []).append(number)
    texts = list(groups.values())
    layers, size = reader.config.num_hidden_layers, reader.config.hidden_size
    vectors = np.empty((len(token_spans), layers + 1, size), np.float32)
    lengths = [len(token_spans[numbers[0]].tokens.ids) for numbers in texts]

    def ask(rows: list[int]) -> Float32s:
        return _states(reader, [[token_spans[number] for number in texts[row]] for row in rows])

    for rows, states in in_batches(reader, lengths, TEXTS_AT_A_TIME, ask, report):
        vectors[[number for row in rows for number in texts[row]]] = states
    tokens = tuple(tuple(p.tokens.tokens[i] for i in p.positions) for p in token_spans)
    unknown = [
        any(p.tokens.ids[i] == reader.wordpiece.unk_id for i in p.positions) for p in token_spans
    ]
    return WordStates(
        vectors,
        np.array([p.truncated for p in token_spans], bool),
        np.array(unknown, bool),
        tokens,
    )


def _first_span(text: str, word: str, number: int) -> tuple[int, int]:
    """Return the characters of the first occurrence of a word in context ``number``."""
    spans = word_spans(text, form_pattern([word]))
    if not spans:
        raise InputError("occurrence_none", number=number)
    return spans[0]


def mean_states(
    reader: Network, groups: Sequence[Sequence[Occurrence]], *, report: Report | None = None
) -> WordStates:
    """Return one vector a group of occurrences, as of a word that comes several times in its text: their mean.

    As `word_states`; ``truncated`` and ``unknown`` say whether any occurrence of the group was, ``tokens`` are the first one's.

    Raises
    ------
    InputError
        As `word_states`, and if a group has no occurrence.
    """
    for number, group in enumerate(groups, 1):
        if not group:
            raise InputError("occurrence_none", number=number)
    states = word_states(reader, [place for group in groups for place in group], report=report)
    sizes = np.array([len(group) for group in groups], np.int64)
    starts = np.cumsum(sizes) - sizes
    means: Float32s = np.add.reduceat(states.vectors, starts)
    means /= sizes[:, None, None]
    return WordStates(
        means,
        np.logical_or.reduceat(states.truncated, starts),
        np.logical_or.reduceat(states.unknown, starts),
        tuple(states.tokens[start] for start in starts),
    )


def _states(reader: Network, texts: Sequence[Sequence[TokenSpan]]) -> Float32s:
    """Mean states of the words of one batch of texts, shape (words, layers + 1, hidden_size)."""
    dtype = getattr(torch, reader.form)
    autocast = torch.autocast(reader.device.type, dtype, enabled=dtype is not torch.float32)
    with torch.inference_mode(), autocast:
        ids, segments, real = pad(reader, [words[0].tokens for words in texts])
        size = ids.shape[1]
        flat = [
            [row * size + i for i in located.positions]
            for row, words in enumerate(texts)
            for located in words
        ]
        keep = torch.tensor([i for word in flat for i in word], device=ids.device)
        # of the last layer only the words' positions are computed
        output = reader.network.encoder(ids, segments, real, need_states=True, keep=keep)
        states = [h.flatten(0, 1)[keep] for h in output.hidden_states[:-1]] + [output.last]
        counts = torch.tensor([len(word) for word in flat], device=ids.device)
        owner = torch.arange(len(flat), device=ids.device).repeat_interleave(counts)
        sums = torch.zeros(len(flat), len(states), states[0].shape[1], device=ids.device)
        sums.index_add_(0, owner, torch.stack(states, 1).float())
        means: Float32s = (sums / counts[:, None, None]).cpu().numpy()
    return means


def check_layer(reader: Network, layer: int) -> int:
    """Return the number of a layer from 0 (the embedding output); -1 is the last, as in Python.

    Raises
    ------
    InputError
        If the network has no such layer.
    """
    layers = reader.config.num_hidden_layers
    check_range("layer", layer, -layers - 1, layers)
    return layer % (layers + 1)


def without_form(states: Float32s, forms: Sequence[str]) -> Float32s:
    """Subtract the mean of all states, of the rest the mean of each form, shrunk as if by `HELD` contexts, and the mean again."""
    rest = states - states.mean(0)
    keys = [form.lower() for form in forms]
    _, groups, counts = np.unique(keys, return_inverse=True, return_counts=True)
    sums = np.zeros((len(counts), *rest.shape[1:]), np.float32)
    np.add.at(sums, groups, rest)
    shares = (counts + HELD).astype(np.float32).reshape(-1, *[1] * (rest.ndim - 1))
    rest = rest - (sums / shares)[groups]
    return np.asarray(rest - rest.mean(0), np.float32)


def random_words(texts: Sequence[str], words: int = 5) -> tuple[list[Occurrence], list[int]]:
    """Draw words of some sentences, always the same, and tell which sentence each is of, numbered from 0.

    Parameters
    ----------
    texts : sequence of str
        At least two sentences with words, as those of ``data/contexts``.
    words : int, default 5
        Words drawn from a sentence, without replacement; fewer if it has fewer.

    Raises
    ------
    InputError
        If fewer than two of the texts hold a word.
    """
    generator = np.random.default_rng(1)
    chosen: list[Occurrence] = []
    owners: list[int] = []
    for text in texts:
        spans = [(start, end) for _, start, end in words_at(text)]
        drawn = generator.permutation(len(spans))[:words]
        chosen += [(text, spans[i]) for i in drawn]
        owners += [owners[-1] + 1 if owners else 0] * len(drawn)
    if not owners or owners[-1] < 1:
        raise InputError("baseline_few", texts=len(texts))
    return chosen, owners


def blanked(reader: Network, contexts: Sequence[Occurrence]) -> list[Occurrence]:
    """Write the network's mask into the place of each word; the span is then the mask's."""
    mask = mask_name(reader)
    return [
        (text[:start] + mask + text[end:], (start, start + len(mask)))
        for text, (start, end) in contexts
    ]
