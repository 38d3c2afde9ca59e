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
    table = run("attention", "ablate", TEXT, "--model", tiny_bert, *asked).out
    assert f"cosine of the sentence vectors: {printed['cosine']:.4f}" in table
    reader = open_reader(tiny_bert)
    parts = Parts(heads=((2, 1),), attention=(1,), feed_forward=(1,), words=(2,))
    expected = ablate(reader, TEXT, parts, topn=3)
    (mask,) = printed["masks"]
    assert [guess["token"] for guess in mask["after"]] == [g.token for g in expected.masks[0].after]
    assert mask["before_again"] == pytest.approx(list(expected.masks[0].before_again))
    assert printed["cosine"] == pytest.approx(expected.cosine)
    assert printed["effects"]["effects"] == pytest.approx(head_effects(reader, TEXT).effects)


def test_a_text_without_a_blank_has_no_guesses_and_a_patch_of_itself_changes_nothing(
    run, tiny_bert
):
    out = run("attention", "ablate", "Старик открыл дверь.", "--model", tiny_bert).out
    assert out.startswith("No guesses are compared")
    asked = ("--attention", 2, "--replace", "patch", "--other", TEXT, "--topn", 2, "--effects")
    out = run("attention", "ablate", TEXT, "--model", tiny_bert, *asked).out
    assert "cosine of the sentence vectors: 1.0000" in out
    assert "layer 2: +0.000  +0.000  +0.000" in out.replace("-0.000", "+0.000")


def test_a_classifier_answers_with_its_labels_and_refuses_what_only_a_network_takes(
    run, planted_classifier, monkeypatch
):
    monkeypatch.setenv("KLYUCH_HOME", str(planted_classifier.folder.parents[1]))
    text = "the old man walks slowly over snow"
    asked = ("attention", "ablate", text, "--model", planted_classifier.folder)
    printed = run(*asked, "--attention", 1, "--json").json
    assert printed["label"] == printed["before"]["label"] == "cold"
    assert set(printed["after"]["probabilities"]) == {"cold", "warm"}
    for option in (("--second", "It snows."), ("--topn", 3)):
        assert f"{option[0]} does not apply" in run(*asked, *option).refusal


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


def test_what_cannot_be_is_refused_in_a_sentence(run, tiny_bert, translator_folder):
    asked = ("attention", "ablate", TEXT, "--model", tiny_bert)
    assert "not a head" in run(*asked, "--head", "2").refusal
    assert "zero, mean, patch" in run(*asked, "--replace", "twice").refusal
    empty = ("attention", "ablate", " ", "--model", translator_folder)
    assert "nothing to translate" in run(*empty).refusal
    guess = ("fill", "attribute", "The [MASK].", "-m", tiny_bert, "--word", "银行")
    assert "银行" in run(*guess).refusal
