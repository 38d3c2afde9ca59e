"""Tables of vectors that several tests ask: rows at known angles, and rows drawn at random."""

import numpy as np

from embeddings import Vectors


def at_degrees(*degrees):
    """Unit vectors in the plane, so that their cosines are known."""
    radians = np.radians(degrees)
    return np.stack([np.cos(radians), np.sin(radians)], axis=1).astype(np.float32)


def numbered(rows, counts=()):
    """The rows as vectors of words called w0, w1 and so on."""
    words = [f"w{number}" for number in range(len(rows))]
    return Vectors(words, np.asarray(rows, np.float32), np.array(counts) if counts else None)


def drawn(words, size, seed=0):
    """Normally distributed rows as vectors of words called w0, w1 and so on."""
    return numbered(np.random.default_rng(seed).normal(size=(words, size)))
