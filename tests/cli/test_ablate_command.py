"""``klyuch attention ablate``: the answer with parts off, beside that of the whole network."""

import pytest

from embeddings.probing.ablated_networks import ablate, ablate_translation, head_effects
from embeddings.probing.ablation_answers import Parts, TranslatorHeads
from embeddings.probing.network import open_reader
from embeddings.shelf.loading import load_translator

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
    assert "No guesses are compared" in out
    assert "before" not in out
    asked = ("--attention", 2, "--replace", "patch", "--other", TEXT, "--topn", 2, "--effects")
    out = run("attention", "ablate", TEXT, "--model", tiny_bert, *asked).out
    assert "cosine of the sentence vectors: 1.0000" in out
    rows = [line.replace("│", " ").split() for line in out.splitlines() if "layer" not in line]
    second = next(row for row in reversed(rows) if row[:1] == ["2"])
    assert list(map(float, second[1:])) == pytest.approx([0, 0, 0], abs=5e-4)


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


def test_a_translator_answers_with_both_translations(run, translator_folder):
    text, asked = "the cat sat", ("--head", "encoder:1.2", "--head", "cross:2.1")
    printed = run("attention", "ablate", text, "--model", translator_folder, *asked, "--json").json
    heads = TranslatorHeads(encoder=((1, 2),), cross=((2, 1),))
    translator = load_translator(str(translator_folder))
    expected = ablate_translation(translator, text, heads)
    assert (printed["before"], printed["after"]) == (expected.before, expected.after)
    assert printed["after_score"] == pytest.approx(expected.after_score)
    assert printed["after_score"] != pytest.approx(printed["before_score"])
