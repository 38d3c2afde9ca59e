"""How much is read one sentence or two a sequence, and how often each source is read."""

import numpy as np
import pytest

from embeddings.errors import InputError
from embeddings.pretraining.packing import draw_documents
from embeddings.pretraining.sentence_pairs import NO_PAIR, Segments, StreamConfig, draw_pairs
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from tests.pretraining.small_corpora import corpus_of

MAX = 64


def sized(sizes, sentences=40):
    """One file a size: so many documents of ``sentences`` sentences of 4 to 12 tokens."""
    generator = np.random.default_rng(3)
    files = {
        f"en_{name}.txt": [
            [[10] * int(generator.integers(4, 13)) for _ in range(sentences)] for _ in range(size)
        ]
        for name, size in sizes.items()
    }
    return corpus_of(files, 50)


def drawn(corpus, config, documents=None, objective="nsp"):
    documents = np.arange(len(corpus.document_source)) if documents is None else documents
    segments = Segments.of(corpus, MAX)
    generator = np.random.default_rng(1)
    return draw_pairs(corpus, segments, documents, objective, generator, config)


def text_tokens(pairs):
    return pairs.first_length + pairs.second_length


def sentences_of(corpus, pairs):
    """How many sentences each sequence of a stream without a sentence task holds."""
    first = np.searchsorted(corpus.sentence_bounds, pairs.first)
    stop = np.searchsorted(corpus.sentence_bounds, pairs.first + text_tokens(pairs))
    return stop - first


def test_all_of_the_text_can_be_read_one_sentence_a_sequence():
    corpus = sized({"a": 10})
    pairs = drawn(corpus, StreamConfig(sentence_share=1.0))
    assert (pairs.label == NO_PAIR).all()
    assert sorted(pairs.first.tolist()) == corpus.sentence_bounds[:-1].tolist()
    assert pairs.first_length.sum() == len(corpus.ids)


@pytest.mark.parametrize(("single", "pair"), [(0.5, 0.0), (0.25, 0.25), (0.0, 0.5)])
def test_shares_are_of_tokens(single, pair):
    corpus = sized({"a": 300})
    found = drawn(corpus, StreamConfig(sentence_share=single, pair_share=pair), objective="none")
    tokens, sentences = text_tokens(found), sentences_of(corpus, found)
    assert tokens.sum() == len(corpus.ids)  # every token once
    # passages that end early hold one or two sentences too: 10 % aim at a random shorter length
    assert tokens[sentences == 1].sum() / tokens.sum() == pytest.approx(single, abs=0.04)
    assert tokens[sentences == 2].sum() / tokens.sum() == pytest.approx(pair, abs=0.04)


def test_by_default_sequences_are_filled():
    corpus = sized({"a": 100})
    found = drawn(corpus, None, objective="none")
    assert np.median(text_tokens(found)) > 0.75 * MAX


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0])
def test_sources_are_read_by_a_power_of_their_size(exponent):
    corpus = sized({"large": 640, "small": 40})
    everything = np.arange(len(corpus.document_source))
    documents = draw_documents(corpus, everything, exponent, np.random.default_rng(5))
    pairs = drawn(corpus, StreamConfig(), documents, objective="none")
    tokens = np.bincount(pairs.source, weights=text_tokens(pairs))
    sizes = np.bincount(corpus.document_source) * 1.0
    wanted = sizes**exponent / (sizes**exponent).sum()
    assert tokens.sum() == pytest.approx(len(corpus.ids), rel=0.05)  # an epoch keeps its size
    assert tokens / tokens.sum() == pytest.approx(wanted, abs=0.03)


def test_a_document_read_twice_is_cut_anew():
    corpus = sized({"a": 4}, sentences=400)
    found = drawn(corpus, StreamConfig(), np.array([0, 0, 1]), objective="none")
    own = corpus.sentence_bounds[corpus.document_bounds]
    starts = found.first[found.first < own[1]]
    assert text_tokens(found)[found.first < own[1]].sum() == 2 * own[1]
    assert len(set(starts.tolist())) > 0.6 * len(starts)


@pytest.mark.parametrize(
    "settings",
    [{"sentence_share": 1.1}, {"sentence_share": 0.6, "pair_share": 0.5}, {"source_exponent": -1}],
)
def test_impossible_shares_are_refused(settings):
    with pytest.raises(InputError, match=next(reversed(settings))):
        PretrainingConfig(**settings)
