"""Heavy answers: computed once for all who ask the same at the same time, in a bounded pool, whose queue says everybody's place."""

import itertools
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app import answers
from app.answers import cached
from app.wording import wording
from embeddings.errors import InputError, KlyuchError

NUMBERS = itertools.count()
PATIENCE = 20  # seconds after which a test that waits has failed


class LeavingError(BaseException):
    """What Streamlit raises in the thread of somebody who has left or clicked elsewhere."""


class Person:
    """Somebody who asks in a thread of their own; ``places`` are what they were told."""

    def __init__(self, ask, *arguments):
        self.places, self.value, self.error = [], None, None
        self._told, self._leaves = threading.Condition(), False
        self.thread = threading.Thread(target=self._ask, args=(ask, arguments), daemon=True)
        self.thread.person = self
        self.thread.start()

    def _ask(self, ask, arguments):
        try:
            self.value = ask(*arguments)
        except BaseException as error:
            self.error = error

    def tell(self, before):
        with self._told:
            self.places.append(before)
            self._told.notify_all()
            if self._leaves:
                raise LeavingError

    def wait_for_place(self, before):
        with self._told:
            assert self._told.wait_for(lambda: self.places[-1:] == [before], PATIENCE), self.places

    def leave(self):
        self._leaves = True
        self.thread.join(PATIENCE)

    def outcome(self):
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()
        if self.error:
            raise self.error
        return self.value


@pytest.fixture
def queue(monkeypatch):
    """One worker, a queue for three; every thread of a `Person` is somebody's page."""
    name = f"answers-of-test-{next(NUMBERS)}"  # threads of other tests' pools are not taken for it
    monkeypatch.setattr(answers, "POOL_NAME", name)
    pool = ThreadPoolExecutor(1, name)

    @contextmanager
    def telling():
        yield threading.current_thread().person.tell

    monkeypatch.setattr(answers, "_pool", pool)
    monkeypatch.setattr(answers, "MAX_WAITING", 3)
    monkeypatch.setattr(answers, "LOOK", 0.01)
    monkeypatch.setattr(answers, "telling", telling)
    monkeypatch.setattr(answers, "script_run", lambda: "a run")
    yield
    pool.shutdown(wait=False)


class Work:
    """Computations that wait at a gate; ``begun`` and ``ended`` are which, in order; the first raise the ``errors``."""

    def __init__(self, *errors, **how):
        self.begun, self.ended, self.gates, self.errors = [], [], {}, list(errors)
        self.ask = cached(8, **how)(self._compute)

    def gate(self, name):
        return self.gates.setdefault(name, threading.Event())

    def _compute(self, name):
        self.begun.append(name)
        assert self.gate(name).wait(PATIENCE)
        if self.errors:
            raise self.errors.pop(0)
        self.ended.append(name)
        return [name]

    def asked_by_two(self):
        """Two who ask the same at the same time; the second waits for the first."""
        first = Person(self.ask, "a")
        while not self.begun:
            first.thread.join(0.01)
        second = Person(self.ask, "a")
        second.wait_for_place(None)
        self.open("a")
        return first, second

    def open(self, *names):
        for name in names:
            self.gate(name).set()


@pytest.fixture
def work(queue):
    work = Work(is_heavy=True)
    yield work
    work.open(*work.gates)


@pytest.mark.parametrize("is_heavy", [True, False])
def test_two_who_ask_the_same_at_the_same_time_get_one_computation(queue, is_heavy):
    work = Work(is_heavy=is_heavy)
    first, second = work.asked_by_two()
    assert first.outcome() is second.outcome()
    assert work.begun == ["a"]


def test_an_answer_for_soon_is_none_until_it_is_computed_once_for_all_who_ask(work):
    assert work.ask.soon("map") is None
    assert work.ask.soon("map") is None
    person = Person(work.ask, "map")
    work.open("map")
    value = person.outcome()
    assert work.ask.soon("map") is value
    assert work.begun == ["map"]


def test_who_waits_is_told_how_many_are_before_and_a_full_queue_refuses_and_loses_nothing(work):
    people = [Person(work.ask, "a")]
    people[0].wait_for_place(None)
    for before, name in enumerate("bcd"):
        people.append(Person(work.ask, name))
        people[-1].wait_for_place(before)
    with pytest.raises(InputError) as error:
        Person(work.ask, "e").outcome()
    assert (error.value.code, error.value.fields) == ("queue_full", {"waiting": 3})
    joins = Person(work.ask, "d")  # of what waits already there may be any number
    joins.wait_for_place(2)
    work.open("a")
    people[3].wait_for_place(1)
    work.open("b")
    people[3].wait_for_place(0)
    work.open("c", "d", "e")
    assert [person.outcome() for person in people] == [["a"], ["b"], ["c"], ["d"]]
    assert work.ended == ["a", "b", "c", "d"]  # in the order of asking
    assert joins.outcome() == ["d"]
    assert Person(work.ask, "e").outcome() == ["e"]


@pytest.fixture
def threads(monkeypatch):
    """Whether the system gives threads that compute answers; those of a `Person` it always gives."""
    given = {"answers": True}
    start = threading.Thread.start

    def start_if_given(thread):
        if thread.name.startswith(answers.POOL_NAME) and not given["answers"]:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_if_given)
    return given


def test_without_a_thread_to_compute_in_an_answer_is_refused_and_the_next_one_is_computed(
    work, threads
):
    threads["answers"] = False
    for _ in range(2):  # more often than there are workers
        with pytest.raises(InputError) as error:
            Person(work.ask, "a").outcome()
        assert (error.value.code, error.value.fields) == ("queue_threads", {})
    threads["answers"] = True
    work.open("a")
    assert Person(work.ask, "a").outcome() == ["a"]
    assert work.begun == ["a"]


def test_without_a_further_thread_an_answer_waits_for_the_one_that_computes(
    work, threads, monkeypatch
):
    pool = ThreadPoolExecutor(2, answers.POOL_NAME)
    monkeypatch.setattr(answers, "_pool", pool)
    first = Person(work.ask, "a")
    first.wait_for_place(None)
    threads["answers"] = False
    second = Person(work.ask, "b")
    second.wait_for_place(0)
    work.open("a", "b")
    assert [first.outcome(), second.outcome()] == [["a"], ["b"]]
    pool.shutdown()


def test_who_leaves_frees_their_place_and_what_nobody_waits_for_is_not_computed(work):
    first, second = Person(work.ask, "a"), None
    first.wait_for_place(None)
    second = Person(work.ask, "b")
    second.wait_for_place(0)
    third = Person(work.ask, "c")
    third.wait_for_place(1)
    second.leave()
    assert isinstance(second.error, LeavingError)
    third.wait_for_place(0)
    work.open("a", "b", "c")
    assert third.outcome() == ["c"]
    assert work.begun == ["a", "c"]


def test_an_answer_that_was_begun_is_kept_for_the_next_though_who_asked_has_left(work):
    first = Person(work.ask, "a")
    first.wait_for_place(None)
    first.leave()
    work.open("a")
    assert Person(work.ask, "a").outcome() == ["a"]
    assert work.begun == ["a"]


def test_an_answer_computes_what_it_needs_itself_even_what_waits_in_the_queue(work):
    outer = cached(8, is_heavy=True)(lambda name: (work.ask("inner"), name))
    blocks = Person(work.ask, "a")
    blocks.wait_for_place(None)
    needs = Person(outer, "outer")
    needs.wait_for_place(0)
    waits = Person(work.ask, "inner")  # behind the one that needs it
    waits.wait_for_place(1)
    work.open("a", "inner")
    assert needs.outcome() == (["inner"], "outer")
    assert waits.outcome() is needs.outcome()[0]
    assert work.begun == ["a", "inner"]


def test_what_somebody_was_called_away_from_is_computed_by_who_waits_for_it(queue):
    first, second = Work(LeavingError()).asked_by_two()
    assert second.outcome() == ["a"]
    with pytest.raises(LeavingError):
        first.outcome()


def test_a_refusal_reaches_all_who_wait_and_is_not_kept(queue):
    refusal = InputError("argument_least", name="n", value=0, low=1)
    work = Work(refusal, refusal, is_heavy=True)
    for person in work.asked_by_two():
        with pytest.raises(KlyuchError, match="at least 1"):
            person.outcome()
    assert work.begun == ["a"]
    with pytest.raises(KlyuchError, match="at least 1"):
        Person(work.ask, "a").outcome()
    assert work.begun == ["a", "a"]


def test_the_value_that_was_not_asked_for_longest_is_forgotten_first():
    calls = []
    double = cached(2)(lambda number: calls.append(number) or 2 * number)
    assert [double(number) for number in (1, 2, 1, 3, 1, 2)] == [2, 4, 2, 6, 2, 4]
    assert calls == [1, 2, 3, 2]


PLACES = {
    "en": ("Your answer is next", "1 answer is before", "2 requests are ahead"),
    "ru": ("Ваш ответ следующий", "ещё 1 ответ.", "ещё 2 ответа."),
    "de": ("Ihre Antwort ist die nächste", "ist noch 1 an der Reihe", "sind noch 2 an der Reihe"),
}


@dataclass(frozen=True)
class Sides:
    """A question of two parts: a file and numbers."""

    text: Path
    numbers: np.ndarray


def test_arguments_count_by_name_and_by_place_files_by_their_state_and_questions_by_their_parts(
    tmp_path,
):
    asked, path = [], tmp_path / "a"
    path.write_text("one")

    @cached(8)
    def answer(sides, least=0):
        asked.append(least)
        return len(asked)

    assert answer(Sides(path, np.arange(3))) == answer(Sides(path, np.arange(3)), 0) == 1
    assert answer(least=0, sides=Sides(path, np.arange(3))) == 1
    assert answer(Sides(path, np.arange(3) + 1)) == 2
    path.write_text("another")
    assert answer(Sides(path, np.arange(3))) == 3


@pytest.mark.parametrize("language", PLACES)
def test_the_place_is_said_in_the_language_of_the_screen(language):
    def waits(language, before):
        import streamlit as st

        from app.answers import telling

        st.session_state["lang"] = language
        with telling() as tell:
            tell(before)
            st.stop()

    for before, part in enumerate(PLACES[language]):
        app = AppTest.from_function(waits, args=(language, before)).run()
        assert [part in info.value for info in app.info] == [True]
    full = wording(language).error(InputError("queue_full", waiting=200))
    assert "200" in full
    assert "\n" not in full


def test_the_sentence_goes_once_the_answer_has_begun():
    def waited():
        import streamlit as st

        from app.answers import telling

        st.session_state["lang"] = "en"
        with telling() as tell:
            tell(1)
            tell(None)
        st.write("the answer")

    app = AppTest.from_function(waited).run()
    assert not app.info
    assert app.markdown[0].value == "the answer"


def test_values_whose_arrays_are_too_large_together_go_oldest_first(monkeypatch):
    monkeypatch.setattr(answers, "MAX_BYTES", 1000)
    monkeypatch.setattr(answers, "_kept", OrderedDict())
    asked = []

    @cached(64)
    def weights(name, numbers):
        asked.append(name)
        return Weights(name, np.zeros(numbers, np.float32), (np.zeros(10, np.float32),))

    weights("a", 90)  # 400 bytes with the 40 of the tuple
    weights("b", 90)
    weights("a", 90)  # now b is the one not asked for longest
    weights("c", 90)
    weights("a", 90)
    assert asked == ["a", "b", "c"]
    weights("b", 90)
    assert asked == ["a", "b", "c", "b"]
    weights("whole", 5000)  # larger than the bound: kept alone
    weights("whole", 5000)
    assert asked[4:] == ["whole"]
    weights("a", 90)
    assert asked[5:] == ["a"]


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """A result with arrays."""

    name: str
    whole: np.ndarray
    parts: tuple
