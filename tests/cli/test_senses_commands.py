"""``klyuch senses``: a model with senses from a corpus, shown, and refusals."""

import json

import pytest

from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig, encode
from embeddings.vectors.formats import read_native, write_native
from tests.static.test_sense_building import planted


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder with a corpus and its model."""
    folder = tmp_path_factory.mktemp("senses")
    corpus, vectors = planted(0)
    text = "\n".join(" ".join(line) for line in corpus.sentences())
    (folder / "text.txt").write_text(text, encoding="utf-8")
    encode([folder / "text.txt"], folder / "ids", EncodingConfig(min_count=1))
    assert EncodedCorpus.open(folder / "ids").vocabulary.words
    write_native(vectors, folder / "model")
    return folder


def test_a_model_gets_senses_and_shows_them(built, run, tmp_path):
    options = ("--max-share", "0.5", "--min-uses", "100", "--json")
    output = tmp_path / "with"
    model = built / "model"
    done = run("senses", "build", built / "ids", "--model", model, "--output", output, *options)
    assert done.code == 0, done.err
    summary = json.loads(done.out)
    assert (summary["words"], summary["senses"]) == (1, 2)
    vectors = read_native(output)
    assert [sense.word for sense in vectors.senses_of("bank")] == ["bank#1", "bank#2"]
    assert (vectors.matrix == read_native(model).matrix).all()
    shown = run("senses", "show", "bank", "--model", output, "--json")
    senses = json.loads(shown.out)
    assert [sense["word"] for sense in senses] == ["bank#1", "bank#2"]
    assert all(len({word[0] for word in sense["neighbours"]}) == 1 for sense in senses)
    assert "one sense" in run("senses", "show", "monk", "--model", output).out
    text = tmp_path / "with.txt"
    assert run("models", "export", output, text, "--format", "word2vec", "--senses").code == 0
    lines = text.read_text(encoding="utf-8").splitlines()
    assert [line.split()[0] for line in lines[-2:]] == ["bank#1", "bank#2"]
    wrong = run("words", "neighbours", "bank#9", "--model", output)
    assert wrong.code == 2
    assert "bank#1, bank#2" in wrong.err


def test_contexts_are_compared_by_a_companion_that_the_card_names_and_a_former_option_warns(
    built, run, tmp_path
):
    model, output = built / "model", tmp_path / "with"
    options = ("--common", "0.5", "--min-uses", "100", "--json", "--companion", model)
    done = run("senses", "build", built / "ids", "--model", model, "--output", output, *options)
    assert json.loads(done.out)["senses"] == 2
    about = json.loads((output / "card.json").read_text())["senses"]
    assert about["companion"] == str(model)
    assert about["settings"]["max_share"] == 0.5
    assert "--common is now --max-share" in done.err


def test_the_models_own_folder_and_a_model_without_senses_are_refused(built, run):
    model = built / "model"
    own = run("senses", "build", built / "ids", "--model", model, "--output", model)
    assert own.code == 2
    assert "another folder" in own.err
    none = run("senses", "show", "bank", "--model", model)
    assert none.code == 2
    assert "klyuch senses build" in none.err


# ``klyuch contexts senses`` says of what it could not make much, and refuses what would do nothing


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
    err = senses(rows, "--model", "en-skipgram", "--companion", "ru-lemmas").refusal
    assert "“en-skipgram” is a static model" in err
    assert "companion=ru-lemmas" in err
    assert not (tmp_path / "out.tsv").exists()
