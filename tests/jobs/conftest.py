"""A home of its own for each test, and commands that are small enough to be repeated."""

import pytest

from embeddings.jobs import control
from embeddings.jobs.job_folder import jobs


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty KLYUCH_HOME; whatever still runs in it afterwards is killed."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("KLYUCH_HOME", str(folder))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    yield folder
    for job in jobs():
        if job.is_alive:
            control.cancel(job.job_id, kill=True)
            control.wait(job.job_id, 20)


@pytest.fixture
def text(tmp_path):
    """A text of few words, long enough for several passes."""
    path = tmp_path / "farm.txt"
    lines = ["the cat sees the dog in the yard", "a dog sees a cat and runs", "the yard has a cat"]
    path.write_text("\n".join(lines * 40) + "\n", encoding="utf-8")
    return path
