"""docs/cli.md is what the commands say of themselves."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from embeddings.cli import NOUNS, nouns
from embeddings.cli.reference import DOCUMENT, commands, document
from embeddings.shelf.change_reports import MOST_KEPT
from embeddings.shelf.locations import data
from embeddings.vectors.context_table import MOST_WORDS

ROWS = Path(nouns.__file__).with_name("commands.toml")


def test_the_document_has_every_command_with_options_defaults_and_example():
    text = document()
    assert DOCUMENT.read_text(encoding="utf-8") == text, "run python -m embeddings.cli.reference"
    names = [name for noun in NOUNS for name, _ in commands(noun)]
    some = ("fill evaluate", "words analogy", "app", "bert pretrain")
    assert {f"klyuch {verb}" for verb in some} <= set(names)
    assert len(set(names)) == len(names)
    assert [name for name in names if not re.search(f"\n##+ `{name}`\n", text)] == []
    section = text.split("### `klyuch words neighbours`\n")[1].split("\n### ")[0]
    assert all(part in section for part in ("--model <str>", "--topn", "default: 10"))
    assert "klyuch words neighbours" in section.split("Example:")[1]


@pytest.mark.parametrize("noun", NOUNS)
def test_every_row_of_a_verb_describes_one_of_its_parameters(noun):
    rows = tomllib.loads(ROWS.read_text(encoding="utf-8"))[noun]
    shared = set(rows.pop("options", {}))
    named = {name.split()[-1]: {p.name for p in verb.params} for name, verb in commands(noun)}
    assert all(set(row) - named[verb] == {"example"} for verb, row in rows.items())
    assert shared <= set().union(*named.values())


def test_bounds_that_the_rows_repeat_are_those_of_the_library():
    rows = tomllib.loads(ROWS.read_text(encoding="utf-8"))
    for noun in ("word2vec", "glove"):
        assert rows[noun]["train"]["contexts"]["max"] == MOST_WORDS
    assert rows["words"]["options"]["kept"]["max"] == MOST_KEPT


# The examples of `--help` that ask shipped models run as they stand, and name models that ship or that another example makes


EXAMPLES = {
    name: command.epilog.removeprefix("Example: ")
    for noun in NOUNS
    for name, command in commands(noun)
    if (command.epilog or "").startswith("Example: klyuch ")
}


MADE = {"novels", "my-fasttext", "reviews"}  # names of a person's own models


STATIC = {"neighbours", "analogy", "similarity", "odd-one-out", "axis", "project", "ratios"}


ASKED = [example for name, example in EXAMPLES.items() if name.split()[-1] in STATIC]


def test_every_example_asks_a_model_that_is_there():
    asked = {
        name: model
        for name, example in EXAMPLES.items()
        for model in re.findall(r"(?:--model|-m|--like) ([a-z][\w-]*)", example)
    }
    assert len(asked) > 20
    shipped = {path.name for path in (data() / "models").iterdir()}
    assert {name: model for name, model in asked.items() if model not in shipped | MADE} == {}


@pytest.mark.parametrize("noun", ["words", "models", "classify"])
def test_every_verb_of_these_nouns_has_an_example(noun):
    assert {name for name, _ in commands(noun)} <= EXAMPLES.keys()


@pytest.mark.parametrize("example", ASKED)
def test_an_example_that_asks_word_vectors_is_answered(run, example):
    code, out, error = run(*shlex.split(example)[1:])
    assert code == 0, error
    assert out.strip()


def test_each_way_of_asking_word_vectors_has_such_an_example():
    assert {shlex.split(example)[2] for example in ASKED} == STATIC
