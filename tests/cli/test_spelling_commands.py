"""``--spelling``: a corpus and a training by a rule, the card that names it, queries read by it, refusals."""

import json


def test_text_is_trained_by_a_rule_that_the_card_names_and_queries_are_read_by(run, tmp_path):
    text = tmp_path / "a.txt"
    text.write_text("Das Schloß ist alt . Das Schloss ist neu .\n" * 20, encoding="utf-8")
    output = tmp_path / "castle"
    flags = ["--vector-size", 4, "--epochs", 1, "--workers", 1, "--language", "de", "--json"]
    command = ("word2vec", "train", text, "--output", output, *flags)
    assert run(*command, "--spelling", "de-1996").code == 0
    card = json.loads((output / "card.json").read_text(encoding="utf-8"))
    assert card["corpus"]["spelling"] == "de-1996"
    assert "schloss\t40\n" in (output / "words.txt").read_text(encoding="utf-8")
    code, _, err = run("words", "neighbours", "Schloß", "--model", output, "--json")
    assert code == 0
    assert "«Schloß» is read as «Schloss» (de-1996)" in err
    assert "is read as" not in run("words", "neighbours", "Schloss", "--model", output).err


def test_a_rule_that_a_language_has_not_or_that_a_corpus_was_not_encoded_by_is_refused(
    run, tmp_path
):
    text, ids, output = tmp_path / "a.txt", tmp_path / "ids", tmp_path / "model"
    text.write_text("un deux trois un deux trois\n", encoding="utf-8")
    code, _, err = run("corpus", "encode", text, "--output", ids, "--spelling", "fr-1990")
    assert code == 2
    assert "fr-1990" in err
    assert "de-1996" in err
    assert not ids.exists()
    assert run("corpus", "encode", text, "--output", ids, "--min-count", 1).code == 0
    code, _, err = run("word2vec", "train", ids, "--output", output, "--spelling", "de-1996")
    assert code == 2
    assert "de-1996" in err
    assert not output.exists()
