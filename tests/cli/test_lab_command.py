"""``klyuch lab``: experiments listed and shown; one that was not run, and a name that is none."""

import json

from embeddings.lab import NAMES, experiment_files, read_experiment


def test_all_experiments_are_listed_with_their_commands(run):
    code, out, _ = run("lab", "list", "--json")
    assert code == 0
    rows = json.loads(out)
    assert [row["experiment"] for row in rows] == list(NAMES)
    by = {row["experiment"]: row for row in rows}
    assert by["warm_start"]["run"] == "yes"
    assert by["warm_start"]["command"] == "\n".join(read_experiment("warm_start").commands)


def test_an_experiment_is_shown_as_json_in_full(run):
    code, out, _ = run("lab", "show", "warm_start", "--json")
    assert code == 0
    shown = json.loads(out)
    found = read_experiment("warm_start")
    assert shown["tables"][0]["rows"] == [list(row) for row in found.tables[0].rows]
    assert [claim["verdict"] for claim in shown["claims"]] == ["yes", "yes"]


def test_an_experiment_is_shown_as_tables(run):
    code, printed, _ = run("lab", "show", "static")
    assert code == 0
    assert "glove_ahead" in printed
    assert "en-skip" in printed


def test_what_was_not_run_is_listed_with_the_way_and_refused_when_asked_for(
    run, monkeypatch, tmp_path
):
    monkeypatch.setattr(experiment_files, "experiments", lambda: tmp_path)
    code, out, _ = run("lab", "list", "--json")
    assert code == 0
    by = {row["experiment"]: row for row in json.loads(out)}
    assert by["depth"]["run"] == "no"
    assert "python -m benchmarks.research.depth" in by["depth"]["command"]
    code, out, err = run("lab", "show", "depth")
    assert (code, out) == (2, "")
    assert "python -m benchmarks.research.depth" in err


def test_an_unknown_experiment_is_refused(run):
    code, out, err = run("lab", "show", "nothing")
    assert (code, out) == (2, "")
    assert "Choose one of: warm_start" in err
