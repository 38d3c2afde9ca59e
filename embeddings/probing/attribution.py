"""What moved a classifier, word by word, so that the words add up to its log-odds.

Integrated gradients (Sundararajan et al. 2017) over the rows of the token embedding matrix, from a text in which
every token is [MASK], positions, [CLS] and [SEP] as they are: the gradient of the log-odds is averaged on
the straight way from there to the text, by Gauss and Legendre's points, and multiplied by what the rows
differ by. The number of points is doubled until the sum is as near to the difference as is asked for.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from embeddings.configuration import check_choice
from embeddings.errors import InputError
from embeddings.probing.attention_weights import shorten, side_of
from embeddings.probing.label_prediction import Classifier
from embeddings.results.attention_map import Side
from embeddings.results.predictions import Attribution, WordShare
from embeddings.runtime import one_thread
from embeddings.text.wordpiece import Tokens

TOLERANCE = 0.01  # nats that may be missing of the log-odds
FEWEST, MOST = 16, 1024  # points of the way
TOGETHER = 2048  # tokens that run at once


def attribute(
    classifier: Classifier, text: str, label: str = "", tolerance: float = TOLERANCE
) -> Attribution:
    """Return what each word adds to the log-odds of a label.

    Parameters
    ----------
    label : str
        One of the classifier's; "" takes the one that it says.
    tolerance : float
        Nats that the residual may have; it is what it is at `MOST` points.

    Raises
    ------
    InputError
        If the text has no token, or there is no such label.

    References
    ----------
    Sundararajan et al. (2017), "Axiomatic Attribution for Deep Networks", section 3.
    """
    config, wordpiece = classifier.network.config, classifier.wordpiece
    lowered = text.lower() if config.lower else text
    shown = text if len(text) == len(lowered) else lowered  # so that offsets fit
    special = {wordpiece.cls_id, wordpiece.sep_id}
    tokens = shorten(wordpiece.encode(lowered), special, config.longest)
    if all(token in special for token in tokens.ids):
        raise InputError("classify_empty")
    end, start = _ends(classifier, tokens, special)
    logits = _logits(classifier, end)
    number = int(logits.argmax())
    if label:
        check_choice("label", label, classifier.labels)
        number = classifier.labels.index(label)
    log_odds = float(_log_odds(logits, number))
    baseline = float(_log_odds(_logits(classifier, start), number))
    steps = FEWEST
    with one_thread():  # small batches, one after the other
        while True:
            shares = _shares(classifier, (start, end), number, steps)
            residual = log_odds - baseline - float(shares.sum())
            if abs(residual) <= tolerance or 2 * steps > MOST:
                break
            steps *= 2
    attention = _attention(classifier, tokens)
    side = side_of(tokens, (shown, ""), special)
    return Attribution(
        shown,
        classifier.labels[number],
        log_odds,
        baseline,
        tuple(_words(side, shares, attention)),
        float(attention[np.array(side.special)].sum()),
        residual,
        steps,
    )


def _ends(classifier: Classifier, tokens: Tokens, special: set[int]) -> tuple[Tensor, Tensor]:
    """Return the rows of the token embedding matrix for the text, and for [MASK] in the place of each token: (tokens, width)."""
    table = classifier.network.encoder.inputs.tokens
    mask = classifier.wordpiece.mask_id
    ids = torch.tensor([tokens.ids, [i if i in special else mask for i in tokens.ids]])
    rows: Tensor = table(ids.to(table.weight.device)).detach()
    return rows[0], rows[1]


def _logits(classifier: Classifier, rows: Tensor) -> Tensor:
    """(tokens, width) or (texts, tokens, width) -> logits (labels,) or (texts, labels)."""
    batch = rows if rows.dim() == 3 else rows[None]
    real = torch.ones(batch.shape[:2], dtype=torch.bool, device=rows.device)
    logits = classifier.network.from_vectors(batch, real)
    return logits if rows.dim() == 3 else logits[0]


def _log_odds(logits: Tensor, number: int) -> Tensor:
    """log(p / (1 - p)) of a label, (..., labels) -> (...)."""
    others = torch.cat((logits[..., :number], logits[..., number + 1 :]), -1)
    return logits[..., number] - others.logsumexp(-1)


def _shares(
    classifier: Classifier, ends: tuple[Tensor, Tensor], number: int, steps: int
) -> NDArray[np.float64]:
    """Return what each token adds, float64, by ``steps`` points of the way."""
    start, end = ends
    nodes, weights = np.polynomial.legendre.leggauss(steps)
    size = max(1, TOGETHER // len(start))
    total = torch.zeros_like(start, dtype=torch.float64)
    for first in range(0, steps, size):
        at = torch.from_numpy((nodes[first : first + size] + 1) / 2).to(start)[:, None, None]
        rows = (start + at * (end - start)).requires_grad_()
        summed = _log_odds(_logits(classifier, rows), number).sum()
        (slope,) = torch.autograd.grad(summed, rows)
        weight = torch.from_numpy(weights[first : first + size] / 2).to(total)
        total += (weight[:, None, None] * slope).sum(0)
    shares: NDArray[np.float64] = (total * (end - start)).sum(-1).cpu().numpy()
    return shares


def _attention(classifier: Classifier, tokens: Tokens) -> NDArray[np.float64]:
    """Return the share of the last layer's attention that each token gets where the pooled state looks from.

    Mean over the heads; over all tokens for the mean of the states, from [CLS] alone where that is pooled.
    """
    encoder = classifier.network.encoder
    ids = torch.tensor([tokens.ids], device=classifier.reader.device)
    with torch.no_grad():
        heads = encoder(ids, need_weights=True).attentions[-1][0].mean(0)  # (from, to)
    received = heads[0] if classifier.network.config.pooling == "cls" else heads.mean(0)
    shares: NDArray[np.float64] = received.double().cpu().numpy()
    return shares


def _words(
    side: Side, shares: NDArray[np.float64], attention: NDArray[np.float64]
) -> list[WordShare]:
    """Join tokens to words: both shares are summed; [CLS] and [SEP] are left out."""
    starts = [0, *(at for at, (a, b) in enumerate(pairwise(side.words), 1) if a != b)]
    words = []
    for number, (first, last) in enumerate(pairwise([*starts, len(side.words)])):
        if side.special[first]:
            continue
        words.append(
            WordShare(
                side.word_labels[number],
                side.offsets[first][0],
                side.offsets[last - 1][1],
                float(shares[first:last].sum()),
                float(attention[first:last].sum()),
            )
        )
    return words
