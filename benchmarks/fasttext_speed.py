"""fastText against gensim's: the same text, settings and machine, one trainer at a time (`benchmarks.gensim_race`).

    KLYUCH_MIRROR=FOLDER python -m benchmarks.fasttext_speed [--quick]

cpu_seconds and the peak of memory are of the whole process, n-grams hashed and tables made.
Written to ``benchmarks/results/fasttext.json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.gensim_race import Contest, races, run
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.static.fasttext import FastTextConfig, train_fasttext

__all__ = ["FASTTEXT", "QUESTION", "races", "train"]

QUESTION = "How fast is fastText trained, and how good is it?"


def train(corpus: EncodedCorpus, settings: Mapping[str, Any], rates: list[float]) -> np.ndarray:
    """Return vectors in the order of the vocabulary."""
    model = train_fasttext(
        corpus, FastTextConfig(**settings), report=lambda at: rates.append(at.per_second)
    )
    return model.vectors.matrix


FASTTEXT = Contest(
    "fasttext",
    train,
    "FastText",
    {"min_n": 3, "max_n": 6, "bucket": 2_000_000},
    quick_bytes=4 * 10**6,
)

if __name__ == "__main__":
    run(FASTTEXT, QUESTION, __doc__ or "")
