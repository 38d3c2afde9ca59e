"""Probabilities that can be taken at their word: one temperature for all logits, and how far off they are with and without it.

The logits of a classifier are divided by a temperature T, chosen so that held-out labels are likeliest (Guo et al. 2017, "On
calibration of modern neural networks", section 4.2); the label that wins stays the same. The expected calibration error is the
mean distance of confidence and accuracy over bins of confidence, weighted by their texts (Naeini et al. 2015).
"""

from __future__ import annotations

import numpy as np

from embeddings.analysis.context_answers import Calibration, ReliabilityBin
from embeddings.arrays import Float64s, Floats, Ints
from embeddings.errors import InputError

BINS = 10
COLDEST, HOTTEST = 0.05, 20.0
MIN_TEXTS = 20  # texts


def probabilities(logits: Floats, temperature: float = 1.0) -> Float64s:
    """Return the softmax of logits over a temperature, shape (n, labels).

    Examples
    --------
    >>> probabilities(np.array([[0.0, np.log(9)]]), 2.0).round(2)
    array([[0.25, 0.75]])
    """
    scaled = np.asarray(logits, np.float64) / temperature
    shares = np.exp(scaled - scaled.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True)


def fit_temperature(logits: Floats, labels: Ints) -> float:
    """Return the temperature, between 0.05 and 20, under which the labels are likeliest.

    Parameters
    ----------
    logits : NDArray, shape (n, labels)
    labels : NDArray of int, shape (n,)
        Column of the right label.
    """
    from scipy.optimize import minimize_scalar

    rows = np.arange(len(labels))

    def loss(log_temperature: float) -> float:
        shares = probabilities(logits, float(np.exp(log_temperature)))
        return float(-np.log(np.maximum(shares[rows, labels], 1e-300)).mean())

    bounds = (np.log(COLDEST), np.log(HOTTEST))
    return float(np.exp(minimize_scalar(loss, bounds=bounds, method="bounded").x))


def reliability(shares: Float64s, labels: Ints) -> tuple[ReliabilityBin, ...]:
    """Return confidence and accuracy in `BINS` bins of equal width; a bin without texts is left out."""
    confidence, is_right = shares.max(1), shares.argmax(1) == labels
    number = np.clip(np.ceil(confidence * BINS).astype(int) - 1, 0, BINS - 1)
    return tuple(
        ReliabilityBin(
            at / BINS,
            (at + 1) / BINS,
            int(inside.sum()),
            float(confidence[inside].mean()),
            float(is_right[inside].mean()),
        )
        for at in range(BINS)
        if (inside := number == at).any()
    )


def expected_calibration_error(bins: tuple[ReliabilityBin, ...]) -> float:
    """Return the mean distance of confidence and accuracy over bins, weighted by their texts, in [0, 1].

    Examples
    --------
    >>> round(expected_calibration_error((ReliabilityBin(0.8, 0.9, 10, 0.85, 0.6),)), 2)
    0.25
    """
    texts = sum(part.texts for part in bins)
    return sum(part.texts * abs(part.confidence - part.accuracy) for part in bins) / max(1, texts)


def calibrate(logits: Floats, labels: Ints) -> Calibration:
    """Fit the temperature on every second text and measure on the others.

    Parameters
    ----------
    logits : NDArray, shape (n, labels)
        Of held-out texts.
    labels : NDArray of int, shape (n,)

    Raises
    ------
    InputError
        If there are fewer than 20 texts.
    """
    if len(labels) < MIN_TEXTS:
        raise InputError("calibration_few", found=len(labels), least=MIN_TEXTS)
    temperature = fit_temperature(logits[::2], labels[::2])
    measured, measured_labels = logits[1::2], labels[1::2]
    before = reliability(probabilities(measured), measured_labels)
    after = reliability(probabilities(measured, temperature), measured_labels)
    return Calibration(
        temperature,
        len(labels[::2]),
        len(measured_labels),
        expected_calibration_error(before),
        expected_calibration_error(after),
        before,
        after,
    )
