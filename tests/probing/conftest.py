"""A small BERT, a classifier over it, and small translators, opened."""

import numpy as np
import pytest
import torch
import transformers
from scipy.special import erf

from embeddings.analysis.sense_induction import WordSpace
from embeddings.corpora.sense_contexts import Context
from embeddings.networks.encoder_decoder import TranslationConfig, new_translation_network
from embeddings.probing.ablation_answers import Parts
from embeddings.probing.label_prediction import open_classifier
from embeddings.probing.network import open_reader
from embeddings.probing.translator import Translator
from embeddings.text.subwords import train_subwords
from tests.parity.relatives import OF_MODERNBERT


@pytest.fixture(scope="module")
def reader(tiny_bert):
    return open_reader(tiny_bert)


@pytest.fixture(scope="module")
def theirs(tiny_bert):
    """The BERT of ``reader`` as transformers opens it."""
    return transformers.BertForMaskedLM.from_pretrained(tiny_bert).eval()


@pytest.fixture(scope="session")
def tiny_modernbert(tmp_path_factory, small_wordpiece):
    """Folder of a ModernBERT of 4 layers and 3 heads that takes 64 tokens."""
    folder = tmp_path_factory.mktemp("modern")
    torch.manual_seed(3)
    sizes = {"vocab_size": len(small_wordpiece), "hidden_size": 24, "num_hidden_layers": 4}
    sizes |= {"num_attention_heads": 3, "max_position_embeddings": 64}
    marks = {"bos_token_id": 2, "cls_token_id": 2, "eos_token_id": 3, "sep_token_id": 3}
    settings = OF_MODERNBERT | sizes | marks
    config = transformers.ModernBertConfig(**settings, attn_implementation="eager")
    transformers.ModernBertForMaskedLM(config).save_pretrained(folder)
    small_wordpiece.save(folder, 64)
    return folder


@pytest.fixture(scope="module")
def their_tokenizer(tiny_bert):
    return transformers.AutoTokenizer.from_pretrained(tiny_bert)


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


def cosine(a, b):
    """Cosine of two vectors in float64."""
    a, b = (np.asarray(vector, np.float64) for vector in (a, b))
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def occurrence(text, word):
    """A text, and from where to where it has a word."""
    return text, (text.index(word), text.index(word) + len(word))


def mask_of(reader, text):
    """The position of the first mask among the tokens of a text."""
    return reader.wordpiece.encode(text).ids.index(reader.wordpiece.mask_id)


def assert_probable(reader, guesses, probabilities, rel=1e-3):
    """Some guesses are as probable as their tokens are by a distribution over the vocabulary."""
    assert guesses
    ids = [reader.wordpiece.tokenizer.token_to_id(guess.token) for guess in guesses]
    expected = np.asarray(probabilities)[ids]
    np.testing.assert_allclose([guess.probability for guess in guesses], expected, rtol=rel)


# An encoder of post-norm layers once more, in numpy, from its weights alone


def linear(module, rows):
    return rows @ module.weight.detach().double().numpy().T + module.bias.detach().double().numpy()


def norm(module, rows, eps=1e-12):
    centred = rows - rows.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + eps)
    return scaled * module.weight.detach().double().numpy() + module.bias.detach().double().numpy()


STEPS = ("query", "key", "value", "scores", "scaled", "masked", "powers", "weights", "mixed")


def head_steps(query, key, value, heads, hidden=False):
    """Every step of every head of attention; what is ``hidden`` from a position gets no weight there."""
    by_head = []
    for q, k, v in zip(*(np.split(part, heads, -1) for part in (query, key, value)), strict=True):
        scaled = q @ k.T / np.sqrt(q.shape[1])
        masked = np.where(hidden, -np.inf, scaled)
        powers = np.exp(masked - masked.max(-1, keepdims=True))
        weights = powers / powers.sum(-1, keepdims=True)
        arrays = (q, k, v, q @ k.T, scaled, masked, powers, weights, weights @ v)
        by_head.append(dict(zip(STEPS, arrays, strict=True)))
    return by_head


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
        other = (
            instead[number - 1]
            if instead
            else dict.fromkeys(("joined", "attended", "outer"), 0 * states)
        )
        projected = np.split(linear(attention.query_key_value, states), 3, axis=-1)
        hides = np.isin(np.arange(len(states)), hidden)
        heads = head_steps(*projected, attention.heads, hides)
        for head, columns in enumerate(np.split(other["joined"], attention.heads, -1)):
            if (number, head + 1) in parts.heads:
                heads[head]["mixed"] = np.broadcast_to(columns, heads[head]["mixed"].shape)
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
