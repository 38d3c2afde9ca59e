"""How unevenly a word is spread over a text: residual inverse document frequency.

Function words stand about wherever chance would have them, words of content stand together where they are the subject. The measure is
the inverse document frequency observed, less the one that a Poisson distribution of as many uses has (Church and Gale 1995). A text of
plays and manuals is not a text of one kind: *well* and *you* are spread by chance over all plays, and in no manual. Chance is computed for
each part of the text for itself, with the uses that the word has there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def expected_stretches(
    counts: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return in how many stretches of a text words would stand by chance, shape (words,).

    Parameters
    ----------
    counts : NDArray of int64, shape (words,)
        Uses of each word.
    lengths : NDArray of int64, shape (stretches,)
        Words of each stretch: a long one has a use of a word more probably than a short one.
    """
    sizes, number = np.unique(lengths, return_counts=True)
    shares = sizes / lengths.sum()
    different, place = np.unique(counts, return_inverse=True)
    expected = np.array([-np.expm1(-count * shares) @ number for count in different.tolist()])
    by_word: NDArray[np.float64] = expected[place]
    return by_word


def residual_idf(
    expected: NDArray[np.float64], stretches_with: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the residual inverse document frequency of words, in bits, shape (words,); 0 for a word without uses.

    Parameters
    ----------
    expected : NDArray of float64, shape (words,)
        Stretches in which each would occur by chance, the sum of all parts of the text.
    stretches_with : NDArray of int64, shape (words,)
        Stretches in which each occurs.
    """
    used = stretches_with > 0
    bits = np.zeros(len(expected))
    bits[used] = np.log2(expected[used] / stretches_with[used])
    return bits
