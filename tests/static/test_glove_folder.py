"""Which words keep their counts, and that ratios from the folder are those of the counts."""

import os
from pathlib import Path

import numpy as np
import pytest

from embeddings.analysis.cooccurrence_ratios import load_cooccurrence, ratios
from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from embeddings.static.cooccurrence import count_cooccurrences
from embeddings.static.glove import GloveConfig, content_words, cooccurrence_table, train_glove
from embeddings.vectors.cooccurrence_table import save_cooccurrence


def text():
    """Topics of five words each, and two words that stand everywhere."""
    generator = np.random.default_rng(3)
    for _ in range(4000):
        topic = generator.integers(12)
        words = [f"topic{topic}word{n}" for n in generator.permutation(5)[:3]]
        yield ["the", words[0], "of", words[1], "the", words[2], str(generator.integers(9)), "x"]


@pytest.fixture(scope="module")
def trained():
    corpus = EncodedCorpus.from_sentences(list(text()))
    counts = count_cooccurrences(corpus)
    config = GloveConfig(vector_size=10, iterations=20)
    return corpus, counts, train_glove(counts, corpus.vocabulary, config)


def test_words_that_stand_everywhere_numbers_and_letters_are_left_out(trained):
    corpus, counts, _ = trained
    rows = content_words(counts, counts.row_sums(), corpus.vocabulary.words, 40)
    chosen = [corpus.vocabulary.words[row] for row in rows]
    assert len(chosen) == 40
    assert all(word.startswith("topic") for word in chosen)
    assert (np.diff(rows) > 0).all()


def test_fewer_words_than_asked_are_all_kept(trained):
    corpus, counts, _ = trained
    rows = content_words(counts, counts.row_sums(), corpus.vocabulary.words, 10_000)
    assert {corpus.vocabulary.words[row] for row in rows} >= {
        f"topic{topic}word{n}" for topic in range(6) for n in range(5)
    }


def test_examples_are_kept_where_the_model_has_them(trained):
    corpus, counts, model = trained
    table = cooccurrence_table(counts, model, corpus.vocabulary, ["The", "unheard", "x"], 3)
    assert {"the", "x"} < set(table.words)
    assert len(table.words) == 5


def test_table_holds_exact_counts_and_full_row_sums(trained):
    corpus, counts, model = trained
    table = cooccurrence_table(counts, model, corpus.vocabulary, size=20)
    sums = counts.row_sums()
    for place, word in enumerate(table.words):
        row = corpus.vocabulary.index[word]
        columns, values = counts.row(row)
        seen = {corpus.vocabulary.words[c]: v for c, v in zip(columns, values, strict=True)}
        assert table.sums[place] == sums[row] == pytest.approx(values.sum(dtype=float))
        assert [seen.get(other, 0) for other in table.words] == table.counts[place].tolist()


def test_ratios_from_the_folder_are_those_of_counts_and_model(trained, tmp_path):
    corpus, counts, model = trained
    save_cooccurrence(cooccurrence_table(counts, model, corpus.vocabulary, ["the"], 60), tmp_path)
    names = ["topic0word0", "topic1word0", "topic0word1", "topic1word1", "the"]
    found = ratios(load_cooccurrence(tmp_path), names[0], names[1], names[2:])
    i, j, *probes = (corpus.vocabulary.index[name] for name in names)
    sums = counts.row_sums()
    for k, row in zip(probes, found.rows, strict=True):
        near = [dict(zip(*counts.row(word), strict=True)).get(k, 0.0) for word in (i, j)]
        assert row.p_first == near[0] / sums[i]
        assert row.p_second == near[1] / sums[j]
        logs = [
            model.words_matrix[word] @ model.context_matrix[k] + model.word_bias[word]
            for word in (i, j)
        ]
        expected = np.exp(logs[0] - logs[1]) * sums[j] / sums[i]
        assert row.predicted_ratio == pytest.approx(expected, rel=0.02)
    own, other, both = found.rows
    assert own.ratio > 100  # infinite where the two topics never met
    assert other.ratio < 0.01
    assert 0.8 < both.ratio < 1.25
    assert 0.6 < both.predicted_ratio < 1.6


# Table 1 of the GloVe paper, by its signs, on English Wikipedia


@pytest.mark.slow
@pytest.mark.mirror
@pytest.mark.timeout(900)
def test_solid_is_near_ice_and_gas_near_steam(tmp_path):
    folder = Path(os.environ["KLYUCH_MIRROR"]) / "corpora"
    sources = [folder / f"en_wikipedia.{part}.txt.xz" for part in (1, 2)]
    corpus = encode(sources, tmp_path, EncodingConfig(min_count=20))
    counts = count_cooccurrences(corpus)
    model = train_glove(counts, corpus.vocabulary, GloveConfig(vector_size=50, iterations=15))
    words = ["ice", "steam", "solid", "gas", "water", "fashion"]
    table = cooccurrence_table(counts, model, corpus.vocabulary, words)
    solid, gas, water, fashion = ratios(table, "ice", "steam", words[2:]).rows
    assert solid.ratio > 1.5
    assert gas.ratio < 1 / 1.5
    assert 0.5 < water.ratio < 2
    assert gas.ratio < min(water.ratio, fashion.ratio)
    assert solid.predicted_ratio > 1 > gas.predicted_ratio
