"""A text to encode, and whether two encoded corpora are the same."""

import numpy as np

from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import EncodingConfig

TEXT = "The cat sat.\nThe dog sat on the cat\n\nA bird!\n\n\n***\nthe bird\n"


def write(path, text):
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def same(a, b):
    return (
        a.vocabulary.words == b.vocabulary.words
        and np.array_equal(a.vocabulary.counts, b.vocabulary.counts)
        and np.array_equal(a.ids, b.ids)
        and np.array_equal(a.sentence_bounds, b.sentence_bounds)
        and np.array_equal(a.document_bounds, b.document_bounds)
    )


def encoded(folder, text=TEXT, min_count=1, **settings):
    """Encode a text into ``folder / "ids"``; return the corpus."""
    config = EncodingConfig(min_count=min_count, **settings)
    return encode([write(folder / "a.txt", text)], folder / "ids", config)
