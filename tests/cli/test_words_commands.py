"""``klyuch words``: the printed shapes, and refusals on exit code 2."""

from functools import partial

import numpy as np
import pytest

from embeddings import Vectors
from embeddings.vectors.formats import write

WORDS = ["man", "woman", "king", "queen", "apple"]
ROWS = [[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1], [0, 0, -1]]


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "royal"
    table = Vectors(WORDS, np.array(ROWS, np.float32), np.array([9, 8, 7, 6, 5]), language="en")
    write(table, path)
    return path


@pytest.fixture
def ask(run):
    return partial(run, "words")


def answer(ask, *arguments):
    return ask(*arguments, "--json").json


@pytest.mark.parametrize("method", ["add", "mul"])
def test_analogy(ask, model, method):
    arguments = ("analogy", "king−man+woman", "--model", model, "--method", method)
    found = answer(ask, *arguments)
    assert [[*row] for row in found] == [["word", "similarity", "count"]] * 2
    assert found[0]["word"] == "queen"
    assert len(answer(ask, *arguments, "--include-inputs")) == 5


def test_evaluate_combines_sets(ask, model, tmp_path):
    analogies, pairs = tmp_path / "a.txt", tmp_path / "p.tsv"
    analogies.write_text(
        ": far\nman woman Rome Italy\n: s\nman woman king queen\nman woman king pear\n"
    )
    pairs.write_text("man\tking\t9\nman\twoman\t1\nking\tqueen\t5\nking\tpear\t1\n")
    found = answer(
        ask,
        *("evaluate", "--model", model, "--analogies", analogies, "--analogies", analogies),
        *("--pairs", pairs, "--restrict-vocab", 30000),
    )
    far = {"name": "far", "correct": 0, "covered": 0, "total": 1, "accuracy": None}
    near = {"name": "s", "correct": 1, "covered": 1, "total": 2, "accuracy": 1.0}
    assert found == {
        "analogies": {"accuracy": 1.0, "covered": 2, "total": 6, "sections": [far, near] * 2},
        "pairs": [{"file": "p.tsv", "spearman": pytest.approx(1), "covered": 3, "total": 4}],
        "trainings": {},
    }


@pytest.mark.parametrize(
    "formula",
    ["- man + king + woman", "-man + king + woman", "-man+woman+king", "-1*man + king + woman"],
)
def test_a_formula_may_begin_with_a_minus(ask, model, formula):
    rest = ("--model", model, "--topn", 1)
    for arguments in [
        (formula, *rest),
        (*rest, formula),
        (*rest, "--no-fold", formula),
        ("-m", model, formula, "--method", "mul"),
    ]:
        assert answer(ask, "analogy", *arguments)[0]["word"] == "queen"
    found = ask("analogy", *rest, "--json", "--", formula)
    assert found.json[0]["word"] == "queen"


def test_convert(ask, model, tmp_path):
    target = tmp_path / "royal.bin"
    found = answer(ask, "convert", model, target)
    assert found == {"target": str(target), "words": 5, "vector_size": 3}
    assert Vectors.load(target).words == tuple(WORDS)


@pytest.mark.parametrize(
    ("shown", "arguments"),
    [
        ("0.7071", ("neighbours", "king", "--topn", "2")),
        ("king - man: ", ("analogy", "king - man + woman")),
        ("p.tsv", ("evaluate", "--pairs", "PAIRS")),
        ("apple", ("project", "king", "man", "apple")),
        ("apple", ("odd-one-out", "king", "queen", "apple")),
        ("0.7071", ("axis", "man", "woman")),
        ("0.0000", ("similarity", "man", "woman")),
    ],
)
def test_people_get_a_table(ask, model, tmp_path, shown, arguments):
    pairs = tmp_path / "p.tsv"
    pairs.write_text("man\tking\t9\nman\twoman\t1\n")
    given = [str(pairs) if word == "PAIRS" else word for word in arguments]
    assert shown in ask(*given, "--model", model).out
