"""Explore shows ranges: of neighbours, of a pair's cosine, of an effect size; one run is said to have none."""

from dataclasses import replace

import numpy as np
import pytest

from app import shelf_models
from app.widgets.outputs import plain
from app.wording import wording
from embeddings.analysis.comparison_answers import RunOverlap
from embeddings.static.retraining import measure_spread
from embeddings.static.settings import SpreadConfig
from tests.app.conftest import ROYAL, planted_vectors
from tests.app.visits import open_page, page_text


def spread_of(language, runs):
    """Runs of the small skip-gram: its vectors with noise."""
    vectors, generator = planted_vectors(language, "skipgram", 0), np.random.default_rng(1)
    tables = []
    for _ in range(runs):
        table = vectors.matrix + 0.05 * generator.normal(size=vectors.matrix.shape)
        tables.append((table / np.linalg.norm(table, axis=1, keepdims=True)).astype(np.float32))
    config = SpreadConfig(runs=runs, rows=len(vectors), nearest=30, kept=len(vectors))
    return measure_spread(tables, vectors.words, config)[0], tables, vectors


def test_neighbours_pairs_and_effects_have_ranges(small_shelf, monkeypatch):
    language, (word, _, _, queen) = "ru", ROYAL["ru"]
    spread, tables, vectors = spread_of(language, 10)
    measured = f"small-{language}-skipgram"
    monkeypatch.setattr(shelf_models, "spread", lambda e: spread if e.name == measured else None)
    say = wording(language)
    app = open_page(lang=language, text=language, word=word, view="reliability")
    table = next(t.value for t in app.dataframe if say("spread.order") in t.value.columns)
    rows = vectors.row(word), vectors.row(queen)
    cosines = [float(run[rows[0]] @ run[rows[1]]) for run in tables]
    line = table[table[say("common.word")] == queen].iloc[0]
    assert line[say("spread.mean")] == pytest.approx(np.mean(cosines), abs=1e-3)
    ends = f"{say.number(min(cosines), 3)} – {say.number(max(cosines), 3)}"
    assert line[say("spread.lowest")] == pytest.approx(min(cosines), abs=1e-3)
    assert line[say("spread.highest")] == pytest.approx(max(cosines), abs=1e-3)
    listed = [vectors.row(name) for name in table[say("common.word")]]
    values = np.array([[run[rows[0]] @ run[row] for run in tables] for row in listed])
    agreeing = (values[:-1] > values[1:]).sum(axis=1)  # of ten runs
    marks = [
        say("spread.is_sure" if k >= 9 else "spread.is_unreliable", agree=int(k), runs=10)
        for k in agreeing
    ]
    assert table[say("spread.order")].tolist() == [*marks, "–"]
    unreliable = int((agreeing < 9).sum())
    counts = say("spread.unreliable", unreliable=unreliable, pairs=len(table) - 1, share="90")
    assert counts in page_text(app)
    assert "90 %" in say("spread.explain")
    frame = {"lang": language, "text": language}
    pairs = open_page("associations", **frame, pair=f"{word}, {queen}")
    assert say("spread.of_runs", range=ends, runs=10) in page_text(pairs)
    lists = {"weat_x": ", ".join(vectors.words[:3]), "weat_y": ", ".join(vectors.words[3:6])}
    lists |= {"weat_a": ", ".join(vectors.words[6:8]), "weat_b": ", ".join(vectors.words[8:10])}
    app = open_page("associations", **frame, weat="own", **lists)
    shown = next(t.value for t in app.table if say("association.effect") in t.value.columns)
    assert "(" in shown[say("association.effect")].iloc[0]
    assert "(" not in shown[say("association.effect")].iloc[1]


def test_compare_says_how_far_two_trainings_of_a_model_agree(small_shelf, monkeypatch):
    measured, overlap = "small-ru-skipgram", RunOverlap(0.512, 30)
    monkeypatch.setattr(
        shelf_models, "overlap_of_runs", lambda e: overlap if e.name == measured else None
    )
    say = wording("ru")
    app = open_page("compare", lang="ru", text="ru")
    text = say("compare.runs", model=measured, overlap=say.number(0.512, 2), n=30)
    assert [c.value for c in app.caption].count(plain(text)) == 1


def test_answers_to_a_formula_have_ranges_from_the_runs_vectors(small_shelf, monkeypatch):
    spread, tables, vectors = spread_of("en", 10)
    kept = [vectors.row(word) for word in ("king", "man", "woman", "queen")]
    fewer = replace(
        spread,
        kept=np.array([spread.index[vectors.words[row]] for row in kept], np.uint16),
        vectors=np.stack([table[kept] for table in tables]),
    )
    monkeypatch.setattr(
        shelf_models, "spread", lambda e: fewer if e.name == "small-en-skipgram" else None
    )
    say = wording("en")
    app = open_page("analogies", lang="en", view="reliability", formula="king - man + woman")
    table = next(t.value for t in app.dataframe if say("spread.order") in t.value.columns)
    assert table[say("common.word")].tolist() == ["queen"]
    king, man, woman, queen = (np.stack([t[row] for t in tables]) for row in kept)
    total = king - man + woman
    cosines = (total * queen).sum(axis=1) / np.linalg.norm(total, axis=1)
    assert table[say("spread.lowest")].tolist() == pytest.approx([cosines.min()], abs=1e-3)
    assert table[say("spread.highest")].tolist() == pytest.approx([cosines.max()], abs=1e-3)
    assert say("spread.lowest_rank") not in table.columns  # ranks among all words are not kept
    assert "No range is kept for" in page_text(app)
    other = open_page("analogies", lang="en", view="reliability", formula="king - paris + queen")
    assert "“paris” is not among them" in page_text(other)


def test_seeds_alone_are_said_to_be_seeds_alone_and_one_run_to_have_no_spread(
    small_shelf, monkeypatch
):
    alone = replace(spread_of("en", 7)[0], resample="none")
    monkeypatch.setattr(shelf_models, "spread", lambda _: alone)
    app = open_page(lang="en", word="king", view="reliability")
    text = page_text(app)
    assert "on the same text" in text
    assert wording("en")("spread.few", least=10) in text  # no order is called reliable
    assert "unreliable: in" not in text
    assert "on documents drawn anew from its corpus" not in text
    single, _, _ = spread_of("en", 1)
    monkeypatch.setattr(shelf_models, "spread", lambda _: single)
    app.run()
    assert "one run has no spread" in page_text(app)
    assert not app.get("plotly_chart")
