"""Attention of a text: the network's own weights, joined to words, filtered, rolled out, described."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
import torch

from embeddings.errors import InputError
from embeddings.probing.attention_answers import AttentionMap, Side
from embeddings.probing.attention_maps import (
    between,
    head_profiles,
    prepare,
    with_average,
    with_rollout,
    without_special,
    word_level,
)
from embeddings.probing.attention_weights import attention, shorten
from embeddings.probing.network import open_reader
from embeddings.text.tokenizer import Tokens
from tests.probing.conftest import layers

FIRST, SECOND = "Старик открыл дверь и ушёл.", "The cat's well-known milk."


@pytest.fixture(scope="module")
def pair(reader):
    return attention(reader, FIRST, SECOND)


def made(weights, words=None, special=None, segments=None, heads=None):
    """A map over letters with the weights given, shape (layers, heads, n, n)."""
    weights = np.asarray(weights, np.float32)
    size = weights.shape[-1]
    numbers = tuple(words or range(size))
    side = Side(
        labels=tuple("abcdefgh"[:size]),
        offsets=tuple((i, i + 1) for i in range(size)),
        segments=tuple(segments or [0] * size),
        words=numbers,
        word_labels=tuple(f"w{n}" for n in sorted(set(numbers))),
        special=tuple(special or [False] * size),
    )
    names = heads or tuple(str(i + 1) for i in range(weights.shape[1]))
    return AttentionMap("made", side, side, weights, names)


def test_weights_are_those_of_the_network_and_rows_sum_to_one(reader, pair):
    tokens = reader.wordpiece.encode(FIRST, SECOND)
    ids, kinds = (torch.tensor([v]) for v in (tokens.ids, tokens.segments))
    with torch.inference_mode():
        expected = reader.network.encoder(ids, kinds, need_weights=True).attentions
    assert pair.weights.dtype == np.float32
    np.testing.assert_allclose(pair.weights, torch.cat(expected).numpy(), atol=1e-6)
    np.testing.assert_allclose(pair.weights.sum(-1), 1, atol=1e-5)
    assert pair.tokens == tokens.tokens
    assert pair.from_side.offsets == tokens.offsets
    assert pair.from_side.segments == tokens.segments
    assert pair.heads == ("1", "2", "3")


def test_albert_says_that_its_layers_share_their_weights(tiny_albert, pair):
    found = attention(open_reader(tiny_albert), FIRST)
    assert found.shared
    assert not pair.shared
    assert (
        np.abs(found.weights[0] - found.weights[1]).max() > 1e-3
    )  # the layers differ all the same


def test_words_are_joined_as_a_person_reads_them(pair):
    assert pair.words == (
        *("[CLS]", "Старик", "открыл", "дверь", "и", "ушёл", ".", "[SEP]"),
        *("The", "cat's", "well-known", "milk", ".", "[SEP]"),
    )
    np.testing.assert_allclose(word_level(pair).weights.sum(-1), 1, atol=1e-5)
    shown = prepare(pair, level="word", special="hidden")
    assert shown.tokens[:6] == ("Старик", "открыл", "дверь", "и", "ушёл", ".")
    assert not any(shown.from_side.special)


def test_to_a_word_is_the_sum_from_a_word_the_mean():
    weights = [[[[0.1, 0.2, 0.7], [0.5, 0.3, 0.2], [0.6, 0.1, 0.3]]]]
    joined = word_level(made(weights, words=[0, 0, 1]))
    np.testing.assert_allclose(joined.weights[0, 0], [[0.55, 0.45], [0.7, 0.3]], atol=1e-6)
    assert joined.tokens == ("w0", "w1")
    assert joined.from_side.offsets == ((0, 2), (2, 3))
    assert joined.is_self
    assert word_level(joined) is joined


def test_special_tokens_are_dropped_and_the_rest_stays_as_it_is():
    weights = [[[[0.2, 0.2, 0.6], [0.5, 0.4, 0.1], [1.0, 0.0, 0.0]]]]
    found = made(weights, special=[True, False, False])
    hidden = without_special(found)
    np.testing.assert_allclose(hidden.weights[0, 0], [[0.4, 0.1], [0, 0]], atol=1e-7)
    assert hidden.tokens == ("b", "c")
    assert hidden.is_self


def test_the_pair_filter_keeps_the_rows_of_one_sentence_and_the_columns_of_the_other():
    weights = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    found = made(weights, segments=[0, 0, 1, 1])
    across = between(found, "1-2")
    np.testing.assert_array_equal(across.weights[0, 0], [[2, 3], [6, 7]])
    assert across.from_side.labels == ("a", "b")
    assert across.to_side.labels == ("c", "d")
    assert across.to_side.words == (0, 1)
    assert not across.is_self
    assert between(found, "2-2").is_self
    assert between(found, "all") is found


def test_rollout_is_the_product_of_all_layers_at_the_last_and_the_first_step_at_the_first(pair):
    rolled = with_rollout(with_average(pair))
    assert rolled.heads == ("1", "2", "3", "average", "rollout")
    steps = [(layer.mean(0) + np.eye(len(pair.tokens))) / 2 for layer in pair.weights]
    product = np.linalg.multi_dot(steps[::-1])
    np.testing.assert_allclose(rolled.head_weights(2, "rollout"), product, atol=1e-6)
    np.testing.assert_allclose(product.sum(-1), 1, atol=1e-6)
    step = (pair.weights[0].mean(0) + np.eye(len(pair.tokens))) / 2
    np.testing.assert_allclose(rolled.head_weights(1, "rollout"), step, atol=1e-6)
    np.testing.assert_allclose(
        rolled.head_weights(2, "average"), pair.weights[1].mean(0), atol=1e-6
    )
    stays = with_rollout(made(np.broadcast_to(np.eye(3), (3, 2, 3, 3))))
    np.testing.assert_allclose(stays.head_weights(3, "rollout"), np.eye(3), atol=1e-6)


def test_a_map_between_two_texts_is_averaged_and_joined_but_not_rolled_out():
    square = made(np.full((2, 2, 3, 3), 1 / 3), words=[0, 0, 1])
    narrow = made(np.full((1, 1, 2, 2), 0.5)).to_side
    crossed = replace(square, to_side=narrow, weights=np.full((2, 2, 3, 2), 0.5, np.float32))
    shown = prepare(crossed, level="word")
    assert shown.heads == ("1", "2", "average")
    assert shown.weights.shape == (2, 3, 2, 2)
    profile = head_profiles(crossed)[0]
    assert np.isnan([profile.previous, profile.itself, profile.distance]).all()
    assert profile.entropy == pytest.approx(1.0)


def test_profiles_find_the_head_that_looks_back_and_the_even_one():
    back = np.eye(4, k=-1)
    back[0, 0] = 1
    even = np.full((4, 4), 0.25)
    to_sep = np.zeros((4, 4))
    to_sep[:, 3] = 1
    found = made([[back, even, to_sep]], special=[True, False, False, True])
    first, second, third = head_profiles(found)
    assert (first.pattern, first.share, first.entropy) == ("previous", 1.0, 0.0)
    assert first.distance == 1.0
    assert (second.pattern, second.entropy, second.evenness) == ("broad", 2.0, 1.0)
    assert second.cls == second.sep == second.previous == 0.25
    assert second.distance == pytest.approx((1 + 0 + 1 + 2 + 2 + 1 + 0 + 1) / 8)
    assert (third.pattern, third.sep) == ("sep", 1.0)


def test_profiles_take_a_layer_at_a_time():
    """In float64 all layers of a long text together would take gigabytes."""
    found = made(np.full((24, 2, 48, 48), 1 / 48))
    tracemalloc.start()
    try:
        assert len(head_profiles(found)) == 48
        assert tracemalloc.get_traced_memory()[1] < found.weights.nbytes
    finally:
        tracemalloc.stop()


def test_a_text_that_is_too_long_loses_its_end_and_says_how_much(reader):
    words = "дверь " * 100
    whole = len(reader.wordpiece.encode(words).ids)
    found = attention(reader, words)
    assert len(found.tokens) == reader.longest == 64
    assert found.truncated == whole - 64
    assert found.tokens[-1] == "[SEP]"
    both = attention(reader, words, "Пришёл.")
    assert "".join(both.words).endswith("Пришёл.[SEP]")  # the short second sentence stays whole


def test_equally_long_sentences_are_cut_alike():
    tokens = Tokens(
        (2, 5, 5, 5, 3, 6, 6, 6, 3),
        tuple("Caaa|bbb|"),
        ((0, 0), (0, 1), (1, 2), (2, 3), (0, 0), (0, 1), (1, 2), (2, 3), (0, 0)),
        (0, 0, 0, 0, 0, 1, 1, 1, 1),
    )
    assert shorten(tokens, {2, 3}, 7).tokens == tuple("Caa|bb|")


def test_what_the_vocabulary_lacks_is_named(reader):
    assert attention(reader, "Старик видит 猫 и 猫.").unknown == ("猫",)


@pytest.mark.parametrize("texts", [("",), (" \t",), ("\u200b",), ("Старик", "\u200b")])
def test_a_sentence_without_a_token_is_refused(reader, texts):
    with pytest.raises(InputError, match="nothing to look at"):
        attention(reader, *texts)


@pytest.mark.parametrize("wrong", [{"level": "letter"}, {"special": "no"}, {"sentences": "1-3"}])
def test_settings_that_are_not_known_are_refused(pair, wrong):
    with pytest.raises(InputError, match="is not known"):
        prepare(pair, **wrong)


@pytest.mark.parametrize("sentences", ["1-2", "2-1", "2-2"])
def test_a_second_sentence_that_is_not_there_is_not_looked_at(reader, sentences):
    with pytest.raises(InputError, match=f"sentences={sentences} asks .* by --second"):
        prepare(attention(reader, "Старик открыл дверь."), sentences=sentences)


@pytest.mark.parametrize("folder", ["tiny_bert", "tiny_albert"])
def test_norms_are_the_lengths_of_what_each_weight_fetches(request, folder):
    reader = open_reader(request.getfixturevalue(folder))
    shown = attention(reader, FIRST, "", "norms")
    weights = attention(reader, FIRST).weights
    for number, layer in enumerate(layers(reader, FIRST)):
        output = reader.network.encoder.layers[number].attention.attention.output.weight
        for head in range(3):
            columns = output[:, 8 * head : 8 * (head + 1)].detach().numpy()
            fetched = layer["heads"][head]["value"] @ columns.T
            vectors = weights[number, head][:, :, None] * fetched[None]  # from, to, size
            expected = np.linalg.norm(vectors, axis=-1)
            np.testing.assert_allclose(shown.weights[number, head], expected, atol=1e-4)
    prepared = prepare(shown, level="token")
    assert prepared.heads == ("1", "2", "3", "average")
    np.testing.assert_allclose(prepared.weights.sum(-1), 1, atol=1e-5)
    alone = shown.weights[0, 0] / shown.weights[0, 0].sum(-1, keepdims=True)
    np.testing.assert_allclose(prepared.head_weights(1, "1"), alone, atol=1e-6)
