"""``klyuch doctor`` says what is installed and what is wrong, in plain words and as JSON."""

import json
import os
from importlib.metadata import version

import numpy as np
import pytest

from embeddings import Vectors, diagnosis
from embeddings.vectors.formats import write_native


@pytest.fixture
def home(home, monkeypatch):
    """A home with one sound model, and nothing that ships."""
    monkeypatch.setattr(diagnosis, "LEAST_ROOM", 1)
    table = Vectors(["a", "b"], np.ones((2, 2), np.float32))
    write_native(table, home / "home" / "models" / "mine")
    return home / "home"


def told(run, *options):
    """Exit code and what is said as JSON."""
    ended = run("doctor", "--json", *options)
    return ended.code, json.loads(ended.out)


def test_a_sound_installation_has_no_problem(home, run):
    code, said = told(run)
    assert (code, said["problems"], said["own_models"], said["shipped_models"]) == (0, [], 1, 0)
    versions = {library["name"]: library["version"] for library in said["libraries"]}
    assert versions["numpy"] == version("numpy")
    assert said["devices"][0]["kind"] == "cpu"
    assert said["devices"][0]["memory"] == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert said["rooms"][0]["path"] == str(home)
    assert run("doctor").out.rstrip().endswith("Nothing is wrong.")
    assert not [path for path in home.rglob("*") if path.name[0] == "."]


def test_problems_are_named_with_the_way_out_and_the_exit_code_says_so(home, run):
    path = home / "models" / "mine" / "words.txt"
    path.write_text(path.read_text().replace("a", "c"))
    code, said = told(run)
    assert code == 1
    assert said["bad_files"] == [{"model": "mine", "name": "words.txt", "state": "changed"}]
    assert said["problems"] == [
        "The file words.txt of the model mine is not what its card says. Import or train that model again."
    ]
    assert told(run, "--no-checksums")[0] == 0
    (home / "models" / "broken").mkdir()
    (home / "models" / "broken" / "card.json").write_text("[")
    (home / "jobs" / "20260101-000000-ab").mkdir(parents=True)
    (home / "jobs" / "20260101-000000-ab" / "job.json").write_text('{"title": "t", "steps": []}')
    code, said = told(run, "--no-checksums")
    assert (code, said["jobs"], len(said["problems"])) == (1, {"interrupted": 1}, 2)
    (damaged,) = [one for one in said["problems"] if "broken" in one]
    assert damaged.startswith("The model broken cannot be used: ")
    assert damaged.endswith("klyuch models delete broken")
    assert any(one.startswith("1 job has been interrupted.") for one in said["problems"])


def test_little_room_and_no_models_are_problems(home, run, monkeypatch):
    monkeypatch.setattr(diagnosis, "LEAST_ROOM", 1 << 62)
    monkeypatch.setenv("KLYUCH_HOME", str(home / "empty"))
    code, said = told(run)
    assert code == 1
    assert [problem.split()[0] for problem in said["problems"]] == ["The", "The", "There"]
    assert "MB left" in said["problems"][0]


def test_a_folder_that_cannot_be_written_to_is_a_problem(run, monkeypatch, tmp_path):
    monkeypatch.setenv("KLYUCH_HOME", "/proc/klyuch")  # nobody can write there, root included
    code, said = told(run, "--no-checksums")
    assert code == 1
    assert said["problems"][0].startswith("/proc/klyuch cannot be written to")
