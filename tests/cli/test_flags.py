"""Flags come from the dataclass; refusals become a sentence and exit code 2."""

import json
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from embeddings import cli
from embeddings.analysis.vector_answers import Neighbour
from embeddings.cli.nouns import with_settings
from embeddings.cli.output import counted
from embeddings.configuration import check_language, setting
from embeddings.errors import InputError
from embeddings.results import plain


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


@pytest.mark.parametrize("code", ["en", "deu", "xx", "pt-BR", "zh-Hant", "en+ru+de"])
def test_the_codes_of_languages_are_taken(code):
    check_language(code)


@pytest.mark.parametrize("code", ["english", "EN", "e", "", "en,ru", "en+", "en-", "e1"])
def test_what_is_no_code_of_a_language_is_refused(code):
    with pytest.raises(InputError) as refused:
        check_language(code)
    assert str(refused.value).startswith(f"“{code}” is not a language code. Give two or three")


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 steps"), (1, "1 step"), (2, "2 steps"), (1_000, "1,000 steps")]
)
def test_one_of_a_thing_is_no_plural(number, said):
    assert counted(number, "step") == said


def test_a_refusal_is_a_sentence_on_stderr_and_exit_code_2(run, monkeypatch):
    def refuse():
        raise InputError("argument_range", name="epochs", value=0, low=1, high=1000)

    monkeypatch.setattr(cli, "build", lambda: refuse)
    assert run() == (2, "", "epochs=0 is out of range: it must lie between 1 and 1000.\n")


def test_json_has_no_nan_and_keeps_cyrillic():
    value = {"rows": (Neighbour("ключ", float("nan"), np.int64(3)),), "inf": np.float32("inf")}
    assert json.loads(json.dumps(plain(value), allow_nan=False)) == {
        "rows": [{"word": "ключ", "similarity": None, "count": 3, "forms": []}],
        "inf": None,
    }
