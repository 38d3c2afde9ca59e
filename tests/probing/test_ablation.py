"""Parts of a network turned off, against the network computed by hand in numpy without them."""

import numpy as np
import pytest
import torch

from embeddings.errors import InputError
from embeddings.networks.bert import new_network
from embeddings.networks.bert_config import KazanConfig
from embeddings.probing.ablated_networks import (
    ablate,
    ablate_class,
    class_head_effects,
    head_effects,
    words_of_text,
)
from embeddings.probing.ablation import encoder_sites, separate_modules, turn_off
from embeddings.probing.ablation_answers import Parts, Replacement, read_head
from embeddings.probing.fill_mask import fill
from embeddings.probing.label_prediction import predict
from embeddings.probing.network import Network, open_reader
from tests.probing.conftest import assert_probable, cosine, last, layers, linear, mask_of

TEXT = "Старик открыл [MASK] и ушёл."
OTHERS = {"patch": ("[MASK] ушёл и Старик открыл.",), "mean": ("Он ушёл.", "Мать и детей.")}
ALL_HEADS = tuple((layer, head) for layer in (1, 2) for head in (1, 2, 3))


@pytest.fixture(scope="module", params=["tiny_bert", "tiny_albert"])
def reader(request):
    return open_reader(request.getfixturevalue(request.param))


def last_layer(reader, text, parts):
    encoder = separate_modules(reader.network.encoder)
    turn_off(encoder_sites(encoder), parts)
    with torch.inference_mode():
        return encoder(torch.tensor([reader.wordpiece.encode(text).ids])).last[0].numpy()


def probabilities(reader, states):
    """Of all tokens at the mask of the text, from the states of the last layer."""
    with torch.inference_mode():
        row = torch.from_numpy(states[mask_of(reader, TEXT)]).float()
        return reader.network.tokens(row).double().softmax(-1).numpy()


def test_with_everything_on_nothing_changes_to_the_bit(reader):
    ids = torch.tensor([reader.wordpiece.encode(TEXT).ids])
    with torch.inference_mode():
        untouched = reader.network.encoder(ids).last[0].numpy()
    np.testing.assert_array_equal(last_layer(reader, TEXT, Parts()), untouched)
    (mask,) = ablate(reader, TEXT, Parts()).masks
    assert mask.before == mask.after
    assert [guess.probability for guess in mask.before] == list(mask.before_again)
    filled = [guess.probability for guess in fill(reader, TEXT).masks[0].guesses]
    assert [g.probability for g in mask.before] == pytest.approx(filled, rel=1e-5)


@pytest.mark.parametrize(
    "parts",
    [
        Parts(heads=((1, 2),)),
        Parts(heads=ALL_HEADS),
        Parts(attention=(2,)),
        Parts(feed_forward=(1,)),
        Parts(heads=((2, 1), (1, 3)), attention=(1,), feed_forward=(1, 2)),
    ],
)
def test_what_is_off_is_the_network_without_it_computed_by_hand(reader, parts):
    expected = last(reader, TEXT, parts)
    np.testing.assert_allclose(last_layer(reader, TEXT, parts), expected, atol=2e-5)


def test_the_network_itself_stays_as_it_is(reader):
    ids = torch.tensor([reader.wordpiece.encode(TEXT).ids])
    with torch.inference_mode():
        before = reader.network.encoder(ids).last
        ablate(reader, TEXT, Parts(heads=ALL_HEADS, feed_forward=(1, 2), words=(1,)))
        assert torch.equal(reader.network.encoder(ids).last, before)
    copied = separate_modules(reader.network.encoder)
    own = {id(weight) for weight in reader.network.encoder.parameters()}
    assert {id(weight) for weight in copied.parameters()} == own  # no weight is copied
    assert len({id(layer) for layer in copied.layers}) == 2


def test_a_word_that_nothing_attends_to_is_a_key_left_out_of_the_softmax(reader):
    words = words_of_text(reader, TEXT)
    assert words == ("Старик", "открыл", "[MASK]", "и", "ушёл", ".")
    tokens = reader.wordpiece.encode(TEXT)
    hidden = tokens.covering(0, len("Старик"))
    states = last(reader, TEXT, Parts(), hidden)
    (mask,) = ablate(reader, TEXT, Parts(words=(1,)), topn=3).masks
    assert_probable(reader, mask.after, probabilities(reader, states))


@pytest.mark.parametrize(
    "parts",
    [
        Parts(heads=((1, 2),)),
        Parts(attention=(2,), feed_forward=(1,)),
        Parts(heads=((2, 3),), feed_forward=(2,)),
    ],
)
@pytest.mark.parametrize("kind", ["patch", "mean"])
def test_what_takes_the_place_is_the_output_or_the_mean_in_other_sentences(reader, kind, parts):
    others = OTHERS[kind]
    texts = [list(layers(reader, other)) for other in others]
    names = ("joined", "attended", "outer")
    instead = [
        {name: np.concatenate([text[layer][name] for text in texts]) for name in names}
        for layer in range(2)
    ]
    if kind == "mean":
        instead = [{n: rows.mean(0, keepdims=True) for n, rows in each.items()} for each in instead]
    expected = probabilities(reader, last(reader, TEXT, parts, instead=instead))
    (mask,) = ablate(reader, TEXT, parts, Replacement(kind, others), topn=3).masks
    assert_probable(reader, mask.after, expected)
    assert mask.after != ablate(reader, TEXT, parts, topn=3).masks[0].after


def test_a_sentence_patched_with_itself_stays_and_heads_need_not_fill_the_width(small_wordpiece):
    config = KazanConfig(
        vocab_size=len(small_wordpiece), num_hidden_layers=2, hidden_size=26,
        num_attention_heads=3, intermediate_size=48,
    )  # fmt: skip
    narrow = Network("s1", new_network(config).eval(), small_wordpiece)
    parts = Parts(heads=((1, 1), (2, 3)), attention=(2,), feed_forward=(1,))
    ablated = ablate(narrow, TEXT, parts, Replacement("patch", (TEXT,)))
    assert ablated.cosine == pytest.approx(1, abs=1e-12)
    assert ablate(narrow, TEXT, parts, Replacement("mean", (TEXT,))).cosine < 1 - 1e-12


def test_all_heads_in_one_batch_have_the_effects_of_each_alone(reader, monkeypatch):
    falls = np.zeros((2, 3))
    for layer, head in ALL_HEADS:
        (mask,) = ablate(reader, TEXT, Parts(heads=((layer, head),)), topn=1).masks
        falls[layer - 1, head - 1] = np.log(mask.before[0].probability / mask.before_again[0])
    for together in (1, 2048):
        monkeypatch.setattr("embeddings.probing.ablated_networks.TOGETHER", together)
        effects = head_effects(reader, TEXT)
        assert effects.answer == mask.before[0].token
        np.testing.assert_allclose(effects.effects, falls, atol=1e-5)


def test_without_a_mask_the_sentence_vector_is_compared(reader):
    text = "Старик ушёл."
    mean = Replacement("mean", ("Он открыл дверь.",))
    effects = head_effects(reader, text, mean)
    assert effects.answer == ""
    alone = ablate(reader, text, Parts(heads=((2, 1),)), mean)
    assert alone.masks == ()
    assert effects.effects[1, 0] == pytest.approx(1 - alone.cosine, abs=1e-6)
    states = [last(reader, text, parts).mean(0) for parts in (Parts(), Parts(attention=(1,)))]
    found = ablate(reader, text, Parts(attention=(1,))).cosine
    assert found == pytest.approx(cosine(*states), abs=1e-5)


def test_a_classifier_without_attention_and_its_log_odds(weather):
    text = "The old man walks slowly over snow"
    (expected,) = predict(weather, [text])
    untouched = ablate_class(weather, text, Parts())
    assert untouched.before.probabilities == pytest.approx(expected.probabilities, abs=1e-6)
    assert untouched.before == untouched.after
    share = expected.probabilities[expected.label]
    assert untouched.before_log_odds == pytest.approx(np.log(share / (1 - share)), abs=1e-3)
    ablated = ablate_class(weather, text, Parts(attention=(1, 2)))
    states = last(weather.reader, text.lower(), Parts(attention=(1, 2)))
    logits = linear(weather.network.output, states.mean(0))
    assert ablated.label == expected.label
    number = weather.labels.index(ablated.label)
    assert ablated.after_log_odds == pytest.approx(logits[number] - logits[1 - number], abs=1e-4)
    effects = class_head_effects(weather, text)
    assert effects.answer == ablated.label
    alone = ablate_class(weather, text, Parts(heads=((2, 2),)))
    fall = alone.before_log_odds - alone.after_log_odds
    assert effects.effects[1, 1] == pytest.approx(fall, abs=1e-5)


@pytest.mark.parametrize(
    ("parts", "replacement", "code"),
    [
        (Parts(heads=((3, 1),)), Replacement(), "argument_range"),
        (Parts(heads=((1, 4),)), Replacement(), "argument_range"),
        (Parts(feed_forward=(0,)), Replacement(), "argument_range"),
        (Parts(words=(7,)), Replacement(), "argument_range"),
        (Parts(), Replacement("twice"), "argument_choice"),
        (Parts(), Replacement("mean"), "ablation_texts"),
        (Parts(), Replacement("patch", ("a", "b")), "ablation_texts"),
        (Parts(), Replacement("patch", ("Он ушёл.",)), "ablation_tokens"),
    ],
)
def test_what_cannot_be_is_refused(reader, parts, replacement, code):
    with pytest.raises(InputError) as error:
        ablate(reader, TEXT, parts, replacement)
    assert error.value.code == code


def test_a_mask_behind_what_the_network_takes_is_refused(reader):
    text = "Старик ушёл. " * reader.longest
    for ask in (head_effects, words_of_text, lambda reader, long: ablate(reader, long, Parts())):
        with pytest.raises(InputError) as error:
            ask(reader, text + "[MASK]")
        assert error.value.code == "network_too_long"
    assert ablate(reader, "[MASK] " + text, Parts()).truncated > 0


def test_words_of_a_classified_text_are_those_of_its_lowered_letters(weather):
    text = "İİİİİİ walks slowly grandmother"  # lowered, each İ is two characters
    for word in (1, 2, 3, 4):
        parts = Parts(words=(word,))
        expected = ablate_class(weather, text.lower(), parts).after.probabilities
        assert ablate_class(weather, text, parts).after.probabilities == expected


@pytest.mark.parametrize("value", ["", "3", "0.1", "1.0", "a.b", "1.2.3", "1,2", "99999.1"])
def test_what_names_no_head_is_refused(value):
    with pytest.raises(InputError, match="not a head"):
        read_head(value)
