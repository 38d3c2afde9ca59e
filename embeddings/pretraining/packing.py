"""Several sequences in one row, so that next to nothing is padding; a block mask keeps them apart.

Sequences are placed longest first into the fullest row that still has room (best fit), which on real text leaves under 2 % empty.
`RowStream` packs the training documents without end, block after block, each while the one before is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from embeddings.errors import InputError
from embeddings.pretraining.prepared_corpus import PreparedCorpus
from embeddings.pretraining.sentence_pairs import Pairs, Segments, StreamConfig, draw_pairs, ragged
from embeddings.results import Value
from embeddings.text.tokenizer import Tokenizer

Integers = NDArray[np.int64]
PAIRS_AT_A_TIME = 32_768  # pairs packed together
OF_ROWS = ("ids", "segments", "positions", "blocks")  # arrays of `Packed` with an entry a row
OF_PAIRS = ("label", "source", "ordinary")  # with an entry a pair, the same wherever it is


class SpecialIds(Value):
    """Ids of the tokens that are no text: those that frame a pair and mask a word; ours come first in the vocabulary."""

    pad: int = 0
    unk: int = 1
    cls: int = 2
    sep: int = 3
    mask: int = 4

    @classmethod
    def of(cls, wordpiece: Tokenizer) -> SpecialIds:
        """Those of a vocabulary."""
        return cls(*wordpiece.special_ids)

    @property
    def ordered(self) -> tuple[int, ...]:
        """All of them, each once, rising."""
        return tuple(sorted({self.pad, self.unk, self.cls, self.sep, self.mask}))


class Packed(Value):
    """Rows of packed pairs.

    Attributes
    ----------
    ids, segments, positions, blocks : NDArray, shape (rows, row_length)
        ``blocks`` numbers the pairs of a row from 1, 0 is padding; positions restart with each
        pair.
    first, label, source, ordinary : NDArray[int64], shape (pairs,)
        Flat place of [CLS], label, source, and how many tokens of text the pair has; in the order
        of rows.
    bounds : NDArray[int64], shape (rows + 1,)
        Which pairs a row has.
    """

    ids: NDArray[np.int32]
    segments: NDArray[np.uint8]
    positions: NDArray[np.int16]
    blocks: NDArray[np.int16]
    first: Integers
    label: Integers
    source: Integers
    ordinary: Integers
    bounds: Integers

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def tokens(self) -> int:
        """Real tokens, padding not counted."""
        return int((self.blocks > 0).sum())

    def rows(self, start: int, stop: int) -> Packed:
        """Return rows ``start`` to ``stop``; flat places are those of the new first row on."""
        low, high = self.bounds[start], self.bounds[min(stop, len(self))]
        return Packed(
            **{name: getattr(self, name)[start:stop] for name in OF_ROWS},
            **{name: getattr(self, name)[low:high] for name in OF_PAIRS},
            first=self.first[low:high] - start * self.ids.shape[1],
            bounds=self.bounds[start : stop + 1] - low,
        )


def join_rows(parts: list[Packed]) -> Packed:
    """Return the rows of several as one."""
    if len(parts) == 1:
        return parts[0]
    length = parts[0].ids.shape[1]
    rows = np.cumsum([0] + [len(p) for p in parts])
    pairs = np.cumsum([0] + [len(p.label) for p in parts])
    first = [p.first + r * length for p, r in zip(parts, rows[:-1], strict=True)]
    bounds = [p.bounds[1:] + n for p, n in zip(parts, pairs[:-1], strict=True)]
    names = (*OF_ROWS, *OF_PAIRS)
    return Packed(
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in names},
        first=np.concatenate(first),
        bounds=np.concatenate([np.zeros(1, np.int64), *bounds]),
    )


def best_fit(lengths: Integers, row_length: int) -> tuple[Integers, Integers]:
    """Place sequences into rows: returns the row and the offset of each.

    Examples
    --------
    >>> rows, offsets = best_fit(np.array([3, 6, 4, 2]), 8)
    >>> rows.tolist(), offsets.tolist()
    ([1, 0, 1, 0], [4, 0, 0, 6])
    """
    row = np.empty(len(lengths), np.int64)
    offset = np.empty(len(lengths), np.int64)
    with_room: list[list[int]] = [[] for _ in range(row_length + 1)]  # rows by the room they have
    opened = 0
    for sequence in np.argsort(-lengths, kind="stable").tolist():
        length = int(lengths[sequence])
        room = length
        while room < row_length and not with_room[room]:
            room += 1
        if with_room[room]:
            number = with_room[room].pop()
        else:
            number, room = opened, row_length
            opened += 1
        row[sequence], offset[sequence] = number, row_length - room
        with_room[room - length].append(number)
    return row, offset


def pack_pairs(
    corpus: PreparedCorpus,
    pairs: Pairs,
    row_length: int,
    special: SpecialIds,
    generator: np.random.Generator | None = None,
) -> Packed:
    """Write pairs as [CLS] first [SEP] second [SEP] into rows.

    With a generator the rows come in random order.
    """
    row, offset = best_fit(pairs.lengths, row_length)
    rows = int(row.max()) + 1 if len(row) else 0
    if generator is not None:
        row = generator.permutation(rows)[row]
    # A row of `row_length` cells, here with two pairs; all rows lie one after another in flat arrays, row r from r * row_length on:
    #
    #    cell       0    1  2  3    4    5  6    7   |  8    9  10   11  | 12 ...
    #    ids     [CLS]   a  b  c  [SEP]  d  e  [SEP] |[CLS]  f   g  [SEP]| [PAD]
    #    segments   0    0  0  0    0    1  1    1   |  0    0   0    0  |  0
    #    positions  0    1  2  3    4    5  6    7   |  0    1   2    3  |  0
    #    blocks     1    1  1  1    1    1  1    1   |  2    2   2    2  |  0
    #
    # Pairs are sorted by row and place: pair i begins in cell start[i], and those of row r are bounds[r] ... bounds[r + 1] - 1.
    order = np.lexsort((offset, row))
    pairs, row, offset = pairs.take(order), row[order], offset[order]
    bounds = np.searchsorted(row, np.arange(rows + 1))
    start = row * row_length + offset

    ids = np.full(rows * row_length, special.pad, np.int32)
    segments = np.zeros(rows * row_length, np.uint8)
    # [CLS] takes one cell before the first segment, [SEP] one behind it
    second_start = start + 1 + pairs.first_length + 1
    ids[start] = special.cls
    ids[second_start - 1] = special.sep
    _copy(corpus, ids, pairs.first, pairs.first_length, start + 1)
    _copy(corpus, ids, pairs.second, pairs.second_length, second_start)
    # without a second segment there is no second [SEP] either
    two = pairs.second_length > 0
    ids[(second_start + pairs.second_length)[two]] = special.sep
    tail = np.where(two, pairs.second_length + 1, 0)
    segments[np.repeat(second_start, tail) + ragged(tail)] = 1

    lengths = pairs.lengths
    # one entry for each token of each pair: its cell; `ragged` counts 0, 1, 2 ... within each pair
    cells = np.repeat(start, lengths) + ragged(lengths)
    positions = np.zeros(rows * row_length, np.int16)
    positions[cells] = ragged(lengths)
    blocks = np.zeros(rows * row_length, np.int16)
    # which pair of its row, from 1: attention stays within equal numbers, and padding keeps 0
    blocks[cells] = np.repeat(np.arange(len(row)) - bounds[row] + 1, lengths)
    text = ~np.isin(ids[cells], special.ordered)
    ordinary = np.bincount(np.repeat(np.arange(len(row)), lengths)[text], minlength=len(row))
    shape = (rows, row_length)
    return Packed(
        ids.reshape(shape),
        segments.reshape(shape),
        positions.reshape(shape),
        blocks.reshape(shape),
        start,
        pairs.label,
        pairs.source,
        ordinary.astype(np.int64),
        bounds,
    )


def _copy(
    corpus: PreparedCorpus,
    ids: NDArray[np.int32],
    source: Integers,
    lengths: Integers,
    target: Integers,
) -> None:
    """Copy stretches of the corpus to their places."""
    step = ragged(lengths)
    ids[np.repeat(target, lengths) + step] = corpus.ids[np.repeat(source, lengths) + step]


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
    """Rows of packed pairs, for ever; all that is drawn follows from ``seed``."""

    def __init__(
        self,
        corpus: PreparedCorpus,
        documents: NDArray[np.int64],
        config: StreamConfig,
        special: SpecialIds,
        seed: int,
    ) -> None:
        self.corpus, self.documents = corpus, documents
        self.config, self.special, self.seed = config, special, seed
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
        """Return the position of the next row."""
        return {"epoch": self.epoch, "block": self.block, "row": self.row}

    def restore(self, state: Mapping[str, object]) -> None:
        """Go back to a position that `state` returned."""
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
        return join_rows(parts)

    def _advance(self) -> None:
        """Step to the block that was packed meanwhile, and begin the one after."""
        self.epoch, self.block, self.pairs, self.packed = self.next.result()
        self.row = 0
        self.next = self.ahead.submit(self._following, self.epoch, self.block, self.pairs)

    def _following(self, epoch: int, block: int, pairs: Pairs) -> tuple[int, int, Pairs, Packed]:
        """Pack the block after this one."""
        block += 1
        if block * PAIRS_AT_A_TIME >= len(pairs):
            epoch, block = epoch + 1, 0
            pairs = self._draw(epoch)
        return epoch, block, pairs, self._pack(epoch, block, pairs)

    def _draw(self, epoch: int) -> Pairs:
        """Draw the pairs of an epoch."""
        config = self.config
        generator = np.random.default_rng([self.seed, epoch])
        documents = draw_documents(self.corpus, self.documents, config.source_exponent, generator)
        return draw_pairs(
            self.corpus, self.segments, documents, config.objective, generator, config
        )

    def _pack(self, epoch: int, block: int, pairs: Pairs) -> Packed:
        """Pack one block of an epoch's pairs."""
        generator = np.random.default_rng([self.seed, epoch, block])
        part = pairs.take(slice(block * PAIRS_AT_A_TIME, (block + 1) * PAIRS_AT_A_TIME))
        return pack_pairs(self.corpus, part, self.config.row_length, self.special, generator)

    def _refuse_short(self) -> None:
        """Refuse a corpus without a true and a false pair, or without any text."""
        labels = self.pairs.label
        if self.config.objective == "none" and len(labels):
            return
        if not ((labels == 0).any() and (labels == 1).any()):
            raise InputError(
                "pairs_too_few", pairs=int((labels >= 0).sum()), documents=len(self.documents)
            )
