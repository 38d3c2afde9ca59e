"""``klyuch attention ablate``: the answer with parts off, beside that of the whole network."""

import json

import pytest

from embeddings.probing.ablated_answers import ablate, head_effects
from embeddings.probing.network_with_tokenizer import open_reader
from embeddings.results.ablations import Parts

TEXT = "Старик открыл [MASK]."


def test_json_holds_the_answers_with_and_without_the_parts(run, tiny_bert):
    asked = ("--head", "2.1", "--layer", 1, "--word", 2, "--effects", "--topn", 3, "--json")
    code, out, err = run("attention", "ablate", TEXT, "--model", tiny_bert, *asked)
    assert code == 0, err
    printed = json.loads(out)
    reader = open_reader(tiny_bert)
    parts = Parts(heads=((2, 1),), attention=(1,), feed_forward=(1,), words=(2,))
    expected = ablate(reader, TEXT, parts, topn=3)
    (mask,) = printed["masks"]
    assert [guess["token"] for guess in mask["after"]] == [g.token for g in expected.masks[0].after]
    assert mask["before_again"] == pytest.approx(list(expected.masks[0].before_again))
    assert printed["cosine"] == pytest.approx(expected.cosine)
    assert printed["effects"]["effects"] == pytest.approx(head_effects(reader, TEXT).effects)


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
    code, out, err = run("attention", "ablate", text, *asked)
    assert code == 0, err
    printed = json.loads(out)
    assert printed["label"] == printed["before"]["label"] == "cold"
    assert set(printed["after"]["probabilities"]) == {"cold", "warm"}


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
    code, out, err = run("attention", "ablate", TEXT, "--model", tiny_bert, *options)
    assert (code, out) == (2, "")
    assert sentence in err
