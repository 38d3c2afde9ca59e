"""Co-occurrence ratios by hand, and the file that they are read from."""

import math
import re

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from embeddings.analysis.cooccurrence_ratios import load_cooccurrence, ratios
from embeddings.errors import FormatError, MissingFileError, UnknownWordError
from embeddings.vectors.cooccurrence_table import CooccurrenceTable, save_cooccurrence

WORDS = ("ice", "steam", "solid", "gas", "fashion")


def made(**change):
    counts = np.zeros((5, 5), np.float32)
    counts[0, 2] = counts[2, 0] = 4  # ice, solid
    counts[1, 2] = counts[2, 1] = 0.5  # steam, solid
    counts[1, 3] = counts[3, 1] = 6  # steam, gas
    values = {
        "words": WORDS,
        "counts": counts,
        "sums": np.array([100.0, 50.0, 10.0, 20.0, 5.0]),
        "words_matrix": np.array([[1, 0], [0, 1], [0, 0], [0, 0], [0, 0]], np.float32),
        "context_matrix": np.array([[0, 0], [0, 0], [2, 1], [0, 3], [0, 0]], np.float32),
        "word_bias": np.array([0.5, 0.25, 0, 0, 0], np.float32),
        "context_bias": np.zeros(5, np.float32),
    }
    return CooccurrenceTable(**(values | change))


def test_ratio_by_hand():
    found = ratios(made(), "ice", "steam", ["solid"])
    assert (found.first, found.second) == ("ice", "steam")
    (row,) = found.rows
    assert row.probe == "solid"
    assert row.p_first == pytest.approx(4 / 100)
    assert row.p_second == pytest.approx(0.5 / 50)
    assert row.ratio == pytest.approx(4)
    assert (row.count_first, row.count_second) == (4, 0.5)
    # (w_ice - w_steam) . w~_solid = (1, -1) . (2, 1) = 1; biases 0.25; X_steam / X_ice = 1 / 2
    assert row.predicted_ratio == pytest.approx(math.exp(1.25) / 2)


def test_a_model_that_fits_its_counts_predicts_their_ratio():
    # w_i . w~_k + b_i + b~_k = log X_ik holds for both words: 1 x 2 + 0 = log 7.389, 2 x 2 + 0 = log 54.6
    counts = np.array([[0, 0, math.exp(2)], [0, 0, math.exp(4)], [math.exp(2), math.exp(4), 0]])
    zeros = np.zeros(3, np.float32)
    table = CooccurrenceTable(
        ("a", "b", "k"),
        counts.astype(np.float32),
        np.array([30.0, 90.0, 70.0]),
        np.array([[1], [2], [0]], np.float32),
        np.array([[0], [0], [2]], np.float32),
        zeros,
        zeros,
    )
    (row,) = ratios(table, "a", "b", ["k"]).rows
    assert row.predicted_ratio == pytest.approx(row.ratio, rel=1e-6)
    assert row.ratio == pytest.approx(math.exp(-2) * 3, rel=1e-6)


def test_ratio_of_nothing_seen_is_nan_or_infinite():
    gas, fashion = ratios(made(), "ice", "steam", ["gas", "fashion"]).rows
    assert gas.ratio == 0
    assert math.isnan(fashion.ratio)
    assert ratios(made(), "steam", "ice", ["gas"]).rows[0].ratio == math.inf


def test_words_follow_the_casing_of_the_model():
    assert ratios(made(), "ICE", "Steam", ["Solid"]).rows[0].probe == "solid"
    capitals = made(words=("Eis", "Dampf", "solid", "gas", "fashion"), lower=False)
    with pytest.raises(UnknownWordError):
        ratios(capitals, "eis", "Dampf", ["gas"])


@pytest.mark.parametrize("place", [0, 1, 2])
def test_an_unknown_word_comes_with_close_spellings(place):
    words = ["ice", "steam", "solid"]
    words[place] = "steem"
    sentence = r"“steem” .* 5 content words whose counts .* Close spellings: steam"
    with pytest.raises(UnknownWordError, match=sentence) as caught:
        ratios(made(), words[0], words[1], [words[2]])
    assert caught.value.code == "word_uncounted"


def test_counts_and_sums_come_back_exactly(tmp_path):
    generator = np.random.default_rng(0)
    upper = np.triu(np.rint(generator.lognormal(2, 3, (400, 400))) / 2520)
    counts = (upper + np.triu(upper, 1).T).astype(np.float32)
    weights = generator.normal(0, 1, (2, 400, 30)).astype(np.float32)
    biases = generator.normal(0, 1, (2, 400)).astype(np.float32)
    sums = counts.sum(axis=1, dtype=np.float64) * 3
    words = tuple(f"слово{n}" for n in range(400))
    save_cooccurrence(CooccurrenceTable(words, counts, sums, *weights, *biases), tmp_path)
    back = load_cooccurrence(tmp_path)
    assert back.words == words
    assert back.lower
    np.testing.assert_array_equal(back.counts, counts)
    np.testing.assert_array_equal(back.sums, sums)
    np.testing.assert_array_equal(back.word_bias, biases[0])
    np.testing.assert_array_equal(back.context_bias, biases[1])
    np.testing.assert_allclose(back.words_matrix, weights[0], rtol=5e-4, atol=1e-6)
    np.testing.assert_allclose(back.context_matrix, weights[1], rtol=5e-4, atol=1e-6)


def test_the_same_table_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        save_cooccurrence(made(), tmp_path / name)
    files = [(tmp_path / name / "cooccurrence.safetensors").read_bytes() for name in ("one", "two")]
    assert files[0] == files[1]


def test_a_model_without_counts_says_what_makes_them(tmp_path):
    with pytest.raises(MissingFileError, match="klyuch glove train"):
        load_cooccurrence(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sums": np.ones(4)}, "array sums has the shape (4,), not (5,)"),
        ({"word_bias": np.ones((5, 1), np.float32)}, "word_bias has the shape (5, 1), not (5,)"),
        ({"words_matrix": np.ones((5, 3), np.float16)}, "has the shape (5, 2), not (5, 3)"),
        ({"words": np.frombuffer(b"a\nb\nc\nd\ne\nf", np.uint8)}, "shape (5, 2), not (6, 2)"),
        ({"words": np.full(5, 0xFF, np.uint8)}, "it is not UTF-8 (byte 0xFF)"),
        ({"words": np.full(40_001, ord("\n"), np.uint8)}, "words is 40002, and 0 to 4096 is"),
        ({"codes_0": np.zeros(9, np.uint8)}, "Error -3 while decompressing"),
        ({"levels": np.zeros(2, np.float32)}, "codes is 2, and 0 to 1 is allowed"),
        ({"levels": None}, "levels"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(tmp_path, change, message):
    path = tmp_path / "cooccurrence.safetensors"
    save_cooccurrence(made(), tmp_path)
    tensors = {k: v for k, v in (load_file(path) | change).items() if v is not None}
    about = '{"format": "klyuch-cooccurrence-1", "lower": true}'
    save_file(tensors, path, metadata={"about": about})
    expected = f"cooccurrence.safetensors cannot be read: .*{re.escape(message)}"
    with pytest.raises(FormatError, match=expected):
        load_cooccurrence(tmp_path)
