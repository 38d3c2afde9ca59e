"""``klyuch lab``: experiments listed and shown; one that was not run, and a name that is none."""

import json

import pytest

from embeddings.cli import build
from embeddings.errors import InputError, MissingFileError
from embeddings.library.experiments import NAMES, read_experiment, told


def run(*arguments):
    build()(["lab", *arguments], standalone_mode=False)


def test_all_experiments_are_listed_with_their_commands(capsys):
    run("list", "--json")
    rows = json.loads(capsys.readouterr().out)
    assert [row["experiment"] for row in rows] == list(NAMES)
    by = {row["experiment"]: row for row in rows}
    assert by["warm_start"]["run"] == "yes"
    assert by["warm_start"]["command"] == "\n".join(read_experiment("warm_start").commands)


def test_an_experiment_is_shown_as_json_in_full(capsys):
    run("show", "warm_start", "--json")
    shown = json.loads(capsys.readouterr().out)
    found = read_experiment("warm_start")
    assert shown["tables"][0]["rows"] == [list(row) for row in found.tables[0].rows]
    assert [one["outcome"] for one in shown["verdicts"]] == ["yes", "yes"]


def test_an_experiment_is_shown_as_tables(capsys):
    run("show", "static")
    printed = capsys.readouterr().out
    assert "glove_ahead" in printed
    assert "en-skip" in printed


def test_what_was_not_run_is_listed_with_the_way_and_refused_when_asked_for(
    monkeypatch, tmp_path, capsys
):
    monkeypatch.setattr(told, "folder", lambda: tmp_path)
    run("list", "--json")
    by = {row["experiment"]: row for row in json.loads(capsys.readouterr().out)}
    assert by["depth"]["run"] == "no"
    assert "python -m benchmarks.depth" in by["depth"]["command"]
    with pytest.raises(MissingFileError, match=r"python -m benchmarks\.depth"):
        run("show", "depth")


def test_an_unknown_experiment_is_refused():
    with pytest.raises(InputError, match="Choose one of: warm_start"):
        run("show", "nothing")
