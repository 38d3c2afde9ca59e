"""The command line: ``klyuch NOUN VERB``. One file a noun; each only parses, calls and prints.

A refusal (`KlyuchError`) becomes its sentence on standard error and exit code 2, here and nowhere else.
"""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec

import typer

from embeddings import __version__
from embeddings.errors import KlyuchError

NOUNS = {
    "corpus": "text to ids on disk",
    "word2vec": "train skip-gram and CBOW",
    "glove": "train GloVe",
    "models": "what is on the shelf",
    "words": "ask trained vectors",
    "wordpiece": "train and use a WordPiece vocabulary",
    "bert": "pretrain a BERT",
    "albert": "pretrain an ALBERT",
    "costs": "parameters and operations of a network",
}


def _version(asked: bool) -> None:
    """Print the version and stop."""
    if asked:
        print(f"klyuch {__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Klyuch: a microscope for word meaning."""


def build(noun: str | None = None) -> typer.Typer:
    """Return the application; with ``noun`` only that file is imported, so that a command starts without the others' libraries."""
    application = typer.Typer(
        no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False
    )
    application.callback()(_root)
    for name, summary in NOUNS.items():
        module = f"embeddings.cli.{name}"
        if (noun in NOUNS and name != noun) or find_spec(module) is None:
            continue
        application.add_typer(importlib.import_module(module).commands, name=name, help=summary)
    return application


def main() -> None:
    """Run the command line."""
    try:
        build(sys.argv[1] if len(sys.argv) > 1 else None)()
    except KlyuchError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        sys.exit(130)
