"""One piece of corpus through skip-gram or CBOW over n-grams, block by block; as `word2vec_kernel`, whose cache it shares the rules of."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from embeddings.static.kernels.subword_block import subword_block
from embeddings.static.kernels.windows import BLOCK_WORDS, GROUP, draw_targets, fill_block


def _digest() -> str:
    """Return a digest of the files that the kernel is made of."""
    names = ("lanes", "windows", "skipgram", "cbow", "subword_block")
    sources = (Path(__file__).with_name(f"{name}.py").read_bytes() for name in names)
    return hashlib.sha256(b"".join(sources)).hexdigest()


def _compiled(digest: str) -> Any:
    """Return the kernel; ``digest`` is in its closure and so in the cache's key."""

    @njit(cache=True, nogil=True)
    def train_subword_piece(
        sg: bool,
        ids: NDArray[np.int32],
        bounds: NDArray[np.int64],
        keep: NDArray[np.uint32],
        alias: NDArray[np.uint32],
        offsets: NDArray[np.int64],
        members: NDArray[np.int32],
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

        Draws what `train_piece` draws from the same seed. ``offsets``, ``members`` and the matrices are as `subword_block` takes them,
        the other arguments and what is returned as those of `train_piece`.
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
            nats, count = subword_block(
                sg,
                block[:, :filled],
                targets,
                weights,
                offsets,
                members,
                inputs,
                outputs,
                columns,
                window,
                rate,
            )
            loss += nats
            pairs += count
        return loss, pairs

    return train_subword_piece


train_subword_piece = _compiled(_digest())
"""Compiled on the first call."""
