"""The command line as a document: ``python -m embeddings.cli.reference`` writes docs/cli.md from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from typer.cli import get_docs_for_click

from embeddings.cli import NOUNS, load_noun

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "cli.md"
INTRODUCTION = """# Command line

`klyuch NOUN VERB`. `klyuch --help` lists the nouns; `klyuch NOUN --help` and `klyuch NOUN VERB --help` print the same texts.
Most commands print JSON with `--json`. A model is a name on the shelf (`klyuch models list`), a folder, or a file.
A refusal is one sentence on standard error and exit code 2.

This page is written from the commands: `python -m embeddings.cli.reference`.

| noun | what it is about |
|---|---|
"""


def document() -> str:
    """Return the reference of all commands as Markdown, each noun as ``typer utils docs`` writes it."""
    nouns = "".join(f"| [`{noun}`](#klyuch-{noun}) | {about} |\n" for noun, about in NOUNS.items())
    return INTRODUCTION + nouns + "".join(map(_noun, NOUNS))


def _noun(noun: str) -> str:
    """Return the section of a noun with its verbs; one of the noun's name is called without it."""
    name, verbs = f"klyuch {noun}", load_noun(noun)
    shown = verbs.commands[noun] if list(verbs.commands) == [noun] else verbs
    text = get_docs_for_click(
        obj=shown, ctx=typer.Context(shown, info_name=name), name=name, indent=1
    )
    return "\n" + text.replace(f"{name} {noun}", name)


def commands(noun: str) -> Iterator[tuple[str, Any]]:
    """Yield the commands of a noun with their names, as ``klyuch words analogy``."""
    for name, command in load_noun(noun).commands.items():
        yield f"klyuch {noun}" if name == noun else f"klyuch {noun} {name}", command


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
