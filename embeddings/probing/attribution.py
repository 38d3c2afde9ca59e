"""What moved a classifier or a guess, word by word: integrated gradients and occlusion.

An answer F is a function of rows of embedding matrices, x, and is compared with the answer to a baseline, x', in which every token is
[MASK]; positions, [CLS] and [SEP] stay as they are. Integrated gradients (Sundararajan et al. 2017) average the gradient of F on the
straight path from x' to x and multiply it by x - x': the sum over all rows is F(x) - F(x'), up to the residual of the numerical
integration. The path is cut into parts, each integrated by Boole's rule from five equidistant points; what F gains on a part is known,
so each part has a residual of its own. The parts with the largest are halved until all residuals together are small: of a halved part
every point is used again, so no gradient is taken twice. Occlusion puts the baseline's rows in the place of one group and says by how
much F falls (Zeiler and Fergus 2014); these differences do not add up.

Attention is often read as an explanation; leaving a word out says what it changes. The two need not agree (Jain and Wallace 2019,
section 4.1.1), so the answers have both.

A guess of several tokens is a product over them from left to right (`embeddings.probing.fill_mask.fill`), so each of its tokens is
attributed and their parts are added up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from embeddings.arrays import Float64s, slices
from embeddings.configuration import check_choice, check_range
from embeddings.errors import InputError
from embeddings.probing import fill_mask
from embeddings.probing.attention_answers import Side
from embeddings.probing.attention_weights import shorten, side_of, words_of
from embeddings.probing.context_states import TokenSpan
from embeddings.probing.label_prediction import Classifier
from embeddings.probing.network import (
    Network,
    all_real,
    mask_name,
    pad,
    token_id,
    token_names,
)
from embeddings.probing.sentence_answers import Attribution, GuessAttribution, WordShare
from embeddings.results import Value
from embeddings.runtime import one_thread
from embeddings.text.tokenizer import Tokens
from embeddings.text.word_positions import MASK

TOLERANCE = 0.05  # nats that may be missing of the difference: at most 1.25 points of a probability


def attribute(
    classifier: Classifier, text: str, label: str = "", tolerance: float = TOLERANCE
) -> Attribution:
    """Return what each word adds to the log-odds of a label, and by how much they fall without it.

    Parameters
    ----------
    label : str
        One of the classifier's; "" takes the one that it says.
    tolerance : float
        Nats that the residual may have; it is what it is at the largest number of points.

    Raises
    ------
    InputError
        If the text has no token, or there is no such label.

    References
    ----------
    Sundararajan et al. (2017), "Axiomatic Attribution for Deep Networks", section 3.
    """
    config, wordpiece = classifier.network.config, classifier.wordpiece
    shown, special = classifier.as_read(text), {wordpiece.cls_id, wordpiece.sep_id}
    tokens = shorten(classifier.encode(text), special, config.longest)
    if all(token in special for token in tokens.ids):
        raise InputError("classify_empty")
    table = classifier.network.encoder.inputs.tokens
    side = side_of(tokens, (shown, ""), special)
    path = masked_path(table, tokens.ids, side.special, wordpiece.mask_id)
    with one_thread():
        number = int(_logits(classifier, path.end[0][None])[0].argmax())
    if label:
        check_choice("label", label, classifier.labels)
        number = classifier.labels.index(label)

    def answer(rows: TensorRows) -> Tensor:
        return log_odds(_logits(classifier, rows[0]), number)[:, None]

    groups = [(tuple(positions),) for _, positions in words_of(side)]
    attributions = attribute_groups(answer, path, groups, tolerance)
    is_cls = config.pooling == "cls"  # where the pooled state looks from
    attention = last_attention(classifier.reader, tokens, 0 if is_cls else None)
    return Attribution(
        shown,
        classifier.labels[number],
        float(attributions.answers[0]),
        float(attributions.baselines[0]),
        word_shares(side, attributions, attention),
        float(attention[np.array(side.special)].sum()),
        float(attributions.residuals[0]),
        attributions.steps,
    )


def _logits(classifier: Classifier, rows: Tensor) -> Tensor:
    """(texts, tokens, width) -> logits (texts, labels)."""
    return classifier.network.from_vectors(rows, all_real(rows))


def log_odds(logits: Tensor, number: int) -> Tensor:
    """log(p / (1 - p)) of a label, (..., labels) -> (...)."""
    others = torch.cat((logits[..., :number], logits[..., number + 1 :]), -1)
    return logits[..., number] - others.logsumexp(-1)


def last_attention(reader: Network, tokens: Tokens, at: int | None = None) -> Float64s:
    """Return the share of the last layer's attention that each token gets from the one ``at``, mean over the heads; over all for None."""
    ids, segments, real = pad(reader, [tokens])
    with torch.no_grad(), one_thread():
        heads = reader.network.encoder(ids, segments, real, need_weights=True).attentions[-1][0]
    shares = heads.mean(0).double().cpu().numpy()  # (from, to)
    return shares.mean(0) if at is None else shares[at]


def masked_path(
    table: torch.nn.Embedding, ids: Sequence[int], fixed: Sequence[bool], mask: int
) -> Path:
    """Return the way from a text with [MASK] in the place of each token to the text; ``fixed`` tokens stay."""
    masked = [i if stays else mask for i, stays in zip(ids, fixed, strict=True)]
    both = torch.tensor([masked, list(ids)], device=table.weight.device)
    with torch.no_grad():
        start, end = table(both)
    return Path((start,), (end,))


def word_shares(
    side: Side, attributions: GroupAttributions, attention: Float64s, shift: int = 0
) -> tuple[WordShare, ...]:
    """Return words with what they add to the first answer; attention is summed over a word's tokens.

    Characters of a second text count from ``shift`` on.
    """
    return tuple(
        WordShare(
            side.word_labels[number],
            side.offsets[positions[0]][0] + shift * side.segments[positions[0]],
            side.offsets[positions[-1]][1] + shift * side.segments[positions[0]],
            float(attributions.gradients[0, column]),
            float(attention[positions.start : positions.stop].sum()),
            float(attributions.occlusions[0, column]),
        )
        for column, (number, positions) in enumerate(words_of(side))
    )


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
    fill_mask.token_head(reader)
    masks_at, _ = fill_mask.read_masks(reader, text, second)
    check_range("blank", blank, 1, len(masks_at.positions))
    at = masks_at.positions[blank - 1]
    name = mask_name(reader)
    texts = (text.replace(MASK, name), second.replace(MASK, name))
    tokens, piece = masks_at.tokens, reader.wordpiece
    side = side_of(tokens, texts, {piece.cls_id, piece.sep_id, piece.mask_id})
    if all(side.special):
        raise InputError("attribution_no_words")
    if not word and not token:
        filled = fill_mask.fill(reader, text, 1, second=second, only_words=False)
        token = filled.masks[blank - 1].guesses[0].token
    start, end = tokens.offsets[at]
    segment = tokens.segments[at]
    pieces = _pieces(reader, word, token, fill_mask.is_spaced(texts[segment], start))
    wider = len(pieces) - 1  # what is read has so many tokens more, from the blank on
    fixed = [*side.special[:at], *[True] * len(pieces), *side.special[at + 1 :]]
    groups = [(tuple(i + wider * (i > at) for i in rows),) for _, rows in words_of(side)]

    def attribute(read: TokenSpan, target: int) -> GroupAttributions:
        table = reader.network.encoder.inputs.tokens
        path = masked_path(table, read.tokens.ids, fixed, piece.mask_id)
        answer = _log_probability(reader, read, target)
        return attribute_groups(answer, path, groups, tolerance)

    factors = fill_mask.guess_factors(reader, masks_at, blank - 1, pieces)
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
    pieces = fill_mask.guess_pieces(reader, word, spaced=spaced)
    if reader.wordpiece.unk_id in pieces:
        raise InputError("removal_word", word=word)
    return pieces


def _log_probability(reader: Network, read: TokenSpan, target: int) -> Answer:
    """Return what gives log p of a token at the only position of a text, from rows of the token embedding matrix."""
    _, segments, _ = pad(reader, [read.tokens])
    (position,) = read.positions
    encoder, head = reader.network.encoder, fill_mask.token_head(reader)

    def answer(rows: TensorRows) -> Tensor:
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


FIRST_PARTS, MAX_POINTS = 8, 1024  # parts of the path at first, and points of it at most
BOOLE = np.array([7, 32, 12, 32, 7]) / 90  # weights of five equidistant points
TOGETHER = 2048  # rows that run at once

TensorRows = tuple[Tensor, ...]
RowGroup = tuple[tuple[int, ...], ...]
"""Rows that belong together, such as the tokens of a word: for each input the indices into it."""
Answer = Callable[[TensorRows], Tensor]


class Path(Value):
    """From the baseline to the input: pairs of tensors of shape (rows, width), one pair an input of the network.

    Rows that are equal at both ends are given nothing.
    """

    start: TensorRows
    end: TensorRows


class GroupAttributions(Value, eq=False):
    """What each group adds to each answer.

    ``baselines + gradients.sum(1) + residuals`` is ``answers`` where the groups hold every row that differs.

    Attributes
    ----------
    answers, baselines, residuals : ndarray, shape (answers,)
        Of the input, of the baseline, and what the numerical integration misses.
    gradients, occlusions : ndarray, shape (answers, groups)
        Integrated gradients; and by how much the answer falls when the group alone is put back to the baseline.
    steps : int
        Points of the path at which gradients were taken.
    """

    answers: Float64s
    baselines: Float64s
    residuals: Float64s
    gradients: Float64s
    occlusions: Float64s
    steps: int


def attribute_groups(
    answer: Answer,
    path: Path,
    groups: Sequence[RowGroup],
    tolerance: float = TOLERANCE,
    most: int = MAX_POINTS,
) -> GroupAttributions:
    """Return what each group of rows adds to each answer.

    Parameters
    ----------
    answer : callable
        Takes one tensor an input, (batch, rows, width), and returns (batch, answers), nats.
    path : Path
    groups : sequence of RowGroup
    tolerance : float, default 0.05
        Nats that the residuals of an answer may have, the sum of their sizes over the parts of the path; they are what they are at
        ``most`` points.
    most : int, default 1024
        Points that all parts of the path may have together; no fewer than those of `FIRST_PARTS`.

    References
    ----------
    Sundararajan et al. (2017), "Axiomatic Attribution for Deep Networks", section 3; Zeiler and Fergus (2014),
    "Visualizing and Understanding Convolutional Networks", section 4.2.
    """
    with one_thread():  # small batches, one after the other
        points: dict[float, _Point] = {}
        parts = [(i / FIRST_PARTS, (i + 1) / FIRST_PARTS) for i in range(FIRST_PARTS)]
        _take(answer, path, parts, points)
        while worst := _worst(parts, points, tolerance)[: max(0, (most - len(points)) // 4)]:
            middles = [(low, (low + high) / 2, high) for low, high in worst]
            halves = [part for ends in middles for part in pairwise(ends)]
            _take(answer, path, halves, points)
            parts = [part for part in parts if part not in worst] + halves
        occlusions = _occlude(answer, path, groups)
    answers, baselines = points[1.0].answers, points[0.0].answers
    shares = np.sum([_shares(part, points) for part in parts], 0)
    residuals = answers - baselines - shares.sum(1)
    starts = np.cumsum([0, *(len(rows) for rows in path.end)])
    gradients = np.zeros((len(answers), len(groups)))
    for column, group in enumerate(groups):
        for start, rows in zip(starts, group, strict=False):
            gradients[:, column] += shares[:, start + np.array(rows, np.int64)].sum(1)
    return GroupAttributions(
        answers,
        baselines,
        residuals,
        gradients,
        answers[:, None] - occlusions,
        len(points),
    )


class _Point(Value, eq=False):
    """A point of the path: the answers there, and the gradient of each along each row's way, (answers, rows of all inputs)."""

    answers: Float64s
    slopes: Float64s


def _points_of(part: tuple[float, float]) -> list[float]:
    """Return five equidistant points of a part; halving keeps them exact, so that they are found again."""
    low, high = part
    return [low + i * (high - low) / 4 for i in range(5)]


def _shares(part: tuple[float, float], points: Mapping[float, _Point]) -> Float64s:
    """Return what each row adds to each answer on a part of the path, (answers, rows)."""
    low, high = part
    slopes = np.stack([points[at].slopes for at in _points_of(part)])
    return (high - low) * np.tensordot(BOOLE, slopes, 1)


def _worst(
    parts: Sequence[tuple[float, float]], points: Mapping[float, _Point], tolerance: float
) -> list[tuple[float, float]]:
    """Return the parts to halve: the fewest without which half the tolerance is kept; none where all parts together are within it."""
    gained = [points[high].answers - points[low].answers for low, high in parts]
    missing = np.abs(
        [gain - _shares(part, points).sum(1) for gain, part in zip(gained, parts, strict=True)]
    )
    if missing.sum(0).max() <= tolerance:
        return []
    order = np.argsort(-missing.max(1), kind="stable")
    left = missing.sum(0) - np.cumsum(missing[order], 0)  # (parts, answers)
    count = 1 + int(np.argmax(left.max(1) <= tolerance / 2))
    return [parts[i] for i in order[:count]]


def _batch_size(path: Path) -> int:
    """Return how many inputs run at once."""
    return max(1, TOGETHER // sum(len(rows) for rows in path.end))


def _between(path: Path, at: Float64s) -> TensorRows:
    """Return the inputs at some points of the path, from 0 to 1, (points, rows, width) an input."""
    points = torch.from_numpy(at).to(path.end[0])[:, None, None]
    return tuple(
        start + points * (end - start) for start, end in zip(path.start, path.end, strict=True)
    )


def _take(
    answer: Answer,
    path: Path,
    parts: Sequence[tuple[float, float]],
    points: dict[float, _Point],
) -> None:
    """Add the points of some parts that are not there yet."""
    new = np.array(sorted({at for part in parts for at in _points_of(part)} - points.keys()))
    for part in slices(len(new), _batch_size(path)):
        batch = new[part]
        rows = tuple(r.requires_grad_() for r in _between(path, batch))
        values = answer(rows)
        summed = values.sum(0)
        slopes = []  # of each answer, (points, rows)
        for number, value in enumerate(summed):
            of_inputs = torch.autograd.grad(value, rows, retain_graph=number + 1 < len(summed))
            along = [
                (slope * (end - start)).sum(-1)
                for slope, start, end in zip(of_inputs, path.start, path.end, strict=True)
            ]
            slopes.append(torch.cat(along, -1))
        answers = values.detach().double().cpu().numpy()
        by_point = torch.stack(slopes, 1).double().cpu().numpy()
        points.update(zip(batch.tolist(), map(_Point, answers, by_point), strict=True))


def _occlude(answer: Answer, path: Path, groups: Sequence[RowGroup]) -> Float64s:
    """Return the answers with one group at a time put back to the baseline, shape (answers, groups)."""
    answers = []
    for part in slices(len(groups), _batch_size(path)):
        some = groups[part]
        batch = tuple(rows.repeat(len(some), 1, 1) for rows in path.end)
        for number, group in enumerate(some):
            for rows, start, indices in zip(batch, path.start, group, strict=True):
                rows[number, list(indices)] = start[list(indices)]
        with torch.no_grad():
            answers.append(answer(batch))
    return np.asarray(torch.cat(answers).double().cpu().numpy().T)
