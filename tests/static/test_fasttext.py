"""fastText as a whole: what it learns of words and of their parts; that it resumes: `tests/static/test_word2vec.py`."""

from dataclasses import replace

import numpy as np
import pytest

from embeddings.analysis.similarity import neighbours
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.static.fasttext import FastTextConfig, WordRows, train_fasttext
from embeddings.vectors.character_ngrams import ngram_bucket, word_ngrams

SMALL = FastTextConfig(
    vector_size=16, window=3, sample=0.0, epochs=4, workers=1, alpha=0.05, bucket=50_000
)
STEMS = ("haus", "baum", "stein", "wasser", "feuer", "garten", "turm", "wald")
ENDINGS = {"chen": ("klein", "zart", "winzig"), "riese": ("groß", "gewaltig", "mächtig")}


def endings(sentences=1500):
    """Sentences of a word with one of two endings among words that suit its ending; no stem has both endings."""
    rng = np.random.default_rng(8)
    for _ in range(sentences):
        number = rng.integers(len(STEMS) - 2)
        ending = list(ENDINGS)[number % 2]
        companions = rng.choice(ENDINGS[ending], 4)
        yield [str(w) for w in rng.permutation([STEMS[number] + ending, *companions])]


@pytest.mark.parametrize("sg", [True, False], ids=["skip-gram", "CBOW"])
def test_a_word_never_seen_predicts_the_words_that_its_ending_goes_with(sg):
    corpus = EncodedCorpus.from_sentences(list(endings()))
    model = train_fasttext(corpus, replace(SMALL, sg=sg))
    vectors = model.vectors
    for number, ending in enumerate(ENDINGS):
        other = list(ENDINGS)[1 - number]
        for stem in STEMS[-2:]:  # that no sentence has
            assert stem + ending not in vectors
            scores = [
                np.mean(
                    [model.output[vectors.row(word)] @ vectors[stem + ending] for word in names]
                )
                for names in (ENDINGS[ending], ENDINGS[other])
            ]
            assert scores[0] > scores[1] + 1
            parts = vectors.parts(stem + ending)
            assert parts.is_composed
            assert {g.text for g in parts.ngrams if g.is_known} >= {f"{ending[-3:]}>"}
            nearest = [near.word for near in neighbours(vectors, stem + ending, 3)]
            companions = ENDINGS[ending] if sg else ()
            assert all(word.endswith(ending) or word in companions for word in nearest)


def test_a_word_is_the_mean_of_its_row_and_those_of_its_ngrams():
    words = ("the", "then", "ключ", "a")
    config = replace(SMALL, min_n=2, max_n=3, bucket=11)
    rows = WordRows.of(words, config)
    inputs = np.random.default_rng(1).normal(size=(4 + len(rows.buckets), 5)).astype(np.float32)
    place = {bucket: 4 + row for row, bucket in enumerate(rows.buckets.tolist())}
    for number, word in enumerate(words):
        hashed = [ngram_bucket(ngram, 11) for ngram in word_ngrams(word.encode(), 2, 3)]
        expected = inputs[[number, *(place[bucket] for bucket in hashed)]].mean(axis=0)
        composed = rows.compose(inputs, np.array([number]))[0]
        np.testing.assert_allclose(composed, expected, atol=1e-6)
    assert set(place) == {
        ngram_bucket(ngram, 11) for word in words for ngram in word_ngrams(word.encode(), 2, 3)
    }
