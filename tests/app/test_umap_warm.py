"""UMAP is made ready in the background of a server, and nowhere else."""

import threading

import pytest

from app.loaders import word_answers


@pytest.mark.parametrize(("asked", "starts"), [(None, 0), ("0", 0), ("1", 1)])
def test_a_server_for_people_alone_makes_umap_ready(monkeypatch, asked, starts):
    started = []
    monkeypatch.setattr(word_answers, "_compile_umap", lambda: started.append(1))
    if asked is None:
        monkeypatch.delenv("KLYUCH_WARM", raising=False)
    else:
        monkeypatch.setenv("KLYUCH_WARM", asked)
    word_answers.warm_umap.clear()
    word_answers.warm_umap()
    for thread in threading.enumerate():
        if thread.name == "umap":
            thread.join(10)
    word_answers.warm_umap.clear()
    assert len(started) == starts
