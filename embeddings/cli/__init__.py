"""The command line: ``klyuch NOUN VERB``. A file holds nouns of one kind; each verb parses, calls and prints.

A refusal (`KlyuchError`), and what the system refuses (`OSError`), becomes its sentence on standard error and exit
code 2, here and nowhere else. A noun's file is imported when the noun is called.
"""

from __future__ import annotations

import importlib
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup
from typer.main import get_group

from embeddings import __version__
from embeddings.errors import InputError, KlyuchError, refusal
from embeddings.optional import optional


@cache
def rows() -> dict[str, Any]:
    """Return commands.toml: what the command line says, by noun and verb."""
    path = Path(__file__).with_name("commands.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def commands_of(noun: str) -> typer.Typer:
    """Return the group to which `embeddings.cli.nouns.verb` adds."""
    commands = typer.Typer(name=noun, no_args_is_help=True)
    commands.callback()(lambda: None)
    return commands


def in_order(noun: str) -> typer.Typer:
    """Return the group of a noun with its verbs in the order of commands.toml."""
    commands, names = commands_of(noun), list(rows()[noun])
    commands.registered_commands.sort(key=lambda command: names.index(command.name or ""))
    return commands


NOUNS: dict[str, str] = {noun: row["about"] for noun, row in rows()["nouns"].items()}


def _version(requested: bool) -> None:
    """Print the version and stop."""
    if requested:
        print(f"klyuch {__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Klyuch: a microscope for word meaning."""


class Nouns(TyperGroup):
    """The root: knows each noun's name and summary, and imports its file when it is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Put the noun's own commands in the place of its summary; what begins with none of them goes to the verb of the noun's name."""
        noun = args[0]
        if noun in NOUNS:
            self.commands[noun] = verbs = load_noun(noun)
            verb = args[1] if len(args) > 1 else ""
            if noun in verbs.commands and verb not in verbs.commands:
                return noun, verbs.commands[noun], args[1:]
        return super().resolve_command(ctx, args)


def _group(commands: dict[str, typer.Typer]) -> TyperGroup:
    """Return the root over some nouns."""
    application = typer.Typer(cls=Nouns, no_args_is_help=True, add_completion=False)
    application.callback()(_root)
    for name, noun in commands.items():
        application.add_typer(noun, name=name, help=NOUNS[name])
    return get_group(application)


def load_noun(noun: str) -> Any:
    """Import a noun's files, and return the group of its verbs."""
    for file in rows()["nouns"][noun]["files"]:
        importlib.import_module(f"embeddings.cli.{file}")
    return _group({noun: in_order(noun)}).commands[noun]


def build() -> TyperGroup:
    """Return the whole command line, each noun a name and a summary until it is called."""
    return _group({name: typer.Typer() for name in NOUNS})


def _refuse(error: KlyuchError) -> NoReturn:
    """Say a refusal and end."""
    print(error, file=sys.stderr)
    sys.exit(2)


def main() -> None:
    """Run the command line."""
    try:
        with optional():
            build()()
    except KlyuchError as error:
        _refuse(error)
    except OSError as error:
        _refuse(refusal(error))
    except UnicodeEncodeError as error:
        if error.reason != "surrogates not allowed":  # else an argument with bytes that are no text
            raise
        _refuse(InputError("wordpiece_text"))
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        sys.exit(130)
