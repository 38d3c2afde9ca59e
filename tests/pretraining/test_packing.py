"""From pairs to rows: every pair whole, next to nothing empty."""

from collections import Counter

import numpy as np
import pytest
import torch

from embeddings.errors import InputError
from embeddings.pretraining.masking import mask_tokens
from embeddings.pretraining.packing import (
    RowStream,
    SpecialIds,
    join_rows,
    pack_pairs,
)
from embeddings.pretraining.sentence_pairs import NO_PAIR, StreamConfig, draw_pairs
from embeddings.training.pretraining.pretraining_task import make_pretraining_batch
from tests.pretraining.small_corpora import (
    MAX,
    ROW,
    SPECIAL,
    corpus_of,
    drawn,
    origin,
    small_corpus,
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
    for row in range(len(packed)):
        for block, pair in enumerate(range(*packed.bounds[row : row + 2]), 1):
            here = packed.blocks[row] == block
            ids = packed.ids[row, here]
            assert packed.positions[row, here].tolist() == list(range(len(ids)))
            assert packed.ids.flatten()[packed.first[pair]] == SPECIAL.cls
            assert packed.ordinary[pair] == (ids >= 5).sum()
            segments = packed.segments[row, here].tolist()
            found.append((ids.tolist(), segments, int(packed.label[pair])))
    assert sorted(found) == sorted(wanted)
    assert packed.tokens == pairs.lengths.sum()
    assert (packed.ids[packed.blocks == 0] == SPECIAL.pad).all()


def test_next_to_nothing_is_padding():
    corpus = small_corpus(600)
    packed = pack_pairs(corpus, drawn(corpus, "nsp"), ROW, SPECIAL)
    assert packed.tokens / packed.ids.size > 0.97


def test_slices_of_rows_join_to_the_whole(corpus):
    packed = pack_pairs(corpus, drawn(corpus, "nsp"), ROW, SPECIAL)
    whole = join_rows([packed.rows(0, 3), packed.rows(3, 4), packed.rows(4, len(packed))])
    for name in packed.__dataclass_fields__:
        assert np.array_equal(getattr(packed, name), getattr(whole, name)), name


# Rows without end: an epoch reads every pair once, and a stream goes on where it was


def stream(corpus, seed=1):
    config = StreamConfig(objective="nsp", max_tokens=MAX, row_length=ROW)
    return RowStream(corpus, np.arange(len(corpus.document_source)), config, SPECIAL, seed)


def test_the_stream_goes_on_where_it_was(corpus, monkeypatch):
    monkeypatch.setattr("embeddings.pretraining.packing.PAIRS_AT_A_TIME", 16)
    one = stream(corpus)
    taken = [one.take(5) for _ in range(9)]
    place = one.state()
    assert place["epoch"] >= 1
    rest = [one.take(5) for _ in range(9)]
    other = stream(corpus)
    other.restore(place)
    for wanted, found in zip(rest, (other.take(5) for _ in range(9)), strict=True):
        assert np.array_equal(wanted.ids, found.ids)
        assert np.array_equal(wanted.label, found.label)
    assert not np.array_equal(taken[0].ids, rest[0].ids)


def test_an_epoch_reads_every_pair_once(corpus, monkeypatch):
    monkeypatch.setattr("embeddings.pretraining.packing.PAIRS_AT_A_TIME", 16)
    rows = stream(corpus)
    tokens = 0
    while rows.epoch == 0:
        tokens += rows.take(1).tokens
    generator = np.random.default_rng([1, 0])
    pairs = draw_pairs(corpus, rows.segments, rows.documents, "nsp", generator)
    assert tokens == pairs.lengths.sum()


def test_a_corpus_too_short_for_pairs_is_refused():
    corpus = corpus_of({"en_a.txt": [[[10] * 5]]}, 50)
    with pytest.raises(InputError, match="too short for sentence pairs: 0 pairs from 1 document "):
        stream(corpus)


# From documents to pairs: which segments stand together, and what they are called


@pytest.mark.parametrize("objective", ["nsp", "sop"])
def test_pairs_fit_and_labels_are_halves(corpus, objective):
    pairs = drawn(corpus, objective)
    assert pairs.lengths.max() <= MAX
    assert pairs.first_length.min() >= 1
    assert (pairs.second_length[pairs.label == NO_PAIR] == 0).all()
    assert (pairs.second_length[pairs.label != NO_PAIR] >= 1).all()
    true, false = (pairs.label == 0).sum(), (pairs.label == 1).sum()
    assert abs(int(true) - int(false)) <= 1


def test_without_a_sentence_task_every_pair_is_true_and_has_no_label(corpus):
    pairs = drawn(corpus, "none")
    assert (pairs.label == NO_PAIR).all()
    two = pairs.second_length > 0
    assert two.any()
    assert (pairs.second[two] == (pairs.first + pairs.first_length)[two]).all()
    assert pairs.first_length.sum() + pairs.second_length.sum() == len(corpus.ids)


def test_true_second_segments_follow_and_false_ones_are_of_another_document_of_the_source(corpus):
    pairs = drawn(corpus, "nsp")
    true, false = pairs.label == 0, pairs.label == 1
    first, second = origin(corpus, pairs.first), origin(corpus, pairs.second)
    assert (pairs.second[true] == (pairs.first + pairs.first_length)[true]).all()
    assert (first[true] == second[true]).all()
    assert (first[false] != second[false]).all()
    assert (corpus.document_source[first] == pairs.source).all()
    assert (corpus.document_source[second[false]] == pairs.source[false]).all()


def test_false_second_segments_are_of_like_length():
    """On a corpus of some size the lengths of true and false second segments have the same spread."""
    pairs = drawn(small_corpus(600), "nsp")
    true, false = (pairs.second_length[pairs.label == label] for label in (0, 1))
    assert false.mean() == pytest.approx(true.mean(), rel=0.05)
    assert np.percentile(false, [10, 50, 90]) == pytest.approx(
        np.percentile(true, [10, 50, 90]), abs=1
    )


def test_swapped_pairs_are_neighbours_in_the_wrong_order_and_every_token_is_read_once(corpus):
    pairs = drawn(corpus, "sop")
    false = pairs.label == 1
    assert (pairs.first[false] == (pairs.second + pairs.second_length)[false]).all()
    seen = np.zeros(len(corpus.ids), int)
    places = np.append(pairs.first, pairs.second)
    lengths = np.append(pairs.first_length, pairs.second_length)
    for place, length in zip(places, lengths, strict=True):
        seen[place : place + length] += 1
    assert (seen == 1).all()


def test_segments_end_where_sentences_end(corpus):
    """Except in sentences longer than half a sequence, which are cut."""
    pairs = drawn(corpus, "sop")
    ends = np.append(
        pairs.first + pairs.first_length,
        (pairs.second + pairs.second_length)[pairs.second_length > 0],
    )
    inside_long = corpus.ids[ends - 1] >= 10
    long = (
        np.diff(corpus.sentence_bounds)[
            np.searchsorted(corpus.sentence_bounds, ends - 1, side="right") - 1
        ]
        > (MAX - 3) // 2
    )
    assert (np.isin(ends, corpus.sentence_bounds) | long)[inside_long].all()


def test_a_lonely_document_keeps_its_true_pairs():
    corpus = corpus_of({"en_a.txt": [[[10] * 5] * 20]}, 50)
    assert set(drawn(corpus, "nsp").label.tolist()) <= {0, NO_PAIR}


def test_epochs_differ_and_seeds_repeat(corpus):
    one, other, again = (drawn(corpus, "nsp", seed) for seed in (1, 2, 1))
    assert not np.array_equal(one.first, other.first)
    assert np.array_equal(one.first, again.first)
    assert np.array_equal(one.label, again.label)


def test_heldout_documents_are_not_trained_on(corpus):
    training, heldout = corpus.split(0.1)
    assert len(heldout) == 3
    assert set(corpus.document_source[heldout].tolist()) == {0, 1}
    pairs = drawn(corpus, "nsp", documents=training)
    used = np.append(pairs.first, pairs.second[pairs.second_length > 0])
    assert not np.isin(origin(corpus, used), heldout).any()


# What is hidden in a row: how much, which tokens, and what stands in their place


def masked(corpus, rate=0.15, seed=0, copies=1):
    packed = pack_pairs(corpus, drawn(corpus, "nsp"), ROW, SPECIAL)
    packed = join_rows([packed] * copies)
    generator = torch.Generator().manual_seed(seed)
    noise = torch.rand(3, *packed.ids.shape, generator=generator)
    return packed, make_pretraining_batch(packed, noise, rate, 200, SPECIAL)


@pytest.mark.parametrize("rate", [0.15, 0.4])
def test_each_pair_hides_the_rounded_share_of_its_text(corpus, rate):
    packed, batch = masked(corpus, rate)
    blocks = torch.from_numpy(packed.blocks).flatten()[batch.scored]
    rows = batch.scored // ROW
    pair = torch.from_numpy(packed.bounds)[rows] + blocks - 1
    counts = np.bincount(pair.numpy(), minlength=len(packed.ordinary))
    assert counts.tolist() == [round(rate * n) for n in packed.ordinary.tolist()]


def test_only_text_is_hidden_and_targets_are_what_stood_there(corpus):
    packed, batch = masked(corpus)
    before = torch.from_numpy(packed.ids).long().flatten()
    assert torch.equal(before[batch.scored], batch.targets)
    assert (batch.targets >= 5).all()
    assert len(batch.scored.unique()) == len(batch.scored)
    rest = torch.ones(before.numel(), dtype=torch.bool)
    rest[batch.scored] = False
    assert torch.equal(batch.input_ids.flatten()[rest], before[rest])


def test_hidden_tokens_are_80_10_10(corpus):
    _, batch = masked(corpus, 0.4, copies=60)
    now = batch.input_ids.flatten()[batch.scored]
    count = len(now)
    assert count > 15_000
    hidden = (now == SPECIAL.mask).float().mean().item()
    kept = (now == batch.targets).float().mean().item()
    assert hidden == pytest.approx(0.8, abs=0.015)
    assert kept == pytest.approx(0.1 + 0.1 / 195, abs=0.01)
    random = now[(now != SPECIAL.mask) & (now != batch.targets)]
    assert random.min() >= 5
    assert random.max() < 200
    assert random.float().mean().item() == pytest.approx(102, abs=5)


def test_every_token_of_text_is_as_likely_to_be_hidden():
    ids = torch.arange(10, 30).repeat(2000, 1)
    pair = torch.arange(2000)[:, None].expand_as(ids)
    noise = torch.rand(3, 2000, 20, generator=torch.Generator().manual_seed(1))
    ordinary = np.full(2000, 20)
    found = mask_tokens(ids, pair, ordinary, noise, rate=0.15, special=SpecialIds(), vocab_size=50)
    counts = np.bincount(found.scored.numpy() % 20, minlength=20)
    assert counts.sum() == 6000
    assert counts.min() > 240
    assert counts.max() < 360


def test_special_tokens_anywhere_in_the_vocabulary_are_neither_hidden_nor_put_in():
    special = SpecialIds(pad=1, unk=3, cls=0, sep=2, mask=49)  # as RoBERTa has them
    ids = torch.arange(50).repeat(3000, 1)
    pair = torch.arange(3000)[:, None].expand_as(ids)
    noise = torch.rand(3, *ids.shape, generator=torch.Generator().manual_seed(1))
    ordinary = np.full(3000, 45)
    found = mask_tokens(ids, pair, ordinary, noise, rate=0.4, special=special, vocab_size=50)
    assert set(found.targets.tolist()) == set(range(50)) - {0, 1, 2, 3, 49}
    now = found.input_ids.flatten()[found.scored]
    put = now[(now != 49) & (now != found.targets)]
    counts = np.bincount(put.numpy(), minlength=50)
    assert (counts[[0, 1, 2, 3, 49]] == 0).all()
    assert counts[4:49].min() > 60  # 120 on average
    assert counts[4:49].max() < 180


def test_with_repeats_masked_no_token_is_both_hidden_and_in_sight_but_the_one_cut_to_keep_the_share(
    corpus,
):
    packed = pack_pairs(corpus, drawn(corpus, "nsp"), ROW, SPECIAL)
    noise = torch.rand(3, *packed.ids.shape, generator=torch.Generator().manual_seed(0))
    ids = packed.ids.flatten()
    pair = (packed.blocks - 1 + packed.bounds[:-1, None]).flatten()
    most = {}
    for mask_repeats in (True, False):
        batch = make_pretraining_batch(packed, noise, 0.3, 200, SPECIAL, mask_repeats=mask_repeats)
        hidden = np.zeros(len(ids), bool)
        hidden[batch.scored.numpy()] = True
        counts = np.bincount(pair[hidden], minlength=len(packed.ordinary))
        assert counts.tolist() == [round(0.3 * n) for n in packed.ordinary.tolist()]
        both = set(zip(pair[hidden], ids[hidden], strict=True))
        both &= set(zip(pair[~hidden], ids[~hidden], strict=True))
        most[mask_repeats] = max(Counter(number for number, _ in both).values())
    assert most[True] == 1
    assert most[False] > 1
