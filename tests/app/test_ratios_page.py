"""Ratios, headless: numbers by hand, the source's own, and words without counts."""

import math

import pytest

from app.views.ratios.ratio_table import format_probability, format_ratio, list_caveats
from app.widgets import outputs
from app.wording import wording
from embeddings.analysis.vector_answers import Ratio, Ratios
from tests.app.visits import open_page, page_text


def test_ratios_are_those_of_the_counts_next_to_the_source_s_where_the_words_are_its_own(
    small_shelf, monkeypatch
):
    say, csv_rows = wording("en"), {}
    monkeypatch.setattr(outputs, "csv", lambda _, make, key: csv_rows.update({key: make()}))
    app = open_page("ratios", lang="en")
    table = app.dataframe[0].value
    assert list(table["k"]) == ["solid", "gas", "water", "fashion"]
    assert list(table.iloc[:, 3]) == [8, 1, 1, 1]
    assert list(table.iloc[:, 5]) == pytest.approx([8, 0.0625, 1, 1])
    assert say("ratios.source_note") in page_text(app)
    rows = csv_rows["ratios"].set_index("k")
    assert rows.loc["solid", say("ratios.source")] == 8.9
    assert list(rows.loc["gas", ["X(ice, k)", "X(steam, k)"]]) == [1, 16]
    app.text_input(key="two").set_value("ice, gas").run()
    assert say("ratios.source_note") not in page_text(app)
    next(b for b in app.button if b.label == "summer, winter").click().run()
    assert app.text_input(key="two").value == "summer, winter"
    assert app.text_input(key="probes").value == "hot, cold, snow, season"
    assert list(app.dataframe[0].value["k"]) == ["hot", "cold", "snow", "season"]


def test_numbers_are_written_as_a_person_writes_them():
    say = wording("en")
    assert format_probability(say, 8e-3) == "8.0 × 10⁻³"
    assert [format_ratio(say, value) for value in (8, 0.0625, 12, math.nan)] == [
        *("8.00", "0.062", "12.0", "–")
    ]


def test_a_word_without_counts_is_refused_as_such(small_shelf):
    app = open_page("ratios", lang="en", two="ice, steem", probes="solid")
    assert "content words whose counts" in app.info[0].value
    assert "steam" in [button.label for button in app.button]
    assert wording("en")("unknown.why") not in page_text(app)


def test_ratios_tell_what_rests_on_little_text():
    say, inf = wording("en"), float("inf")
    rows = (
        Ratio("gas", 0.1, 0.2, 0.5, 0.5, 50.0, 60.0),
        Ratio("solid", 0.1, 0.01, 10.0, 2.0, 12.0, 0.4),
        Ratio("fashion", 0.1, 0.0, inf, 1.0, 0.5, 0.0),
        Ratio("moon", 0.0, 0.0, float("nan"), 1.0, 0.0, 0.0),
    )
    lines = list_caveats(say, Ratios("ice", "steam", rows))
    assert lines == [
        say("ratios.never", k="fashion", word="steam"),
        say("ratios.never", k="moon", word="ice and steam"),
        say("ratios.few", words="solid", least=5),
    ]
