"""Co-occurrence counts: equal to brute force, in memory and on disk."""

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import InputError
from embeddings.static.cooccurrence import CooccurrenceConfig, count_cooccurrences

SENTENCES = st.lists(
    st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=12), min_size=1, max_size=8
)


def dense(counts):
    """X as a matrix."""
    matrix = np.zeros((len(counts), len(counts)))
    for word in range(len(counts)):
        columns, values = counts.row(word)
        matrix[word, columns] = values
    return matrix


def pairs_within(sentences, window):
    """Every ordered pair of places within a window: two words, and how many places the second stands behind the first."""
    for sentence in sentences:
        for i, word in enumerate(sentence):
            for j, other in enumerate(sentence):
                if 0 < abs(i - j) <= window:
                    yield word, other, j - i


def brute_force(sentences, words, window):
    """X by looking at every pair of places."""
    matrix = np.zeros((len(words), len(words)))
    for word, other, steps in pairs_within(sentences, window):
        matrix[words.index(word), words.index(other)] += 1 / abs(steps)
    return matrix


def random_corpus(words=3000, length=60_000):
    """Words drawn by Zipf's law, in sentences of up to 40 words."""
    generator = np.random.default_rng(5)
    text = np.minimum(generator.zipf(1.3, length), words) - 1
    ends = np.cumsum(generator.integers(1, 40, length))
    names = [f"w{number}" for number in text]
    bounds = [0, *ends[ends < length].tolist(), length]
    return EncodedCorpus.from_sentences([names[a:b] for a, b in pairwise(bounds)])


def test_words_outside_the_vocabulary_take_no_place():
    corpus = EncodedCorpus.from_sentences([["a", "rare", "b"], ["a", "b"]], min_count=2)
    matrix = dense(count_cooccurrences(corpus))
    np.testing.assert_array_equal(matrix, [[0, 2], [2, 0]])


@settings(max_examples=60, deadline=None)
@given(SENTENCES, st.integers(1, 12), st.integers(1, 3))
def test_counts_equal_brute_force(sentences, window, workers):
    corpus = EncodedCorpus.from_sentences(sentences)
    config = CooccurrenceConfig(window=window, workers=workers)
    counts = count_cooccurrences(corpus, config)
    expected = brute_force(sentences, corpus.vocabulary.words, window)
    np.testing.assert_allclose(dense(counts), expected, rtol=6e-8)
    np.testing.assert_allclose(counts.row_sums(), expected.sum(axis=1), rtol=1e-6)
    assert counts.pairs == np.count_nonzero(expected)


def test_columns_rise_within_rows_and_matrix_is_symmetric():
    counts = count_cooccurrences(random_corpus())
    for word in range(0, len(counts), 37):
        columns, _ = counts.row(word)
        assert (np.diff(columns) > 0).all()
    matrix = dense(counts)
    np.testing.assert_array_equal(matrix, matrix.T)


@pytest.mark.parametrize("memory_mb", [4, 8])
def test_counts_on_disk_are_those_in_memory(tmp_path, memory_mb):
    corpus = random_corpus()
    inside = count_cooccurrences(corpus)
    config = CooccurrenceConfig(memory_mb=memory_mb)
    spilled = count_cooccurrences(corpus, config, folder=tmp_path / "counts")
    assert isinstance(spilled.values, np.memmap)
    for one, other in zip(spilled.arrays, inside.arrays, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_word_too_frequent_for_its_block_has_one_of_its_own(tmp_path):
    # 3 MB leave a block room for fewer than 200 000 of the 300 000 places of the commonest word
    corpus = EncodedCorpus.from_sentences([["the", "cat", "the", "dog", "the"]] * 100_000)
    inside = count_cooccurrences(corpus)
    spilled = count_cooccurrences(corpus, CooccurrenceConfig(memory_mb=3), folder=tmp_path)
    np.testing.assert_array_equal(spilled.values, inside.values)
    assert inside.row(0)[1][0] == 100_000 * (4 / 2 + 2 / 4)


def test_counting_on_disk_keeps_to_its_memory(tmp_path):
    corpus = random_corpus(2000, 400_000)
    count_cooccurrences(corpus, CooccurrenceConfig(memory_mb=4), folder=tmp_path)  # compiles
    tracemalloc.start()
    count_cooccurrences(corpus, CooccurrenceConfig(memory_mb=4), folder=tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20


def test_progress_reaches_the_whole_text():
    corpus, seen = random_corpus(300, 5000), []
    count_cooccurrences(corpus, report=seen.append)
    assert seen[-1].done == seen[-1].total == len(corpus.ids)


def test_empty_corpus_is_refused():
    with pytest.raises(InputError, match="nothing to count"):
        count_cooccurrences(EncodedCorpus.from_sentences([["a"]], min_count=2))


def test_too_little_memory_is_refused_with_the_need(tmp_path):
    config = CooccurrenceConfig(memory_mb=1)
    with pytest.raises(InputError, match="memory_mb=1 is too little for 2823 words: at least 3 MB"):
        count_cooccurrences(random_corpus(3000, 200_000), config, folder=tmp_path)
