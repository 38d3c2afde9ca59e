"""How unevenly a word is spread over a text: residual inverse document frequency.

Function words stand about wherever chance would have them, words of content stand together where they are the subject. The measure is
the inverse document frequency observed, less the one that a Poisson distribution of as many uses has (Church and Gale 1995).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def residual_idf(
    counts: NDArray[np.int64], stretches_with: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the residual inverse document frequency of words, in bits, shape (words,); 0 for a word without uses.

    Parameters
    ----------
    counts : NDArray of int64, shape (words,)
        Uses of each word.
    stretches_with : NDArray of int64, shape (words,)
        Stretches of the text that each stands in.
    lengths : NDArray of int64, shape (stretches,)
        Words of each stretch: a long one has a use of a word more probably than a short one.
    """
    sizes, number = np.unique(lengths, return_counts=True)
    shares = sizes / lengths.sum()
    different, place = np.unique(counts, return_inverse=True)
    expected = np.array([-np.expm1(-count * shares) @ number for count in different.tolist()])
    used = stretches_with > 0
    bits = np.zeros(len(counts))
    bits[used] = np.log2(expected[place[used]] / stretches_with[used])
    return bits
