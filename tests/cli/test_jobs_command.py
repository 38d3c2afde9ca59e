"""``klyuch jobs``: started, listed, shown, cancelled, resumed, removed from the shell."""

import json
import time

import pytest

from embeddings.jobs import control
from embeddings.jobs.job_folder import jobs


@pytest.fixture
def klyuch(run, monkeypatch, tmp_path):
    """Run a command in a home of its own; return what it printed, as JSON where it can."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))

    def ask(*words):
        code, out, err = run("jobs", *words)
        if code:
            return err
        return json.loads(out) if "--json" in words else out

    yield ask
    for job in jobs():
        if job.is_alive:
            control.cancel(job.job_id, kill=True)
            control.wait(job.job_id, 20)


def test_a_command_goes_through_its_whole_life(klyuch, tmp_path):
    text = tmp_path / "a.txt"
    text.write_text("the cat sees the dog\n" * 50)
    command = ["word2vec", "train", str(text), "--output", str(tmp_path / "m"), "--epochs", "9000"]
    begun = klyuch("start", "--json", "--", *command, "--min-count", "1")
    job_id = begun["job"]
    assert begun["state"] in ("queued", "running")
    assert begun["passes"] == 9000
    assert "Cancel it first" in klyuch("remove", job_id)
    end = time.monotonic() + 120
    while not (shown := klyuch("show", job_id[:-2], "--json"))["progress"]:
        assert time.monotonic() < end, shown
        time.sleep(0.1)
    assert klyuch("cancel", job_id, "--kill", "--json")["state"] == "cancelled"
    assert "ended already" in klyuch("cancel", job_id)
    assert job_id[:15] in klyuch("list")
    assert [job["state"] for job in klyuch("list", "--json")] == ["cancelled"]
    assert "word2vec train" in klyuch("show", job_id)
    assert klyuch("resume", job_id, "--json")["state"] in ("queued", "running")
    klyuch("cancel", job_id, "--kill")
    assert klyuch("remove", job_id, "--json") == {"removed": job_id}
    assert "There are no jobs" in klyuch("list")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["show", "nothing"], "There is no job «nothing»"),
        (["resume", ""], "There is no job"),
        (["cancel", "../../etc"], "There is no job"),
        (["remove", "x"], "There is no job"),
        (["start", "--", "rm", "-rf", "x"], "cannot be run as a job"),
        (["start", "--", "jobs", "list"], "cannot be run as a job"),
        (["start", "--", "glove"], "cannot be run as a job"),
    ],
)
def test_what_cannot_be_done_is_a_sentence(klyuch, words, sentence):
    assert sentence in klyuch(*words)
