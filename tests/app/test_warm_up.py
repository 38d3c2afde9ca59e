"""The server opens the models of its first page after its start."""

import json
import os
import re
import subprocess
import sys
import threading

import pytest

from app import shelf_models, warm_up
from app.widgets.network_inputs import by_language
from app.wording import TEXT_LANGUAGES
from embeddings.analysis import umap_process
from tests.app.visits import calls_of, forget_answers
from tests.app.wording_keys import ROOT


@pytest.fixture
def without_kernels(monkeypatch):
    """Compile nothing, and have memory."""
    monkeypatch.setattr(warm_up, "compile_umap", lambda: None)
    monkeypatch.setattr(warm_up, "free_memory", lambda: None)


def test_the_models_of_the_first_page_are_open_afterwards(
    small_shelf, without_kernels, logged, caplog
):
    forget_answers()
    warm_up.warm_up()
    lines = logged()
    assert {line["language"] for line in lines if line["event"] == "warmed"} == set(TEXT_LANGUAGES)
    assert "static" in [line["kind"] for line in lines if line["event"] == "opened"]
    caplog.clear()
    warm_up.open_models("en")
    here = threading.current_thread().name  # other threads may still open what they were asked for
    own = [json.loads(record.message) for record in caplog.records if record.threadName == here]
    assert "opened" not in [line["event"] for line in own]


def test_the_network_of_contexts_is_open_afterwards_in_the_first_language_alone(
    networks, without_kernels, monkeypatch, logged
):
    forget_answers()
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    opened = calls_of(monkeypatch, "app.warm_up.open_contexts")
    warm_up.warm_up()
    assert [call.arguments for call in opened] == [("de",)]
    before = logged()
    shelf_models.reader(by_language(shelf_models.networks(), "de")[0])
    assert "network" in [line.get("kind") for line in before if line["event"] == "opened"]
    assert logged() == before


@pytest.mark.parametrize(("setting", "starts"), [(None, 1), ("1", 1), ("0", 0)])
def test_a_server_warms_up_once_unless_it_is_told_not_to(monkeypatch, setting, starts):
    started = []
    monkeypatch.setattr(warm_up, "warm_up", lambda: started.append(1))
    monkeypatch.delenv(warm_up.WARM, raising=False)
    if setting is not None:
        monkeypatch.setenv(warm_up.WARM, setting)
    warm_up.start_once.cache_clear()
    warm_up.start_once()
    warm_up.start_once()
    warm_up.start_once.cache_clear()
    for thread in threading.enumerate():
        if thread.name == "warm-up":
            thread.join(10)
    assert len(started) == starts


def test_little_memory_ends_it_before_a_model_is_opened(without_kernels, monkeypatch, logged):
    monkeypatch.setattr(warm_up, "free_memory", lambda: warm_up.MIN_FREE_BYTES - 1)
    monkeypatch.setattr(warm_up, "open_models", lambda _: pytest.fail("opened"))
    warm_up.warm_up()
    assert [line["event"] for line in logged()] == ["warm_up_ended"]


def test_a_language_that_fails_is_an_event_and_the_others_follow(
    without_kernels, monkeypatch, logged
):
    def refuse(language):
        if language == "de":
            raise OSError(language)

    monkeypatch.setattr(warm_up, "open_models", refuse)
    warm_up.warm_up()
    lines = logged()
    failed = [line for line in lines if line["event"] == "warm_up_failed"]
    assert [(line["language"], line["error"]) for line in failed] == [("de", "OSError")]
    assert len([line for line in lines if line["event"] == "warmed"]) == len(TEXT_LANGUAGES)


def test_umap_is_compiled_in_a_process_of_its_own_where_it_is_installed(monkeypatch):
    asked = []
    monkeypatch.setattr(umap_process, "umap_apart", lambda *request: asked.append(request))
    warm_up.compile_umap()
    ((rows, dimensions, seed),) = asked
    assert (rows.shape, dimensions, seed) == ((40, 16), 2, 1)


# A server gives memory back: a large array that is freed between two that live leaves its pages


CODE = """
import os
import numpy as np
from benchmarks.servers import memory_of

np.ones(30 << 20, np.uint8)  # freed: by itself glibc would put what is smaller into its heap from now on
arrays = [np.ones(24 << 20, np.uint8) for _ in range(10)]
before = memory_of(os.getpid())
del arrays[:-1:2]
print((before - memory_of(os.getpid())) >> 20)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the C library of Linux")
def test_a_large_array_freed_between_two_that_live_is_given_back_at_once():
    bounds = dict(re.findall(r"(MALLOC_\w+)=(\d+)", (ROOT / "Procfile").read_text()))
    assert len(bounds) == 2
    for name in ("Dockerfile", "Makefile"):
        assert bounds == dict(re.findall(r"(MALLOC_\w+)=(\d+)", (ROOT / name).read_text()))
    plain = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    command = [sys.executable, "-c", CODE]
    given_back = subprocess.check_output(command, text=True, env={**plain, **bounds})
    assert int(given_back) >= 5 * 24 - 2
