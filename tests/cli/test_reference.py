"""docs/cli.md is what the commands say of themselves."""

import tomllib
from pathlib import Path

import pytest

from embeddings.cli import NOUNS, nouns
from embeddings.cli.reference import DOCUMENT, commands, document

ROWS = Path(nouns.__file__).with_name("commands.toml")


def test_the_document_is_what_the_commands_make():
    assert DOCUMENT.read_text(encoding="utf-8") == document(), (
        "run python -m embeddings.cli.reference"
    )


def test_every_noun_and_every_verb_stands_in_it():
    text = document()
    names = [name for noun in NOUNS for name, _ in commands(noun)]
    assert {
        f"klyuch {verb}" for verb in ("fill evaluate", "words analogy", "app", "bert pretrain")
    } <= set(names)
    assert len(set(names)) == len(names)
    assert [name for name in names if f"\n### {name}\n" not in text] == []


def test_a_command_has_its_options_with_defaults_and_its_example():
    section = document().split("### klyuch words neighbours\n")[1].split("\n### ")[0]
    assert "--model <str>" in section
    assert "--topn" in section
    assert "default: 10" in section
    assert "klyuch words neighbours" in section.split("Example:")[1]


@pytest.mark.parametrize("noun", NOUNS)
def test_every_row_of_a_verb_describes_one_of_its_parameters(noun):
    rows = tomllib.loads(ROWS.read_text(encoding="utf-8"))[noun]
    shared = set(rows.pop("options", {}))
    named = {name.split()[-1]: {p.name for p in verb.params} for name, verb in commands(noun)}
    assert all(set(row) - named[verb] == {"example"} for verb, row in rows.items())
    assert shared <= set().union(*named.values())
