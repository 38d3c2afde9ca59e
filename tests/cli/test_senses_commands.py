"""``klyuch senses``: a model with senses from a corpus, shown, and refusals."""

import json
from dataclasses import fields

import pytest

from embeddings.cli import contexts_commands
from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from embeddings.errors import InputError
from embeddings.static.settings import SensesConfig
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
    build = ("senses", "build", built / "ids", "--model", model, "--output", output)
    summary = run(*build, *options).json
    assert (summary["words"], summary["senses"]) == (1, 2)
    vectors = read_native(output)
    assert [sense.word for sense in vectors.senses_of("bank")] == ["bank#1", "bank#2"]
    assert (vectors.matrix == read_native(model).matrix).all()
    senses = run("senses", "show", "bank", "--model", output, "--json").json
    assert [sense["word"] for sense in senses] == ["bank#1", "bank#2"]
    assert all(len({word[0] for word in sense["neighbours"]}) == 1 for sense in senses)
    assert "one sense" in run("senses", "show", "monk", "--model", output).out
    text = tmp_path / "with.txt"
    assert run("models", "export", output, text, "--format", "word2vec", "--senses").code == 0
    lines = text.read_text(encoding="utf-8").splitlines()
    assert [line.split()[0] for line in lines[-2:]] == ["bank#1", "bank#2"]
    assert "bank#1, bank#2" in run("words", "neighbours", "bank#9", "--model", output).refusal


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


FORMER_OPTIONS = {
    "--contexts": ("--max-contexts", 25),
    "--share": ("--min-share", 0.0625),
    "--apart": ("--max-cosine-of-senses", 0.5),
    "--alike": ("--max-repeats", 7),
    "--common": ("--max-share", 0.25),
    "--content": ("--function-word-bits", 0.5),
    "--among": ("--function-word-bits-nearby", 0.75),
    "--coherent": ("--min-coherence", 0.125),
    "--distinct": ("--merge-above-cosine", 0.625),
    "--evenness": ("--region-balance", 0.375),
}


def test_the_renamed_settings_of_senses_are_those_of_the_former_options():
    renamed = {
        known.metadata["former"] for known in fields(SensesConfig) if "former" in known.metadata
    }
    assert renamed == set(FORMER_OPTIONS)


@pytest.mark.parametrize("former", FORMER_OPTIONS)
def test_a_former_option_of_senses_gives_the_same_settings_and_warns_with_the_new_name(
    built, run, tmp_path, monkeypatch, former
):
    option, value = FORMER_OPTIONS[former]
    configs = []

    def stop(corpus, vectors, config, *further):
        configs.append(config)
        raise InputError("senses_none", model="model")  # the settings are enough

    monkeypatch.setattr(contexts_commands, "build_senses", stop)
    folders = (built / "ids", "--model", built / "model", "--output", tmp_path / "with")
    old, new = (run("senses", "build", *folders, name, value) for name in (former, option))
    name = option.removeprefix("--").replace("-", "_")
    assert configs == [SensesConfig(**{name: value})] * 2
    assert old.err == f"{former} is now {option}; the old name goes.\n{new.err}"
    assert "is now" not in new.err


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


BANK = "The bank {} him money."


@pytest.mark.parametrize(
    ("model", "rows", "unknown", "told"),
    [
        ("BERT", [("bank", BANK.format(verb)) for verb in ("gave", "lent", "took")], 0, ""),
        (
            "BERT",
            [("銀行", f"銀行 stood {place} the river.") for place in ("at", "by", "on", "over")],
            0,
            "Not in the letters of language=en, so their forms are not known: 銀行.\n",
        ),
        (
            "BERT",
            [("bank", "bank"), ("bank", "bank"), ("bank", BANK.format("gave"))],
            2,
            "2 contexts not understood: the model has no word to go by around the word in question: bank.\n",
        ),
        (
            "ru-skipgram",
            [("bank", f"The bank gave {n} {'деньги ' * 9}") for n in "ab"]
            + [("bank", "ключ замок bank дверь"), ("bank", "дверь bank замок")],
            0,
            "Not in the letters of language=ru, so their forms are not known: bank.\n",
        ),
        ("en-skipgram", [("銀行", "銀行 金 川")] * 3, 3, "3 contexts not understood"),
    ],
)
def test_what_a_model_does_not_understand_is_told(senses, tiny_bert, model, rows, unknown, told):
    """A network needs a word that it reads around the one in question, a static model one that it knows."""
    chosen = ("--model", tiny_bert, "--companion", "none") if model == "BERT" else ("-m", model)
    said = senses(rows, *chosen, "--language", "ru" if model == "ru-skipgram" else "en", "--json")
    assert [one["unknown"] for one in said.json["words"]] == [unknown]
    assert said.err == told or (unknown == 3 and told in said.err)
