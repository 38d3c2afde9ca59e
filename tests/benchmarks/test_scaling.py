"""Exponents of growth, and the arithmetic of large texts."""

import pytest

from benchmarks.result_files import read_results
from benchmarks.scaling import exponent
from benchmarks.scaling_arithmetic import core_hours, deviations, formulas, matrices
from benchmarks.scaling_document import in_bytes, in_time, spaced


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_a_power_of_the_size_is_recovered(power):
    sizes = [1, 2, 4, 8]
    assert exponent(sizes, [3 * size**power for size in sizes]) == pytest.approx(power)


@pytest.fixture
def proportional():
    """Per 5 MB one million words, a second of encoding, two of counting, three of an epoch; the vocabulary as the root of the text."""
    rows = []
    for times in (1, 4, 8, 16):
        head = {"axis": "corpus", "size": times, "words": times * 1_000_000}
        seconds = {"encode": times, "cooccurrence": 2 * times, "skipgram": 3 * times}
        rows += [{**head, "work": work, "cpu_s": s} for work, s in seconds.items()]
        words = {"types": 100 * times**0.5, "distinct": 500 * times**0.75}
        rows.append({**head, "work": "types", "cpu_s": None, **words})
    zipf = {"axis": "vocabulary", "work": "skipgram"}
    rows += [{**zipf, "size": size, "cpu_s": size**0.25} for size in (10, 1000)]
    return {"rows": rows}


def test_a_large_text_by_hand(proportional):
    formula = formulas(proportional)
    point = formula.at(2000 * 5e6)
    assert point.words == pytest.approx(2e9)
    assert point.seconds == pytest.approx({"encode": 2000, "cooccurrence": 4000, "skipgram": 6000})
    assert point.types == pytest.approx(100 * 2000**0.5)
    assert point.distinct == pytest.approx(500 * 2000**0.75)
    assert matrices(point) == pytest.approx(800 * 100 * 2000**0.5)
    # 250 times the base's text has the root of 250 times its vocabulary, and that to the power of 1/4 slows an epoch.
    assert formula.slowest_epoch(point) == pytest.approx(6000 * 250**0.125)
    assert core_hours(point, 6000) == pytest.approx((2000 + 4000 + 5 * 6000) / 3600)
    assert set(deviations(proportional)) == {
        (times, work)
        for times in (1, 4, 16)
        for work in ("encode", "cooccurrence", "skipgram", "types")
    }
    assert list(deviations(proportional).values()) == pytest.approx([1] * 12)


def test_a_point_that_was_slower_than_its_formula_is_told(proportional):
    row = next(r for r in proportional["rows"] if (r["size"], r["work"]) == (16, "encode"))
    row["cpu_s"] *= 1.5
    assert deviations(proportional)[16, "encode"] == pytest.approx(1.5)


def test_the_formulas_of_the_document_are_held_against_three_sizes_and_less_than_half_off():
    ratios = deviations(read_results("scaling"))
    assert len({times for times, _ in ratios}) >= 3
    assert all(2 / 3 < ratio < 1.5 for ratio in ratios.values())


def test_large_numbers_as_they_are_written():
    assert spaced(12345.678, 1) == "12 345.7"
    assert (in_bytes(2.5e12), in_bytes(3e8)) == ("2.5 TB", "0.3 GB")
    assert (in_time(3599), in_time(7200)) == ("3599 s", "2.0 h")
