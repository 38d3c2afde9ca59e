"""Options come from the dataclass and have the defaults of the library; codes of languages; what ``--json`` prints."""

import inspect
import json
import re
from dataclasses import dataclass, field
from importlib import import_module
from typing import Annotated

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from embeddings.analysis.vector_answers import Neighbour
from embeddings.cli import NOUNS
from embeddings.cli.nouns import with_settings
from embeddings.cli.reference import commands
from embeddings.configuration import check_language, setting
from embeddings.errors import InputError
from embeddings.results import plain
from tests.test_verbs import KINDS


@dataclass(frozen=True, slots=True)
class Settings:
    vector_size: int = field(default=100, metadata={"help": "length of each vector"})
    sg: bool = field(default=True, metadata={"help": "skip-gram", "flag": "--sg/--cbow"})
    sample: float = field(default=1e-3, metadata={"help": "subsampling"})
    keep_case: bool = field(default=False, metadata={"help": "upper case"})


@dataclass(frozen=True, slots=True)
class Oven:
    degrees: int = setting(200, "Heat.", 50, 300)
    light: bool = setting(False, "Light.")


@pytest.fixture
def bake():
    """Run a command of two settings; returns what it received, or its help."""

    def bake(*words):
        received = []
        app = typer.Typer()

        def command(
            corpus: str,
            config: Settings,
            oven: Annotated[Oven, "light"],
            output: str = typer.Option("here"),
        ) -> None:
            """Bake."""
            received.append((corpus, config, oven, output))

        app.command()(with_settings(command))
        done = CliRunner().invoke(app, words, env={"COLUMNS": "200"})
        assert done.exit_code == 0, done.output
        return received[0] if received else done.output

    return bake


def test_each_field_of_settings_is_an_option_with_its_default_help_and_bounds(bake):
    assert bake("text") == ("text", Settings(), Oven(), "here")
    flags = ("--vector-size", "7", "--cbow", "--sample", "0.5", "--keep-case", "--output", "o")
    expected = ("text", Settings(7, False, 0.5, True), Oven(90), "o")
    assert bake("text", *flags, "--degrees", "90") == expected
    printed = bake("--help")
    for part in ("--vector-size", "length of each vector", "--cbow", "Heat; 50 to 300."):
        assert part in printed
    assert "--light" not in printed  # left out


def called_by(command):
    """Yield functions of the library that have the name of something that a command calls: those that it imports, methods of models."""
    source, names = inspect.getsource(command), dict(command.__globals__)
    for name in re.findall(r"from (\S+) import", source):
        names |= vars(import_module(name))
    spaces = [names, *map(vars, filter(inspect.ismodule, names.values()))]
    for name in re.findall(r"(?<!def )\b(\w+)\(", source):
        named = [space.get(name) for space in spaces]
        named += [getattr(kind, name, None) for kind in KINDS.values()]
        for each in filter(callable, named):
            if re.match(r"embeddings\.(?!cli)", str(getattr(each, "__module__", ""))):
                yield each


def defaults(function):
    """The numbers and texts that are defaults of a function, by the names of its parameters."""
    parameters = inspect.signature(function).parameters.items()
    return {name: p.default for name, p in parameters if isinstance(p.default, int | float | str)}


def test_an_option_has_the_default_of_the_parameter_of_its_name():
    compared = {
        (name, option, own, there[option])
        for noun in NOUNS
        for name, command in commands(noun)
        for there in map(defaults, called_by(inspect.unwrap(command.callback)))
        for option, own in defaults(inspect.unwrap(command.callback)).items()
        if option in there
    }
    assert ("klyuch words neighbours", "topn", 10, 10) in compared
    assert {each[:2] for each in compared if each[2] != each[3]} == {
        *{("klyuch attention", name) for name in ("layer", "head")},  # the most telling one
        ("klyuch cluster local", "port"),  # a known one, which other commands are given
        ("klyuch grammar score", "layers"),  # a lens or "", for which the function has a switch
        ("klyuch jobs show", "lines"),  # a page has room for more of them
        ("klyuch senses show", "topn"),  # as on the page, fewer than of a word
    }


@pytest.mark.parametrize("code", ["en", "deu", "xx", "pt-BR", "zh-Hant", "en+ru+de"])
def test_the_codes_of_languages_are_taken(code):
    check_language(code)


@pytest.mark.parametrize("code", ["english", "EN", "e", "", "en,ru", "en+", "en-", "e1"])
def test_what_is_no_code_of_a_language_is_refused(code):
    with pytest.raises(InputError) as refused:
        check_language(code)
    assert str(refused.value).startswith(f"“{code}” is not a language code. Give two or three")


def test_json_has_no_nan_and_keeps_cyrillic():
    value = {"rows": (Neighbour("ключ", float("nan"), np.int64(3)),), "inf": np.float32("inf")}
    assert json.loads(json.dumps(plain(value), allow_nan=False)) == {
        "rows": [{"word": "ключ", "similarity": None, "count": 3, "forms": []}],
        "inf": None,
    }
