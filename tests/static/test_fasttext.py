"""fastText as a whole: what it learns of words and of their parts, that it repeats itself and resumes."""

from dataclasses import replace

import numpy as np
import pytest

from embeddings.analysis.similarity import neighbours
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import CheckpointError
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


def test_resumed_after_a_kill_equals_unbroken_byte_for_byte(tmp_path):
    corpus = EncodedCorpus.from_sentences(list(endings(400)))
    config = replace(SMALL, heldout=0.1)

    def kill_in_third_epoch(progress):
        if progress.epoch == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_fasttext(corpus, config, run=tmp_path / "run", report=kill_in_third_epoch)
    with pytest.raises(CheckpointError, match="begun with max_n=6, not 5"):
        train_fasttext(corpus, replace(config, max_n=5), run=tmp_path / "run", resume=True)
    resumed = train_fasttext(corpus, config, run=tmp_path / "run", resume=True)
    unbroken = train_fasttext(corpus, config)
    assert resumed.vectors.matrix.tobytes() == unbroken.vectors.matrix.tobytes()
    assert resumed.vectors.subwords.rows.tobytes() == unbroken.vectors.subwords.rows.tobytes()
    assert resumed.output.tobytes() == unbroken.output.tobytes()
    assert resumed.losses == unbroken.losses
    assert resumed.heldout_losses == unbroken.heldout_losses
    assert unbroken.losses[-1] < unbroken.losses[0] - 0.1
