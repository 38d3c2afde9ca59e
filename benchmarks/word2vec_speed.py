"""Word2Vec against gensim's: the same text, settings and machine, one trainer at a time (`benchmarks.gensim_race`).

    KLYUCH_MIRROR=FOLDER python -m benchmarks.word2vec_speed [--quick]

Written to ``benchmarks/results/word2vec.json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.gensim_race import Contest, races, run
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.static.word2vec import Word2VecConfig, train_word2vec

__all__ = ["QUESTION", "WORD2VEC", "races", "train"]

QUESTION = "How fast is Word2Vec trained, and how good is it?"


def train(corpus: EncodedCorpus, settings: Mapping[str, Any], rates: list[float]) -> np.ndarray:
    """Return vectors in the order of the vocabulary."""
    model = train_word2vec(
        corpus, Word2VecConfig(**settings), report=lambda at: rates.append(at.per_second)
    )
    return model.vectors.matrix


WORD2VEC = Contest("word2vec", train, "Word2Vec")

if __name__ == "__main__":
    run(WORD2VEC, QUESTION, __doc__ or "")
