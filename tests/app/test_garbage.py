"""Collections of garbage: what libraries brought is left out of them, what pages leave is not."""

import gc
import sys
import tomllib
import weakref

import pytest

from app import garbage
from tests.app.conftest import ROOT


@pytest.fixture(autouse=True)
def unfrozen(monkeypatch):
    monkeypatch.setattr(garbage, "_frozen_modules", 0)
    monkeypatch.setattr(garbage, "_collected", -garbage.EVERY)
    yield
    gc.unfreeze()


class Cycle:
    def __init__(self):
        self.itself = self


def test_after_many_imports_what_lives_is_left_out_of_collections():
    kept = [Cycle()]
    garbage.freeze_libraries()
    assert not any(value is kept[0] for value in gc.get_objects())
    assert gc.get_freeze_count() > 1000


def test_later_garbage_is_collected():
    garbage.freeze_libraries()
    later = weakref.ref(Cycle())
    gc.collect()
    assert later() is None


def test_garbage_is_collected_before_the_rest_is_frozen():
    gc.disable()
    try:
        earlier = weakref.ref(Cycle())
        garbage.freeze_libraries()
    finally:
        gc.enable()
    assert earlier() is None


def test_it_is_not_done_again_before_as_many_imports(monkeypatch):
    garbage.freeze_libraries()
    later = [Cycle()]
    garbage.freeze_libraries()
    assert any(value is later[0] for value in gc.get_objects())
    imported = len(sys.modules) - garbage.NEW_MODULES  # as if so many had come in since
    monkeypatch.setattr(garbage, "_frozen_modules", imported)
    garbage.freeze_libraries()
    assert not any(value is later[0] for value in gc.get_objects())


def test_what_pages_leave_is_collected_once_in_a_while_and_not_after_every_page(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(garbage.time, "monotonic", lambda: now[0])
    garbage.collect()
    left = weakref.ref(Cycle())
    gc.disable()
    try:
        now[0] += garbage.EVERY / 2
        garbage.collect()
        assert left() is not None
        now[0] += garbage.EVERY / 2
        garbage.collect()
        assert left() is None
    finally:
        gc.enable()


def test_streamlit_itself_collects_nothing():
    settings = tomllib.loads((ROOT / "app/.streamlit/config.toml").read_text(encoding="utf-8"))
    assert settings["runner"]["postScriptGC"] is False
