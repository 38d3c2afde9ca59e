"""The command line as a document: ``python -m embeddings.cli.reference`` writes docs/cli.md from the commands themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

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
EXAMPLE = re.compile(r"^Examples?: ")


def document() -> str:
    """Return the reference of all commands as Markdown."""
    nouns = "".join(f"| [`{noun}`](#{noun}) | {about} |\n" for noun, about in NOUNS.items())
    return INTRODUCTION + nouns + "".join(_noun(noun) for noun in NOUNS)


def _noun(noun: str) -> str:
    """Return the section of a noun with its verbs."""
    parts = [f"\n## {noun}\n\n{NOUNS[noun][0].upper()}{NOUNS[noun][1:]}{_stop(NOUNS[noun])}\n"]
    for name, command in commands(noun):
        parts.append(_command(name, command))
    return "".join(parts)


def commands(noun: str) -> Iterator[tuple[str, Any]]:
    """Yield the commands of a noun with their names, as ``klyuch words analogy``."""
    for name, command in load_noun(noun).commands.items():
        yield f"klyuch {noun}" if name == noun else f"klyuch {noun} {name}", command


def _command(name: str, command: Any) -> str:
    """Return a command: its usage, what it does, arguments and options, an example."""
    context = typer.Context(command, info_name=name)
    usage = " ".join(command.get_usage(context).split()).removeprefix("Usage: ")
    about = " ".join((command.help or "").split())
    example = EXAMPLE.sub("", " ".join((command.epilog or "").split()))
    records = (parameter.get_help_record(context) for parameter in command.params)
    rows = [record for record in records if record]
    parts = [f"\n### {name}\n\n{_escape(about)}\n\n```\n{usage}\n```\n"]
    if rows:
        lines = "".join(
            f"| `{_cell(option)}` | {_escape(_cell(text))} |\n" for option, text in rows
        )
        parts.append(f"\n| argument or option | meaning |\n|---|---|\n{lines}")
    if example:
        parts.append(f"\nExample: {_escape(example)}\n")
    return "".join(parts)


def _cell(text: str) -> str:
    """Return a text with the signs escaped that would end a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def _escape(text: str) -> str:
    """Return a text whose signs are not read as HTML."""
    return text.replace("<", "&lt;").replace(">", "&gt;")


def _stop(sentence: str) -> str:
    """Return a full stop for a sentence that has no end."""
    return "" if sentence.endswith(("?", ".")) else "."


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
