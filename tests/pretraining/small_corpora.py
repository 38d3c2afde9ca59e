"""A corpus whose ids tell which document they come from, and pairs of it."""

import numpy as np

from embeddings.pretraining.packing import SpecialIds
from embeddings.pretraining.prepared_corpus import PreparedCorpus, Source
from embeddings.pretraining.sentence_pairs import Segments, draw_pairs

SPECIAL = SpecialIds()
MAX, ROW = 24, 60


def corpus_of(files, vocab_size):
    """A corpus in memory: file name -> documents -> sentences -> ids."""
    documents = [document for listed in files.values() for document in listed]
    sentences = [sentence for document in documents for sentence in document]
    sizes = [len(listed) for listed in files.values()]
    return PreparedCorpus(
        np.array([i for sentence in sentences for i in sentence], np.int32),
        np.cumsum([0, *map(len, sentences)]),
        np.cumsum([0, *map(len, documents)]),
        np.repeat(np.arange(len(sizes)), sizes),
        tuple(Source(name, name[:2], 0, 0, size) for name, size in zip(files, sizes, strict=True)),
        vocab_size,
    )


def small_corpus(documents=30, seed=0):
    """Two files; token = 10 + document number in the first 5 of its sentence.

    So origin can be read off the ids.
    """
    generator = np.random.default_rng(seed)
    files = {"en_a.txt": [], "ru_b.txt": []}
    for number in range(documents):
        name = "en_a.txt" if number % 3 else "ru_b.txt"
        count = int(generator.integers(1, 12))
        files[name].append([[10 + number] * int(generator.integers(1, 16)) for _ in range(count)])
    files["en_a.txt"].append([[99] * 100, [99] * 3])  # a sentence longer than a sequence
    return corpus_of(files, 200)


def drawn(corpus, objective, seed=1, documents=None):
    segments = Segments.of(corpus, MAX)
    documents = np.arange(len(corpus.document_source)) if documents is None else documents
    return draw_pairs(corpus, segments, documents, objective, np.random.default_rng(seed))


def origin(corpus, place):
    sentence = np.searchsorted(corpus.sentence_bounds, place, side="right") - 1
    return np.searchsorted(corpus.document_bounds, sentence, side="right") - 1
