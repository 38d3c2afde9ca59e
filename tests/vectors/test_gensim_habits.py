"""`Vectors` answer as gensim's KeyedVectors do: same names, arguments and numbers."""

import logging

import gensim.models
import gensim.models.keyedvectors
import numpy as np
import pytest
from gensim.test import test_keyedvectors

from embeddings import Vectors, to_gensim
from embeddings.analysis.evaluation import evaluate_analogies, evaluate_pairs
from embeddings.errors import InputError, UnknownWordError
from tests.tables import drawn

TABLE = drawn(40, 7)
TABLE.counts = np.arange(40, 0, -1)
KEYED = to_gensim(TABLE)


@pytest.mark.parametrize(
    "ask",
    [
        lambda v: v.most_similar(["w1", "w2"], negative=["w3"], topn=5),
        lambda v: v.most_similar("w1", topn=5, restrict_vocab=9),
        lambda v: v.most_similar(negative=["w3"]),
        lambda v: v.most_similar([("w1", 0.5), "w2", ("w4", -2.0)], []),
        lambda v: v.most_similar(["w1"], [("w2", -0.5), ("w3", 0.25), "w4"]),
        lambda v: v.most_similar([v["w1"] - v["w2"] + v["w3"]], topn=4),
        lambda v: v.most_similar(positive=["w1", v["w2"]], negative=[("w3", -0.5)], topn=4),
        lambda v: v.most_similar(3, topn=4),
        lambda v: v.most_similar([1, 2], topn=4),
        lambda v: v.most_similar_cosmul(["w1", "w2"], ["w3"], topn=5),
        lambda v: v.most_similar_cosmul("w1"),
        lambda v: v.similar_by_word("w1", topn=3),
        lambda v: v.similar_by_key("w1", topn=3, restrict_vocab=20),
        lambda v: v.similar_by_vector(v["w7"] * 2, topn=3, restrict_vocab=30),
    ],
)
@pytest.mark.filterwarnings("ignore:Call to deprecated:DeprecationWarning")  # gensim's own calls
def test_rankings_are_gensims(ask):
    theirs, ours = ask(KEYED), ask(TABLE)
    assert [word for word, _ in ours] == [word for word, _ in theirs]
    np.testing.assert_allclose([c for _, c in ours], [c for _, c in theirs], atol=1e-5)


@pytest.mark.parametrize(
    "ask",
    [
        lambda v: v.similarity("w1", "w2"),
        lambda v: v.distance("w1", "w2"),
        lambda v: v.n_similarity(["w1", "w2"], ["w3", "w4", "w5"]),
        lambda v: v.rank("w1", "w9"),
        lambda v: v.get_vecattr("w3", "count"),
        lambda v: v.get_index("w3"),
        lambda v: v.get_index("nothing", default=-1),
        lambda v: v.vectors,
        lambda v: v["w1"],
        lambda v: v[["w1", "w2"]],
        lambda v: v.most_similar("w1", topn=None),
        lambda v: v.get_vector("w4"),
        lambda v: v.get_vector("w4", norm=True),
        lambda v: v.get_normed_vectors(),
        lambda v: v.fill_norms() or v.norms,
        lambda v: v.get_mean_vector(["w1", "w2"]),
        lambda v: v.get_mean_vector(["w1", "w2"], weights=[2.0, -1.0], post_normalize=True),
        lambda v: v.get_mean_vector(["w1", "w2"], pre_normalize=False),
        lambda v: v.get_mean_vector(["w1", "nothing", v["w2"]], [1, 2, 3]),
        lambda v: v.distances("w1"),
        lambda v: v.distances("w1", ["w2", "w3"]),
        lambda v: v.distances(v["w1"]),
        lambda v: v.cosine_similarities(v["w1"], v.vectors),
        lambda v: v.relative_cosine_similarity("w1", "w2", 5),
    ],
)
def test_numbers_and_arrays_are_gensims(ask):
    np.testing.assert_allclose(ask(TABLE), ask(KEYED), atol=1e-5)


@pytest.mark.parametrize(
    "ask",
    [
        lambda v: v.doesnt_match(["w1", "w2", "w3", "w30"]),
        lambda v: v.closer_than("w1", "w2"),
        lambda v: v.most_similar_to_given("w1", ["w5", "w6", "w7"]),
        lambda v: v.has_index_for("w1"),
        lambda v: v.has_index_for("nothing"),
        lambda v: "w1" in v,
        lambda v: v.index_to_key,
        lambda v: v.key_to_index,
        lambda v: v.vector_size,
        lambda v: [word for _, word in v.rank_by_centrality(["w1", "w2", "w3", "w4", "w5"])],
    ],
)
def test_answers_are_gensims(ask):
    assert ask(TABLE) == ask(KEYED)


def test_the_odd_one_out_leaves_unknown_words_out(caplog):
    with caplog.at_level(logging.WARNING):
        assert TABLE.doesnt_match(["w1", "nothing", "w2", "w30"]) == KEYED.doesnt_match(
            ["w1", "w2", "w30"]
        )
    assert "nothing" in caplog.text


@pytest.mark.parametrize(
    ("ask", "error", "sentence"),
    [
        (lambda: TABLE.similarity("w1", "x"), UnknownWordError, "“x” is not among"),
        (lambda: TABLE.most_similar_cosmul([]), InputError, "nothing to look for"),
        (lambda: TABLE.doesnt_match(["x"]), InputError, "nothing to look for"),
        (lambda: TABLE.get_vecattr("w1", "x"), InputError, "Choose one of: count"),
        (lambda: TABLE.most_similar("w1", restrict_vocab=0), InputError, "restrict_vocab=0"),
        (
            lambda: Vectors(["a"], np.ones((1, 2), np.float32)).get_vecattr("a", "count"),
            InputError,
            "have no counts",
        ),
    ],
)
def test_misuse_is_a_sentence(ask, error, sentence):
    with pytest.raises(error, match=sentence):
        ask()


def test_a_table_shows_itself_and_becomes_a_frame_and_back():
    html = TABLE._repr_html_()
    assert "<th>word</th>" in html
    assert "40 words, 7 dimensions" in html
    assert html.count("<tr>") == 11
    frame = TABLE.to_frame()
    assert frame.shape == (40, 7)
    assert np.array_equal(frame.loc["w3"].to_numpy(), TABLE["w3"])
    again = Vectors.from_frame(frame)
    assert again.words == TABLE.words
    assert np.array_equal(again.matrix, TABLE.matrix)


def test_a_table_behaves_as_a_dictionary_and_an_array():
    assert np.array_equal(np.asarray(TABLE), TABLE.matrix)
    assert np.array_equal(np.stack(list(TABLE.values())), TABLE.matrix)
    assert np.array_equal(TABLE[3:5], TABLE.matrix[3:5])
    assert np.array_equal(TABLE[3], TABLE["w3"])
    assert list(TABLE.keys()) == list(TABLE.words)
    assert dict(TABLE.items())["w3"].tolist() == TABLE["w3"].tolist()
    assert TABLE.get("nothing") is None
    assert Vectors(["a", "b"], [[1, 2], [3, 4]])["b"].tolist() == [3, 4]
    for key, error in ((99, KeyError), (1.5, InputError), (np.ones(3), InputError)):
        with pytest.raises(error):
            TABLE[key]


def test_added_and_replaced_words_are_found_and_nothing_old_is_answered():
    table = TABLE.subset(["w0", "w1", "w2", "w3", "w4"])
    before = table.most_similar("w1", topn=1)
    table["new"] = table["w1"] * 2
    assert table.most_similar("w1", topn=1)[0][0] == "new" != before[0][0]
    table["new"] = -table["w1"]
    assert table.similarity("w1", "new") == pytest.approx(-1, abs=1e-6)
    table.add_vectors(["w1", "more"], np.ones((2, 7)))
    assert table["w1"].tolist() == TABLE["w1"].tolist()
    assert len(table) == 7
    with pytest.raises(InputError, match="a vector of 7 numbers"):
        table["short"] = [1.0]


@pytest.mark.parametrize("options", [{}, {"dummy4unknown": True}, {"restrict_vocab": 30}])
@pytest.mark.filterwarnings("ignore:Call to deprecated:DeprecationWarning")
def test_test_sets_are_scored_as_there(tmp_path, options):
    ours = drawn(60, 3)  # of few dimensions, so that some questions are answered right
    theirs, random = to_gensim(ours), np.random.default_rng(1)
    rated = [(*random.integers(0, 62, 2), random.random()) for _ in range(50)]
    pairs, questions = tmp_path / "pairs.tsv", tmp_path / "questions.txt"
    pairs.write_text("# rated\n" + "".join(f"W{a}\tw{b}\t{r:.2f}\n" for a, b, r in rated))
    lines = [" ".join(random.choice(ours.words, 4)) for _ in range(600)]
    questions.write_text("\n".join([": first", *lines[:300], ": second", *lines[300:]]))

    expected = theirs.evaluate_word_pairs(str(pairs), **options)
    for found, correlation in zip(
        ours.evaluate_word_pairs(str(pairs), **options), expected, strict=True
    ):
        np.testing.assert_allclose(found, correlation, atol=1e-6)
    score = evaluate_pairs(ours, pairs)
    assert (score.file, score.total) == ("pairs.tsv", 50)
    assert score.covered == sum(max(row[:2]) < 60 for row in rated) < 50
    if not options:
        assert score.spearman == pytest.approx(expected[1].statistic, abs=1e-6)

    expected = theirs.evaluate_word_analogies(str(questions), **options)
    assert ours.evaluate_word_analogies(str(questions), **options) == expected
    restrict = options.get("restrict_vocab", 60)
    score = evaluate_analogies(ours, questions, restrict)
    assert 0 < score.accuracy == pytest.approx(expected[0])
    assert [s.correct for s in score.sections] == [len(s["correct"]) for s in expected[1][:-1]]


def test_fasttext_keeps_its_ngrams_both_ways():
    from gensim.models import FastText

    from embeddings import from_gensim

    sentences = [["nights", "night", "daylight"], ["day", "days", "knight"]] * 20
    model = FastText(sentences, vector_size=8, min_count=1, bucket=500, epochs=1, workers=1)
    ours = from_gensim(model)
    back = to_gensim(ours)
    for word in ("night", "nightly", "undaunted"):
        np.testing.assert_allclose(ours[word], model.wv[word], atol=1e-6)
        np.testing.assert_allclose(back[word], model.wv[word], atol=1e-6)


def test_word2vec_is_called_as_there(tmp_path):
    from embeddings import Word2Vec

    sentences = [["a", "key", "door"], ["a", "lock", "door"]] * 30
    model = Word2Vec(sentences, vector_size=5, window=2, min_count=1, sg=1, workers=1, epochs=2)
    assert model.wv.vector_size == 5
    assert set(model.wv.index_to_key) == {"a", "key", "door", "lock"}
    (tmp_path / "text.txt").write_text("a key a door\n" * 30)
    assert (
        "door"
        in Word2Vec(corpus_file=tmp_path / "text.txt", vector_size=4, min_count=1, sample=0).wv
    )
    for wrong in ({"hs": 1}, {"negative": 0}, {"cbow_mean": 0}):
        with pytest.raises(InputError, match=r"is not implemented.*from_gensim"):
            Word2Vec(sentences, **wrong)
    with pytest.raises(InputError, match="not trained yet"):
        Word2Vec().wv  # noqa: B018


CORNERS = Vectors(["a", "b", "c", "d"], np.array([[0, 0], [3, 0], [3, 4], [0, 4]], np.float32))


@pytest.mark.parametrize(
    ("first", "second", "distance"),
    [
        (["a"], ["c"], 5),
        (["a"], ["a"], 0),
        (["a", "b"], ["d", "c"], 4),  # straight up, not across
        (["a", "a", "b"], ["b"], 2),  # two thirds of the way from a to b
        (["a"], ["b", "d", "nothing"], 3.5),
        (["nothing"], ["a"], float("inf")),
        ([], [], float("inf")),
    ],
)
def test_the_word_movers_distance_is_the_least_way_counted_by_hand(first, second, distance):
    assert CORNERS.wmdistance(first, second, norm=False) == pytest.approx(distance)
    assert CORNERS.wmdistance(["b"], ["d"]) == pytest.approx(2**0.5)  # of vectors of length one


def test_a_word_movers_distance_is_never_below_zero():
    words = [f"w{number}" for number in range(20)]
    rows = np.random.default_rng(0).normal(size=(400, 50)).astype(np.float32)
    vectors = Vectors(words, rows[:20])
    assert [str(vectors.wmdistance(given, given)) for given in (words, ["w1"])] == ["0.0", "0.0"]


# gensim's own tests of KeyedVectors, from the installed package, over `Vectors`: the adapter only renames


class Renamed:
    """``KeyedVectors(vector_size)`` makes an empty table; the readers have one name."""

    def __new__(cls, vector_size):
        return Vectors([], np.empty((0, vector_size), np.float32))

    load_word2vec_format = Vectors.load_word2vec_format
    load = Vectors.load


def load(cls, fname, binary, limit, binary_chunk_size):
    return cls.load_word2vec_format(fname, binary=binary, limit=limit)


DIFFERENT = {
    "test_load_model_and_vocab_file_strict": "an error of this project names the file and the line",
    "test_vectors_for_all_with_copy_vecattrs": "a file without counts has no counts: gensim makes them up",
    "test_vectors_for_all_without_copy_vecattrs": "as above",
    "Gensim320Test.test": "a pickle is not opened",
}


TESTS = [
    (case, name)
    for case in (
        test_keyedvectors.TestKeyedVectors,
        test_keyedvectors.Gensim320Test,
        test_keyedvectors.LoadWord2VecFormatTest,
    )
    for name in dir(case)
    if name.startswith("test")
    and name not in DIFFERENT
    and f"{case.__name__}.{name}" not in DIFFERENT
]


def test_all_but_four_of_them_are_run():
    assert len(TESTS) >= 28
    assert len(DIFFERENT) == 4


@pytest.mark.parametrize(("case", "name"), TESTS, ids=[name for _, name in TESTS])
def test_gensims_test_passes(case, name, monkeypatch):
    monkeypatch.setattr(test_keyedvectors, "KeyedVectors", Renamed)
    monkeypatch.setattr(gensim.models, "KeyedVectors", Renamed)
    monkeypatch.setattr(gensim.models.keyedvectors, "_load_word2vec_format", load)
    test = case(name)
    test.setUp()
    getattr(test, name)()
    test.tearDown()
