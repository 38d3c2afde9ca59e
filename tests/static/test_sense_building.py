"""Senses of the words of a corpus: planted ones are found, no others; the map and its sums against plain loops."""

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import InputError
from embeddings.static.kernels.context_sums import PER_STRETCH, add_context_sums, sample_positions
from embeddings.static.sense_building import Contexts, Sample, SenseText, build_senses, quotas
from embeddings.static.sense_clustering import (
    ContextMap,
    cluster_contexts,
    coherence,
    dissolved,
    fit_map,
    thinned,
)
from embeddings.static.settings import SensesConfig
from embeddings.vectors.table import Vectors
from embeddings.vectors.vector_rows import normalize_rows
from tests.tables import at_degrees

COMPANIES = 6
SIZE = 12


@cache
def planted(seed, share=0.5):
    """A text of six topics: "bank" stands in the first two, "monk" in the third, as often; and vectors of all words."""
    rng = np.random.default_rng(seed)
    tails = [first + second for first in "aeiou" for second in "klmnrt"]
    topics = [[company + tail for tail in tails] for company in "abcdef"]
    lines = []
    for _ in range(4000):
        topic = int(rng.integers(COMPANIES))
        line = [str(word) for word in rng.choice(topics[topic], 12)]
        if topic < 2 and rng.random() < (share if topic == 0 else 1 - share):
            line.insert(6, "bank")
        if topic == 2 and rng.random() < 0.5:
            line.insert(6, "monk")
        lines.append(line)
    documents = [lines[start : start + 10] for start in range(0, len(lines), 10)]
    corpus = EncodedCorpus.from_sentences(documents)
    middles = 3 * np.linalg.qr(rng.normal(size=(SIZE, SIZE)))[0][:COMPANIES]  # orthogonal
    middle_of = {word: middles[t] for t, topic in enumerate(topics) for word in topic}
    middle_of |= {"bank": share * middles[0] + (1 - share) * middles[1], "monk": middles[2]}
    words = corpus.vocabulary.words
    matrix = np.array([middle_of[word] for word in words]) + 0.3 * rng.normal(
        size=(len(words), SIZE)
    )
    return corpus, Vectors(words, matrix.astype(np.float32), corpus.vocabulary.counts)


PLANTED = SensesConfig(max_share=0.5, min_uses=100)


@cache
def found(seed, share=0.5):
    """The senses of a planted text."""
    return build_senses(*planted(seed, share), PLANTED)


def nowhere(words=0, size=0):
    """A map that no test asks."""
    return ContextMap(
        np.zeros((words + 1, size + 1), np.float32), np.zeros((size + 1, size), np.float32)
    )


@pytest.mark.parametrize(("seed", "share"), [(0, 0.5), (2, 0.15)])
def test_a_word_of_two_companies_splits_and_no_other_does(seed, share):
    (corpus, vectors), table = planted(seed, share), found(seed, share)
    assert table.words == ("bank",)
    senses = table["bank"]
    lines = [line for line in corpus.sentences() if "bank" in line]
    of_first = sum(line[0][0] == "a" for line in lines) / len(lines)
    large = max(of_first, 1 - of_first)  # up to the half of all uses that are looked at
    assert senses[0].share >= senses[1].share
    assert [sense.share for sense in senses] == pytest.approx([large, 1 - large], abs=0.07)
    vectors.senses = table
    for sense in senses:
        company = sense.name[0][0]  # which of two alike comes first is chance
        assert {word[0] for word in sense.name} == {company}
        near = vectors.most_similar(sense.word, topn=10)
        assert {word[0] for word, _ in near} == {company}
        assert all(
            word == "bank" or word[0] == company for t in sense.examples for word in t.split()
        )
    assert {sense.name[0][0] for sense in senses} == {"a", "b"}
    assert share == 0.5 or senses[0].name[0][0] == "b"


def test_the_senses_of_a_word_surround_its_own_vector():
    _, vectors = planted(0)
    table = found(0)
    mean = table.shares @ table.vectors
    assert normalize_rows(mean) @ vectors.unit[vectors.index["bank"]] > 0.9


def test_contexts_that_repeat_each_other_are_thinned_and_others_stay():
    rng = np.random.default_rng(0)
    repeated = normalize_rows(np.array([[1.0, 0.0, 0.0]]) + 0.01 * rng.normal(size=(3000, 3)))
    others = np.eye(3)[[1] * 3 + [2] * 3]  # three times each: no more than are allowed
    kept = thinned(np.concatenate([repeated, others]).astype(np.float32), 30, rng)
    assert 10 <= (kept[:, 0] > 0.9).sum() <= 50  # 30 in the mean
    assert (kept[:, 1] == 1).sum() == (kept[:, 2] == 1).sum() == 3


def test_the_coherence_of_a_sense_is_the_mean_cosine_of_two_of_its_contexts():
    rng = np.random.default_rng(4)
    points = normalize_rows(rng.normal(size=(7, 3))).astype(np.float32)
    labels = np.array([0, 1, 0, 0, 1, 0, 2])
    expected = [
        np.mean([points[i] @ points[j] for i in rows for j in rows if i != j])
        for rows in ([0, 2, 3, 5], [1, 4])
    ]
    assert coherence(points, labels) == pytest.approx([*expected, 0], abs=1e-5)


def test_contexts_of_a_dissolved_sense_join_the_nearest_that_is_kept():
    points = np.array([[1, 0], [0, 1], [0.6, 0.8], [0.8, 0.6], [0, 1]], np.float32)
    labels = np.array([0, 1, 2, 2, 1])
    assert dissolved(points, labels, np.array([True, True, False])).tolist() == [0, 1, 1, 0, 1]
    assert dissolved(points, labels, np.array([False, True, True])).tolist() == [1, 0, 1, 1, 0]
    assert dissolved(points, labels, np.array([False, False, False])).tolist() == [0] * 5


@pytest.mark.parametrize("evenness", [0, 0.5, 1])
def test_uses_are_taken_of_parts_of_the_text_as_evenly_as_asked(evenness):
    totals = np.array([[10_000, 100, 0, 1], [3, 2, 1, 0]])
    parts = quotas(totals, 300, evenness)
    assert (parts <= totals).all()
    assert parts[1].tolist() == [3, 2, 1, 0]  # fewer than asked for: all are taken
    assert parts[0].sum() == 300
    ratio = parts[0, 0] / parts[0, 1]
    assert ratio == pytest.approx(100 ** (1 - evenness) if evenness < 1 else 2, rel=0.5)


def test_fewer_uses_than_parts_of_the_text_are_all_taken():
    """Of each of 32 parts less than one use: rounded down there would be none."""
    totals = np.full((1, 32), 10)
    parts = quotas(totals, 20, 0)
    assert parts.sum() == 20
    assert set(parts[0].tolist()) == {0, 1}
    few = np.array([[5, 0, 0, 1], [2, 3, 4, 0]])
    assert quotas(few, 6, 0.5).tolist() == [[5, 0, 0, 1], quotas(few[1:], 6, 0.5)[0].tolist()]
    assert quotas(few, 6, 0.5)[1].sum() == 6


@pytest.mark.parametrize(("common", "are_content"), [(1, True), (0.1, False)])
def test_a_model_of_fewer_words_than_neighbours_is_looked_at_whole(common, are_content):
    """Each of four words is a quarter of the text: all are function words, or none."""
    corpus = EncodedCorpus.from_sentences([[["ab", "cd", "ef", "gh"] * 10]])
    words = corpus.vocabulary.words
    vectors = Vectors(words, np.eye(4, dtype=np.float32), corpus.vocabulary.counts)
    config = SensesConfig(function_word_bits=0.5, max_share=common)
    text = SenseText(corpus, vectors, nowhere(4, 4), config)
    assert text.among_content(vectors.unit[:2], [words[0]]).tolist() == [are_content] * 2


def test_a_sense_that_comes_among_function_words_by_the_uses_of_a_dissolved_one_is_dissolved_too():
    """40 uses at 0 degrees, 10 at 50 and 30 at 90, among function words: those 30 join the 10, whose mean then lies at 80 degrees."""
    offsets = np.arange(-5, 5)
    degrees = np.concatenate([middle + offsets for middle in (0, 50, 90)])
    words = [f"{letter}{letter}{n}" for letter in "abf" for n in range(10)]
    uses = np.repeat([0, 1, 2], [40, 10, 30])
    places = at_degrees(0, 50, 90)[uses]
    corpus = EncodedCorpus.from_sentences([[words[20:] * 100, [*words[:20], "word"]]])
    place_of = {word: place for place, word in enumerate(corpus.vocabulary.words)}
    vectors = Vectors([*words, "word"], np.vstack([at_degrees(*degrees), places.mean(0)]))
    rows = np.zeros((len(place_of) + 1, 3), np.float32)
    for row, word in enumerate(words):
        rows[place_of[word]] = [*vectors.unit[row], 1]
    text = SenseText(
        corpus,
        vectors,
        ContextMap(rows, np.eye(3, 2, dtype=np.float32)),
        SensesConfig(function_word_bits=0.5, max_share=0.01),
    )
    ids = np.array([[place_of[words[10 * k + n]] for n in range(10)] for k in uses])
    contexts = Contexts(ids, places)
    sample = Sample(int(text.groups[place_of["word"]]), uses, np.ones(len(uses), np.float32))

    def are_content(labels):
        placed = text.placed(sample.group, contexts, labels, sample.weights)
        return text.among_content(placed, ["word"]).tolist()

    assert are_content(uses) == [True, True, False]
    assert are_content(np.minimum(uses, 1)) == [True, False]
    assert not text.settled(sample, contexts, uses, ["word"]).any()


@pytest.mark.parametrize(("beyond", "senses"), [(0.01, 2), (-0.01, 1)])
def test_senses_whose_vectors_have_the_cosine_that_is_asked_for_are_one(beyond, senses):
    corpus, vectors = planted(0)
    first, second = found(0).vectors
    config = replace(PLANTED, merge_above_cosine=float(first @ second) + beyond)
    assert len(build_senses(corpus, vectors, config).vectors) == (senses if senses > 1 else 0)


def text_of(documents, **settings):
    """The text of senses over documents, each word a direction of its own; and its words."""
    corpus = EncodedCorpus.from_sentences(documents)
    words = corpus.vocabulary.words
    vectors = Vectors(words, np.eye(len(words), dtype=np.float32))
    config = SensesConfig(**{"function_word_bits": 0.4, "max_share": 0.5, **settings})
    return SenseText(corpus, vectors, nowhere(), config), words


def telling_of(documents, **settings):
    text, words = text_of(documents, **settings)
    return dict(zip(words, text.telling.tolist(), strict=False))


def test_what_stands_by_chance_in_half_of_a_text_and_nowhere_else_says_nothing():
    """128 plays, then as many manuals; "alas" is about once in each play, "ghost" as often in all, but in four of them."""
    rng = np.random.default_rng(0)
    documents = rng.choice(["aa", "bb", "cc"], (256, 250)).astype(object)
    for row, column in zip(rng.integers(0, 128, 128), rng.integers(0, 250, 128), strict=True):
        documents[row, column] = "alas"
        documents[(row % 4) * 9, (column * 7 + row) % 250] = "ghost"
    bits = telling_of([[list(document)] for document in documents])
    assert bits["alas"] < 0.2
    assert bits["ghost"] > 0.4


def test_words_beside_a_sense_have_a_mark_of_their_own_for_what_is_a_function_word():
    rng = np.random.default_rng(0)
    documents = rng.choice(["aa", "bb", "cc"], (256, 250)).astype(object)
    for row, column in zip(rng.integers(0, 256, 256), rng.integers(0, 250, 256), strict=True):
        documents[row % 100, column] = "ghost"
    documents = [[list(document)] for document in documents]

    def content(**marks):
        text, words = text_of(documents, **marks)
        return dict(zip(words, text.of_content.tolist(), strict=True))

    bits = telling_of(documents)["ghost"]
    assert 0.1 < bits < 2
    assert not content(function_word_bits=bits + 0.05)["ghost"]
    high, low = (
        content(function_word_bits=bits + 0.05, function_word_bits_nearby=bits + beyond)
        for beyond in (0.01, -0.05)
    )
    assert low["ghost"]
    assert not high["ghost"]
    assert not low["aa"]


@pytest.mark.parametrize("language", ["", "en"])
def test_listed_function_words_letters_and_numbers_say_nothing_however_unevenly_they_stand(
    language,
):
    uneven = [["she", "x", "1999", "river"] * 60]
    bits = telling_of(
        [uneven, *([["aa", "bb", "cc", "dd"] * 60] for _ in range(20))], lemmas=language
    )
    assert bits["x"] == bits["1999"] == 0
    assert bits["river"] > 0.4
    assert (bits["she"] == 0) == bool(language)


def test_contexts_lie_nearest_to_the_mean_of_their_own_sense():
    """A mixture of two directions with much noise: where clusters were merged alone, one context in eleven lies nearer to another mean."""
    rng = np.random.default_rng(3)
    middles = np.linalg.qr(rng.normal(size=(12, 12)))[0][:2]
    noise = 0.45 * rng.normal(size=(600, 12))
    points = normalize_rows(middles[rng.choice(2, 600, p=[0.8, 0.2])] + noise).astype(np.float32)
    labels = cluster_contexts(
        points, SensesConfig(max_cosine_of_senses=0.45), np.random.default_rng(0)
    )
    means = [normalize_rows(points[labels == k].mean(0)) for k in range(labels.max() + 1)]
    assert len(means) > 1
    assert (np.argmax(points @ np.array(means).T, axis=1) == labels).mean() > 0.97


def test_words_spread_by_chance_have_one_sense_where_content_is_asked_for():
    corpus, vectors = planted(0)  # all words stand about evenly here
    assert len(build_senses(corpus, vectors, replace(PLANTED, function_word_bits=0.5))) == 0


def test_the_same_senses_come_from_any_number_of_threads():
    first, second = found(0), build_senses(*planted(0), replace(PLANTED, workers=3))
    assert np.array_equal(first.vectors, second.vectors)
    for name in ("words", "names", "examples"):
        assert getattr(first, name) == getattr(second, name)


def test_forms_of_a_lemma_share_their_senses():
    corpus, vectors = planted(0)
    rename = lambda word: {"bank": "key", "monk": "keys"}.get(word, word)  # noqa: E731
    lines = [[rename(word) for word in line] for line in corpus.sentences()]
    merged = EncodedCorpus.from_sentences([[line] for line in lines])
    order = [
        vectors.words.index({"key": "bank", "keys": "monk"}.get(w, w))
        for w in merged.vocabulary.words
    ]
    same = Vectors(merged.vocabulary.words, vectors.matrix[order], merged.vocabulary.counts)
    table = build_senses(merged, same, replace(PLANTED, lemmas="en"))
    assert table.words == ("key",)
    assert len(table["key"]) == 3  # both companies of one form, and that of the other
    assert table["keys"] == table["key"]


def test_contexts_are_compared_by_a_companion_and_senses_lie_among_the_words_of_the_model():
    corpus, vectors = planted(0)
    noise = np.random.default_rng(0).normal(size=(len(vectors), 10)).astype(np.float32)
    blind = Vectors(vectors.words, noise, vectors.counts)
    table = build_senses(corpus, blind, PLANTED, companion=vectors)
    assert table.words == ("bank",)
    assert {sense.name[0][0] for sense in table["bank"]} == {"a", "b"}
    assert table.vectors.shape == (2, 10)
    assert build_senses(corpus, blind, PLANTED).words != ("bank",)


def test_a_companion_is_asked_for_the_lemma_of_a_form():
    corpus = EncodedCorpus.from_sentences([["keys", "mice", "key", "unknown"]])
    words = corpus.vocabulary.words
    vectors = Vectors(words, np.eye(4, dtype=np.float32))
    lemmas = Vectors(["mouse", "key"], np.eye(2, dtype=np.float32))
    text = SenseText(corpus, vectors, nowhere(4, 4), SensesConfig(lemmas="en"), lemmas)
    by_word = dict(zip(words, text.rows_compared.tolist(), strict=True))
    assert by_word == {"keys": 1, "key": 1, "mice": 0, "unknown": -1}


def test_sums_of_contexts_are_those_of_a_plain_loop():
    rng = np.random.default_rng(3)
    ids = rng.integers(0, 7, 60).astype(np.int32)
    bounds = np.array([0, 1, 9, 40, 60])
    rows = rng.normal(size=(7, 3)).astype(np.float32)
    sums = np.zeros((7, 3))
    add_context_sums(ids, bounds, rows, 4, sums)
    expected = np.zeros((7, 3))
    for begin, end in pairwise(bounds.tolist()):
        for i in range(begin, end):
            for j in range(max(begin, i - 4), min(end, i + 5)):
                if i != j:
                    expected[ids[i]] += rows[ids[j]]
    assert sums == pytest.approx(expected, abs=1e-4)


def test_the_map_is_the_weighted_least_squares_solution():
    corpus, vectors = planted(1)
    fitted = fit_map(corpus, vectors, 5)
    counts = corpus.vocabulary.counts
    weights = 1e-4 / (1e-4 + counts / counts.sum())
    unit = normalize_rows(vectors.matrix)
    means = np.zeros((len(counts), SIZE + 1))
    for line in corpus.sentences():
        rows = [vectors.index[word] for word in line]
        for i, row in enumerate(rows):
            around = rows[max(0, i - 5) : i] + rows[i + 1 : i + 6]
            means[row, :-1] += weights[around] @ unit[around]
            means[row, -1] += weights[around].sum()
    means /= means[:, -1:]
    left = np.sqrt(counts)[:, None]
    expected = np.linalg.lstsq(means * left, unit * left, rcond=None)[0]
    assert means @ fitted.transform == pytest.approx(means @ expected, abs=1e-3)


def test_positions_are_spread_and_few_of_a_stretch():
    rng = np.random.default_rng(0)
    ids = (rng.random(3000) < 0.1).astype(np.int32)
    stretches = np.arange(0, 3001, 100)
    rows, none = np.array([-1, 0], np.int32), np.zeros((1, 0), np.int64)
    totals = sample_positions(
        ids, stretches, rows, np.zeros(1, np.int64), none.sum(1), none, none.astype(np.float32)
    )
    uses = np.add.reduceat(ids, stretches[:-1])
    assert totals[0] == np.minimum(uses, PER_STRETCH).sum()
    positions, weights = np.zeros((1, 20), np.int64), np.zeros((1, 20), np.float32)
    sample_positions(ids, stretches, rows, totals, np.array([20]), positions, weights)
    assert (ids[positions] == 1).all()
    assert (np.diff(positions[0]) > 0).all()
    stretch = positions[0] // 100
    assert np.bincount(stretch).max() <= PER_STRETCH
    assert np.diff(stretch).max() <= 3  # no part of the text is left out
    assert weights[0] == pytest.approx(uses[stretch] / np.minimum(uses[stretch], PER_STRETCH))


def test_a_context_of_unknown_words_has_no_place():
    rows = np.array([[0, 0, 0], [1, 0, 1], [0, 0, 0]], np.float32)
    space = ContextMap(rows, np.eye(3, 2, dtype=np.float32))
    assert space.place(np.array([[0, 2]])).tolist() == [0, 0]
    assert space.place(np.array([[0, 1]])).tolist() == [1, 0]


def test_a_corpus_with_too_little_in_common_is_refused():
    corpus, vectors = planted(0)
    other = Vectors([f"x{word}" for word in vectors.words], vectors.matrix)
    with pytest.raises(InputError) as refusal:
        build_senses(corpus, other, PLANTED)
    assert refusal.value.code == "senses_corpus"
    with pytest.raises(InputError) as refusal:
        build_senses(corpus, vectors, PLANTED, companion=other)
    assert refusal.value.fields == {"words": 0, "least": 24, "uses": 50}
