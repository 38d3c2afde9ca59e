"""Programs timed in turn: what a busy round does, medians against medians, and what docs/results/speed.md says of it."""

import pytest

from benchmarks import report
from benchmarks.gensim_race import against_gensim, rows_of
from benchmarks.glove_speed import C_PROGRAM, ORIGIN
from benchmarks.text_speed import figures_of
from benchmarks.timing import Load, Round, Timed, in_turn, load_summary, read_load

QUIET, BUSY = Load(0.2, 0.0), Load(7.0, 1.9)


def timed(*rounds):
    """Rounds of (load, ours, theirs)."""
    return Timed(
        tuple(
            Round(load, {"ours": {"seconds": ours}, "theirs": {"seconds": theirs}})
            for load, ours, theirs in rounds
        )
    )


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
    found = timed((QUIET, 1, 2), (QUIET, 2, 6), (QUIET, 10, 11), (BUSY, 90, 1))
    assert found.ratio("theirs", "ours") == 2  # of 2, 3 and 1.1; that of medians is 3
    low, high = found.ratio_quartiles("theirs", "ours")  # of 2, 3 and 1.1
    assert (low, high) == (pytest.approx(1.55), pytest.approx(2.5))


def test_the_load_before_a_round_is_noted():
    load = read_load(0.05)
    assert load.average >= 0
    assert load.others is None or load.others >= 0
    assert not Load(0.9, None).is_busy
    assert Load(900.0, None).is_busy
    assert load_summary([QUIET, BUSY, BUSY]) == {
        "load_average": 7.0,
        "rounds": 3,
        "rounds_counted": 3,
        "rounds_busy": 2,
    }


def rounds_of(ours, theirs, *loads):
    return Timed(tuple(Round(load, {"klyuch": dict(ours), **theirs}) for load in loads))


def test_text_and_word2vec_bring_medians_spread_and_load():
    own = {"seconds": 2.0, "words": 1000}
    found = rounds_of(own, {"gensim_scan_vocab": {"seconds": 5.0, "words": 990}}, *[QUIET] * 3)
    peer = figures_of(found)["gensim_scan_vocab"]
    assert (peer["words_per_second"], peer["times_slower_than_klyuch"]) == (200, 2.5)
    assert peer["times_slower_quartiles"] == [2.5, 2.5]
    figures = {"seconds": 1.0, "words_per_second": 10.0, "cpu_seconds": 2.0, "analogies": 0.5}
    slower = {**figures, "seconds": 4.0, "words_per_second": 2.5}
    found = rounds_of(figures, {"gensim": slower}, *[QUIET] * 3)
    against = against_gensim(found)
    assert (against["speed"], against["speed_quartiles"], against["analogies"]) == (4, [4, 4], 0)
    assert [row["system"] for row in rows_of("cbow", found)] == ["klyuch", "gensim"]


def test_the_readme_shows_load_and_says_beside_an_indirect_figure_that_the_rate_is_typed_in(
    monkeypatch,
):
    c_program = {key: round(rate) for key, rate in C_PROGRAM.items()}
    measured = {
        "text": {
            "results": {
                "en": {
                    "klyuch": {"words_per_second": 7e6, "load_average": 6.8},
                    "gensim_scan_vocab": {"times_slower_than_klyuch": 2.0, "load_average": 8.0},
                },
                "ru": {
                    "klyuch": {"words_per_second": 7e6},
                    "gensim_scan_vocab": {
                        "times_slower_than_klyuch": 2.0,
                        "times_slower_quartiles": [1.9, 2.1],
                    },
                },
            },
            "loads": {"ru": {"load_average": 0.4, "rounds_counted": 5, "rounds_busy": 1}},
        },
        "word2vec": {"against_gensim": {}, "rows": []},
        "glove": {
            "cooccurrence": {"words_per_second": 14e6},
            "training": {"pairs_per_second": 35.5e6},
            "against_c": {
                "cooccurrence": 13.1,
                "training": 24.0,
                "c_program": c_program,
                "origin": ORIGIN,
            },
        },
    }
    monkeypatch.setattr(report, "read_results", measured.__getitem__)
    lines = report.speed().splitlines()
    assert "| 6.8 to 8.0: busy |" in lines[2]
    assert "| 2.0 x (1.9 to 2.1) gensim, which only counts | 0.4; 1 of 5 rounds busy |" in lines[3]
    assert "24.0 x the C program's 1.48 M pairs/s, a typed-in constant*" in lines[5]
    assert lines[-1].startswith("\\* Indirect")
    assert ORIGIN in lines[-1]


def test_the_tables_of_documents_are_what_the_files_give():
    for document, name, made in report.blocks():
        text = (report.ROOT / document).read_text(encoding="utf-8")
        assert f"<!-- {name} -->\n{made}\n<!-- /{name} -->" in text, name


def test_estimates_read_the_rates_that_were_measured():
    shipped = (report.ROOT / "data" / "rates.toml").read_text(encoding="utf-8")
    assert shipped == report.rates()
