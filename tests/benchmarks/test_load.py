"""The class of simulated people: who waits, errs or is lost is counted, by page."""

import io
import json
import os
import random

import pytest

from benchmarks import balanced, load, visits
from benchmarks.result_files import write_results

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


def test_models_opened_again_are_read_from_the_log():
    lines = [
        {"event": "opened", "kind": "static", "again": 0},
        {"event": "opened", "kind": "network", "again": 0},
        {"event": "opened", "kind": "network", "again": 1},
        {"event": "refused", "code": "queue_full", "page": "contexts"},
        {"event": "started"},
    ]
    text = "a library says something\n" + "".join(f"{json.dumps(line)}\n" for line in lines)
    assert load.events(io.StringIO(text)) == {
        "opened": {"static": 1, "network": 2},
        "opened_again": 1,
        "refused": {"queue_full": 1},
    }


@pytest.mark.parametrize(
    "lines",
    [
        [("warmed", "en"), ("warmed", "de"), ("opened", "x"), ("warmed", "ru")],
        [("warmed", "en"), ("warm_up_ended", "")],  # little memory was free
    ],
)
def test_a_class_comes_when_the_warm_up_has_ended_and_no_log_line_is_lost_by_the_look(
    tmp_path, lines, monkeypatch
):
    monkeypatch.setattr(load.time, "sleep", lambda _: None)
    with (tmp_path / "log").open("w+", encoding="utf-8") as log:
        for event, language in lines:
            assert load.wait_for_warm_up(log, 1, patience=0.1) >= 0.1  # not yet
            log.write(json.dumps({"event": event, "language": language}) + "\n")
            log.flush()
        assert load.wait_for_warm_up(log, 1, patience=60) < 10
        assert load.wait_for_warm_up(log, 2, patience=0.1) >= 0.1  # the other server has not
        assert len((tmp_path / "log").read_text(encoding="utf-8").splitlines()) == len(lines)


def test_marks_are_held_against_twenty_and_a_hundred_people_alone():
    def of(people, median, p95, lost, growth):
        sizes = [100, 100, 100, 100 * growth]
        return {
            "people": people, "wait_median": median, "wait_p95": p95, "wait_errors": 0,
            "lost_people": lost, "memory": list(enumerate(sizes)),
            "class_minutes": 5, "load_average": [0.1, 2.0],
        }  # fmt: skip

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


def test_the_first_ten_minutes_of_an_hour_stand_beside_the_whole_and_a_shorter_run_alone(measured):
    one = measured()
    assert load.with_beginning(one) == [one | {"class_load": one["load_average"][1]}]
    assert (load.who(one), load.who(one | {"new_share": 50})) == ("3", "3_new")
    assert one["beginning"] == {
        key: one[key] for key in ("answers", "wait_median", "wait_p95", "wait_slowest")
    }
    first, whole = load.with_beginning(one | {"class_minutes": 60.0, "answers": 99})
    assert (first["people"], first["class_minutes"], first["answers"]) == (3, 10, one["answers"])
    assert (whole["class_minutes"], whole["answers"]) == (60, 99)
    assert first["lost_people"] is None


def test_what_is_asked_anew_holds_another_word_and_controls_stay_as_they_are():
    words, chance = ["otter"], random.Random(1)
    assert load.anew("dog", words, chance) == "otter"
    assert load.anew("river, cat, spring, key", words, chance) == "otter, cat, spring, key"
    assert load.anew("The castle is old.", words, chance) == "The otter is old."
    assert load.anew(["token"], words, chance) == ["token"]
    assert load.anew(11, words, chance) == 11
    every, never = load.Habits(1.0, 1.0, words), load.Habits(1.0, 0.0, words)
    assert {every.value(["dog", "river"], chance) for _ in range(9)} == {"otter"}
    assert {never.value(["dog", "river"], chance) for _ in range(9)} == {"dog", "river"}


def test_new_words_are_common_words_that_the_preparation_did_not_ask():
    words = load.new_words()
    assert len(words) > 3000
    assert not {"dog", "river", "key"} & {*words}
    assert {"piano", "forest"} <= {*words}


def test_runs_of_a_file_are_kept_beside_new_ones_of_other_habits(tmp_path, measured):
    def of(people, share, answers):
        memory = [(minute, 100) for minute in range(4)]
        told = {"people": people, "new_share": share, "answers": answers, "memory": memory}
        return measured() | told

    head = {
        "opened": {"static": 2},
        "opened_again": 0,
        "refused": {},
        "short": False,
        "seconds": 9.0,
    }
    first = {**head, "command": "a", "commands": ["a"], "loads": [of(20, 0, 1), of(100, 0, 2)]}
    write_results(tmp_path / "load.json", load.load_experiment(first), first)
    second = {**head, "command": "b", "loads": [of(20, 50, 3), of(100, 0, 4)]}
    both = load.with_earlier(second, tmp_path / "load.json")
    assert [(load.who(one), one["answers"]) for one in both["loads"]] == [
        ("20", 1), ("20_new", 3), ("100", 4),
    ]  # fmt: skip
    assert (both["opened"], both["seconds"], both["commands"]) == ({"static": 2}, 18.0, ["a", "b"])
    claims = {claim.name for claim in load.claims(both)}
    assert {"class_20_median", "class_20_new_median", "class_100_memory"} <= claims
    assert "class_20_new_memory" not in claims


def test_a_run_on_two_servers_has_a_class_claims_and_a_column_of_its_own_and_others_had_one():
    memory = [(minute, 100) for minute in range(4)]
    waits = {"answers": 9, "wait_p95": 3.0, "wait_slowest": 4.0, "wait_errors": 0, "lost_people": 0}
    shared = {"people": 100, "class_minutes": 5, "load_average": [0.1, 2.0], "memory": memory}
    shared |= {**waits, "beginning": {}, "class_bytes": 1, "person_bytes": 1, "pages": []}
    one, two = shared | {"wait_median": 1.9}, shared | {"wait_median": 0.8, "servers": 2}
    head = {"opened": {}, "opened_again": 0, "refused": {}}
    made = load.load_experiment({**head, "loads": [one, two]})
    verdicts = {claim.name: claim.verdict for claim in made.claims}
    assert verdicts["class_100_median"] == "no"
    assert verdicts["class_100_servers_2_median"] == "yes"
    assert verdicts["class_100_servers_2_whole"] == "yes"
    columns = [column.name for column in made.tables[0].columns]
    assert [row[columns.index("servers")] for row in made.tables[0].rows] == [1, 2]
    assert load.run_of(one) != load.run_of(two)  # neither takes the other's place in the file
    alone = load.load_experiment({**head, "loads": [one]})
    assert "servers" not in [column.name for column in alone.tables[0].columns]


def test_memory_is_that_of_all_servers():
    with visits.memory_watched([os.getpid()]) as single, visits.memory_watched(2 * [os.getpid()]) as double:  # fmt: skip
        assert double[0][1] == pytest.approx(2 * single[0][1], rel=0.05)


def test_several_servers_without_nginx_are_refused_in_a_sentence_before_one_starts(
    monkeypatch, tmp_path
):
    monkeypatch.setattr(balanced.shutil, "which", lambda *_, **__: None)
    monkeypatch.setattr(balanced, "served", lambda *_: pytest.fail("a server was started"))
    with (
        pytest.raises(SystemExit, match=r"nginx is not installed.*apt-get install"),
        balanced.balanced(2, tmp_path),
    ):
        pass


def test_ports_of_the_page_are_changed_where_they_are_ports_and_the_rest_stays():
    text = balanced.configuration(balanced.SEVERAL)
    changed = balanced.with_ports(text, {8501: 8502, 8502: 9000})
    assert (changed.count(":8502"), changed.count(":9000")) == (
        text.count(":8501"),
        text.count(":8502"),
    )
    assert ":8501" not in changed
    assert "proxy_read_timeout 1h" in changed


def test_waits_are_those_of_the_freest_run_and_memory_that_of_the_longest():
    def of(minutes, average, wait, growth):
        sizes = [100, 100, 100, 100 * growth]
        return {
            "people": 20, "wait_median": wait, "wait_p95": wait, "wait_errors": 0, "lost_people": 0,
            "class_minutes": minutes, "load_average": [average, 9.0], "memory": list(enumerate(sizes)),
        }  # fmt: skip

    runs = [of(60.0, 4.0, 0.9, 1.3), of(5.0, 0.2, 0.1, 1.0)]
    for loads in (runs, runs[::-1]):
        found = load.claims({"loads": loads, "opened": {}, "opened_again": 0})
        ours = {claim.name: dict(claim.numbers)["value"] for claim in found}
        assert ours["class_20_median"] == ours["class_20_p95"] == 0.1
        assert ours["class_20_memory"] == 1.3
