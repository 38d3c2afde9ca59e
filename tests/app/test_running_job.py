"""Train: buttons of the fragment that shows a job run the whole page where the whole page changes."""

from types import SimpleNamespace

import pytest

from app.views.train import job_choice, running_job

PAGE = SimpleNamespace(say=None)


class WholePageError(Exception):
    """Raised in place of a rerun of the whole page."""


@pytest.fixture
def state(monkeypatch):
    values = {job_choice.JOB_KEY: "7"}

    def rerun():
        raise WholePageError

    def drawn(page, job):
        raise AssertionError("the job was drawn")

    monkeypatch.setattr(running_job.st, "session_state", values)
    monkeypatch.setattr(running_job.st, "rerun", rerun)
    monkeypatch.setattr(running_job, "_show_state", drawn)
    return values


def _job_is(monkeypatch, alive):
    monkeypatch.setattr(running_job, "find_job", lambda _: SimpleNamespace(is_alive=alive))


def test_train_another_leaves_the_job_that_is_shown(state, monkeypatch):
    _job_is(monkeypatch, alive=False)
    state[job_choice.JOB_KEY] = job_choice.NEW_JOB
    with pytest.raises(WholePageError):
        running_job._draw_job(PAGE, "7", (), False)


def test_a_resumed_job_is_refreshed_again(state, monkeypatch):
    _job_is(monkeypatch, alive=True)
    with pytest.raises(WholePageError):
        running_job._draw_job(PAGE, "7", (), False)


@pytest.mark.parametrize("alive", [True, False])
def test_the_chosen_job_is_drawn_without_another_run_of_the_page(state, monkeypatch, alive):
    _job_is(monkeypatch, alive)
    with pytest.raises(AssertionError, match="drawn"):
        running_job._draw_job(PAGE, "7", (), alive)
