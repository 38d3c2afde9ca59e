"""Shares on axes and bars, written as the screen's language writes them."""

from functools import partial

import pandas as pd
import pytest

from app.figures.model_comparison import agreement_figure
from app.figures.shares import percent, share_bars, share_ticks
from app.widgets import outputs
from app.wording import wording
from embeddings.results.vector_answers import ComparedWord
from tests.app.plotly_figures import checked

agreement_figure = checked(agreement_figure)
share_bars = checked(share_bars)

NBSP = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("most", "last", "ticks"),
    [(1.0, "100", 6), (0.094, "8", 5), (0.5, "50", 6), (0.03, "3", 4), (0.0004, "0,04", 5)],
)
def test_ticks_are_round_few_and_within_the_axis(most, last, ticks):
    axis = share_ticks(most, ",.")
    assert axis["ticktext"][0].rstrip(f"{NBSP}%").strip("0,") == ""
    assert axis["ticktext"][-1] == f"{last}{NBSP}%"
    assert len(axis["tickvals"]) == len(axis["ticktext"]) == ticks
    assert axis["tickvals"][-1] <= most * (1 + 1e-6)


def test_an_axis_of_nothing_has_its_zero():
    assert share_ticks(0.0) == {"tickvals": [0.0], "ticktext": [f"0{NBSP}%"]}


def test_bars_of_russian_and_german_have_a_comma_and_a_space_on_the_axis_too():
    axis = share_bars([("a", 0.012), ("b", 0.004)], (), "p", ",.").layout.xaxis
    assert list(axis.ticktext) == [f"{at}{NBSP}%" for at in ("0,0", "0,5", "1,0")]
    assert axis.tickformat is None


def test_compared_words_have_their_numbers_in_the_language_of_the_screen():
    figure = agreement_figure([ComparedWord("a", 0.5, 0.25, ())], ("o", "m"), ",.")
    assert [list(bar.text) for bar in figure.data] == [[f"50{NBSP}%"], ["0,25"]]
    assert figure.layout.xaxis.ticktext[-1] == f"50{NBSP}%"
    assert figure.layout.xaxis2.ticktext is None


def test_percent_rounds_to_the_digits_asked_for():
    assert percent(0.12345) == f"12{NBSP}%"
    assert percent(0.12345, 1) == f"12.3{NBSP}%"


def test_shares_of_a_table_are_written_in_the_language_and_shaded(monkeypatch):
    tables = []
    monkeypatch.setattr(outputs.st, "dataframe", lambda rows, **_: tables.append(rows))
    monkeypatch.setattr(outputs, "csv", lambda *_: None)
    say = wording("ru")
    rows = pd.DataFrame({"a": [0.5], "b": [2.25]})
    outputs.table(say, rows, "t", forms={"a": partial(say.number, digits=2)}, shares=["a"])
    (table,) = tables
    table._compute()
    drawn = table._translate(False, False)
    cells = [cell for cell in drawn["body"][0] if cell["type"] == "td"]
    assert [cell["display_value"] for cell in cells] == ["0,50", "2,2500"]
    (cell,) = drawn["cellstyle"]
    assert cell["props"] == [("background-color", "rgba(0, 114, 178, 0.250)")]
    assert cell["selectors"] == ["row0_col0"]
