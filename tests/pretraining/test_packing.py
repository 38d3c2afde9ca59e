"""From pairs to rows: every pair whole, next to nothing empty."""

import numpy as np
import pytest

from embeddings.pretraining.packing import best_fit, join_rows, pack_pairs
from tests.pretraining.small_corpora import ROW, SPECIAL, drawn, small_corpus


def read_rows(packed, corpus):
    """Every pair of the rows as its tokens, with its label."""
    for row in range(len(packed)):
        low, high = packed.bounds[row], packed.bounds[row + 1]
        for block, pair in enumerate(range(low, high), 1):
            here = packed.blocks[row] == block
            yield (
                pair,
                packed.ids[row, here],
                packed.segments[row, here],
                packed.positions[row, here],
            )


@pytest.mark.parametrize("objective", ["nsp", "sop"])
def test_rows_hold_every_pair_whole(corpus, objective):
    pairs = drawn(corpus, objective)
    packed = pack_pairs(corpus, pairs, ROW, SPECIAL, np.random.default_rng(3))
    wanted = []
    for i in range(len(pairs)):
        first = corpus.ids[pairs.first[i] : pairs.first[i] + pairs.first_length[i]].tolist()
        second = corpus.ids[pairs.second[i] : pairs.second[i] + pairs.second_length[i]].tolist()
        tail = [*second, 3] if second else []
        segments = [0] * (len(first) + 2) + [1] * len(tail)
        wanted.append(([2, *first, 3, *tail], segments, int(pairs.label[i])))
    found = []
    for pair, ids, segments, positions in read_rows(packed, corpus):
        assert positions.tolist() == list(range(len(ids)))
        assert packed.ids.flatten()[packed.first[pair]] == SPECIAL.cls
        assert packed.ordinary[pair] == (ids >= 5).sum()
        found.append((ids.tolist(), segments.tolist(), int(packed.label[pair])))
    assert sorted(found) == sorted(wanted)
    assert packed.tokens == pairs.lengths.sum()
    assert (packed.ids[packed.blocks == 0] == SPECIAL.pad).all()


def test_next_to_nothing_is_padding():
    corpus = small_corpus(600)
    packed = pack_pairs(corpus, drawn(corpus, "nsp"), ROW, SPECIAL)
    assert packed.tokens / packed.ids.size > 0.97


def test_best_fit_never_overfills():
    lengths = np.random.default_rng(0).integers(1, 41, 500)
    row, offset = best_fit(lengths, 40)
    filled = np.zeros((row.max() + 1, 40), int)
    for r, o, n in zip(row, offset, lengths, strict=True):
        filled[r, o : o + n] += 1
    assert filled.max() == 1
    assert filled.sum() == lengths.sum()


def test_slices_of_rows_join_to_the_whole(corpus):
    packed = pack_pairs(corpus, drawn(corpus, "nsp"), ROW, SPECIAL)
    whole = join_rows([packed.rows(0, 3), packed.rows(3, 4), packed.rows(4, len(packed))])
    for name in packed.__dataclass_fields__:
        assert np.array_equal(getattr(packed, name), getattr(whole, name)), name
