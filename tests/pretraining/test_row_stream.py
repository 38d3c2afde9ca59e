"""Rows without end: an epoch reads every pair once, and a stream goes on where it was."""

import numpy as np
import pytest

from embeddings.errors import InputError
from embeddings.pretraining.packing import RowStream, StreamConfig
from embeddings.pretraining.prepared_corpus import PreparedCorpus
from embeddings.pretraining.sentence_pairs import draw_pairs
from tests.pretraining.small_corpora import MAX, ROW, SPECIAL, drawn


def stream(corpus, seed=1):
    config = StreamConfig("nsp", MAX, ROW, seed)
    return RowStream(corpus, np.arange(len(corpus.document_source)), config, SPECIAL)


def test_the_stream_goes_on_where_it_was(corpus, monkeypatch):
    monkeypatch.setattr("embeddings.pretraining.packing.BLOCK", 16)
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
    monkeypatch.setattr("embeddings.pretraining.packing.BLOCK", 16)
    rows = stream(corpus)
    tokens = 0
    while rows.epoch == 0:
        tokens += rows.take(1).tokens
    pairs = drawn(corpus, "nsp", documents=None)
    generator = np.random.default_rng([1, 0])
    pairs = draw_pairs(corpus, rows.segments, rows.documents, "nsp", generator)
    assert tokens == pairs.lengths.sum()


def test_a_corpus_too_short_for_pairs_is_refused():
    corpus = PreparedCorpus.from_documents({"en_a.txt": [[[10] * 5]]}, 50)
    with pytest.raises(InputError, match="too short for sentence pairs: 0 pairs from 1 document "):
        stream(corpus)
