"""What trains each method of `embeddings.methods` that has one vector per word: from an encoded corpus and settings to vectors.

Trainers are imported when they are called, as they load numba.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embeddings.configuration import from_json, to_json

if TYPE_CHECKING:
    from embeddings.corpora.encoded_corpus import EncodedCorpus
    from embeddings.vectors.table import Vectors


@dataclass(frozen=True, slots=True)
class TrainedVectors:
    """Vectors, the settings that made them, what writes a GloVe's counts next to them, and how many pairs it counted."""

    vectors: Vectors
    settings: dict[str, object]
    extra: Callable[[Path], None] | None = None
    pairs: int = 0


def _word2vec(
    corpus: EncodedCorpus, settings: dict[str, Any], call: str, *, sg: bool, **options: Any
) -> TrainedVectors:
    """Train skip-gram or CBOW."""
    from embeddings.static.word2vec import Word2VecConfig, train_word2vec

    config = from_json(Word2VecConfig, {**settings, "sg": sg}, call)
    return TrainedVectors(train_word2vec(corpus, config, **options).vectors, to_json(config))


def _fasttext(
    corpus: EncodedCorpus, settings: dict[str, Any], call: str, **options: Any
) -> TrainedVectors:
    """Train fastText: vectors of words and of their n-grams."""
    from embeddings.static.fasttext import FastTextConfig, train_fasttext

    config = from_json(FastTextConfig, settings, call)
    return TrainedVectors(train_fasttext(corpus, config, **options).vectors, to_json(config))


def _glove(
    corpus: EncodedCorpus, settings: dict[str, Any], call: str, **options: Any
) -> TrainedVectors:
    """Count co-occurrences within ``window`` words, then train GloVe on them."""
    from embeddings.static.cooccurrence import CooccurrenceConfig, count_cooccurrences
    from embeddings.static.glove import GloveConfig, ratio_writer, train_glove

    rest = dict(settings)
    window = int(rest.pop("window", CooccurrenceConfig().window))
    config = from_json(GloveConfig, rest, call)
    counts = count_cooccurrences(corpus, CooccurrenceConfig(window=window, workers=config.workers))
    model = train_glove(counts, corpus.vocabulary, config, **options)
    extra = ratio_writer(counts, model, corpus.vocabulary)
    settings = to_json(config) | {"window": window}
    return TrainedVectors(model.vectors, settings, extra, counts.pairs)


TRAINERS: dict[str, Callable[..., TrainedVectors]] = {
    "skipgram": partial(_word2vec, sg=True),
    "cbow": partial(_word2vec, sg=False),
    "glove": _glove,
    "fasttext": _fasttext,
}
"""By method; each takes a corpus, settings by their names, the call that an error message names, and options of the training."""
