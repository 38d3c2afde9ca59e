"""N-grams: cut and hashed as fastText does, compact and on disk, and words composed of them."""

import numpy as np
import pytest
from gensim.models.fasttext import ft_ngram_hashes

from embeddings import Vectors
from embeddings.analysis.similarity import neighbours, similarity
from embeddings.errors import FormatError, InputError, UnknownWordError
from embeddings.files import read_json, sha256, write_json
from embeddings.vectors.character_ngrams import Subwords, WordBuckets, ngram_bucket, word_ngrams
from embeddings.vectors.formats import read, write_native
from tests.vectors.odd_words import ODD

WORDS = [*ODD, "Kirchturmuhr", "a", "ab", "приключение", "нана", "\U0001f469\U0001f52c", "ß"]


@pytest.mark.parametrize(("min_n", "max_n"), [(3, 6), (1, 3), (2, 2), (5, 5)])
def test_ngrams_fall_into_the_buckets_that_gensim_gives_them(min_n, max_n):
    raw = [word.encode() for word in WORDS]
    compiled = WordBuckets.of(raw, min_n, max_n, 1000)
    for number, word in enumerate(WORDS):
        theirs = ft_ngram_hashes(word, min_n, max_n, 1000)
        ours = [ngram_bucket(ngram, 1000) for ngram in word_ngrams(raw[number], min_n, max_n)]
        part = slice(compiled.offsets[number], compiled.offsets[number + 1])
        assert ours == theirs == compiled.buckets[part].tolist()


def test_the_end_of_a_sentence_has_no_ngrams_as_in_fasttext():
    assert word_ngrams(b"</s>", 3, 6) == []
    assert WordBuckets.of([b"</s>", b"ab"], 3, 3, 9).offsets.tolist() == [0, 0, 2]


def rows_by_hand():
    """Buckets of «ca», «at» and «ab» of 100, with rows to add up by hand; the word cat has both of the first two."""
    hashed = {text: ngram_bucket(text, 100) for text in (b"<c", b"ca", b"at", b"t>", b"ab")}
    assert len(set(hashed.values())) == 5
    known = sorted(
        (hashed[text], row) for text, row in ((b"ca", (3, 0)), (b"at", (0, 6)), (b"ab", (1, 1)))
    )
    buckets = np.array([bucket for bucket, _ in known], np.int32)
    return Subwords(2, 2, 100, np.array([row for _, row in known], np.float32), buckets)


def table():
    vectors = Vectors(["cab", "dog"], np.array([[1, 0], [0, -1]], np.float32), np.array([4, 3]))
    vectors.subwords = rows_by_hand()
    return vectors


def test_a_word_outside_the_vocabulary_is_the_mean_of_its_ngrams():
    vectors = table()
    # <c, ca, at, t>: two are known, four are counted, as fastText counts a row of zeros
    assert vectors["cat"].tolist() == [0.75, 1.5]
    assert vectors["Cat"].tolist() == [0.75, 1.5]  # in the model's casing
    assert vectors["cab"].tolist() == [1, 0]  # the row of the vocabulary stays what it is
    assert "cat" not in vectors
    assert vectors.has_vector("cat")
    length = np.hypot(0.75, 1.5)
    assert vectors.get_vector("cat", norm=True).tolist() == pytest.approx(
        [0.75 / length, 1.5 / length]
    )
    assert similarity(vectors, "cat", "cab") == pytest.approx(0.75 / length)
    assert vectors.most_similar("cat", topn=2)[0][0] == "cab"


def test_parts_name_the_ngrams_with_their_shares_and_mark_a_composed_word():
    parts = table().parts("cat")
    assert parts.is_composed
    assert [ngram.text for ngram in parts.ngrams] == ["<c", "ca", "at", "t>"]
    assert [ngram.is_known for ngram in parts.ngrams] == [False, True, True, False]
    # (3, 0) and (0, 6) projected on (3, 6), by its squared length
    assert [ngram.share for ngram in parts.ngrams] == pytest.approx([0, 9 / 45, 36 / 45, 0])
    known = table().parts("cab")  # 5 rows make (1, 0): its own, <c, ca (3, 0), ab (1, 1), b>
    assert not known.is_composed
    assert known.word_share == pytest.approx(1 - 3 / 5 - 1 / 5)
    assert sum(ngram.share for ngram in known.ngrams) + known.word_share == pytest.approx(1)


def test_neighbours_of_a_composed_word_come_from_the_whole_vocabulary():
    found = neighbours(table(), "cat", 2)
    assert [near.word for near in found] == ["cab", "dog"]
    folded = neighbours(table(), "cat", 2, fold=lambda word: word[:2])
    assert [near.word for near in folded] == ["dog"]  # «cab» is a form of the same lemma here


@pytest.mark.parametrize("word", ["", "xyz", "c" * 5000, "\ud800"])
def test_a_word_of_unknown_ngrams_alone_has_no_vector(word):
    vectors = table()
    with pytest.raises(UnknownWordError):
        vectors[word]
    with pytest.raises(UnknownWordError):
        neighbours(vectors, word)
    assert not vectors.has_vector(word)


def test_a_table_without_ngrams_says_that_words_have_no_parts():
    plain = Vectors(["a"], np.eye(1, dtype=np.float32), name="plain")
    with pytest.raises(InputError, match="“plain” has no vectors of n-grams"):
        plain.parts("a")


def random_table(dtype=np.float32):
    """All buckets have a row, more than the words have n-grams."""
    rng = np.random.default_rng(4)
    vectors = Vectors(WORDS, rng.normal(size=(len(WORDS), 6)).astype(np.float32))
    rows = rng.normal(size=(5000, 6)).astype(dtype)
    vectors.subwords = Subwords(3, 5, 5000, rows)
    return vectors


@pytest.mark.parametrize(("dtype", "error"), [("float32", 0), ("float16", 2e-3), ("int8", 0.02)])
def test_a_folder_keeps_the_ngrams_of_its_words_alone(tmp_path, dtype, error):
    vectors = random_table()
    write_native(vectors, tmp_path / "model", dtype=dtype)
    back = read(tmp_path / "model")
    met = {b for word in WORDS for b in ft_ngram_hashes(word, 3, 5, 5000)}
    assert back.subwords.buckets.tolist() == sorted(met)
    inside = "приклю"  # all its n-grams but the last are of «приключение»
    listed, _ = back.subwords.ngrams(inside)
    rows = np.array([vectors.subwords.rows[ngram_bucket(ngram, 5000)] for ngram in listed])
    known = np.array([ngram_bucket(ngram, 5000) in met for ngram in listed])
    assert known.sum() > 5
    expected = rows[known].sum(axis=0) / len(listed)
    np.testing.assert_allclose(back[inside], expected, atol=error + 1e-6)
    again = tmp_path / "again"
    write_native(back, again, dtype="float32")
    np.testing.assert_allclose(read(again)[inside], back[inside], atol=1e-6)


def test_the_commonest_ngrams_are_those_of_the_most_tokens():
    subwords = rows_by_hand()
    # «ca» stands in cat and cab (7 uses), «at» in cat (2), «ab» in cab (5)
    two = subwords.commonest([b"cat", b"cab", b"dog"], np.array([2, 5, 90]), 2)
    kept = sorted(ngram_bucket(text, 100) for text in (b"ca", b"ab"))
    assert two.buckets.tolist() == kept
    assert two.take(two.find(np.array(kept, np.int32))).tolist() == (
        subwords.take(subwords.find(np.array(kept, np.int32))).tolist()
    )
    assert len(subwords.commonest([b"cat"], np.array([2]), 9).rows) == 2  # «ab» has no use


@pytest.mark.parametrize(
    "change",
    [
        {"min_n": 0},
        {"min_n": 7, "max_n": 6},
        {"bucket": 10},
        {"rows": np.zeros((3, 3), np.float32)},
        {"rows": np.zeros((2, 2), np.float32)},
        {"rows": np.zeros((3, 2), np.int8)},
        {"scale": np.ones(3, np.float32)},
        {"buckets": np.array([3, 2, 50], np.int32)},
        {"buckets": np.array([-1, 2, 50], np.int32)},
        {"buckets": np.array([1, 2, 100], np.int32)},
    ],
)
def test_tables_of_ngrams_that_contradict_themselves_are_refused(change):
    from dataclasses import replace

    with pytest.raises(FormatError, match="fit neither each other nor the vectors"):
        replace(rows_by_hand(), **change).check(2, "somewhere")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"min_n": "3", "max_n": 5, "bucket": 5000}, "holds no table of n-grams"),
        ({"min_n": 3, "max_n": 5}, "holds no table of n-grams"),
        ([3, 5, 5000], "holds no table of n-grams"),
        ({"min_n": 3, "max_n": 5, "bucket": 9}, "fit neither each other nor the vectors"),
        ({"min_n": 3, "max_n": 5, "bucket": 2**40}, "fit neither each other nor the vectors"),
    ],
)
def test_a_folder_whose_settings_of_ngrams_lie_is_refused(tmp_path, settings, sentence):
    write_native(random_table(), tmp_path / "model")
    config, card = (tmp_path / "model" / name for name in ("config.json", "card.json"))
    write_json(config, read_json(config) | {"subwords": settings})
    about = read_json(card)
    about["files"]["config.json"] = sha256(config)
    write_json(card, about)
    with pytest.raises(FormatError, match=sentence):
        read(tmp_path / "model")
