"""The class of simulated people: who waits, errs or is lost is counted, by page."""

import os

import pytest

from benchmarks import load
from benchmarks.servers import memory_watched

ALONE = {"learn": {"control": ("shown", ["glossary", "lessons"])}}


class Page:
    """In place of a visit: every answer takes a quarter of a second by its own count."""

    widgets, errors, is_cut = ("shown",), (), False

    def __init__(self, port, timeout):
        pass

    def __enter__(self):
        if self.is_cut:
            raise ConnectionResetError("cut")
        return self

    def __exit__(self, *error):
        pass

    def open(self, *_):
        return 0.25

    def set(self, key, value):
        assert (key, value) in [("shown", "glossary"), ("shown", "lessons")]
        return 0.25

    def exceptions(self):
        return self.errors


@pytest.fixture
def measured(monkeypatch):
    """A function that lets three people come for a second, to pages with these errors."""

    def measure(**about):
        monkeypatch.setattr(load, "PAGES", ALONE)
        monkeypatch.setattr(load, "Visit", type("Visit", (Page,), about))
        return load.measure(0, [os.getpid()], 3, 0.01, load.Habits(0.02))

    return measure


def test_every_wait_is_counted_by_page(measured):
    one = measured()
    (row,) = one["pages"]
    assert (one["people"], one["lost_people"], one["wait_errors"]) == (3, 0, 0)
    assert row["class_page"] == "learn"
    assert row["answers"] == one["answers"] > 6
    assert {one[key] for key in ("wait_median", "wait_p95", "wait_slowest")} == {0.25}
    assert one["class_bytes"] > 0


def test_a_page_with_a_traceback_is_an_error_and_a_cut_connection_a_lost_person(measured):
    errs = measured(errors=["KeyError"])
    assert errs["wait_errors"] == errs["answers"] > 0
    assert errs["sentences"][0] == "learn: KeyError"
    lost = measured(is_cut=True)
    assert (lost["lost_people"], lost["answers"], lost["wait_median"]) == (3, 0, None)
    assert lost["reasons"] == 3 * ["ConnectionResetError: cut"]


def test_the_95th_percentile_is_the_wait_that_one_in_twenty_exceeds():
    waits = load.summary([second / 10 for second in range(21)])
    assert (waits["wait_median"], waits["wait_p95"], waits["wait_slowest"]) == (1.0, 1.9, 2.0)


def of(people=20, median=0.1, p95=0.1, lost=0, growth=1.0, minutes=5.0, average=0.1):
    """What a run measured."""
    sizes = [100, 100, 100, 100 * growth]
    return {
        "people": people, "wait_median": median, "wait_p95": p95, "wait_errors": 0,
        "lost_people": lost, "memory": list(enumerate(sizes)),
        "class_minutes": minutes, "load_average": [average, 2.0],
    }  # fmt: skip


def test_marks_are_held_against_twenty_and_a_hundred_people_alone():
    runs = [of(20, 0.29, 1.1, 0, 1.01), of(100, 1.2, 9.0, 1, 1.2), of(7, 9.0, 9.0, 7, 2.0)]
    found = load.claims({"loads": runs, "opened": {"static": 3}, "opened_again": 0})
    assert {claim.name: claim.verdict for claim in found} == {
        "class_20_median": "yes",
        "class_20_p95": "no",
        "class_20_whole": "yes",
        "class_20_memory": "yes",
        "class_100_median": "no",
        "class_100_whole": "no",
        "class_100_memory": "no",
        "class_opened_once": "yes",
    }


def test_memory_is_that_of_all_servers():
    with memory_watched([os.getpid()]) as single, memory_watched(2 * [os.getpid()]) as double:
        assert double[0][1] == pytest.approx(2 * single[0][1], rel=0.05)


def test_waits_are_those_of_the_freest_run_and_memory_that_of_the_longest():
    runs = [of(median=0.9, p95=0.9, growth=1.3, minutes=60.0, average=4.0), of()]
    for loads in (runs, runs[::-1]):
        found = load.claims({"loads": loads, "opened": {}, "opened_again": 0})
        ours = {claim.name: dict(claim.numbers)["value"] for claim in found}
        assert ours["class_20_median"] == ours["class_20_p95"] == 0.1
        assert ours["class_20_memory"] == 1.3
