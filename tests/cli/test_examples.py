"""The examples of `--help` that ask shipped models run as they stand, and name models that ship or that another example makes."""

import re
import shlex

import pytest

from embeddings.cli import NOUNS
from embeddings.cli.reference import commands
from embeddings.shelf.locations import data

EXAMPLES = {
    name: command.epilog.removeprefix("Example: ")
    for noun in NOUNS
    for name, command in commands(noun)
    if (command.epilog or "").startswith("Example: klyuch ")
}
MADE = {"novels", "my-fasttext", "reviews"}  # names of a person's own models
STATIC = {"neighbours", "analogy", "similarity", "odd-one-out", "axis", "project", "ratios"}
ASKED = [example for name, example in EXAMPLES.items() if name.split()[-1] in STATIC]


def test_every_example_asks_a_model_that_is_there():
    asked = {
        name: model
        for name, example in EXAMPLES.items()
        for model in re.findall(r"(?:--model|-m|--like) ([a-z][\w-]*)", example)
    }
    assert len(asked) > 20
    shipped = {path.name for path in (data() / "models").iterdir()}
    assert {name: model for name, model in asked.items() if model not in shipped | MADE} == {}


@pytest.mark.parametrize("noun", ["words", "models", "classify"])
def test_every_verb_of_these_nouns_has_an_example(noun):
    assert {name for name, _ in commands(noun)} <= EXAMPLES.keys()


@pytest.mark.parametrize("example", ASKED)
def test_an_example_that_asks_word_vectors_is_answered(run, example):
    code, out, error = run(*shlex.split(example)[1:])
    assert code == 0, error
    assert out.strip()


def test_each_way_of_asking_word_vectors_has_such_an_example():
    assert {shlex.split(example)[2] for example in ASKED} == STATIC
