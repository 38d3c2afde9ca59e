"""One piece of corpus through skip-gram or CBOW, block by block: over words with a row each, or composed of n-grams.

This is the only function of Word2Vec and fastText whose machine code is kept on disk; the others are part of it. It is compiled once for
words with ``rows`` and once without. numba's cache looks for changes in the function's own file alone, so the key holds a digest of all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from embeddings.static.kernels.cbow import cbow_block
from embeddings.static.kernels.fasttext_kernel import subword_block
from embeddings.static.kernels.lanes import source_digest
from embeddings.static.kernels.skipgram import skipgram_block
from embeddings.static.kernels.windows import BLOCK_WORDS, GROUP, draw_targets, fill_block


def _compiled(digest: str) -> Any:
    """Return the kernel; ``digest`` is in its closure and so in the cache's key."""

    @njit(cache=True, nogil=True)
    def train_piece(
        sg: bool,
        ids: NDArray[np.int32],
        bounds: NDArray[np.int64],
        keep: NDArray[np.uint32],
        alias: NDArray[np.uint32],
        rows: tuple[NDArray[np.int64], NDArray[np.int32]] | None,
        inputs: NDArray[np.float32],
        outputs: NDArray[np.float32],
        columns: int,
        window: int,
        negative: int,
        seed: np.uint64,
        alpha: float,
        last_alpha: float,
    ) -> tuple[float, int]:
        """Train on a piece of corpus, in place, without the interpreter's lock.

        Parameters
        ----------
        sg : bool
            Skip-gram, or CBOW.
        ids : NDArray of int32, shape (words,)
            Rows of the vocabulary, in text order.
        bounds : NDArray of int64, shape (sentences + 1,)
            Offsets of the sentences into ``ids``, from 0 to its length.
        keep, alias : NDArray of uint32, shapes (vocabulary,) and (vocabulary, 2)
            Tables of `fill_block` and `draw_targets`.
        rows : tuple of NDArray, or None
            Offsets and members as `subword_block` takes them, of words that are composed; None where word w has row w.
        inputs, outputs : NDArray of float32, shape ((vocabulary + 1) * columns,)
            Both matrices, flat; the last row is zeros and spare.
        columns : int
            Numbers a row, a multiple of `LANES`; those past the vector's size are zeros.
        window, negative : int
            Largest reach to either side; negatives drawn a position.
        seed : uint64
            Of the random stream of this piece.
        alpha, last_alpha : float
            Learning rate at the first word and past the last; linear between, held for a block.

        Returns
        -------
        tuple of float and int
            Loss summed over the positive pairs, in nats, each taken before its update:
            -log logistic(score) - sum of log logistic(-score of a negative); and how many pairs.
        """
        state = np.array([seed], np.uint64)
        block = np.empty((3, BLOCK_WORDS), np.int32)
        used = (negative + GROUP) // GROUP * GROUP
        targets = np.empty((BLOCK_WORDS, used), np.int32)
        weights = np.empty((BLOCK_WORDS, used), np.float32)
        assert len(digest) > 0
        loss = 0.0
        pairs = 0
        sentence = 0
        start = 0
        while sentence < bounds.size - 1:
            rate = np.float32(alpha + (last_alpha - alpha) * start / max(ids.size, 1))
            filled, sentence, start = fill_block(
                ids, bounds, sentence, start, keep, window, state, block
            )
            draw_targets(block[0, :filled], alias, negative, state, targets, weights)
            part = block[:, :filled]
            if rows is not None:
                nats, count = subword_block(
                    sg, part, targets, weights, *rows, inputs, outputs, columns, window, rate
                )
            elif sg:
                nats, count = skipgram_block(
                    part, targets, weights, inputs, outputs, columns, window, rate
                )
            else:
                nats, count = cbow_block(
                    part, targets, weights, inputs, outputs, columns, window, rate
                )
            loss += nats
            pairs += count
        return loss, pairs

    return train_piece


train_piece = _compiled(
    source_digest("lanes.py", "windows.py", "skipgram.py", "cbow.py", "fasttext_kernel.py")
)
"""Compiled on the first call."""
