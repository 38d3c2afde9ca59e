"""What moved a classifier, word by word, so that the words add up to its log-odds.

Integrated gradients and occlusion (`embeddings.probing.integrated_gradients`) over the rows of the token embedding matrix, from a
text in which every token is [MASK]; positions, [CLS] and [SEP] stay as they are.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from embeddings.configuration import check_choice
from embeddings.errors import InputError
from embeddings.probing.attention_weights import shorten, side_of
from embeddings.probing.integrated_gradients import TOLERANCE, Rows, attribute_groups
from embeddings.probing.label_prediction import Classifier
from embeddings.probing.word_attributions import masked_path, token_groups, word_shares
from embeddings.results.predictions import Attribution
from embeddings.runtime import one_thread
from embeddings.text.wordpiece import Tokens


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
    lowered = text.lower() if config.lower else text
    shown = text if len(text) == len(lowered) else lowered  # so that offsets fit
    special = {wordpiece.cls_id, wordpiece.sep_id}
    tokens = shorten(wordpiece.encode(lowered), special, config.longest)
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

    def answer(rows: Rows) -> Tensor:
        return log_odds(_logits(classifier, rows[0]), number)[:, None]

    attributions = attribute_groups(answer, path, token_groups(side), tolerance)
    attention = _attention(classifier, tokens)
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
    real = torch.ones(rows.shape[:2], dtype=torch.bool, device=rows.device)
    return classifier.network.from_vectors(rows, real)


def log_odds(logits: Tensor, number: int) -> Tensor:
    """log(p / (1 - p)) of a label, (..., labels) -> (...)."""
    others = torch.cat((logits[..., :number], logits[..., number + 1 :]), -1)
    return logits[..., number] - others.logsumexp(-1)


def _attention(classifier: Classifier, tokens: Tokens) -> NDArray[np.float64]:
    """Return the share of the last layer's attention that each token gets where the pooled state looks from.

    Mean over the heads; over all tokens for the mean of the states, from [CLS] alone where that is pooled.
    """
    encoder = classifier.network.encoder
    ids = torch.tensor([tokens.ids], device=classifier.reader.device)
    with torch.no_grad(), one_thread():
        heads = encoder(ids, need_weights=True).attentions[-1][0].mean(0)  # (from, to)
    received = heads[0] if classifier.network.config.pooling == "cls" else heads.mean(0)
    shares: NDArray[np.float64] = received.double().cpu().numpy()
    return shares
