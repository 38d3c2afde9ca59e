"""Files of experiments: what is read from them, and that a missing or damaged one is refused in a sentence."""

import json
from pathlib import Path

import pytest

from benchmarks.result_files import to_json
from benchmarks.verdict_rules import difference, larger, make_claim
from embeddings.errors import FormatError, InputError, MissingFileError
from embeddings.lab import NAMES, experiment_files, grammar_sets, read_experiment
from embeddings.lab.experiment import Column, Drawing, Experiment, Measured, Series, Table
from embeddings.lab.experiment_files import parse

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results"
SMALL = Experiment(
    "senses",
    "Which is better?",
    (
        make_claim(
            "network_helps",
            larger,
            {"first": 3.0, "second": 2.0, "least": 0.5},
            {"ahead": Measured(3, 1), "of": "en"},
            source="Someone 2020",
            published=1.5,
            ours=1.0,
        ),
        make_claim("own_best", difference, {"gain": None, "standard_error": None}, source="A"),
    ),
    (
        Table(
            "methods",
            (Column("name", "term"), Column("score", digits=2)),
            (("a", 1.5), ("b", None)),
        ),
    ),
    (Drawing("curves", "lines", "steps", "loss", (Series("a", (1, 2), (3.0, None)),), 1.0),),
    ("python -m benchmarks.research.senses",),
    ("benchmarks/results/senses.json",),
    seconds=2.5,
)


def test_an_experiment_is_read_as_it_was_written(results):
    results(senses=to_json(SMALL, {"raw": [1, {"deep": None}]}))
    assert read_experiment("senses") == SMALL
    assert experiment_files.read_file("senses", "")[1] == {"raw": [1, {"deep": None}]}


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda v: v["claims"][0]["numbers"].update(first="3"), r"claims\[0\]\.numbers\.first"),
        (lambda v: v["claims"][0].pop("verdict"), r"claims\[0\]\.verdict"),
        (lambda v: v["tables"][0]["rows"][1].append({}), r"tables\[0\]\.rows\[1\]\[2\]"),
        (lambda v: v.update(seconds=True), "seconds"),
        (lambda v: v.update(measurements=[]), "measurements"),
        (lambda v: v.pop("question"), "question"),
        (lambda v: v.update(name="static"), "name"),
    ],
)
def test_damage_is_refused_by_its_place(results, change, place):
    value = to_json(SMALL, {"raw": 1})
    change(value)
    results(senses=value)
    with pytest.raises(FormatError, match=rf"damaged at {place}: .* Make it again"):
        read_experiment("senses")


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_file_names_the_command_that_makes_it(results, name):
    with pytest.raises(
        MissingFileError, match=r"has not been run yet.*Run it: .*(benchmarks|klyuch)"
    ):
        read_experiment(name)


@pytest.mark.parametrize("content", ["", "{", "[" * 100_000, "[]", '{"claims": 1}', '{"name": []}'])
def test_what_is_no_result_is_refused(results, tmp_path, content):
    (tmp_path / "warm_start.json").write_text(content, encoding="utf-8")
    with pytest.raises(FormatError, match=r"warm_start.json is damaged at .* Make it again"):
        read_experiment("warm_start")


@pytest.mark.bookkeeping
@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_every_file_of_results_has_the_one_shape(path):
    experiment, measurements = parse(json.loads(path.read_text("utf-8")))
    assert experiment.name == path.stem
    assert experiment.question.endswith("?")
    assert experiment.tables
    assert experiment.commands
    assert to_json(experiment, measurements) == json.loads(path.read_text("utf-8"))


def test_every_experiment_that_was_run_can_be_read():
    for name in NAMES:
        try:
            experiment = read_experiment(name)
        except MissingFileError:
            continue
        assert experiment.name == name
        assert experiment.claims


def test_a_language_without_sets_of_minimal_pairs_is_refused():
    with pytest.raises(InputError, match="fr"):
        grammar_sets("fr")
