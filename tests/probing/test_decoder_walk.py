"""The decoder taken apart: every array is that of plain numpy over the weights, with BERT and without."""

import math

import numpy as np
import pytest
from scipy.special import softmax

from embeddings.errors import InputError
from embeddings.networks.decoding import DecodingConfig
from embeddings.networks.sinusoidal_encoding import sinusoidal_encoding
from embeddings.probing.decoder_walk import walk_decoder
from embeddings.probing.translator import look_inside
from tests.probing.conftest import STEPS, head_steps, last, linear, norm, widen

TEXT = "Two dogs are playing."
LINES = (
    TEXT, "A dog plays with a child in the snow.", "Zwei Hunde spielen.",
    "Ein Hund spielt mit einem Kind im Schnee.",
)  # fmt: skip
CLOSE = {"atol": 3e-5, "rtol": 2e-4}
SIZE, HEADS, LAYERS = 16, 2, 2
PART = ("input", "given", "change", "sum", "output")
KINDS = {
    "plain": {"norm_first": True},
    "fused": {
        "norm_first": False, "bert_size": 24, "tie_word_embeddings": False,
        "share_embeddings": False,
    },
}  # fmt: skip


@pytest.fixture(scope="module", params=list(KINDS))
def translator(request, small_translator):
    made = small_translator(LINES, 90, **KINDS[request.param])
    widen(made.network, noise=0.2)
    return made


class ByHand:
    """The network once more, in numpy, from its weights alone."""

    def __init__(self, translator):
        self.module, self.config = translator.network.get_submodule, translator.network.config
        self.bert = None if translator.bert is None else last(translator.bert, TEXT)

    def affine(self, rows, name):
        return linear(self.module(name), rows)

    def norm(self, rows, name):
        return norm(self.module(name), rows, 1e-5)

    def rows(self, ids, table):
        return self.module(table).weight.detach().double().numpy()[list(ids)]

    def embed(self, ids, table):
        return self.rows(ids, table) * math.sqrt(SIZE) + sinusoidal_encoding(len(ids), SIZE)

    def self_attention_heads(self, given, name, causal=False):
        projected = np.split(self.affine(given, f"{name}.query_key_value"), 3, 1)
        later = np.triu(np.ones((len(given),) * 2, bool), 1)
        return head_steps(*projected, HEADS, causal & later)

    def memory(self, given, states, name):
        keys = np.split(self.affine(states, f"{name}.key_value"), 2, 1)
        return head_steps(self.affine(given, f"{name}.query"), *keys, HEADS)

    def joined(self, heads, name):
        return self.affine(np.hstack([head["mixed"] for head in heads]), f"{name}.output")

    def part(self, entering, name, change):
        """What stands around a part: ``change`` is a function of what the part is given."""
        first = self.config.norm_first
        given = self.norm(entering, f"{name}.norm") if first else entering
        changed = change(given)
        total = entering + changed
        output = total if first else self.norm(total, f"{name}.norm")
        return dict(zip(PART, (entering, given, changed, total, output), strict=True))

    def forward(self, entering, name):
        inner = {}

        def change(given):
            inner["inner"] = np.maximum(0, self.affine(given, f"{name}.feed_forward.inner"))
            return self.affine(inner["inner"], f"{name}.feed_forward.outer")

        return self.part(entering, f"{name}.around_feed_forward", change) | inner

    def encode(self, ids):
        """Return the source as it leaves the encoder, and each layer's heads."""
        hidden, heads = self.embed(ids, "source_tokens"), []
        for number in range(LAYERS):
            name = f"encoder.{number}"

            def change(given, name=name):
                heads.append(self.self_attention_heads(given, f"{name}.attention"))
                usual = self.joined(heads[-1], f"{name}.attention")
                if self.bert is None:
                    return usual
                fused = self.memory(given, self.bert, f"{name}.bert")
                return (usual + self.joined(fused, f"{name}.bert")) / 2

            hidden = self.part(hidden, f"{name}.around_attention", change)["output"]
            hidden = self.forward(hidden, name)["output"]
        if self.config.norm_first:
            hidden = self.norm(hidden, "encoder_norm")
        return hidden, heads

    def layer(self, entering, memory, number):
        """Return a decoder layer's parts and heads."""
        name, heads, sides = f"decoder.{number}", {}, {"from_bert": None}

        def attended(given):
            heads["self_attention"] = self.self_attention_heads(
                given, f"{name}.attention", causal=True
            )
            return self.joined(heads["self_attention"], f"{name}.attention")

        def crossed(given):
            heads["cross"] = self.memory(given, memory, f"{name}.cross")
            sides["from_source"] = self.joined(heads["cross"], f"{name}.cross")
            if self.bert is None:
                return sides["from_source"]
            heads["bert"] = self.memory(given, self.bert, f"{name}.bert")
            sides["from_bert"] = self.joined(heads["bert"], f"{name}.bert")
            return (sides["from_source"] + sides["from_bert"]) / 2

        attended_part = self.part(entering, f"{name}.around_attention", attended)
        cross = self.part(attended_part["output"], f"{name}.around_cross", crossed)
        forward = self.forward(cross["output"], name)
        return {"self_attention": attended_part, "cross": cross, "forward": forward, **sides}, heads

    def decode(self, ids, memory):
        """Return the target's states and the score of every token."""
        states = [self.embed(ids, "target_tokens")]
        for number in range(LAYERS):
            parts, _ = self.layer(states[-1], memory, number)
            states.append(parts["forward"]["output"])
        read = self.norm(states[-1], "decoder_norm") if self.config.norm_first else states[-1]
        scores = self.affine(read, "scores")
        scores[:, [0, 1, 2]] = -np.inf  # padding, unknown, start
        return np.stack(states), scores


@pytest.fixture(scope="module")
def by_hand(translator):
    return ByHand(translator)


@pytest.fixture(scope="module")
def source(translator):
    return [*translator.vocabulary.encode(TEXT).ids, 3]


def same(walk, expected, names):
    for name in names:
        np.testing.assert_allclose(getattr(walk, name), expected[name], err_msg=name, **CLOSE)


@pytest.mark.parametrize("layer", [1, 2])
@pytest.mark.parametrize("head", [1, 2])
def test_every_number_of_a_layer_is_that_of_plain_numpy(translator, by_hand, source, layer, head):
    found = walk_decoder(translator, TEXT, layer, head)
    memory, of_encoder = by_hand.encode(source)
    np.testing.assert_allclose(found.memory, memory, **CLOSE)
    states, _ = by_hand.decode(found.input_ids, memory)
    np.testing.assert_allclose(found.states, states, **CLOSE)
    parts, heads = by_hand.layer(states[layer - 1], memory, layer - 1)
    same(found.encoder, of_encoder[layer - 1][head - 1], STEPS)
    for kind in ("self_attention", "cross", "bert"):
        one = getattr(found, kind)
        assert (one is None) == (kind not in heads)
        if one is not None:
            same(one, heads[kind][head - 1], STEPS)
    for part in ("self_attention", "cross", "forward"):
        same(getattr(found.at_layer, part), parts[part], PART)
    np.testing.assert_allclose(found.at_layer.inner, parts["forward"]["inner"], **CLOSE)
    np.testing.assert_allclose(found.at_layer.from_source, parts["from_source"], **CLOSE)
    if parts["from_bert"] is not None:
        np.testing.assert_allclose(found.at_layer.from_bert, parts["from_bert"], **CLOSE)
    np.testing.assert_allclose(found.at_layer.forward.output, found.states[layer], **CLOSE)


def test_what_enters_the_decoder_is_the_target_behind_its_start_sign(translator, by_hand):
    found = walk_decoder(translator, TEXT)
    assert len(found.output_tokens) > 2
    assert found.input_tokens == ("<s>", *found.output_tokens[:-1])
    assert found.input_ids == (2, *found.output_ids[:-1])
    rows = by_hand.rows(found.input_ids, "target_tokens")
    np.testing.assert_allclose(found.token_rows, rows, **CLOSE)
    np.testing.assert_allclose(found.scaled_rows, rows * 4, **CLOSE)
    np.testing.assert_allclose(found.position_rows, sinusoidal_encoding(len(rows), SIZE), **CLOSE)
    np.testing.assert_allclose(found.total, found.states[0], **CLOSE)


def test_each_step_alone_says_the_same_token_with_the_same_probability(translator, by_hand, source):
    """The later words are not even there, so the mask hides them all."""
    found = walk_decoder(translator, TEXT)
    memory, _ = by_hand.encode(source)
    for step, decoded in enumerate(look_inside(translator, TEXT, DecodingConfig(1)).steps):
        _, scores = by_hand.decode(found.input_ids[: step + 1], memory)
        shares = softmax(scores[-1])
        assert found.output_ids[step] == scores[-1].argmax()
        best = np.argsort(-scores[-1])[: len(decoded.candidates)]
        assert len(best) > 1
        for guess, place in zip(decoded.candidates, best, strict=True):
            assert guess.token == translator.vocabulary.token(int(place))
            assert guess.probability == pytest.approx(shares[place], abs=1e-3)
        assert decoded.chosen.token == found.output_tokens[step]


def test_weights_are_those_that_translate_shows(translator):
    found = walk_decoder(translator, TEXT, 2, 1)
    seen = look_inside(translator, TEXT, DecodingConfig(1)).attention
    assert found.target == seen.target
    np.testing.assert_allclose(found.encoder.weights, seen.encoder[1, 0], **CLOSE)
    np.testing.assert_allclose(found.self_attention.weights, seen.decoder[1, 0], **CLOSE)
    np.testing.assert_allclose(found.cross.weights, seen.cross[1, 0], **CLOSE)
    if found.bert is not None:
        np.testing.assert_allclose(found.bert.weights, seen.bert_decoder[1, 0], **CLOSE)
        assert len(found.bert_tokens) == found.bert.weights.shape[1]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda t: walk_decoder(t, "  "), "nothing to translate"),
        (lambda t: walk_decoder(t, "dog " * 40), "19"),
        (lambda t: walk_decoder(t, TEXT, layer=3), "layer=3 is out of range"),
        (lambda t: walk_decoder(t, TEXT, head=0), "head=0 is out of range"),
    ],
)
def test_bad_input_is_a_sentence(translator, call, sentence):
    with pytest.raises(InputError, match=sentence):
        call(translator)
