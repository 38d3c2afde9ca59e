"""A small BERT, a classifier over it, and small translators, opened."""

import numpy as np
import pytest
import torch
from scipy.special import erf

from embeddings.analysis.sense_induction import WordSpace
from embeddings.corpora.sense_contexts import Context
from embeddings.networks.encoder_decoder import TranslationConfig, new_translation_network
from embeddings.probing.label_prediction import open_classifier
from embeddings.probing.network import open_reader
from embeddings.probing.network_answers import Parts
from embeddings.probing.translator import Translator
from embeddings.text.subwords import train_subwords


@pytest.fixture(scope="module")
def reader(tiny_bert):
    return open_reader(tiny_bert)


BANK = (
    "She opened a savings account at the bank on the corner.",
    "The bank refused to lend the farmer any more money.",
    "They sat on the bank of the river and watched the boats.",
    "Willows grew along the bank where the water was low.",
    "Robbers broke into the bank and emptied the vault.",
)


@pytest.fixture(scope="module")
def bank():
    """Contexts of a word of two senses."""
    return [Context(str(row), "bank", "", "", (), text) for row, text in enumerate(BANK)]


@pytest.fixture(scope="module")
def space():
    """Some of their words, with vectors drawn at random."""
    words = ["the", "account", "money", "vault", "river", "water", "boat"]
    rows = np.random.default_rng(0).normal(size=(7, 10)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    shares = np.array([0.4, *[0.1] * 6])
    return WordSpace({word: row for row, word in enumerate(words)}, rows, shares, "toy", str.lower)


@pytest.fixture(scope="module")
def weather(planted_classifier, tiny_bert):
    return open_classifier(planted_classifier.folder, tiny_bert)


@pytest.fixture(scope="session")
def small_translator(tiny_bert):
    """Return a function that makes a translator of two layers with fresh weights: its texts, size of its vocabulary, settings."""

    def make(texts, size, **settings):
        vocabulary = train_subwords([*texts] * 4, size)
        config = TranslationConfig(
            vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
            intermediate_size=24, max_position_embeddings=20, **settings,
        )  # fmt: skip
        network = new_translation_network(config, 3).eval()
        bert = open_reader(tiny_bert) if config.bert_size else None
        return Translator("small", network, vocabulary, bert)

    return make


def widen(network, noise=0.0):
    """Widen all weights, so that heads differ, and with ``noise`` leave no norm or bias at 1 or 0."""
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for weights in network.parameters():
            weights.mul_(1.5 if noise else 2.5)
            weights.add_(noise * torch.randn(weights.shape, generator=generator))


# An encoder of post-norm layers once more, in numpy, from its weights alone


def linear(module, rows):
    return rows @ module.weight.detach().double().numpy().T + module.bias.detach().double().numpy()


def norm(module, rows):
    centred = rows - rows.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + module.eps)
    return scaled * module.weight.detach().double().numpy() + module.bias.detach().double().numpy()


def softmax(scores):
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)


def activated(reader, rows):
    if reader.config.hidden_act == "gelu":
        return rows * (1 + erf(rows / np.sqrt(2))) / 2
    return rows * (1 + np.tanh(np.sqrt(2 / np.pi) * (rows + 0.044715 * rows**3))) / 2


def embedded(reader, text):
    """What enters the first layer, (tokens, hidden_size)."""
    encoder, ids = reader.network.encoder, torch.tensor([reader.wordpiece.encode(text).ids])
    states = encoder.inputs.add_up(encoder.inputs.tokens(ids), torch.zeros_like(ids))[0]
    return (states if encoder.widen is None else encoder.widen(states)).detach().double().numpy()


def layers(reader, text, parts=Parts(), hidden=(), instead=()):  # noqa: B008
    """Every array of each layer, without some parts; nothing attends to the positions ``hidden``.

    ``instead``: arrays of each layer, which take the place of those of the parts; 0 if left out.
    """
    states = embedded(reader, text)
    for number, layer in enumerate(reader.network.encoder.layers, 1):
        attention, forward = layer.attention.attention, layer.feed_forward.feed_forward
        size, heads = attention.head_size, []
        other = (
            instead[number - 1]
            if instead
            else dict.fromkeys(("joined", "attended", "outer"), 0 * states)
        )
        projected = np.split(linear(attention.query_key_value, states), 3, axis=-1)
        for head in range(attention.heads):
            query, key, value = (part[:, head * size : (head + 1) * size] for part in projected)
            scores = query @ key.T
            scaled = scores / np.sqrt(size)
            scaled[:, list(hidden)] = -np.inf
            weights = softmax(scaled)
            mixed = weights @ value
            if (number, head + 1) in parts.heads:
                columns = other["joined"][:, head * size : (head + 1) * size]
                mixed = np.broadcast_to(columns, mixed.shape)
            names = ("query", "key", "value", "scores", "scaled", "weights", "mixed")
            arrays = (query, key, value, scores, scaled, weights, mixed)
            heads.append(dict(zip(names, arrays, strict=True)))
        joined = np.concatenate([head["mixed"] for head in heads], -1)
        attended = linear(attention.output, joined)
        attended = other["attended"] if number in parts.attention else attended
        first = norm(layer.attention.norm, states + attended)
        inner = activated(reader, linear(forward.inner, first))
        outer = linear(forward.outer, inner)
        outer = other["outer"] if number in parts.feed_forward else outer
        output = norm(layer.feed_forward.norm, first + outer)
        yield {
            "input": states, "heads": heads, "joined": joined, "attended": attended,
            "first": first, "inner": inner, "outer": outer, "output": output,
        }  # fmt: skip
        states = output


def last(reader, text, parts=Parts(), hidden=(), instead=()):  # noqa: B008
    """The last layer, float64, (tokens, hidden_size)."""
    *_, layer = layers(reader, text, parts, hidden, instead)
    return layer["output"]
