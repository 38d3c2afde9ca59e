"""The loss of sentences held out: nothing is learned from them, and the number is the loss of skip-gram on them."""

from dataclasses import replace

import numpy as np
import pytest

from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.static.settings import Word2VecConfig
from embeddings.static.word2vec import hold_out, train_ids, train_word2vec

CONFIG = Word2VecConfig(
    vector_size=12, window=2, sample=0.0, epochs=3, alpha=0.05, workers=1, heldout=0.1
)


def sentences(count=400, seed=3):
    """Pairs of words that stand together, with noise: something can be learned, not everything."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        topic = rng.integers(5)
        yield [
            f"t{topic}w{rng.integers(4)}" if rng.random() < 0.8 else f"n{rng.integers(9)}"
            for _ in range(8)
        ]


def corpus(**settings):
    return EncodedCorpus.from_sentences(list(sentences(**settings)), min_count=1)


def heldout_mask(text):
    """Of every ten sentences the last, word by word."""
    lengths = np.diff(text.sentence_bounds)
    return np.repeat(np.arange(lengths.size) % 10 == 9, lengths)


@pytest.mark.parametrize("sg", [True, False])
def test_vectors_are_those_of_a_training_on_the_other_sentences_alone(sg):
    text = corpus()
    rest = text.ids[~heldout_mask(text)]
    bounds = np.arange(0, rest.size + 1, 8)
    config = replace(CONFIG, sg=sg)
    counts = text.vocabulary.counts
    alone = train_ids(rest, bounds, counts, replace(config, heldout=0.0))
    model = train_word2vec(text, config)
    assert np.array_equal(model.vectors.matrix, alone.inputs)
    assert model.losses == alone.losses
    assert len(model.heldout_losses) == 3
    assert alone.heldout_losses == ()


@pytest.mark.parametrize(("share", "held"), [(0.4, 40), (0.29, 29), (0.5, 50), (1e-320, 0)])
def test_a_share_of_the_sentences_is_held_out_that_is_no_whole_part_too(share, held):
    (trained, _), (others, bounds) = hold_out(np.arange(100), np.arange(101), share)
    assert (others.size, bounds.size) == (held, held + 1)
    assert sorted([*trained, *others]) == list(range(100))


def test_the_number_is_the_expected_loss_of_skip_gram_with_negative_sampling():
    """By hand: a window of 1 or 2; a pair costs its own term and five of drawn words, of which the pair's own count nothing."""
    text = corpus(count=4000)
    model = train_word2vec(text, CONFIG)
    inputs, outputs = (np.asarray(m, np.float64) for m in (model.vectors.matrix, model.output))
    shares = text.vocabulary.counts**0.75 / (text.vocabulary.counts**0.75).sum()
    scores = inputs @ outputs.T
    against = np.logaddexp(0, scores) * shares
    noise = against.sum(1, keepdims=True) - against
    held = text.ids[heldout_mask(text)].reshape(-1, 8)
    cost = weight = 0.0
    for distance, share in ((1, 1.0), (2, 0.5)):
        for first, second in (
            (held[:, :-distance], held[:, distance:]),
            (held[:, distance:], held[:, :-distance]),
        ):
            pairs = np.logaddexp(0, -scores[first, second]) + 5 * noise[first, second]
            cost, weight = cost + share * pairs.sum(), weight + share * pairs.size
    assert model.heldout_losses[-1] == pytest.approx(cost / weight, rel=0.02)


def test_a_text_learned_by_heart_is_told_by_a_rising_line():
    rng = np.random.default_rng(1)
    noise = [[f"w{word}" for word in rng.integers(60, size=8)] for _ in range(60)]
    text = EncodedCorpus.from_sentences(noise, min_count=1)
    model = train_word2vec(text, replace(CONFIG, vector_size=60, epochs=150, alpha=0.1))
    assert model.losses[-1] < model.losses[20]
    assert model.heldout_losses[-1] > min(model.heldout_losses) + 0.2


def test_no_share_copies_nothing():
    text = corpus()
    (ids, bounds), held = hold_out(text.ids, text.sentence_bounds, 0.0)
    assert ids is text.ids
    assert bounds is text.sentence_bounds
    assert held[0].size == 0
