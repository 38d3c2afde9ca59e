"""``klyuch fill attribute`` and ``klyuch classify attribute``: what the library says, as JSON and as a table."""

import json
import shutil

import pytest

from embeddings.probing.guess_attribution import attribute_guess
from embeddings.probing.network import open_reader


def test_the_words_of_a_guess_are_printed_with_their_sum(run, tiny_bert):
    text = "The cat sat by [MASK] stove."
    asked = ("fill", "attribute", text, "--model", tiny_bert, "--word", "the")
    code, out, err = run(*asked, "--json")
    assert (code, err) == (0, "")
    printed = json.loads(out)
    attribution = attribute_guess(open_reader(tiny_bert), text, "the")
    assert [word["occlusion"] for word in printed["words"]] == pytest.approx(
        [word.occlusion for word in attribution.words], abs=1e-6
    )
    total = sum(word["attribution"] for word in printed["words"])
    assert printed["baseline"] + total + printed["residual"] == pytest.approx(
        printed["log_probability"], abs=1e-6
    )
    table = run(*asked)[1]
    assert "stove" in table
    assert f"{attribution.log_probability:.4f}" in table


def test_a_guess_that_the_vocabulary_lacks_ends_with_a_sentence(run, tiny_bert):
    code, out, err = run("fill", "attribute", "The [MASK].", "-m", tiny_bert, "--word", "银行")
    assert (code, out) == (2, "")
    assert "银行" in err


def test_the_words_of_a_label_are_printed_with_their_sum(
    run, planted_classifier, tiny_bert, monkeypatch, tmp_path
):
    shutil.copytree(tiny_bert, tmp_path / "home" / "models" / "tiny-bert")
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    asked = ("classify", "attribute", "the snow walks", "-m", planted_classifier.folder)
    printed = json.loads(run(*asked, "--label", "warm", "--json")[1])
    total = sum(word["attribution"] for word in printed["words"])
    assert printed["label"] == "warm"
    assert printed["baseline"] + total + printed["residual"] == pytest.approx(
        printed["log_odds"], abs=1e-6
    )
    assert "log-odds of cold" in run(*asked)[1]
