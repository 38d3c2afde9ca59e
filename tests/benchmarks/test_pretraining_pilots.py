"""Pilots: runs that are complete are taken in, others of the same name are refused, claims are computed from the scores."""

import json

import pytest

from benchmarks import pretraining_pilots as pilots
from benchmarks.pretraining_pilots import PILOTS, Pilot, costs, pilots_experiment
from embeddings.lab.experiment_files import parse, to_json


def write_run(work, pilot, **changed):
    """A folder as a complete run leaves it, without weights."""
    from dataclasses import asdict, replace

    run = work / pilot.name
    (run / "model").mkdir(parents=True)
    training = {**asdict(pilot.config), "objective": pilot.config.objective or "nsp", **changed}
    del training["cooldown"]  # of a run that began before there was one
    sizes = asdict(replace(pilots.NETWORK, **pilot.network, vocab_size=16000))
    card = {
        "complete": True,
        "settings": {"training": training, "network": sizes},
        "tokens_seen": 4_800_000,
        "scores": {"heldout_mlm_loss": 4.0, "heldout_sentence_accuracy": 0.5},
    }
    (run / "model" / "card.json").write_text(json.dumps(card), encoding="utf-8")
    points = [
        {"step": 50, "tokens": 200_000, "mlm_loss": 6.0},
        {"step": 300, "tokens": 1_200_000, "heldout_mlm_loss": 5.5},
        {"step": 600, "tokens": 2_400_000, "heldout_mlm_loss": 5.0},
        {"step": 600, "tokens": 2_400_000, "heldout_mlm_loss": 4.9},  # resumed, made again
    ]
    text = "".join(json.dumps(point) + "\n" for point in points)
    (run / "progress.jsonl").write_text(text, encoding="utf-8")
    return run


def test_names_are_unique_and_each_pilot_differs_from_the_others():
    settings = [(p.config, tuple(p.network.items()), p.fills) for p in PILOTS]
    assert len({pilot.name for pilot in PILOTS}) == len(PILOTS)
    assert all(settings.count(one) == 1 for one in settings)


@pytest.mark.parametrize("pilot", PILOTS, ids=lambda pilot: pilot.name)
def test_a_complete_run_of_the_same_settings_is_taken_in(tmp_path, pilot):
    run = write_run(tmp_path, pilot)
    assert pilots.is_complete(run)
    pilots.check_settings(pilot, run)


@pytest.mark.parametrize("changed", [{"seed": 7}, {"mlm_probability": 0.2}, {"objective": "sop"}])
def test_a_run_of_other_settings_is_refused(tmp_path, changed):
    run = write_run(tmp_path, PILOTS[0], **changed)
    with pytest.raises(SystemExit, match=f"other settings: {next(iter(changed))}"):
        pilots.check_settings(PILOTS[0], run)


def test_a_run_of_another_depth_is_refused(tmp_path):
    deep = next(pilot for pilot in PILOTS if pilot.network)
    run = write_run(tmp_path, Pilot(deep.name, deep.training))
    with pytest.raises(SystemExit, match="num_hidden_layers"):
        pilots.check_settings(deep, run)


def test_a_run_that_was_stopped_is_not_complete(tmp_path):
    run = write_run(tmp_path, PILOTS[0])
    card = json.loads((run / "model" / "card.json").read_text(encoding="utf-8"))
    (run / "model" / "card.json").write_text(json.dumps(card | {"complete": False}))
    assert not pilots.is_complete(run)
    assert not pilots.is_complete(tmp_path / "nowhere")


def test_costs_of_several_sittings_are_added(tmp_path):
    lines = [
        {"name": "adamw", "parameters": 7, "wall": 10.0, "cpu": 5.0},
        {"name": "adamw", "parameters": 7, "wall": 2.5, "cpu": 1.0},
        {"name": "muon", "parameters": 7, "wall": 1.0, "cpu": 1.0},
    ]
    (tmp_path / "results.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert costs(tmp_path)["adamw"] == {"parameters": 7, "wall": 12.5, "cpu": 6.0}
    assert costs(tmp_path / "nowhere") == {}


def measured(tmp_path, name, **short):
    """A pilot's measurements with made-up scores of short sentences."""
    pilot = next(pilot for pilot in PILOTS if pilot.name == name)
    write_run(tmp_path, pilot)
    blanks = {"top1": 0.04, "top5": 0.1, "loss": 6.8, "copies": 0.2, "covered": 600, **short}
    parts = {
        "short_en": blanks | {"total": 900},
        "blimp_en": {"accuracy": 0.6, "standard_error": 0.01, "total": 2000},
    }
    return pilots.measured_pilot(pilot, tmp_path, parts)


def test_claims_compare_two_pilots_with_the_error_of_both(tmp_path):
    runs = [
        measured(tmp_path, "adamw2e-3", copies=0.25),
        measured(tmp_path, "muon3e-3", copies=0.15, top1=0.05),
        measured(tmp_path, "mask15m", top1=0.045),
    ]
    experiment = pilots_experiment({"command": "c", "pilots": runs})
    claims = {claim.name: claim for claim in experiment.claims}
    copies = claims["pilot_fewer_copies_muon"]
    error = 100 * (0.25 * 0.75 / 600 + 0.15 * 0.85 / 600) ** 0.5
    assert copies.verdict == "yes"
    assert dict(copies.numbers) == pytest.approx({"gain": 10, "standard_error": error})
    assert claims["pilot_mask_15"].verdict == "open"  # half a point, standard error 1.2
    assert claims["pilot_muon"].verdict == "open"  # equal
    assert "pilot_single_sentences" not in claims  # not run
    assert parse(json.loads(json.dumps(to_json(experiment, {}))))[0] == experiment


def test_a_pilot_without_sentence_pairs_has_no_nsp_accuracy_and_curves_have_each_step_once(
    tmp_path,
):
    run = measured(tmp_path, "sent1m")
    assert "heldout_sentence_accuracy" not in run["scores"]
    assert measured(tmp_path, "muon")["scores"]["heldout_sentence_accuracy"] == 0.5
    assert run["curve"] == [[1.2, 5.5], [2.4, 4.9]]


def test_pilots_of_an_earlier_result_stay_with_their_commit_and_new_ones_take_their_place(tmp_path):
    def made(name, **more):
        return {"name": name, "wall_seconds": 1.0, **more}

    file = tmp_path / "results.json"
    assert pilots.with_earlier([made("muon")], file) == [made("muon")]
    earlier = [made("adamw"), made("muon", commit="a0", created="2026-11-01")]
    head = {"commit": "b1", "created": "2026-11-02"}
    file.write_text(json.dumps({"measurements": head | {"pilots": earlier}}), encoding="utf-8")
    assert pilots.with_earlier([made("mask40m")], file) == [
        made("adamw", **head),
        made("muon", commit="a0", created="2026-11-01"),
        made("mask40m"),
    ]
    assert pilots.with_earlier([made("muon", tokens=5)], file)[1] == made("muon", tokens=5)
