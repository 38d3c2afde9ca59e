"""The address of a training names it from the start: it shows it again when it has ended."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.views.train import job_choice
from embeddings.results.trainings import Job

MAIN = str(Path(__file__).resolve().parents[2] / "app/main.py")


@pytest.fixture
def train(monkeypatch, tmp_path):
    """Open the page Train with one job of a state on its shelf: the app and the job."""

    def visit(state):
        monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
        named = ("20260101-120000-abcd", "farm", "skipgram", "en", "farm", "farm")
        job = Job(*named, "2026-01-01T12:00:00+00:00", (), 6, tmp_path, state)
        monkeypatch.setattr(job_choice, "jobs", lambda: (job,))
        app = AppTest.from_file(MAIN, default_timeout=60)
        app.query_params.update({"lang": "en", "text": "en"})
        return app.switch_page("views/train/train.py").run(), job

    return visit


def test_a_training_that_runs_stands_in_the_address(train):
    app, running = train("running")
    assert app.selectbox(key="train_job").value == running.job_id
    assert app.query_params["train_job"] == running.job_id
    app.selectbox(key="train_job").set_value("new").run()
    assert app.query_params["train_job"] == "new"


def test_a_training_on_the_shelf_lets_the_models_language_follow_the_screen_s(train):
    app, _ = train("cancelled")
    assert app.query_params["train_job"] == "new"
    app.segmented_control(key="lang").set_value("de").run()
    assert app.segmented_control(key="text").value == "de"
    app.query_params["train_window"] = "2"
    app.run()
    app.segmented_control(key="lang").set_value("ru").run()
    assert app.segmented_control(key="text").value == "de"  # now something is asked


def test_the_training_shown_stays_when_the_languages_change(train):
    app, job = train("running")
    app.selectbox(key="train_job").set_value("new").run()
    app.segmented_control(key="lang").set_value("de").run()
    assert app.segmented_control(key="text").value == "de"
    assert app.selectbox(key="train_job").value == "new"
    app.selectbox(key="train_job").set_value(job.job_id).run()
    app.segmented_control(key="text").set_value("ru").run()
    assert app.selectbox(key="train_job").value == job.job_id
