"""Files of results: what is read from them, and that a missing or damaged one is a sentence."""

import json
from contextlib import suppress
from importlib import import_module

import pytest

from embeddings import shelf
from embeddings.errors import FormatError, InputError, KlyuchError, MissingFileError
from embeddings.lab import NAMES, read_experiment, result_files
from embeddings.lab.result_files import Curve, Told, read_curve
from tests.lab.verdicts import READ, RESULTS, by_claim


def test_a_curve_is_straight_between_its_points():
    curve = Curve((0, 10, 20), (8, 4, 2))
    assert curve.at(15) == 3
    assert curve.falls_to(5) == 7.5
    assert curve.falls_to(9) == 0
    assert curve.falls_to(1) is None


def test_places_of_a_curve_grow():
    points = [{"tokens": 2, "loss": 1.0}, {"tokens": 2, "loss": 1.0}]
    with pytest.raises(FormatError, match=r"damaged at \[1\]\.tokens"):
        read_curve(Told(points, "f.json", "make it"), "tokens", "loss")


@pytest.mark.parametrize("name", READ)
def test_a_missing_file_names_the_command_that_makes_it(results, name):
    with pytest.raises(
        MissingFileError, match=r"has not been run yet.*Run it: .*(benchmarks|klyuch)"
    ):
        read_experiment(name)


def test_an_unknown_experiment_is_refused():
    with pytest.raises(InputError, match="experiment=nothing is not known"):
        read_experiment("nothing")


@pytest.mark.parametrize("content", ["", "{", "[" * 100_000, "[]", '{"arms": 1}', '{"arms": []}'])
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


RUN = [
    (name, file)
    for name, files in READ.items()
    for file in files
    if all((RESULTS / f"{one}.json").exists() for one in files)
]


@pytest.mark.parametrize(("name", "file"), RUN)
def test_a_damaged_value_anywhere_is_a_sentence_or_does_no_harm(results, name, file):
    files = {one: json.loads((RESULTS / f"{one}.json").read_text("utf-8")) for one in READ[name]}
    results(**files)
    value = files[file]
    ways = list(places(value))
    for path in ways[:: max(1, len(ways) // 24)]:
        inner = value
        for key in path[:-1]:
            inner = inner[key]
        whole = inner[path[-1]]
        for new in (None, "x", {}, 10**400):
            inner[path[-1]] = new
            results(**{file: value})
            with suppress(KlyuchError):
                read_experiment(name)
        inner[path[-1]] = whole
    results(**{file: {}})
    with pytest.raises(FormatError, match=rf"{file}\.json is damaged"):
        read_experiment(name)


@pytest.fixture
def stand(monkeypatch, tmp_path):
    """Put networks on the shelf of the experiment on pretraining, each with its card."""
    module = import_module("embeddings.lab.pretraining_curves")

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
    assert by_claim("pretraining")[0]["nsp_learned"] == "open"


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
    module = import_module("embeddings.lab.pretraining_curves")
    monkeypatch.setattr(module, "list_models", lambda: (entry,))
    monkeypatch.setattr(module, "read_card", lambda _: card)
    outcomes, numbers = by_claim("pretraining")
    assert outcomes == {"still_falling": "yes", "nsp_learned": "yes"}
    assert numbers["still_falling"] == {"network": "mine", "fell": 0.5}
    assert numbers["nsp_learned"]["accuracy"] == 86
    assert read_experiment("pretraining").drawings[0].series[0].x == (1, 2, 3, 4)
    monkeypatch.setattr(module, "list_models", tuple)
    with pytest.raises(MissingFileError, match="build_networks"):
        read_experiment("pretraining")


def test_every_experiment_that_was_run_can_be_read():
    for name in NAMES:
        try:
            found = read_experiment(name)
        except MissingFileError:
            continue
        assert found.tables
        assert found.commands
        for table in found.tables:
            assert all(len(row) == len(table.columns) for row in table.rows)
        for drawing in found.drawings:
            assert all(len(series.x) == len(series.y) for series in drawing.series)


def test_a_wheel_brings_the_results_beside_its_models(monkeypatch, tmp_path):
    monkeypatch.setenv("KLYUCH_DATA", str(tmp_path))
    assert result_files.folder() == tmp_path.parent / "benchmarks" / "results"
    (tmp_path / "experiments").mkdir()
    assert result_files.folder() == tmp_path / "experiments"
