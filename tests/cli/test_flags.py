"""Flags come from the dataclass; refusals become a sentence and exit code 2."""

import json
from dataclasses import dataclass, field

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from embeddings import cli
from embeddings.analysis.vector_answers import Neighbour
from embeddings.cli.nouns import with_flags
from embeddings.cli.output import counted
from embeddings.configuration import check_language, setting
from embeddings.errors import InputError
from embeddings.results import plain


@dataclass(frozen=True, slots=True)
class Settings:
    vector_size: int = field(default=100, metadata={"help": "length of each vector"})
    sg: bool = field(default=True, metadata={"help": "skip-gram", "flag": "--sg/--cbow"})
    sample: float = 1e-3
    keep_case: bool = False


def application(calls: list) -> typer.Typer:
    app = typer.Typer()

    @app.command()
    @with_flags(Settings)
    def train(corpus: str, config: Settings, output: str = typer.Option("here")) -> None:
        """Train."""
        calls.append((corpus, config, output))

    return app


@dataclass(frozen=True, slots=True)
class Oven:
    degrees: int = setting(200, "Heat.", 50, 300)


def test_a_command_may_take_two_configs_and_prints_their_bounds():
    seen = []
    app = typer.Typer()

    @app.command()
    @with_flags(Oven, name="oven")
    @with_flags(Settings)
    def bake(config: Settings, oven: Oven) -> None:
        """Bake."""
        seen.append((config, oven))

    assert CliRunner().invoke(app, ["--degrees", "90", "--no-keep-case"]).exit_code == 0
    assert seen == [(Settings(), Oven(90))]
    printed = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"}).output
    assert "Heat; 50 to 300." in printed


def test_each_field_becomes_a_flag_with_its_default_and_help():
    seen = []
    result = CliRunner().invoke(application(seen), ["text"])
    assert result.exit_code == 0, result.output
    assert seen == [("text", Settings(), "here")]
    told = CliRunner().invoke(application([]), ["--help"], env={"COLUMNS": "200"}).output
    assert "--vector-size" in told
    assert "length of each vector" in told
    assert "--cbow" in told


@pytest.mark.parametrize("code", ["en", "deu", "xx", "pt-BR", "zh-Hant", "en+ru+de"])
def test_the_codes_of_languages_are_taken(code):
    check_language(code)


@pytest.mark.parametrize("code", ["english", "EN", "e", "", "en,ru", "en+", "en-", "e1"])
def test_what_is_no_code_of_a_language_is_refused(code):
    with pytest.raises(InputError) as refused:
        check_language(code)
    assert str(refused.value).startswith(f"“{code}” is not a language code. Give two or three")


@pytest.mark.parametrize(
    "command",
    [
        "word2vec train none.txt --output m",
        "glove train none.txt --output m",
        "contexts table none.txt --model none --output m",
        "models import none.txt",
        "classify train --model none --train a --validation b --output m",
    ],
)
def test_every_language_for_a_card_is_a_code(run, command):
    code, _, err = run(*command.split(), "--language", "english")
    assert code == 2
    assert err.startswith("“english” is not a language code")


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 steps"), (1, "1 step"), (2, "2 steps"), (1_000, "1,000 steps")]
)
def test_one_of_a_thing_is_no_plural(number, said):
    assert counted(number, "step") == said


def test_flags_reach_the_config():
    seen = []
    words = [
        "text",
        "--vector-size",
        "7",
        "--cbow",
        "--sample",
        "0.5",
        "--keep-case",
        "--output",
        "o",
    ]
    CliRunner().invoke(application(seen), words)
    assert seen == [("text", Settings(7, False, 0.5, True), "o")]


def test_a_refusal_is_a_sentence_on_stderr_and_exit_code_2(run, monkeypatch):
    def refuse():
        raise InputError("argument_range", name="epochs", value=0, low=1, high=1000)

    monkeypatch.setattr(cli, "build", lambda: refuse)
    told = run()
    assert (told.code, told.out) == (2, "")
    assert told.err == "epochs=0 is out of range: it must lie between 1 and 1000.\n"


def test_json_has_no_nan_and_keeps_cyrillic():
    value = {"rows": (Neighbour("ключ", float("nan"), np.int64(3)),), "inf": np.float32("inf")}
    assert json.loads(json.dumps(plain(value), allow_nan=False)) == {
        "rows": [{"word": "ключ", "similarity": None, "count": 3, "forms": []}],
        "inf": None,
    }
