"""The methods that train one vector per word, each registered once: from an encoded corpus and settings to vectors.

`embeddings.train` offers what is registered here. Trainers are imported when they are called, as they load numba.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embeddings.configuration import from_json, to_json

if TYPE_CHECKING:
    from embeddings.corpora.encoded_corpus import EncodedCorpus
    from embeddings.vectors.table import Vectors


@dataclass(frozen=True, slots=True)
class TrainedVectors:
    """Vectors, the settings that made them, and what writes a GloVe's counts next to them."""

    vectors: Vectors
    settings: dict[str, object]
    extra: Callable[[Path], None] | None = None


Trainer = Callable[["EncodedCorpus", dict[str, Any], str], TrainedVectors]
"""Takes the corpus, settings by their names, and the call that an error message names."""


def _skipgram(corpus: EncodedCorpus, settings: dict[str, Any], call: str) -> TrainedVectors:
    """Train skip-gram."""
    return _word2vec(corpus, {**settings, "sg": True}, call)


def _cbow(corpus: EncodedCorpus, settings: dict[str, Any], call: str) -> TrainedVectors:
    """Train CBOW."""
    return _word2vec(corpus, {**settings, "sg": False}, call)


def _word2vec(corpus: EncodedCorpus, settings: dict[str, Any], call: str) -> TrainedVectors:
    """Train what ``sg`` says."""
    from embeddings.static.word2vec import Word2VecConfig, train_word2vec

    config = from_json(Word2VecConfig, settings, call)
    return TrainedVectors(train_word2vec(corpus, config).vectors, to_json(config))


def _fasttext(corpus: EncodedCorpus, settings: dict[str, Any], call: str) -> TrainedVectors:
    """Train fastText: vectors of words and of their n-grams."""
    from embeddings.static.fasttext import FastTextConfig, train_fasttext

    config = from_json(FastTextConfig, settings, call)
    return TrainedVectors(train_fasttext(corpus, config).vectors, to_json(config))


def _glove(corpus: EncodedCorpus, settings: dict[str, Any], call: str) -> TrainedVectors:
    """Count co-occurrences within ``window`` words, then train GloVe on them."""
    from embeddings.static.cooccurrence import CooccurrenceConfig, count_cooccurrences
    from embeddings.static.glove import GloveConfig, train_glove
    from embeddings.static.glove_folder import ratio_writer

    rest = dict(settings)
    window = int(rest.pop("window", CooccurrenceConfig().window))
    config = from_json(GloveConfig, rest, call)
    counts = count_cooccurrences(corpus, CooccurrenceConfig(window=window, workers=config.workers))
    model = train_glove(counts, corpus.vocabulary, config)
    extra = ratio_writer(counts, model, corpus.vocabulary)
    return TrainedVectors(model.vectors, to_json(config) | {"window": window}, extra)


METHODS: dict[str, Trainer] = {
    "skipgram": _skipgram,
    "cbow": _cbow,
    "glove": _glove,
    "fasttext": _fasttext,
}
