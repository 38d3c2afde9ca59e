"""What is hidden in a row: how much, which tokens, and what stands in their place."""

from collections import Counter

import numpy as np
import pytest
import torch

from embeddings.pretraining.masking import mask_tokens, masked_counts
from embeddings.pretraining.packing import SpecialIds, join_rows, pack_pairs
from embeddings.training.pretraining.pretraining_task import make_pretraining_batch
from tests.pretraining.small_corpora import ROW, SPECIAL, drawn


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


def test_halves_round_as_python_does():
    lengths = np.arange(200)
    assert masked_counts(lengths, 0.15).tolist() == [round(0.15 * n) for n in range(200)]


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
