"""``klyuch attention ablate``: the answer with parts off, beside that of the whole network."""

import pytest
import torch

from embeddings.networks.encoder_decoder import TranslationConfig, new_translation_network
from embeddings.probing.ablated_answers import (
    ablate,
    ablate_translation,
    head_effects,
    translation_head_effects,
)
from embeddings.probing.network import open_reader
from embeddings.probing.network_answers import Parts, TranslatorHeads
from embeddings.shelf.loading import load_translator
from embeddings.text.subwords import train_subwords
from embeddings.training.translation.translation_run import export_translator

TEXT = "Старик открыл [MASK]."


def test_json_and_table_hold_the_answers_with_and_without_the_parts(run, tiny_bert):
    asked = ("--head", "2.1", "--layer", 1, "--word", 2, "--effects", "--topn", 3)
    printed = run("attention", "ablate", TEXT, "--model", tiny_bert, *asked, "--json").json
    code, table, err = run("attention", "ablate", TEXT, "--model", tiny_bert, *asked)
    assert code == 0, err
    assert f"cosine of the sentence vectors: {printed['cosine']:.4f}" in table
    reader = open_reader(tiny_bert)
    parts = Parts(heads=((2, 1),), attention=(1,), feed_forward=(1,), words=(2,))
    expected = ablate(reader, TEXT, parts, topn=3)
    (mask,) = printed["masks"]
    assert [guess["token"] for guess in mask["after"]] == [g.token for g in expected.masks[0].after]
    assert mask["before_again"] == pytest.approx(list(expected.masks[0].before_again))
    assert printed["cosine"] == pytest.approx(expected.cosine)
    assert printed["effects"]["effects"] == pytest.approx(head_effects(reader, TEXT).effects)


def test_a_text_without_a_blank_is_said_to_have_no_guesses(run, tiny_bert):
    code, out, err = run("attention", "ablate", "Старик открыл дверь.", "--model", tiny_bert)
    assert code == 0, err
    assert out.startswith("No guesses are compared")
    assert "cosine of the sentence vectors" in out


def test_a_patch_in_a_table_for_people(run, tiny_bert):
    asked = ("--attention", 2, "--replace", "patch", "--other", TEXT, "--topn", 2, "--effects")
    code, out, err = run("attention", "ablate", TEXT, "--model", tiny_bert, *asked)
    assert code == 0, err
    assert "cosine of the sentence vectors: 1.0000" in out
    assert "layer 2: +0.000  +0.000  +0.000" in out.replace("-0.000", "+0.000")


def test_a_classifier_answers_with_its_labels(run, planted_classifier, monkeypatch):
    monkeypatch.setenv("KLYUCH_HOME", str(planted_classifier.folder.parents[1]))
    text = "the old man walks slowly over snow"
    asked = ("--model", planted_classifier.folder, "--attention", 1, "--json")
    printed = run("attention", "ablate", text, *asked).json
    assert printed["label"] == printed["before"]["label"] == "cold"
    assert set(printed["after"]["probabilities"]) == {"cold", "warm"}


def test_a_classifier_refuses_what_only_a_network_takes(run, planted_classifier, monkeypatch):
    monkeypatch.setenv("KLYUCH_HOME", str(planted_classifier.folder.parents[1]))
    for option in (("--second", "It snows."), ("--topn", 3)):
        asked = ("snow", "--model", planted_classifier.folder, *option)
        assert f"{option[0]} does not apply" in run("attention", "ablate", *asked).refusal


@pytest.fixture(scope="module")
def translator_folder(tmp_path_factory):
    """An untrained translator of two layers with two heads each."""
    folder = tmp_path_factory.mktemp("translator") / "small"
    vocabulary = train_subwords(["the cat sat", "die Katze saß"] * 4, 40)
    config = TranslationConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=20,
    )  # fmt: skip
    network = new_translation_network(config, 1)
    with torch.no_grad():
        for weights in network.parameters():
            weights.mul_(2.5)  # wide, so that heads differ
    card = {"kind": "translation", "method": "transformer", "language": "en-de"}
    export_translator(network, vocabulary, folder, card)
    return folder


def test_a_translator_answers_with_both_translations_and_each_head(run, translator_folder):
    text, asked = "the cat sat", ("--head", "encoder:1.2", "--head", "cross:2.1", "--effects")
    printed = run("attention", "ablate", text, "--model", translator_folder, *asked, "--json").json
    heads = TranslatorHeads(encoder=((1, 2),), cross=((2, 1),))
    translator = load_translator(str(translator_folder))
    expected = ablate_translation(translator, text, heads)
    assert (printed["before"], printed["after"]) == (expected.before, expected.after)
    assert printed["after_score"] == pytest.approx(expected.after_score)
    assert printed["after_score"] != pytest.approx(printed["before_score"])
    effects = translation_head_effects(translator, text)
    for kind in ("encoder", "cross", "decoder"):
        assert printed["effects"][kind]["effects"] == pytest.approx(effects[kind].effects)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--head", "1.2"), "encoder, cross or decoder"),
        (("--head", "cross:9.1"), "between 1 and 2"),
        (("--layer", 1), "--layer does not apply"),
        (("--replace", "mean"), "--replace does not apply"),
        (("--second", "It snows."), "--second does not apply"),
    ],
)
def test_a_translator_refuses_what_only_a_network_takes(run, translator_folder, options, sentence):
    asked = ("the cat", "--model", translator_folder, *options)
    assert sentence in run("attention", "ablate", *asked).refusal


def test_a_translator_refuses_an_empty_text(run, translator_folder):
    assert (
        "nothing to translate"
        in run("attention", "ablate", " ", "--model", translator_folder).refusal
    )


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--head", "2"), "not a head"),
        (("--head", "9.1"), "between 1 and 2"),
        (("--replace", "twice"), "zero, mean, patch"),
        (("--replace", "mean"), "needs other sentences"),
        (("--replace", "patch", "--other", "Он."), "tokens"),
        (("--word", "9"), "between 1 and 4"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(run, tiny_bert, options, sentence):
    assert sentence in run("attention", "ablate", TEXT, "--model", tiny_bert, *options).refusal


# ``klyuch fill attribute`` and ``klyuch classify attribute``: what the library says, as JSON and as a table


def test_a_guess_that_the_vocabulary_lacks_ends_with_a_sentence(run, tiny_bert):
    assert (
        "银行" in run("fill", "attribute", "The [MASK].", "-m", tiny_bert, "--word", "银行").refusal
    )
