"""A home of its own for each test, and commands that are small enough to be repeated."""

import pytest


@pytest.fixture
def home(no_job_left, tmp_path, monkeypatch):
    """An empty KLYUCH_HOME; whatever still runs in it afterwards is killed."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("KLYUCH_HOME", str(folder))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    return folder


@pytest.fixture
def text(tmp_path):
    """A text of few words, long enough for several passes."""
    path = tmp_path / "farm.txt"
    lines = ["the cat sees the dog in the yard", "a dog sees a cat and runs", "the yard has a cat"]
    path.write_text("\n".join(lines * 40) + "\n", encoding="utf-8")
    return path
