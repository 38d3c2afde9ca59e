"""The address of a training names it from the start: it shows it again when it has ended."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from app.views.sections import train_jobs
from embeddings.results.jobs import Job

MAIN = str(Path(__file__).resolve().parents[2] / "app/main.py")


def test_a_training_that_runs_stands_in_the_address(monkeypatch, tmp_path):
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    named = ("20260101-120000-abcd", "farm", "skipgram", "en", "farm", "farm")
    running = Job(*named, "2026-01-01T12:00:00+00:00", (), 6, tmp_path, "running")
    monkeypatch.setattr(train_jobs, "jobs", lambda: (running,))
    app = AppTest.from_file(MAIN, default_timeout=60)
    app.query_params.update({"lang": "en", "text": "en"})
    app.run()
    app.switch_page("views/train.py").run()
    assert app.selectbox(key="train_job").value == running.job_id
    assert app.query_params["train_job"] == running.job_id
    app.selectbox(key="train_job").set_value("new").run()
    assert app.query_params["train_job"] == "new"
