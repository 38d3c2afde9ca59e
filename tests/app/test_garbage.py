"""Collections of garbage: what libraries brought is left out of them, what pages leave is not."""

import gc
import sys
import weakref

import pytest

from app import garbage


@pytest.fixture(autouse=True)
def unfrozen(monkeypatch):
    monkeypatch.setattr(garbage, "_frozen_modules", 0)
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
