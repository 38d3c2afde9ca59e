"""A network taken apart: every array is that of plain numpy over the weights."""

import math

import numpy as np
import pytest
from scipy.special import softmax

from embeddings.errors import InputError
from embeddings.networks.bert import new_network
from embeddings.networks.bert_config import NetworkConfig
from embeddings.networks.sinusoidal_encoding import sinusoidal_encoding, wavelength
from embeddings.probing.encoder_walk import GUESSES_PER_TOKEN, swap, walk, words
from embeddings.probing.network import Network, open_reader
from tests.probing.conftest import activated, cosine, layers, linear, norm

TEXT = "The old man opened the door with a key."
CLOSE = {"atol": 2e-5, "rtol": 1e-4}


@pytest.fixture(scope="module", params=["bert", "albert", "s1"])
def reader(request, tiny_bert, tiny_albert, small_wordpiece):
    if request.param == "s1":  # sine waves, no norm of the sum, no pooler, an output map of its own
        config = NetworkConfig(
            model_type="s1", vocab_size=len(small_wordpiece), hidden_size=24, num_hidden_layers=2,
            num_attention_heads=3, intermediate_size=48, max_position_embeddings=64,
            position_embedding_type="sinusoidal", embedding_norm=False, pooler=False,
            prediction_transform=False, tie_word_embeddings=False, initializer_range=0.3,
        )  # fmt: skip
        return Network("s1", new_network(config).eval(), small_wordpiece)
    return open_reader({"bert": tiny_bert, "albert": tiny_albert}[request.param])


@pytest.fixture
def weight(reader):
    state = {name: value.numpy() for name, value in reader.network.state_dict().items()}
    return lambda name: state[name].astype(np.float64)


def test_embeddings_are_rows_of_the_tables_and_their_sum(reader, weight):
    found = walk(reader, TEXT)
    ids, size = list(found.ids), reader.config.width
    token = weight("encoder.inputs.tokens.weight")[ids]
    segment = weight("encoder.inputs.segments.weight")[[0] * len(ids)]
    if reader.config.position_embedding_type == "absolute":
        where = weight("encoder.inputs.positions.weight")[: len(ids)]
    else:
        where = sinusoidal_encoding(len(ids), size)
    total = token + segment + where
    np.testing.assert_allclose(found.token_rows, token, **CLOSE)
    np.testing.assert_allclose(found.segment_rows, segment, **CLOSE)
    np.testing.assert_allclose(found.position_rows, where, **CLOSE)
    np.testing.assert_allclose(found.total, total, **CLOSE)
    normed = total
    if reader.config.embedding_norm:
        normed = norm(reader.network.encoder.inputs.norm, total)
    np.testing.assert_allclose(found.normed, normed, **CLOSE)
    if reader.config.model_type == "albert":
        normed = normed @ weight("encoder.widen.weight").T + weight("encoder.widen.bias")
    np.testing.assert_allclose(found.states[0], normed, **CLOSE)


@pytest.mark.parametrize("layer", [1, 2])
def test_every_step_of_a_layer_is_that_of_numpy(reader, layer):
    expected = [*layers(reader, TEXT)][layer - 1]
    np.testing.assert_allclose(walk(reader, TEXT).states[layer - 1], expected["input"], **CLOSE)
    for head in range(1, 4):
        found = walk(reader, TEXT, layer, head).at_head
        for step, array in expected["heads"][head - 1].items():
            np.testing.assert_allclose(getattr(found, step), array, err_msg=step, **CLOSE)
        np.testing.assert_allclose(found.weights.sum(axis=1), 1, atol=1e-5)
    whole = walk(reader, TEXT, layer).at_layer
    before = expected["input"] + expected["attended"]
    for found, array in (
        (whole.attention.input, expected["input"]), (whole.joined, expected["joined"]),
        (whole.attention.change, expected["attended"]), (whole.attention.sum, before),
        (whole.attention.output, expected["first"]), (whole.inner, expected["inner"]),
        (whole.forward.given, expected["first"]), (whole.forward.change, expected["outer"]),
        (whole.forward.sum, expected["first"] + expected["outer"]),
        (whole.forward.output, expected["output"]), (whole.moments[:, 0], before.mean(axis=1)),
        (whole.moments[:, 1], before.std(axis=1)),
    ):  # fmt: skip
        np.testing.assert_allclose(found, array, **CLOSE)
    np.testing.assert_allclose(whole.forward.output, walk(reader, TEXT).states[layer], **CLOSE)


def test_guesses_are_the_likeliest_tokens_of_the_token_head(reader, weight):
    found = walk(reader, TEXT)
    last = found.states[-1].astype(np.float64)
    if reader.config.prediction_transform:
        head = reader.network.tokens
        last = norm(head.norm, activated(reader, linear(head.dense, last)))
    scores = last @ weight("tokens.decoder.weight").T + weight("tokens.decoder.bias")
    shares = softmax(scores, axis=-1)
    names = reader.wordpiece.words
    for row, guesses in zip(shares, found.guesses[-1], strict=True):
        assert len(guesses) == GUESSES_PER_TOKEN
        expected = np.argsort(-row)[:GUESSES_PER_TOKEN]
        assert [guess.token for guess in guesses] == [names[i] for i in expected]
        assert guesses[0].probability == pytest.approx(row.max(), abs=1e-4)
    assert len(found.guesses) == reader.config.num_hidden_layers + 1


def test_tokens_belong_to_words(reader):
    found = walk(reader, TEXT)
    joined = {}
    for token, word in zip(found.tokens, found.words, strict=True):
        if word >= 0:
            joined[word] = joined.get(word, "") + token.removeprefix("##")
    assert tuple(joined.values()) == words(reader, TEXT)
    assert words(reader, TEXT) == tuple(TEXT.removesuffix(".").split())
    assert found.words[0] == found.words[-1] == -1


def test_swapped_words_differ_by_their_positions_alone(reader):
    found = swap(reader, TEXT, 1, 8)
    plain = TEXT.replace("old", "*").replace("key", "old").replace("*", "key")
    assert found.swapped == reader.wordpiece.encode(plain).tokens
    assert sorted(found.swapped) == sorted(found.tokens)
    np.testing.assert_allclose(found.without, 1, atol=1e-5)
    assert found.with_positions.min() < 0.999
    other = swap(reader, TEXT, 8, 1)
    np.testing.assert_allclose(found.with_positions, other.with_positions, atol=1e-6)


def test_cosines_of_a_swap_are_those_of_the_two_sentences(reader):
    found = swap(reader, "door man.", 0, 1)
    first, second = walk(reader, "door man."), walk(reader, "man door.")
    for place, (token, word) in enumerate(zip(first.tokens, first.words, strict=True)):
        other = [p for p, w in enumerate(second.words) if w == 1 - word]
        if word < 0:
            other = [p for p, t in enumerate(second.tokens) if t == token]
        else:
            own = [p for p, w in enumerate(first.words) if w == word]
            other = [other[own.index(place)]]
        expected = cosine(first.states[-1][place], second.states[-1][other[0]])
        assert found.with_positions[place] == pytest.approx(expected, abs=1e-4)


def test_waves_are_the_formula_and_their_cosine_is_of_the_distance_alone():
    table = sinusoidal_encoding(50, 16)
    for place, column in ((0, 0), (7, 4), (49, 15), (3, 1)):
        angle = place / 10_000 ** ((column // 2 * 2) / 16)
        expected = math.sin(angle) if column % 2 == 0 else math.cos(angle)
        assert table[place, column] == pytest.approx(expected, abs=1e-12)
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    near = unit @ unit.T
    for distance in (1, 5, 20):
        diagonal = np.diagonal(near, distance)
        np.testing.assert_allclose(diagonal, diagonal[0], atol=1e-12)
    assert sinusoidal_encoding(4, 5).shape == (4, 5)
    assert wavelength(0, 16) == pytest.approx(2 * math.pi)
    assert wavelength(9, 16) == wavelength(8, 16) == pytest.approx(2 * math.pi * 100)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda r: walk(r, "  "), "no word in the sentence"),
        (lambda r: walk(r, "man " * 80), "longer than this network's 64"),
        (lambda r: walk(r, TEXT, layer=3), "layer=3 is out of range"),
        (lambda r: walk(r, TEXT, head=0), "head=0 is out of range"),
        (lambda r: swap(r, "man .", 0, 1), "Words in the sentence: 1; two at least"),
        (lambda r: swap(r, TEXT, 2, 2), "cannot change places with itself"),
        (lambda r: swap(r, TEXT, 0, 9), "second=9 is out of range"),
    ],
)
def test_bad_input_is_a_sentence(tiny_bert, call, sentence):
    with pytest.raises(InputError, match=sentence):
        call(open_reader(tiny_bert))
