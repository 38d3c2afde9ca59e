"""Ratios, headless: numbers by hand, the source's own, and words without counts."""

from app.wording import wording
from tests.app.visits import open_page, page_text


def test_ratios_of_the_source_stand_beside_its_own_words_only(small_shelf):
    say = wording("en")
    assert say("ratios.source_note") in page_text(open_page("ratios", lang="en"))
    other_app = open_page("ratios", lang="en", two="ice, gas")
    assert say("ratios.source_note") not in page_text(other_app)


def test_ratios_are_those_of_the_counts(small_shelf):
    table = open_page("ratios", lang="en").table[0].value
    assert list(table.index) == ["solid", "gas", "water", "fashion"]
    assert list(table.iloc[:, 2]) == ["8.0", "1.0", "1.0", "1.0"]
    assert list(table.iloc[:, 4]) == ["8.00", "0.062", "1.00", "1.00"]
    assert table.iloc[0, 0] == "8.0 × 10⁻³"


def test_a_word_without_counts_is_refused_as_such_and_the_nearest_with_counts_are_offered(
    small_shelf, monkeypatch
):
    from app.loaders import shelf_models
    from embeddings.vectors.cooccurrence_table import CooccurrenceTable

    entry = next(entry for entry in small_shelf if entry.name == "small-en-glove")
    table = shelf_models.cooccurrence(entry)
    keep = [table.words.index(word) for word in ("ice", "steam", "solid", "king", "queen")]
    table = CooccurrenceTable(
        tuple(table.words[k] for k in keep), table.counts[keep][:, keep], table.sums[keep],
        table.words_matrix[keep], table.context_matrix[keep], table.word_bias[keep],
        table.context_bias[keep],
    )  # fmt: skip
    monkeypatch.setattr(shelf_models, "cooccurrence", lambda _: table)
    say = wording("en")
    app = open_page("ratios", lang="en", two="ice, man", probes="solid")
    assert "is not among the 5 content words whose counts" in app.info[0].value
    assert say("unknown.why") not in page_text(app)
    assert say("unknown.never") not in page_text(app)
    assert say("ratios.nearest") in page_text(app)
    vectors = shelf_models.vectors(entry)
    by_hand = sorted(table.words, key=lambda w: -float(vectors.unit_rows([vectors.row("man")])[0]
                     @ vectors.unit_rows([vectors.row(w)])[0]))[:3]  # fmt: skip
    offered = [b.label for b in app.button if str(b.key).startswith("instead-ratios")]
    assert offered == by_hand
    unknown = open_page("ratios", lang="en", two="ice, steem", probes="solid")
    assert "steam" in [b.label for b in unknown.button]
    assert say("ratios.nearest") not in page_text(unknown)


def test_the_csv_of_ratios_keeps_the_source_and_the_counts(small_shelf, monkeypatch):
    from app.widgets import outputs

    csv_rows = {}
    monkeypatch.setattr(outputs, "csv", lambda _, make, key: csv_rows.update({key: make()}))
    open_page("ratios", lang="en")
    rows = csv_rows["ratios"].set_index("k")
    assert rows.loc["solid", wording("en")("ratios.source")] == 8.9
    assert list(rows.loc["gas", ["X(ice, k)", "X(steam, k)"]]) == [1, 16]


def test_ratios_tell_what_rests_on_little_text():
    from app.views.ratios.ratio_table import list_caveats
    from embeddings.analysis.vector_answers import Ratio, Ratios

    say, inf = wording("en"), float("inf")
    rows = (
        Ratio("gas", 0.1, 0.2, 0.5, 0.5, 50.0, 60.0),
        Ratio("solid", 0.1, 0.01, 10.0, 2.0, 12.0, 0.4),
        Ratio("fashion", 0.1, 0.0, inf, 1.0, 0.5, 0.0),
        Ratio("moon", 0.0, 0.0, float("nan"), 1.0, 0.0, 0.0),
    )
    lines = list_caveats(say, Ratios("ice", "steam", rows), {"fashion": 0.96})
    assert lines == [
        say("ratios.never_source", k="fashion", word="steam", ratio="0.96"),
        say("ratios.never", k="moon", word="ice and steam"),
        say("ratios.few", words="solid", least=5),
    ]


def test_an_example_fills_both_words_and_their_probes(small_shelf):
    app = open_page("ratios", lang="en")
    next(b for b in app.button if b.label == "summer, winter").click().run()
    assert app.text_input(key="two").value == "summer, winter"
    assert app.text_input(key="probes").value == "hot, cold, snow, season"
    assert list(app.table[0].value.index) == ["hot", "cold", "snow", "season"]
