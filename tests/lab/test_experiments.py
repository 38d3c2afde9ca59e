"""Files of experiments: what is read from them, and that a missing or damaged one is refused in a sentence."""

import json
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.result_files import to_json
from benchmarks.verdict_rules import difference, larger, make_claim
from embeddings import shelf
from embeddings.errors import FormatError, MissingFileError
from embeddings.lab import NAMES, experiment_files, read_experiment
from embeddings.lab.experiment import Column, Drawing, Experiment, Measured, Series, Table
from embeddings.lab.experiment_files import parse

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results"
FILES = [name for name in NAMES if name != "pretraining"]
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
        make_claim("own_state_best", difference, {"gain": None, "standard_error": None}),
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


def verdicts(experiment):
    """Verdicts by claim."""
    return {claim.name: claim.verdict for claim in experiment.claims}


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


@pytest.mark.parametrize("name", FILES)
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


@pytest.fixture
def stand(monkeypatch, tmp_path):
    """Put networks on the shelf of the experiment on pretraining, each with its card."""
    module = import_module("embeddings.lab.card_curves")

    def put(**cards):
        entries = tuple(shelf.Entry(name, "network", "bert", "en", tmp_path) for name in cards)
        monkeypatch.setattr(module, "list_models", lambda: entries)
        monkeypatch.setattr(module, "read_card", lambda entry: cards[entry.name])

    return put


def card_of(*losses):
    """A card whose curve has these losses."""
    curve = [
        {"tokens": 1e6 * (n + 1), "heldout_mlm_loss": loss, "heldout_sentence_accuracy": 0.5}
        for n, loss in enumerate(losses)
    ]
    scores = {"heldout_mlm_loss": 4.0, "heldout_sentence_accuracy_en": 0.86}
    return {"curve": curve, "scores": scores, "settings": {"training": {"objective": "nsp"}}}


def test_a_damaged_curve_of_a_card_is_still_refused(stand):
    card = card_of(6.0, 5.0, 4.0)
    card["curve"][1]["heldout_sentence_accuracy"] = "much"
    stand(mine=card)
    with pytest.raises(FormatError, match=r"curve\[1\]\.heldout_sentence_accuracy"):
        read_experiment("pretraining")


def test_networks_bring_their_curves_from_their_cards(stand):
    stand(mine=card_of(7.0, 6.0, 5.0, 4.5))
    experiment = read_experiment("pretraining")
    assert verdicts(experiment) == {"still_falling": "yes", "nsp_learned": "yes"}
    falling, learned = experiment.claims
    assert dict(falling.fields) == {"network": "mine", "fell": Measured(0.5, 2)}
    assert learned.ours == 86
    assert read_experiment("pretraining").drawings[0].series[0].x == (1, 2, 3, 4)
    stand()
    with pytest.raises(MissingFileError, match="build_networks"):
        read_experiment("pretraining")


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
