"""Files of experiments: what is read from them, and that a missing or damaged one is refused in a sentence."""

import json
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from embeddings import shelf
from embeddings.errors import FormatError, InputError, KlyuchError, MissingFileError
from embeddings.lab import NAMES, experiment_files, read_experiment, read_measurements
from embeddings.lab.experiment_files import DamagedExperimentError, parse, to_json
from embeddings.lab.verdict_rules import difference, larger, make_claim
from embeddings.results.experiment import (
    Column,
    Drawing,
    Experiment,
    Measured,
    Series,
    Table,
)
from embeddings.shelf import locations

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
    (Drawing("curves", "lines", "steps", "loss", (Series("a", (1, 2), (3.0, None)),), 1.0, True),),
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
    assert read_measurements("senses") == {"raw": [1, {"deep": None}]}


@pytest.mark.parametrize("typed", ["no", "partly", "open", "probably", ""])
def test_a_typed_in_verdict_that_contradicts_its_numbers_is_refused(results, typed):
    value = to_json(SMALL, {})
    value["claims"][0]["verdict"] = typed
    results(senses=value)
    with pytest.raises(FormatError, match=r"senses.json is damaged at claims\[0\]\.verdict"):
        read_experiment("senses")


def test_numbers_that_give_another_verdict_are_refused_too(results):
    value = to_json(SMALL, {})
    value["claims"][0]["numbers"]["first"] = 1.0
    results(senses=value)
    with pytest.raises(FormatError, match=r"damaged at claims\[0\]\.verdict"):
        read_experiment("senses")


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda v: v["claims"][0].update(rule="told"), r"claims\[0\]\.numbers"),
        (lambda v: v["claims"][0]["numbers"].pop("second"), r"claims\[0\]\.numbers"),
        (lambda v: v["claims"][0]["numbers"].update(first="3"), r"claims\[0\]\.numbers\.first"),
        (lambda v: v["claims"][0].pop("verdict"), r"claims\[0\]\.verdict"),
        (lambda v: v["tables"][0]["rows"][1].pop(), r"tables\[0\]\.rows\[1\]"),
        (lambda v: v["tables"][0]["rows"][1].append({}), r"tables\[0\]\.rows\[1\]\[2\]"),
        (lambda v: v["drawings"][0]["series"][0]["x"].pop(), r"drawings\[0\]\.series\[0\]"),
        (lambda v: v["drawings"][0].update(kind="cakes"), r"drawings\[0\]\.kind"),
        (lambda v: v.update(seconds=float("inf")), "seconds"),
        (lambda v: v.update(seconds=True), "seconds"),
        (lambda v: v.update(measurements=[]), "measurements"),
        (lambda v: v.pop("question"), "question"),
        (lambda v: v.update(question="\ud800"), "question"),
        (lambda v: v.update(name="static"), "name"),
        (lambda v: v.update(commands=[]), "commands"),
        (lambda v: v["tables"].append(v["tables"][0]), r"tables\[1\]\.name"),
        (lambda v: v["drawings"].append(v["drawings"][0]), r"drawings\[1\]\.name"),
        (
            lambda v: v["tables"][0]["columns"][1].update(name="name"),
            r"tables\[0\]\.columns\[1\]\.name",
        ),
        (
            lambda v: v["tables"][0]["columns"][1].update(kind="colour"),
            r"tables\[0\]\.columns\[1\]\.kind",
        ),
        (lambda v: v["tables"][0]["rows"][1].__setitem__(1, "1"), r"tables\[0\]\.rows\[1\]\[1\]"),
        (lambda v: v["tables"][0]["rows"][1].__setitem__(0, 1), r"tables\[0\]\.rows\[1\]\[0\]"),
        (
            lambda v: v["drawings"][0]["series"][0].update(x=[1, "a"]),
            r"drawings\[0\]\.series\[0\]\.x\[1\]",
        ),
        (
            lambda v: v["drawings"][0]["series"][0].update(x=[1, None]),
            r"drawings\[0\]\.series\[0\]\.x\[1\]",
        ),
        (lambda v: v["drawings"][0].update(kind="bars"), r"drawings\[0\]\.series\[0\]\.x\[0\]"),
        (lambda v: v["claims"][0]["numbers"].update(least=[1]), r"claims\[0\]\.numbers"),
        (
            lambda v: v["claims"][1].update(numbers={"gain": 0.1, "standard_error": -1}),
            r"claims\[1\]\.numbers",
        ),
    ],
)
def test_damage_is_refused_by_its_place(results, change, place):
    value = to_json(SMALL, {"raw": 1})
    change(value)
    results(senses=value)
    with pytest.raises(FormatError, match=rf"damaged at {place}: .* Make it again"):
        read_experiment("senses")


@pytest.mark.parametrize("name", ["self", "key", "two words", ""])
def test_a_field_that_no_sentence_can_name_is_refused(results, name):
    value = to_json(SMALL, {})
    value["claims"][0]["fields"][name] = "en"
    results(senses=value)
    with pytest.raises(FormatError, match=r"damaged at claims\[0\]\.fields:"):
        read_experiment("senses")


@pytest.mark.parametrize("digits", [-3, 11, 10**9])
def test_digits_that_cannot_be_written_are_refused(results, digits):
    for place, change in (
        (r"tables\[0\]\.columns\[1\]", lambda v: v["tables"][0]["columns"][1]),
        (r"claims\[0\]\.fields\.ahead", lambda v: v["claims"][0]["fields"]["ahead"]),
    ):
        value = to_json(SMALL, {})
        change(value)["digits"] = digits
        results(senses=value)
        with pytest.raises(FormatError, match=rf"damaged at {place}\.digits:"):
            read_experiment("senses")


def test_a_file_past_all_bounds_is_not_read(results, monkeypatch):
    results(senses=to_json(SMALL, {}))
    monkeypatch.setattr(experiment_files, "LARGEST", 100)
    with pytest.raises(FormatError, match=r"senses.json is damaged"):
        read_experiment("senses")


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_names_the_command_that_makes_it(results, name):
    with pytest.raises(
        MissingFileError, match=r"has not been run yet.*Run it: .*(benchmarks|klyuch)"
    ):
        read_experiment(name)


def test_an_unknown_experiment_is_refused():
    with pytest.raises(InputError, match="experiment=nothing is not known"):
        read_experiment("nothing")


@pytest.mark.parametrize("content", ["", "{", "[" * 100_000, "[]", '{"claims": 1}', '{"name": []}'])
def test_what_is_no_result_is_refused(results, tmp_path, content):
    (tmp_path / "warm_start.json").write_text(content, encoding="utf-8")
    with pytest.raises(FormatError, match=r"warm_start.json is damaged at .* Make it again"):
        read_experiment("warm_start")


def places(value, path=()):
    """Ways to everything in a JSON value, the first three of a list standing for all."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value[:3])
    for key, inner in pairs:
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, key))


def test_a_damaged_value_anywhere_is_a_sentence_or_does_no_harm(results):
    value = to_json(SMALL, {"raw": [1]})
    for path in list(places(value)):
        inner = value
        for key in path[:-1]:
            inner = inner[key]
        whole = inner[path[-1]]
        for new in (None, "x", {}, 10**400):
            inner[path[-1]] = new
            results(senses=value)
            with suppress(KlyuchError):
                read_experiment("senses")
        inner[path[-1]] = whole
    results(senses={})
    with pytest.raises(FormatError, match=r"senses\.json is damaged"):
        read_experiment("senses")


def test_a_short_run_leaves_every_claim_open(results):
    results(senses=to_json(replace(SMALL, short=True), {}))
    experiment = read_experiment("senses")
    assert experiment.short
    assert verdicts(experiment) == {"network_helps": "open", "own_state_best": "open"}


@pytest.fixture
def stand(monkeypatch, tmp_path):
    """Put networks on the shelf of the experiment on pretraining, each with its card."""
    module = import_module("embeddings.lab.card_curves")

    def put(**cards):
        entries = tuple(shelf.Entry(name, "network", "bert", "en", tmp_path) for name in cards)
        monkeypatch.setattr(module, "list_models", lambda: entries)
        monkeypatch.setattr(module, "read_card", lambda entry: cards[entry.name])

    return put


def card_of(objective, *keys):
    """A card whose curve has the loss and further ``keys`` at its last two of three points."""
    curve = [{"tokens": 1e6 * (n + 1), "heldout_mlm_loss": 6.0 - n} for n in range(3)]
    for point in curve[1:]:
        point.update(dict.fromkeys(keys, 0.75))
    settings = {"training": {"objective": objective}}
    return {"curve": curve, "scores": {"heldout_mlm_loss": 4.0}, "settings": settings}


def test_a_network_that_told_no_neighbours_apart_leaves_the_others_their_drawing(stand):
    stand(first=card_of("none"), second=card_of("nsp", "heldout_sentence_accuracy"))
    found = read_experiment("pretraining")
    drawn = {d.name: {s.name: (s.x, s.y) for s in d.series} for d in found.drawings}
    assert drawn == {
        "losses": {name: ((1, 2, 3), (6, 5, 4)) for name in ("first", "second")},
        "sentences": {"second": ((2, 3), (75, 75))},
    }
    assert [row[0] for row in found.tables[0].rows] == ["first", "second"]


def test_networks_without_a_sentence_score_bring_no_drawing_of_it(stand):
    stand(alone=card_of("nsp"))
    found = read_experiment("pretraining")
    assert [drawing.name for drawing in found.drawings] == ["losses"]
    assert verdicts(read_experiment("pretraining"))["nsp_learned"] == "open"


def test_a_damaged_curve_of_a_card_is_still_refused(stand):
    card = card_of("nsp", "heldout_sentence_accuracy")
    card["curve"][1]["heldout_sentence_accuracy"] = "much"
    stand(mine=card)
    with pytest.raises(FormatError, match=r"curve\[1\]\.heldout_sentence_accuracy"):
        read_experiment("pretraining")


def test_networks_bring_their_curves_from_their_cards(monkeypatch, tmp_path):
    scores = {"heldout_mlm_loss": 4.0, "heldout_sentence_accuracy_en": 0.86}
    losses = (7.0, 6.0, 5.0, 4.5)
    curve = [
        {"tokens": 1e6 * (n + 1), "heldout_mlm_loss": loss, "heldout_sentence_accuracy": 0.5}
        for n, loss in enumerate(losses)
    ]
    card = {"curve": curve, "scores": scores, "settings": {"training": {"objective": "nsp"}}}
    entry = shelf.Entry("mine", "network", "bert", "en", tmp_path)
    module = import_module("embeddings.lab.card_curves")
    monkeypatch.setattr(module, "list_models", lambda: (entry,))
    monkeypatch.setattr(module, "read_card", lambda _: card)
    experiment = read_experiment("pretraining")
    assert verdicts(experiment) == {"still_falling": "yes", "nsp_learned": "yes"}
    falling, learned = experiment.claims
    assert dict(falling.fields) == {"network": "mine", "fell": Measured(0.5, 2)}
    assert learned.ours == 86
    assert read_experiment("pretraining").drawings[0].series[0].x == (1, 2, 3, 4)
    monkeypatch.setattr(module, "list_models", tuple)
    with pytest.raises(MissingFileError, match="build_networks"):
        read_experiment("pretraining")


def test_places_of_a_curve_grow(stand):
    card = card_of("nsp")
    card["curve"][2]["tokens"] = card["curve"][1]["tokens"]
    stand(mine=card)
    with pytest.raises(FormatError, match=r"mine/card.json is damaged at curve\[2\]\.tokens"):
        read_experiment("pretraining")


def test_a_curve_past_all_bounds_is_refused(stand, monkeypatch):
    monkeypatch.setattr(import_module("embeddings.lab.card_curves"), "LONGEST", 2)
    stand(mine=card_of("nsp"))
    with pytest.raises(FormatError, match=r"mine/card.json is damaged at curve:"):
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


def test_what_is_no_object_is_damaged():
    with pytest.raises(DamagedExperimentError):
        parse([1])


def test_a_wheel_brings_the_results_beside_its_models(monkeypatch, tmp_path):
    monkeypatch.setenv("KLYUCH_DATA", str(tmp_path))
    assert locations.experiments() == RESULTS
    (tmp_path / "experiments").mkdir()
    assert locations.experiments() == tmp_path / "experiments"
