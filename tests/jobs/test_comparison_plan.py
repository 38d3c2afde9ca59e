"""A comparison is refused where the null or the rotation could say nothing; its call and its time are those worked out by hand."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from embeddings.errors import InputError
from embeddings.jobs import estimate
from embeddings.jobs.estimate import Rates, comparison_seconds
from embeddings.jobs.job_answers import ComparisonSize, SpeedSample
from embeddings.jobs.recipes import change_plan
from embeddings.text_comparison import Compared, check_size, compared_size, measured_words
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


def test_two_texts_or_periods_become_a_call_whose_settings_the_library_chooses():
    texts = Compared(Path("corpora/old"), Path("corpora/new"))
    plan = change_plan(texts, SMALL, Path("changes/r.json"), 25, "de")
    assert plan.function == "compare_texts"
    assert plan.call == {
        "first": "corpora/old", "second": "corpora/new", "output": "changes/r.json",
        "language": "de", "permutations": 25,
    }  # fmt: skip
    assert (plan.language, plan.sources) == ("de", (texts.first, texts.second))
    table = Compared(Path("dates.csv"), at=1850, date_column="year", text_column="page")
    plan = change_plan(table, SMALL, Path("r.json"), 20)
    dated = {"first": "dates.csv", "at": 1850, "date_column": "year", "text_column": "page"}
    assert dated.items() <= plan.call.items()
    assert not {"second", "language"} & set(plan.call)
    assert plan.sources == (Path("dates.csv"),)


def test_a_text_is_not_compared_with_itself(tmp_path):
    with pytest.raises(InputError, match=tmp_path.name):
        compared_size(Compared(tmp_path, tmp_path))


def test_periods_are_counted_as_they_are_divided(tmp_path):
    (tmp_path / "t.tsv").write_text("date\ttext\n1700\tkey door\n1900\tkey wall key\n\tlost\n")
    size = compared_size(Compared(tmp_path, at=1800))
    assert (size.documents, size.tokens, size.undated) == ((1, 1), (2, 3), 1)
    assert size.common.tolist() == [1]


def test_the_time_is_that_of_all_trainings(monkeypatch):
    """At the rates of 100 dimensions and window 5: 4 s, 1 000 words encoded in 1 s, and 25 times 2 epochs of 10 s each."""
    rates = Rates(1_000.0, {"skipgram": 100.0}, 1.0, 1.0, 1.0)
    monkeypatch.setattr(estimate, "read_rates", lambda: rates)
    settings = StaticSettings(vector_size=100, window=5, passes=2, workers=2)
    assert comparison_seconds(1_000, settings, 25) == pytest.approx(4 + 1 + 25 * 2 * 10)
    twice = SpeedSample(2.0, 1, 1.0)
    assert comparison_seconds(1_000, settings, 25, twice) == pytest.approx(4 + 2 * 501)
