"""How sure a translator is of texts of the kind that it learnt, to know those that it did not.

The measure is the mean log-probability a token of a translation by beam search, the EOS token included, in nats. Where it lies
below what nearly all held-out sentences of the domain have, the words come from little knowledge.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from embeddings.networks.hypotheses import DecodingConfig
from embeddings.probing.translator import Translator, translate
from embeddings.results.translations import LogProbabilityRange, Translation

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
