"""Spread over trainings: documents drawn anew, neighbours by hand, folders there and back, one run without a spread."""

import math
from dataclasses import replace

import numpy as np
import pytest

from embeddings.analysis.association import association_test
from embeddings.analysis.stability import (
    cosine_range,
    effect_size_range,
    neighbour_spreads,
    reliable_orders,
)
from embeddings.analysis.vector_answers import AssociationSets
from embeddings.corpora.document_selection import bootstrap, with_documents
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import CheckpointError, FormatError, InputError, MissingFileError
from embeddings.files import sealed, sha256, write_json
from embeddings.model_card import CARD
from embeddings.static.retraining import measure_spread, trained_runs
from embeddings.static.settings import SpreadConfig, Word2VecConfig
from embeddings.vectors.run_spread import SPREAD_FILE, RunSpread, load_spread, save_spread
from tests.tables import at_degrees

SMALL = Word2VecConfig(vector_size=8, window=2, epochs=2, sample=0, workers=1)


def random_tables(size):
    """Unit vectors of three runs, and the names of their words."""
    generator = np.random.default_rng(0)
    tables = [generator.normal(size=(size, 5)).astype(np.float32) for _ in range(3)]
    tables = [table / np.linalg.norm(table, axis=1, keepdims=True) for table in tables]
    return tables, [f"w{number}" for number in range(size)]


@pytest.fixture(scope="module")
def corpus():
    generator = np.random.default_rng(3)
    words = [f"w{number}" for number in range(30)]
    documents = [[generator.choice(words, 8).tolist() for _ in range(3)] for _ in range(40)]
    return EncodedCorpus.from_sentences(documents)


def test_all_documents_in_order_are_the_corpus_itself(corpus):
    same = with_documents(corpus, np.arange(40))
    assert same.ids.tolist() == corpus.ids.tolist()
    assert same.sentence_bounds.tolist() == corpus.sentence_bounds.tolist()
    assert same.document_bounds.tolist() == corpus.document_bounds.tolist()
    assert same.vocabulary.counts.tolist() == corpus.vocabulary.counts.tolist()


def test_a_bootstrap_repeats_whole_documents(corpus):
    drawn = bootstrap(40, 7)
    text = with_documents(corpus, drawn)
    sentences = [" ".join(sentence) for sentence in corpus.sentences()]
    expected = [line for number in drawn for line in sentences[3 * number : 3 * number + 3]]
    assert [" ".join(sentence) for sentence in text.sentences()] == expected
    assert len(drawn) == 40
    assert 20 < len(set(drawn.tolist())) < 33  # 1 - 1/e of 40 is 25.3
    with pytest.raises(InputError, match="40 documents"):
        with_documents(corpus, np.zeros(0, np.int64))


def test_cosines_ranks_and_overlap_by_hand():
    """From a: b at 10° and 20°, c at 30° and 15°, d at 90°: once b is first, once c."""
    first, second = at_degrees(0, 10, 30, 90), at_degrees(0, 20, 15, 90)
    config = SpreadConfig(runs=2, rows=1, nearest=2, kept=2)
    spread, summary = measure_spread([first, second], ["a", "b", "c", "d"], config, ["d"])
    near = neighbour_spreads(spread, "a")
    by_word = {n.word: n for n in near}
    cos = {degrees: math.cos(math.radians(degrees)) for degrees in (10, 15, 20, 30)}
    assert by_word["b"].cosine.lowest == pytest.approx(cos[20], abs=1e-6)
    assert by_word["b"].cosine.highest == pytest.approx(cos[10], abs=1e-6)
    assert (by_word["b"].lowest_rank, by_word["b"].highest_rank) == (1, 2)
    assert (by_word["c"].lowest_rank, by_word["c"].highest_rank) == (1, 2)
    assert near[0].word == "b"  # the larger mean
    assert near[0].agreeing_runs == 1
    assert not near[0].is_reliable
    assert near[1].agreeing_runs is None
    assert math.isnan(reliable_orders(spread))  # of two runs
    assert summary.rank_range == 1
    assert summary.overlap == 1  # the same two words in both runs
    deviations = [abs(cos[10] - cos[20]), abs(cos[30] - cos[15])]
    assert summary.deviation == pytest.approx(
        sum(d / math.sqrt(2) for d in deviations) / 2, abs=1e-6
    )
    assert [spread.words[number] for number in spread.kept] == ["a", "b", "d"]


def test_a_word_that_is_asked_for_has_neighbours_beside_the_commonest():
    tables, words = random_tables(20)
    config = SpreadConfig(runs=3, rows=2, nearest=4, kept=0)
    plain, summary = measure_spread(tables, words, config)
    asked, same = measure_spread(tables, words, config, ["w17", "w0", "absent"])
    every, _ = measure_spread(tables, words, SpreadConfig(runs=3, rows=20, nearest=4, kept=0))
    assert plain.row("w17") is None
    assert asked.words[:3] == ("w0", "w1", "w17")
    for word in ("w0", "w1", "w17"):
        assert neighbour_spreads(asked, word) == neighbour_spreads(every, word)
    assert same == summary  # of the commonest alone


def test_ranks_count_the_words_that_are_nearer():
    tables, words = random_tables(50)
    spread, _ = measure_spread(tables, words, SpreadConfig(runs=3, rows=50, nearest=6, kept=0))
    for row in (0, 17, 49):
        orders = []
        for table in tables:
            cosines = table @ table[row]
            cosines[row] = -np.inf
            orders.append(np.argsort(-cosines).tolist())
        mean = np.mean([table @ table[row] for table in tables], axis=0)
        mean[row] = -np.inf
        near = neighbour_spreads(spread, words[row])
        assert [n.word for n in near] == [words[n] for n in np.argsort(-mean)[:6]]
        for n in near:
            ranks = [order.index(words.index(n.word)) + 1 for order in orders]
            assert (n.lowest_rank, n.highest_rank) == (min(ranks), max(ranks))


@pytest.mark.parametrize(
    ("before", "ties", "after", "reliable"),
    [
        (10, 0, 0, True),
        (9, 0, 1, True),
        (8, 0, 2, False),
        (8, 2, 0, False),  # a tie is no agreement
        (18, 0, 2, True),
        (17, 3, 0, False),
        (9, 0, 0, False),  # nine runs are too few
        (60, 0, 40, False),  # a sign test gives p = 0.057 here
        (600, 0, 400, False),  # and here p < 10⁻⁹: the same 60 % of the runs
    ],
)
def test_an_order_is_reliable_if_nine_tenths_of_ten_or_more_runs_agree(
    before, ties, after, reliable
):
    """From a: b lies at 10°, c at 20° in the runs before, at 10° in ties, at 5° in those after; b comes first on request."""
    angles = [20] * before + [10] * ties + [5] * after
    runs = len(angles)
    cosines = np.cos(np.radians([[10] * runs, angles, [90] * runs])).astype(np.float32)
    ranks = np.ones((1, 3, 2), np.uint16)
    near = np.array([[1, 2, 3]], np.uint16)
    nothing = np.zeros(0, np.uint16), np.zeros((runs, 0, 2), np.float32)
    spread = RunSpread(("a", "b", "c", "d"), near, cosines[None], ranks, *nothing, True, "none")
    b, c, last = neighbour_spreads(spread, "a", ["b", "c", "d"])
    assert (b.agreeing_runs, b.is_reliable) == (before, reliable)
    assert (c.agreeing_runs, c.is_reliable) == (runs, runs >= 10)
    assert (last.agreeing_runs, last.is_reliable) == (None, False)
    share = reliable_orders(spread)
    assert math.isnan(share) if runs < 10 else share == (1 if reliable else 0.5)


def test_seeds_alone_and_documents_spread_runs_and_the_same_seed_does_not(corpus, tmp_path):
    none = SpreadConfig(runs=2, resample="none")
    alone = trained_runs(corpus, SMALL, none, tmp_path)
    again = trained_runs(corpus, SMALL, none, tmp_path / "again")
    drawn = trained_runs(corpus, SMALL, SpreadConfig(runs=2), tmp_path)
    assert not np.array_equal(alone[0], alone[1])
    assert np.array_equal(alone[0], again[0])
    assert not np.array_equal(alone[0], drawn[0])
    assert np.allclose(np.linalg.norm(alone[0], axis=1), 1, atol=1e-5)


def test_a_broken_off_measurement_resumes_after_its_last_run(corpus, tmp_path, monkeypatch):
    from embeddings.static import retraining

    trained = []
    train = retraining.train_ids
    monkeypatch.setattr(
        retraining, "train_ids", lambda *a, **k: trained.append(a[3].seed) or train(*a, **k)
    )
    trained_runs(corpus, SMALL, SpreadConfig(runs=2), tmp_path)
    trained_runs(corpus, SMALL, SpreadConfig(runs=3), tmp_path)
    assert trained == [1, 2, 3]
    trained_runs(corpus, replace(SMALL, window=3), SpreadConfig(runs=1), tmp_path)
    assert trained == [1, 2, 3, 1]  # other settings, other runs


def test_words_that_a_draw_lacks_are_left_out():
    documents = [[["rare", "a", "b"]], *[[["a", "b", "c"]]] * 6]
    corpus = EncodedCorpus.from_sentences(documents)
    words = corpus.vocabulary.words
    config = SpreadConfig(runs=12, rows=4, nearest=2)
    seeds = [with_documents(corpus, bootstrap(7, seed)).vocabulary.counts for seed in range(12)]
    assert any(counts[words.index("rare")] == 0 for counts in seeds)
    tables = [np.where(counts[:, None] > 0, at_degrees(0, 20, 50, 80), 0) for counts in seeds]
    spread, _ = measure_spread(tables, words, config)
    assert set(spread.words) == {"a", "b", "c"}


@pytest.fixture
def measured(corpus, tmp_path):
    tables = trained_runs(corpus, SMALL, SpreadConfig(runs=4), tmp_path / "run")
    config = SpreadConfig(runs=4, rows=10, nearest=5, kept=20)
    spread, _ = measure_spread(tables, corpus.vocabulary.words, config)
    return tables, spread


def test_a_folder_is_read_as_it_was_written(measured, tmp_path):
    tables, spread = measured
    save_spread(spread, tmp_path / "spread", {"name": "spread"})
    back = load_spread(tmp_path / "spread")
    assert back.words == spread.words
    assert back.resample == "documents"
    assert np.array_equal(back.neighbours, spread.neighbours)
    assert np.array_equal(back.ranks, spread.ranks)
    assert np.abs(back.cosines - spread.cosines).max() <= 0.5 / 10_000 + 1e-7
    a, b = spread.words[0], spread.words[3]
    expected = [float(table[0] @ table[3]) for table in tables]
    shown = cosine_range(back, a, b)
    assert shown.lowest == pytest.approx(min(expected), abs=0.01)  # a byte a number
    assert shown.highest == pytest.approx(max(expected), abs=0.01)
    assert shown.runs == 4
    assert cosine_range(back, a, "nowhere") is None


def test_the_range_of_an_effect_size_is_that_of_the_runs(measured):
    _, spread = measured
    words = [spread.words[number] for number in spread.kept]
    sets = AssociationSets(
        "t",
        ("X", "Y", "A", "B"),
        (tuple(words[:4]), tuple(words[4:8]), tuple(words[8:12]), tuple(words[12:16])),
    )
    answers = [association_test(spread.run(number), sets) for number in range(4)]
    sizes = [answer.effect_size for answer in answers]
    shown = effect_size_range(spread, answers[0])
    assert (shown.lowest, shown.highest) == pytest.approx((min(sizes), max(sizes)))
    assert shown.deviation == pytest.approx(np.std(sizes, ddof=1))
    lacking = AssociationSets("t", sets.titles, (("other", "words"), *sets.words[1:]))
    table = spread.run(0)
    table.words = (*table.words[:-2], "other", "words")
    assert effect_size_range(spread, association_test(table, lacking)) is None


def test_one_run_has_no_spread(corpus, tmp_path):
    tables = trained_runs(corpus, SMALL, SpreadConfig(runs=1), tmp_path)
    spread, summary = measure_spread(tables, corpus.vocabulary.words, SpreadConfig(runs=1))
    near = neighbour_spreads(spread, corpus.vocabulary.words[0])
    assert near[0].cosine.deviation is None
    assert near[0].agreeing_runs is None
    assert math.isnan(summary.deviation)
    assert math.isnan(summary.overlap)


def test_damaged_and_boasting_folders_are_refused(measured, tmp_path):
    _, spread = measured
    folder = tmp_path / "spread"
    with pytest.raises(MissingFileError, match="klyuch words stability"):
        load_spread(folder)
    save_spread(spread, folder, {"name": "spread"})
    content = (folder / SPREAD_FILE).read_bytes()
    (folder / SPREAD_FILE).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(CheckpointError, match="damaged"):
        load_spread(folder)
    for old, new in ((b'\\"runs\\": 4', b'\\"runs\\": 9'), (b'\\"rows\\": 10', b'\\"rows\\": 99')):
        assert content.count(old) == 1
        (folder / SPREAD_FILE).write_bytes(content.replace(old, new))
        write_json(folder / CARD, sealed({"files": {SPREAD_FILE: sha256(folder / SPREAD_FILE)}}))
        with pytest.raises(FormatError, match=r"spread\.safetensors"):
            load_spread(folder)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("mine")
    with pytest.raises(FormatError, match=r"thesis\.txt"):
        save_spread(spread, tmp_path / "other", {})


def test_a_single_document_cannot_be_drawn(tmp_path):
    corpus = EncodedCorpus.from_sentences([["a", "b", "c"]] * 5)
    with pytest.raises(InputError, match="--resample none"):
        trained_runs(corpus, SMALL, SpreadConfig(), tmp_path)
