"""``klyuch doctor`` says what is installed and what is wrong, in plain words and as JSON."""

import json
import os
from importlib.metadata import version

import numpy as np
import pytest

from embeddings import Vectors, diagnosis
from embeddings.vectors.formats import write_native


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home with one sound model, and nothing that ships."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KLYUCH_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(diagnosis, "LEAST_ROOM", 1)
    table = Vectors(["a", "b"], np.ones((2, 2), np.float32))
    write_native(table, tmp_path / "home" / "models" / "mine")
    return tmp_path / "home"


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


def test_a_changed_file_is_named_and_the_exit_code_says_so(home, run):
    path = home / "models" / "mine" / "words.txt"
    path.write_text(path.read_text().replace("a", "c"))
    code, said = told(run)
    assert code == 1
    assert said["bad_files"] == [{"model": "mine", "name": "words.txt", "state": "changed"}]
    assert said["problems"] == [
        "The file words.txt of the model mine is not what its card says. Import or train that model again."
    ]
    assert told(run, "--no-checksums")[0] == 0


def test_a_damaged_card_is_named_with_the_way_out(home, run):
    (home / "models" / "broken").mkdir()
    (home / "models" / "broken" / "card.json").write_text("[")
    code, said = told(run)
    assert code == 1
    assert said["problems"][0].startswith("The model broken cannot be used: ")
    assert said["problems"][0].endswith("klyuch models delete broken")


def test_an_interrupted_job_is_a_problem(home, run):
    job = home / "jobs" / "20260101-000000-ab"
    job.mkdir(parents=True)
    (job / "job.json").write_text('{"title": "t", "steps": []}')
    code, said = told(run)
    assert (code, said["jobs"]) == (1, {"interrupted": 1})
    assert said["problems"][0].startswith("1 job has been interrupted.")


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
