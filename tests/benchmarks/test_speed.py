"""Programs timed in turn: what a busy round does, medians against medians, the head of a run, and what docs/results/speed.md says of it."""

import time
from datetime import UTC, datetime
from importlib.metadata import version

import pytest

from benchmarks import report
from benchmarks.result_files import about, head_of_run
from benchmarks.speed import Load, Round, Timed, head_of_race, in_turn

QUIET, BUSY = Load(0.2, 0.0), Load(7.0, 1.9)


def test_programs_take_turns():
    order = []
    programs = {name: lambda name=name: order.append(name) or {"seconds": 1.0} for name in "ab"}
    in_turn(programs, 3, load=lambda: QUIET)
    assert order == ["a", "b"] * 3


@pytest.mark.parametrize(
    ("loads", "made", "counted"),
    [
        ([QUIET] * 9, 3, 3),
        ([QUIET, BUSY, QUIET, QUIET], 4, 3),  # made again once, the busy one left out
        ([BUSY] * 9, 5, 5),  # two more at most, and all of them count
        ([QUIET, BUSY, BUSY, QUIET, BUSY], 5, 5),  # too few quiet ones to be alone
    ],
)
def test_busy_rounds_are_made_again_so_often_and_marked(loads, made, counted):
    each = iter(loads)
    found = in_turn({"a": lambda: {"seconds": 1.0}}, 3, again=2, load=lambda: next(each))
    assert (len(found.rounds), len(found.counted)) == (made, counted)
    assert [row["busy"] for row in found.rows()] == [load is BUSY for load in loads[:made]]
    assert found.load()["rounds_busy"] == sum(one.load.is_busy for one in found.counted)


def test_a_ratio_is_the_median_of_those_within_the_rounds_that_count():
    rounds = ((QUIET, 1, 2), (QUIET, 2, 6), (QUIET, 10, 11), (BUSY, 90, 1))
    found = Timed(
        tuple(
            Round(load, {"ours": {"seconds": ours}, "theirs": {"seconds": theirs}})
            for load, ours, theirs in rounds
        )
    )
    assert found.ratio("theirs", "ours") == 2  # of 2, 3 and 1.1; that of medians is 3
    low, high = found.ratio_quartiles("theirs", "ours")  # of 2, 3 and 1.1
    assert (low, high) == (pytest.approx(1.55), pytest.approx(2.5))


def test_the_head_of_a_run_says_how_it_was_measured_and_how_long_it_took():
    head = head_of_run("python -m benchmarks.x", time.monotonic() - 100, commit="abc")
    assert 100 <= head["seconds"] < 160
    passed = datetime.now(UTC) - datetime.fromisoformat(head["created"])
    assert -1 <= passed.total_seconds() < 60
    known = about(head, "x")
    assert (known["commands"], known["commit"]) == (("python -m benchmarks.x",), "abc")
    assert known["machine"]
    assert "seconds" not in head_of_run("python -m benchmarks.x", commit="abc")


def test_the_head_of_a_race_names_the_versions_of_the_libraries_that_race():
    head = head_of_race("python -m benchmarks.x")
    assert {name: head["machine"][name] for name in ("numpy", "numba", "gensim")} == {
        name: version(name) for name in ("numpy", "numba", "gensim")
    }
    assert "cores" in about(head, "x")["machine"]


def test_the_tables_of_documents_are_what_the_files_give():
    for document, name, made in report.blocks():
        text = (report.ROOT / document).read_text(encoding="utf-8")
        assert f"<!-- {name} -->\n{made}\n<!-- /{name} -->" in text, name


def test_estimates_read_the_rates_that_were_measured():
    shipped = (report.ROOT / "data" / "rates.toml").read_text(encoding="utf-8")
    assert shipped == report.rates()
