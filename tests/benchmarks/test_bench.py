"""The one run of all works: next to no input here, the same programs as in full."""

import json
import random

import numpy as np
import pytest

from benchmarks import bench, bench_works
from benchmarks.bench_works import TINY, WORKS, costs, limits, pair_costs
from benchmarks.result_files import Measurements, to_json
from benchmarks.speed import Load, Round, Timed, prepare, quiet_load, races_experiment
from embeddings.lab.experiment_files import parse

QUIET, BUSY = Load(0.2, 0.0), Load(7.0, 1.9)
# all but the pages, which their own tests open
LIGHT = [name for name in WORKS if name not in ("page_explore", "page_analogies", "start")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The input of all works: 40 words in lines of ten."""
    path = tmp_path_factory.mktemp("bench")
    chance = random.Random(1)
    words = ["time", *(f"word{number}" for number in range(39))]
    lines = [" ".join(["time", *chance.choices(words, k=9)]) for _ in range(400)]
    prepare(path, ("\n".join(lines) + "\n").encode())
    return path


@pytest.fixture(scope="module")
def timed(folder):
    """Two rounds of every program but those of pages, in this process."""
    return bench.measure(folder, TINY, LIGHT, 1, run=bench.run_one, load=lambda: QUIET)


@pytest.mark.slow
def test_every_program_brings_its_seconds_amount_and_memory(timed):
    (one_round,) = timed.rounds
    expected = {f"{name}/{system}" for name in LIGHT for system in WORKS[name].programs}
    assert set(one_round.figures) == expected
    for name, figures in one_round.figures.items():
        assert figures["seconds"] > 0, name
        assert figures["amount"] > 0, name
        assert figures["memory_mb"] > 10, name


def test_memory_is_the_peak_of_what_is_timed_not_of_what_went_before():
    before = np.ones(30_000_000)  # 229 MB
    del before
    least = bench_works.measured(lambda: None)["memory_mb"]
    most = bench_works.measured(lambda: np.ones(30_000_000))["memory_mb"]
    assert most - least == pytest.approx(229, abs=15)


@pytest.mark.slow
def test_both_programs_of_a_work_do_the_same_amount(timed):
    (one_round,) = timed.rounds
    for name in LIGHT:
        amounts = {one_round.figures[f"{name}/{s}"]["amount"] for s in WORKS[name].programs}
        assert len(amounts) == 1, name


@pytest.fixture(scope="module")
def measured(timed, folder) -> Measurements:
    """A whole run."""
    most = limits(1 << 12, 16, 1)
    rows = [bench.row_of(name, timed, folder, TINY, most) for name in LIGHT]
    return {
        "command": "python -m benchmarks.bench",
        "commit": "abc",
        "machine": "one, 2 cores",
        "created": "2026-11-23T00:00:00",
        "versions": bench.versions(),
        "limits": most,
        "rows": rows,
        "load": timed.load(),
    }


@pytest.mark.slow
def test_a_run_is_an_experiment_that_can_be_read(measured):
    experiment = bench.bench_experiment(measured)
    assert parse(json.loads(json.dumps(to_json(experiment, {}))))[0] == experiment
    assert races_experiment("bench", bench.QUESTION, bench.races(measured["rows"]), measured)


def test_a_row_holds_the_median_ratio_of_its_rounds_and_the_shares_of_the_limits(folder):
    def one(ours, theirs):
        figures = {"amount": 4.0, "memory_mb": 50.0, "cpu_seconds": 1.0}
        programs = {"klyuch": ours, "gensim": theirs}
        return Round(
            QUIET, {f"neighbours/{name}": {**figures, "seconds": s} for name, s in programs.items()}
        )

    timed = Timed((one(1.0, 2.0), one(2.0, 8.0), one(4.0, 9.0)))
    most = {"bytes": 1e6, "fp32": 1e6, "bf16": 1e6}
    row = bench.row_of("neighbours", timed, folder, TINY, most)
    assert (row["ours"], row["theirs"], row["ratio"]) == (2.0, 8.0, 2.25)  # of 2, 4 and 2.25
    # 2000 x 16 numbers, twice: two operations and four bytes each, in two seconds
    assert (row["operations"], row["bytes"]) == (128_000, 256_000)
    assert (row["share_of_operations"], row["share_of_bytes"]) == (0.064, 0.128)
    assert row["nearest_limit"] == "bytes"


def test_operations_are_those_of_the_method(folder):
    corpus = bench_works.EncodedCorpus.open(folder / "ids")
    counts = corpus.vocabulary.counts
    share = counts / counts.sum()
    kept = (counts * np.minimum(1, np.sqrt(1e-4 / share) + 1e-4 / share)).sum()
    operations, _ = costs("skipgram", folder, TINY)
    # six contexts on average, six targets each, 100 dimensions: a product and two updates
    assert operations == pytest.approx(kept * 6 * 6 * 100 * 6)
    assert costs("pca", folder, TINY)[0] == 300 * 8 * 8
    assert pair_costs(3) == (3 * 14 * 100, 3 * 32 * 100)
    assert costs("start", folder, TINY) is None


def test_a_round_waits_for_a_quiet_machine_so_long_and_no_longer():
    rested = []
    loads = iter([BUSY, BUSY, QUIET])
    assert quiet_load(60, lambda: next(loads), rested.append) is QUIET
    assert rested == [5.0, 5.0]
    rested.clear()
    assert quiet_load(12, lambda: BUSY, rested.append) is BUSY
    assert rested == [5.0, 5.0, 5.0]
