"""``klyuch grammar`` and ``klyuch fill evaluate`` by the commands alone."""

import json

import pytest

PAIRS = (
    "paradigm\tphenomenon\tgood\tbad\n"
    "a\tnumber\tДверь открыта.\tДверь открыты.\n"
    "b\torder\tOpen the door.\tDoor the open.\n"
)


def test_sentences_are_scored_by_the_sum_and_by_token(run, tiny_bert):
    code, out, err = run(
        "grammar", "score", "Дверь.", "Die Tür ist offen.", "-m", tiny_bert, "--json"
    )
    assert code == 0, err
    for sentence in json.loads(out):
        logs = [token["log_probability"] for token in sentence["tokens"]]
        assert sentence["total"] == pytest.approx(sum(logs))
        assert sentence["per_token"] == pytest.approx(sum(logs) / len(logs))
    assert "unequal numbers of tokens" in err


def test_a_file_of_pairs_is_scored_by_phenomenon(run, tiny_bert, tmp_path):
    file = tmp_path / "pairs.tsv"
    file.write_text(PAIRS, encoding="utf-8")
    code, out, err = run("grammar", "evaluate", file, "-m", tiny_bert, "--json")
    assert code == 0, err
    scores = json.loads(out)
    assert set(scores["phenomena"]) == {"number", "order"}
    assert scores["accuracy"] == pytest.approx(sum(scores["phenomena"].values()) / 2)
    assert scores["total"] == 2
    limited = json.loads(
        run("grammar", "evaluate", file, "-m", tiny_bert, "--limit", 1, "--json").out
    )
    assert limited["total"] == 1


def test_blanks_are_scored_by_group(run, tiny_bert, tmp_path):
    file = tmp_path / "blanks.tsv"
    file.write_text("Die [MASK] ist offen.\tTür\tde\nСтарик [MASK].\t钥匙\tru\n", encoding="utf-8")
    code, out, err = run("fill", "evaluate", file, "-m", tiny_bert, "--json")
    assert code == 0, err
    scores = json.loads(out)
    assert {"top1", "top5", "loss", "copies", "covered", "total"} <= set(scores)
    assert scores["total"] == 2
    assert scores["groups"]["ru"]["covered"] == 0
    assert scores["groups"]["ru"]["top1"] is None


@pytest.mark.parametrize("order", ["verb first", "verb behind the options"])
def test_blanks_are_scored_wherever_the_verb_stands(run, tiny_bert, tmp_path, order):
    file = tmp_path / "blanks.tsv"
    file.write_text("Die [MASK] ist offen.\tTür\n", encoding="utf-8")
    options = ["--model", tiny_bert, "--json"]
    words = ["evaluate", *options] if order == "verb first" else [*options, "evaluate"]
    code, out, err = run("fill", *words, file)
    assert code == 0, err
    assert json.loads(out)["total"] == 1


def test_a_value_of_an_option_is_no_verb(run, tiny_bert):
    second = ["--second", "evaluate", "-m", tiny_bert, "--topn", 1, "--json"]
    code, out, err = run("fill", *second, "Die [MASK] ist offen.")
    assert code == 0, err
    assert len(json.loads(out)) == 1


def test_a_sentence_that_is_called_evaluate_is_still_filled(run, tiny_bert):
    code, out, err = run("fill", "evaluate [MASK]", "-m", tiny_bert, "--topn", 1, "--json")
    assert code == 0, err
    assert len(json.loads(out)) == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["grammar", "evaluate", "PAIRS", "-m", "ru-glove"], "is of kind static"),
        (["fill", "evaluate", "BLANKS", "-m", "BERT"], "has 0 [MASK]"),
        (["fill", "evaluate", "nowhere.tsv", "-m", "BERT"], "nowhere.tsv"),
        (["grammar", "score", " ", "-m", "BERT"], "no sentence to score"),
        (["grammar", "score", "Die [MASK] ist offen.", "-m", "BERT"], "contains [MASK]"),
    ],
)
def test_what_cannot_be_scored_is_a_sentence(run, tiny_bert, tmp_path, arguments, sentence):
    pairs, blanks = tmp_path / "pairs.tsv", tmp_path / "blanks.tsv"
    pairs.write_text(PAIRS, encoding="utf-8")
    blanks.write_text("Die Tür ist offen.\tTür\n", encoding="utf-8")
    files = {"PAIRS": pairs, "BLANKS": blanks, "BERT": tiny_bert}
    code, out, err = run(*(files.get(argument, argument) for argument in arguments))
    assert (code, out) == (2, "")
    assert sentence in err


def test_a_typed_special_token_is_no_sentence(run, tiny_bert):
    code, out, err = run("grammar", "score", "Die [SEP] Tür.", "-m", tiny_bert)
    assert (code, out) == (2, "")
    assert "contains [SEP]" in err


def test_a_table_without_covered_answers_has_dashes(run, tiny_bert, tmp_path):
    file = tmp_path / "blanks.tsv"
    file.write_text("Die [MASK] ist offen.\t钥匙\n", encoding="utf-8")
    code, out, _ = run("fill", "evaluate", file, "-m", tiny_bert)
    assert code == 0
    assert "nan" not in out
