"""A comparison is refused where the null or the rotation could say nothing; its command and its time are those worked out by hand."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from embeddings.errors import InputError
from embeddings.jobs import estimate
from embeddings.jobs.comparison_plan import (
    TwoPeriods,
    TwoTexts,
    change_plan,
    check_size,
    compared_size,
    measured_words,
)
from embeddings.jobs.estimate import Rates, comparison_seconds
from embeddings.jobs.job_answers import ComparisonSize, SpeedSample
from embeddings.training.settings import StaticSettings

SMALL = ComparisonSize((30, 30), (2_000, 3_000), np.full(40, 3))  # 40 dimensions, 3 times at least


@pytest.mark.parametrize(
    ("size", "code"),
    [
        (replace(SMALL, documents=(1, 900)), "change_documents"),
        (replace(SMALL, documents=(3, 3)), "change_deals"),  # 6! / (3! 3!) = 20 ways
        (replace(SMALL, documents=(2, 5)), ""),  # 7! / (2! 5!) = 21
        (replace(SMALL, documents=(9_000, 9_000)), ""),
        (replace(SMALL, common=np.full(39, 3)), "change_few"),
        (replace(SMALL, common=np.full(400, 2)), "change_few"),
        (replace(SMALL, tokens=(30_000, 30_000)), "change_few"),  # 60 dimensions, 5 times
        (SMALL, ""),
    ],
)
def test_sides_that_are_too_small_are_refused(size, code):
    if not code:
        check_size(size, 20)
        return
    with pytest.raises(InputError) as refused:
        check_size(size, 20)
    assert refused.value.code == code


def test_the_commonest_words_are_measured_as_the_command_does():
    assert measured_words(SMALL) == 40
    assert measured_words(replace(SMALL, common=np.full(7_000, 9))) == 5_000


def test_two_texts_become_one_command():
    texts = TwoTexts(Path("corpora/old"), Path("corpora/new"))
    plan = change_plan(texts, SMALL, Path("changes/r.json"), 25, "de")
    (command,) = plan.steps
    assert command[:4] == ["words", "change", "corpora/old", "corpora/new"]
    for flag in (
        *("--output=changes/r.json", "--permutations=25", "--retrainings=4", "--least=3"),
        *("--vector-size=40", "--epochs=100", "--min-count=2"),
    ):
        assert flag in command
    assert plan.language == "de"


def test_periods_become_one_command():
    table, text = Path("corpora/dates"), Path("corpora/letters")
    of_texts = TwoPeriods(table, 1850, ("year", "page"))
    of_numbers = replace(of_texts, columns=("year", "numbers"), text=text)
    commands = [
        change_plan(periods, SMALL, Path("r.json"), 20).steps[0]
        for periods in (of_texts, of_numbers)
    ]
    dated = ["--at=1850", "--date-column=year"]
    assert commands[0][2:6] == ["corpora/dates", *dated, "--text-column=page"]
    assert commands[1][2:7] == [
        *("corpora/letters", "--dates=corpora/dates"),
        *(*dated, "--documents-column=numbers"),
    ]


def test_a_text_is_not_compared_with_itself(tmp_path):
    with pytest.raises(InputError, match=tmp_path.name):
        compared_size(TwoTexts(tmp_path, tmp_path))


def test_periods_are_counted_as_they_are_divided(tmp_path):
    (tmp_path / "t.tsv").write_text("date\ttext\n1700\tkey door\n1900\tkey wall key\n\tlost\n")
    size = compared_size(TwoPeriods(tmp_path, 1800, ("date", "text")))
    assert (size.documents, size.tokens, size.undated) == ((1, 1), (2, 3), 1)
    assert size.common.tolist() == [1]


def test_the_time_is_that_of_all_trainings(monkeypatch):
    """At the rates of 100 dimensions and window 5: 4 s, 1 000 words encoded in 1 s, and 25 times 2 epochs of 10 s each."""
    rates = Rates(1_000.0, {"skipgram": 100.0}, 1.0, 1.0, 1.0)
    monkeypatch.setattr(estimate, "read_rates", lambda: rates)
    settings = StaticSettings(vector_size=100, window=5, passes=2, workers=2)
    assert comparison_seconds(1_000, settings, 25) == pytest.approx(4 + 1 + 25 * 2 * 10)
    twice = SpeedSample(2.0, 1, 1.0)
    assert comparison_seconds(1_000, settings, 25, (), twice) == pytest.approx(4 + 2 * 501)


def test_a_comparison_names_what_it_reads_so_that_another_text_in_its_place_is_noticed(tmp_path):
    table = tmp_path / "dates.csv"
    table.write_text("date,documents\n1850,1\n", encoding="utf-8")
    texts = TwoTexts(tmp_path / "old", tmp_path / "new")
    periods = TwoPeriods(table, 1900, ("date", "documents"), tmp_path / "old")
    report = Path("r.json")
    assert change_plan(texts, SMALL, report, 25).sources == (tmp_path / "old", tmp_path / "new")
    assert change_plan(periods, SMALL, report, 25).sources == (table, tmp_path / "old")
