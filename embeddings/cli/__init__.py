"""The command line: ``klyuch NOUN VERB``. A file holds nouns of one kind; each verb parses, calls and prints.

A refusal (`KlyuchError`), and what the system refuses (`OSError`), becomes its sentence on standard error and exit
code 2, here and nowhere else. A noun's file is imported when the noun is called.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Collection
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup, TyperOption
from typer.main import get_group

from embeddings import __version__
from embeddings.errors import InputError, KlyuchError, refusal
from embeddings.optional import optional

NOUNS = {
    "app": "the pages in the browser",
    "corpus": "tokenisation and encoding of texts",
    "word2vec": "train skip-gram and CBOW",
    "fasttext": "train fastText: words and their n-grams",
    "glove": "train GloVe",
    "senses": "a vector for each sense of a word",
    "models": "the models on the shelf",
    "words": "neighbours, analogies and scores of word vectors",
    "wordpiece": "train and use a WordPiece vocabulary",
    "bert": "pretrain a BERT",
    "albert": "pretrain an ALBERT",
    "contexts": "words in contexts: vectors, senses, neighbours",
    "concordance": "all contexts of a word in a corpus",
    "fill": "what word belongs in the blank",
    "grammar": "does a network prefer the grammatical sentence?",
    "wic": "does a word mean the same in two sentences?",
    "attention": "the attention of a network's heads",
    "jobs": "training in a process of its own",
    "translation": "train a translator and score it",
    "translate": "translate sentences, one per line",
    "classify": "fine-tune a sentence classifier, predict and evaluate",
    "costs": "parameters and operations of a network",
    "doctor": "what is installed, what is wrong",
    "lab": "the experiments as they were run",
    "cluster": "many machines, or processes, as one",
}

FILES = {  # of this folder, with their nouns
    "contexts_commands": "contexts senses wic",
    "corpus_commands": "corpus concordance",
    "models_commands": "models",
    "networks_commands": "fill grammar attention",
    "pretraining_commands": "wordpiece bert albert",
    "static_training": "word2vec fasttext glove",
    "tasks_commands": "classify translation translate",
    "jobs_commands": "jobs",
    "tools_commands": "app cluster doctor costs lab",
    "words_commands": "words",
    "words_training": "words",
}


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
        """Put the noun's own commands in the place of its summary."""
        if args[0] in NOUNS:
            self.commands[args[0]], verbs = load_noun(args[0])
            if place := _verb_place(self.commands[args[0]], args, verbs):
                verb = args[place]
                self.commands[args[0]] = noun_command(args[0], verbs[verb])
                args = [args[0], verb, *args[1:place], *args[place + 1 :]]
        return super().resolve_command(ctx, args)


def _verb_place(noun: Any, args: list[str], verbs: Collection[str]) -> int:
    """Return where among the arguments of a noun a verb is, before or after its options; 0 if the first argument is not a verb."""
    options = [param for param in noun.params if isinstance(param, TyperOption)]
    with_value = {name for option in options if not option.is_flag for name in option.opts}
    before = ""
    for place, argument in enumerate(args[1:], 1):
        is_value = before in with_value
        if not is_value and (argument == "--" or not argument.startswith("-")):
            return place if argument in verbs else 0
        before = "" if is_value else argument
    return 0


def _group(commands: dict[str, typer.Typer]) -> TyperGroup:
    """Return the root over some nouns."""
    application = typer.Typer(cls=Nouns, no_args_is_help=True, add_completion=False)
    application.callback()(_root)
    for name, noun in commands.items():
        if noun.info.invoke_without_command is True:  # without verbs: it says itself what it does
            application.add_typer(noun, name=name)
        else:
            application.add_typer(noun, name=name, help=NOUNS[name])
    return get_group(application)


def noun_command(noun: str, commands: typer.Typer) -> Any:
    """Return what a noun does: its group of verbs, or the one command that it is."""
    return _group({noun: commands}).commands[noun]


def load_noun(noun: str) -> tuple[Any, dict[str, typer.Typer]]:
    """Import a noun's files, and return what it does and the verbs of one that otherwise takes a text."""
    from embeddings.cli.nouns import TEXT_VERBS, in_order

    for file, nouns in FILES.items():
        if noun in nouns.split():
            importlib.import_module(f"embeddings.cli.{file}")
    return noun_command(noun, in_order(noun)), TEXT_VERBS.get(noun, {})


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
