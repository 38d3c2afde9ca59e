"""An endless stream of packed rows over the training documents.

Epochs drawn anew, blocks packed ahead, any place found again.

The stream depends on its seed alone. Its place is (epoch, block, row), so a resumed run reads on
where the other stopped.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from embeddings.errors import InputError
from embeddings.pretraining.packing import Packed, SpecialIds, join, pack
from embeddings.pretraining.prepared import PreparedCorpus
from embeddings.pretraining.sentence_pairs import Lengths, Pairs, Segments, draw_pairs

BLOCK = 32_768  # pairs packed together


@dataclass(frozen=True, slots=True)
class StreamConfig:
    """What the rows look like."""

    objective: str = "nsp"
    max_tokens: int = 128
    row_length: int = 256
    seed: int = 1
    lengths: Lengths = field(default_factory=Lengths)
    source_exponent: float = 1.0


def draw_documents(
    corpus: PreparedCorpus,
    documents: NDArray[np.int64],
    exponent: float,
    generator: np.random.Generator,
) -> NDArray[np.int64]:
    """Return the documents of an epoch: each source in proportion to its tokens to the power ``exponent``.

    The epoch keeps its size: of a source that is read more than once whole every document stands there as
    often, and a random share once more (Conneau and Lample 2019, section 3.1, for languages).
    """
    if exponent == 1.0:
        return documents
    tokens = np.diff(corpus.sentence_bounds[corpus.document_bounds])[documents]
    source = corpus.document_source[documents]
    sizes = np.bincount(source, weights=tokens)
    wanted = np.where(sizes > 0, sizes, 1.0) ** exponent * (sizes > 0)
    times = np.divide(
        wanted / wanted.sum() * sizes.sum(), sizes, out=np.zeros_like(sizes), where=sizes > 0
    )
    whole, part = np.divmod(times[source], 1.0)
    return np.repeat(documents, whole.astype(np.int64) + (generator.random(len(documents)) < part))


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
        config = self.config
        generator = np.random.default_rng([config.seed, epoch])
        documents = draw_documents(self.corpus, self.documents, config.source_exponent, generator)
        return draw_pairs(
            self.corpus, self.segments, documents, config.objective, generator, config.lengths
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
