"""docs/cli.md is what the commands say of themselves."""

from embeddings.cli import NOUNS
from embeddings.cli.reference import DOCUMENT, commands, document


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
