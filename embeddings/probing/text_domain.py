"""How far a text lies from those that a classifier was trained on: Mahalanobis distance of the classifier's own states.

The pooled states of the training texts have a mean and a covariance (shrunk, Ledoit and Wolf 2004); the distance of a text is that of its
state (Lee et al. 2018, "A simple unified framework for detecting out-of-distribution samples", with one Gaussian for all labels), in units
of the distance that 90 % of held-out texts of the same kind stay below. Above 1 a text lies at or beyond their edge.

Of a translator the measure is the mean log-probability a token of a translation by beam search, the EOS token included, in nats. Where
it lies below what nearly all held-out sentences of the domain have, the words come from little knowledge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from embeddings.errors import CheckpointError
from embeddings.files import atomic_file
from embeddings.networks.classifier import DOMAIN
from embeddings.networks.decoding import DecodingConfig
from embeddings.optional import optional
from embeddings.probing.translator import Translator, translate
from embeddings.results.network_answers import LogProbabilityRange, Translation

WITHIN = 0.9  # share of the held-out texts that lie within the edge
Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class TextDomain:
    """Where the states of a kind of texts lie.

    Attributes
    ----------
    mean : NDArray of float32, shape (hidden_size,)
    whitening : NDArray of float32, shape (hidden_size, hidden_size)
        Makes their covariance the identity: ``(state - mean) @ whitening``.
    edge : float
        Distance that `WITHIN` of held-out texts stay below.
    """

    mean: Matrix
    whitening: Matrix
    edge: float

    def distances(self, states: Matrix) -> NDArray[np.float64]:
        """Return the distance of states, shape (n, hidden_size), in units of the edge."""
        whitened = (np.asarray(states, np.float64) - self.mean) @ self.whitening
        distances: NDArray[np.float64] = np.linalg.norm(whitened, axis=1) / self.edge
        return distances


def fit_domain(training: Matrix, held_out: Matrix) -> TextDomain:
    """Fit mean and covariance to the states of training texts, the edge to those of others."""
    with optional():
        from sklearn.covariance import LedoitWolf

    shrunk = LedoitWolf().fit(np.asarray(training, np.float64))
    values, vectors = np.linalg.eigh(shrunk.covariance_)
    whitening = (vectors / np.sqrt(values)).astype(np.float16).astype(np.float32)  # as it is kept
    raw = TextDomain(shrunk.location_.astype(np.float32), whitening, 1.0)
    return TextDomain(raw.mean, whitening, float(np.quantile(raw.distances(held_out), WITHIN)))


def save_domain(domain: TextDomain, folder: Path) -> None:
    """Write the domain into a classifier's folder, the matrix in float16."""
    state = {
        "mean": torch.from_numpy(domain.mean),
        "whitening": torch.from_numpy(domain.whitening).half(),
        "edge": torch.tensor([domain.edge], dtype=torch.float32),
    }
    with atomic_file(folder / DOMAIN) as temporary:
        save_file(state, str(temporary))


def read_domain(folder: Path, hidden_size: int) -> TextDomain | None:
    """Return the domain in a classifier's folder, None where it has none.

    Raises
    ------
    CheckpointError
        If the file is damaged or of another network.
    """
    path = folder / DOMAIN
    if not path.exists():
        return None
    shapes = {"mean": (hidden_size,), "whitening": (hidden_size, hidden_size), "edge": (1,)}
    try:
        state = load_file(str(path))
    except SafetensorError as error:
        raise CheckpointError("file_unreadable", path=path, reason=error) from error
    for name, shape in shapes.items():
        if name not in state:
            raise CheckpointError("checkpoint_missing_weight", path=path, name=name)
        if tuple(state[name].shape) != shape:
            raise CheckpointError(
                "checkpoint_shape",
                path=path,
                name=name,
                found=tuple(state[name].shape),
                expected=shape,
            )
    mean, whitening = (state[name].float().numpy() for name in ("mean", "whitening"))
    return TextDomain(mean, whitening, float(state["edge"][0]))


LOW = 0.05  # share of the domain's sentences below which a translation is called outside


def mean_log_probability(translation: Translation) -> float:
    """Return the mean log-probability a token, in nats; 0 for an empty translation."""
    values = [token.log_probability for token in translation.tokens]
    return float(np.mean(values)) if values else 0.0


def log_probability_range(translator: Translator, texts: Sequence[str]) -> LogProbabilityRange:
    """Translate sentences of the domain and return where their mean log-probabilities lie."""
    translations = translate(translator, texts, DecodingConfig(), align=True)
    means = [mean_log_probability(t) for t in translations if t.tokens]
    return LogProbabilityRange(float(np.median(means)), float(np.quantile(means, LOW)), len(means))
