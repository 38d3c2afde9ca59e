"""Heads of a translator turned off: the same as a network whose output projections have zeros for them."""

import copy
from dataclasses import replace

import pytest
import torch

from embeddings.errors import InputError
from embeddings.networks.decoding import DecodingConfig
from embeddings.probing.ablated_networks import (
    ablate_translation,
    translation_head_effects,
    without_heads,
)
from embeddings.probing.ablation_answers import TranslatorHeads
from embeddings.probing.translator import attention_of, encode, look_inside, search
from tests.probing.conftest import widen

TEXT = "Two dogs are playing."
LINES = (TEXT, "A dog plays in the snow.", "Zwei Hunde spielen.", "Ein Hund spielt im Schnee.")
SIZE = 8  # of a head
OFF = TranslatorHeads(encoder=((1, 2),), cross=((2, 1), (1, 1)), decoder=((2, 2),))


@pytest.fixture(scope="module", params=[0, 24])
def translator(request, small_translator):
    made = small_translator(LINES, 90, bert_size=request.param)
    widen(made.network)
    return made


def with_zeros(translator, off):
    """The translator whose output projections have zeros where a head that is off would be read."""
    network = copy.deepcopy(translator.network)
    for kind, layers, name in (
        ("encoder", network.encoder, "attention"),
        ("cross", network.decoder, "cross"),
        ("decoder", network.decoder, "attention"),
    ):
        for layer, head in getattr(off, kind):
            weight = getattr(layers[layer - 1], name).output.weight
            with torch.no_grad():
                weight[:, (head - 1) * SIZE : head * SIZE] = 0
    return replace(translator, network=network)


def test_with_all_heads_on_the_translation_is_the_same_to_the_bit(translator):
    ablation = ablate_translation(translator, TEXT, TranslatorHeads())
    assert ablation.before == ablation.after == look_inside(translator, TEXT).target
    assert ablation.before_score == ablation.after_score


def test_a_translation_without_heads_is_that_of_zeros_in_their_place(translator):
    ablation = ablate_translation(translator, TEXT, OFF)
    expected = look_inside(with_zeros(translator, OFF), TEXT)
    assert ablation.after == expected.target
    assert ablation.after_score == pytest.approx(expected.score, abs=1e-4)
    assert ablation.after_score != ablation.before_score
    assert ablation.before == look_inside(translator, TEXT).target  # the translator is as it was


def test_effects_are_those_of_each_head_alone_in_batches_of_any_size(translator, monkeypatch):
    _, encoded = encode(translator, [TEXT])
    best = search(translator.network, encoded, DecodingConfig())[0].best
    whole = attention_of(translator, TEXT, best).log_probabilities.sum()
    places = {"encoder": (1, 2), "cross": (2, 1), "decoder": (2, 2)}
    falls = {}
    for kind, off in places.items():
        zeros = with_zeros(translator, TranslatorHeads(**{kind: (off,)}))
        falls[kind] = whole - attention_of(zeros, TEXT, best).log_probabilities.sum()
    for together in (1, 2048):
        monkeypatch.setattr("embeddings.probing.ablated_networks.TOGETHER", together)
        effects = translation_head_effects(translator, TEXT)
        for kind, (layer, head) in places.items():
            falls_of_kind = getattr(effects, kind).effects
            assert falls_of_kind.shape == (2, 2)
            measured = falls_of_kind[layer - 1, head - 1]
            assert measured == pytest.approx(falls[kind], abs=1e-3)


@pytest.mark.parametrize("head", [(3, 1), (1, 3), (0, 1)])
def test_a_head_that_is_not_there_is_refused(translator, head):
    with pytest.raises(InputError, match="between 1 and 2"):
        without_heads(translator, TranslatorHeads(cross=(head,)))
