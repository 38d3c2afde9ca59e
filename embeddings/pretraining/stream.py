"""An endless stream of packed rows over the training documents.

Epochs drawn anew, blocks packed ahead, any place found again.

The stream depends on its seed alone. Its place is (epoch, block, row), so a resumed run reads on
where the other stopped.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from embeddings.errors import InputError
from embeddings.pretraining.packing import Packed, SpecialIds, join, pack
from embeddings.pretraining.prepared import PreparedCorpus
from embeddings.pretraining.sentence_pairs import Pairs, Segments, draw_pairs

BLOCK = 32_768  # pairs packed together


@dataclass(frozen=True, slots=True)
class StreamConfig:
    """What the rows look like."""

    objective: str = "nsp"
    max_tokens: int = 128
    row_length: int = 256
    seed: int = 1


class RowStream:
    """Rows of packed pairs, for ever."""

    def __init__(
        self,
        corpus: PreparedCorpus,
        documents: NDArray[np.int64],
        config: StreamConfig,
        special: SpecialIds,
    ) -> None:
        self.corpus, self.documents = corpus, documents
        self.config, self.special = config, special
        self.segments = Segments.of(corpus, config.max_tokens)
        self.ahead = ThreadPoolExecutor(1, "packing")
        self.seek(0, 0, 0)
        self._refuse_short()

    def seek(self, epoch: int, block: int, row: int) -> None:
        """Go to a row of a block of an epoch."""
        self.epoch, self.block, self.row = epoch, block, row
        self.pairs = self._draw(epoch)
        self.packed = self._pack(epoch, block, self.pairs)
        self.next: Future[tuple[int, int, Pairs, Packed]] = self.ahead.submit(
            self._following, epoch, block, self.pairs
        )

    def state(self) -> dict[str, object]:
        """Return the place of the next row."""
        return {"epoch": self.epoch, "block": self.block, "row": self.row}

    def restore(self, state: Mapping[str, object]) -> None:
        """Go back to a place that `state` named."""
        self.seek(*(int(str(state[name])) for name in ("epoch", "block", "row")))

    def take(self, rows: int) -> Packed:
        """Return the next rows, over the ends of blocks and epochs."""
        parts: list[Packed] = []
        while rows > 0:
            stop = min(self.row + rows, len(self.packed))
            if stop > self.row:
                parts.append(self.packed.rows(self.row, stop))
            rows -= stop - self.row
            self.row = stop
            if self.row == len(self.packed):
                self._advance()
        return join(parts)

    def _advance(self) -> None:
        """Step to the block that was packed meanwhile, and begin the one after."""
        self.epoch, self.block, self.pairs, self.packed = self.next.result()
        self.row = 0
        self.next = self.ahead.submit(self._following, self.epoch, self.block, self.pairs)

    def _following(self, epoch: int, block: int, pairs: Pairs) -> tuple[int, int, Pairs, Packed]:
        """Pack the block after this one."""
        block += 1
        if block * BLOCK >= len(pairs):
            epoch, block = epoch + 1, 0
            pairs = self._draw(epoch)
        return epoch, block, pairs, self._pack(epoch, block, pairs)

    def _draw(self, epoch: int) -> Pairs:
        """Draw the pairs of an epoch."""
        generator = np.random.default_rng([self.config.seed, epoch])
        return draw_pairs(
            self.corpus, self.segments, self.documents, self.config.objective, generator
        )

    def _pack(self, epoch: int, block: int, pairs: Pairs) -> Packed:
        """Pack one block of an epoch's pairs."""
        generator = np.random.default_rng([self.config.seed, epoch, block])
        part = pairs.take(slice(block * BLOCK, (block + 1) * BLOCK))
        return pack(self.corpus, part, self.config.row_length, self.special, generator)

    def _refuse_short(self) -> None:
        """Refuse a corpus without a true and a false pair, or without any text."""
        labels = self.pairs.label
        if self.config.objective == "none" and len(labels):
            return
        if not ((labels == 0).any() and (labels == 1).any()):
            raise InputError(
                "pairs_too_few", pairs=int((labels >= 0).sum()), documents=len(self.documents)
            )
