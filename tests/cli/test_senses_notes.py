"""``klyuch contexts senses`` says of what it could not make much, and refuses what would do nothing."""

import json

import pytest

HEADER = "context_id\tword\tpositions\tcontext\n"


@pytest.fixture
def senses(run, tmp_path):
    """Ask for the senses of (word, context) pairs: exit code, output, standard error."""

    def ask(rows, *arguments):
        path = tmp_path / "contexts.tsv"
        lines = [f"{number}\t{word}\t\t{text}\n" for number, (word, text) in enumerate(rows)]
        path.write_text(HEADER + "".join(lines), encoding="utf-8")
        return run("contexts", "senses", path, "--output", tmp_path / "out.tsv", *arguments)

    return ask


def test_contexts_whose_word_alone_the_network_cannot_spell_are_understood(senses, tiny_bert):
    rows = [("銀行", f"銀行 stood {place} the river.") for place in ("at", "by", "on", "over")]
    code, out, err = senses(rows, "--model", tiny_bert, "--companion", "none", "--json")
    assert code == 0, err
    assert [one["unknown"] for one in json.loads(out)["words"]] == [0]
    assert "not understood" not in err
    assert "Not in the letters of language=en, so their forms are not known: 銀行" in err


def test_contexts_in_which_a_network_reads_nothing_but_the_word_are_told(senses, tiny_bert):
    rows = [*[("bank", "bank")] * 2, ("bank", "The bank gave him money.")]
    code, out, err = senses(rows, "--model", tiny_bert, "--companion", "none", "--json")
    assert code == 0, err
    assert [one["unknown"] for one in json.loads(out)["words"]] == [2]
    assert "2 contexts not understood: the model has no word to go by around" in err
    assert "in question: bank." in err


def test_contexts_of_which_a_static_model_knows_no_word_are_told(senses):
    rows = [("bank", f"The bank {verb} him money." + " деньги" * 9) for verb in ("gave", "lent")]
    rows += [("bank", "ключ замок bank дверь"), ("bank", "дверь bank замок")]
    code, out, err = senses(rows, "--model", "ru-skipgram", "--language", "ru", "--json")
    assert code == 0, err
    assert [one["unknown"] for one in json.loads(out)["words"]] == [0]
    assert "Not in the letters of language=ru, so their forms are not known: bank" in err
    code, out, err = senses([("銀行", "銀行 金 川")] * 3, "--model", "en-skipgram", "--json")
    assert [one["unknown"] for one in json.loads(out)["words"]] == [3]
    assert "3 contexts not understood" in err


def test_words_that_are_understood_bring_no_warning(senses, tiny_bert):
    rows = [("bank", f"The bank {verb} him money.") for verb in ("gave", "lent", "took")]
    code, out, err = senses(rows, "--model", tiny_bert, "--companion", "none", "--json")
    assert code == 0, err
    assert [one["unknown"] for one in json.loads(out)["words"]] == [0]
    assert err == ""


def test_a_companion_beside_a_static_model_is_refused(senses, tmp_path):
    rows = [("bank", "The bank stood there.")] * 3
    code, _, err = senses(rows, "--model", "en-skipgram", "--companion", "ru-lemmas")
    assert code == 2
    assert "«en-skipgram» is a static model" in err
    assert "companion=ru-lemmas" in err
    assert not (tmp_path / "out.tsv").exists()
