"""The contexts that a model keeps: equal to brute force, the strongest chosen, whole on disk."""

import json
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import save_file

from embeddings.analysis.shared_contexts import shared_contexts
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import FormatError, InputError, MissingFileError, UnknownWordError
from embeddings.static import context_counting
from embeddings.static.context_counting import ContextConfig, count_contexts
from embeddings.static.kernels.context_sums import count_stretches
from embeddings.static.sense_clustering import expected_stretches, residual_idf
from embeddings.vectors.context_table import CONTEXTS_FILE, load_contexts, save_contexts
from embeddings.vectors.table import Vectors
from tests.static.test_cooccurrence import pairs_within

SENTENCES = st.lists(
    st.lists(st.sampled_from("abcdefg"), min_size=2, max_size=12), min_size=1, max_size=8
)


EVERYTHING = ContextConfig(window=3, least=1)


def meetings(sentences, window):
    """How often each ordered pair of words stands within the window."""
    return Counter((word, other) for word, other, _ in pairs_within(sentences, window))


def ppmi_rows(sentences, window):
    """PPMI of all pairs, contexts smoothed by 0.75, as Levy, Goldberg and Dagan (2015) define it."""
    pairs = meetings(sentences, window)
    sums = Counter()
    for (word, _), count in pairs.items():
        sums[word] += count
    smoothed = {word: count**0.75 for word, count in sums.items()}
    total = sum(smoothed.values())
    rows = {word: {} for word in sums}
    for (word, context), count in pairs.items():
        pmi = math.log(count / sums[word] / (smoothed[context] / total))
        rows[word][context] = max(0.0, pmi)
    return rows


def cosine(first, second):
    """Cosine of two sparse rows."""
    length = math.sqrt(sum(v * v for v in first.values()) * sum(v * v for v in second.values()))
    product = sum(value * second.get(context, 0.0) for context, value in first.items())
    return product / length if length else 0.0


@settings(max_examples=25, deadline=None)
@given(SENTENCES)
def test_with_all_contexts_kept_contributions_add_up_to_the_cosine_of_the_ppmi_rows(sentences):
    table = count_contexts(EncodedCorpus.from_sentences(sentences), EVERYTHING)
    rows, pairs = ppmi_rows(sentences, 3), meetings(sentences, 3)
    words = sorted(rows)
    for first in words:
        assert table.stored_share(table.vectors.row(first)) == pytest.approx(
            1.0 if any(rows[first].values()) else 0.0
        )
        for second in words:
            answer = shared_contexts(table, first, second, topn=2)
            assert answer.ppmi_cosine == pytest.approx(cosine(rows[first], rows[second]), abs=1e-9)
            listed = sum(context.contribution for context in answer.shared)
            assert listed + answer.others_contribution == pytest.approx(
                answer.ppmi_cosine, abs=1e-12
            )
            for context in answer.shared:
                assert context.count_first == pairs[first, context.context]
                assert context.count_second == pairs[second, context.context]


def test_a_pair_made_near_by_one_context_names_it_first():
    generator = np.random.default_rng(3)
    filler = [f"w{number}" for number in range(60)]
    sentences = []
    for _ in range(400):
        around = generator.choice(filler, 6).tolist()
        sentences.append([*around[:3], "tea", *around[3:]])
        sentences.append([*generator.choice(filler, 3).tolist(), "coffee"])
        sentences.append([generator.choice(["tea", "coffee"]), "cup"])
    table = count_contexts(EncodedCorpus.from_sentences(sentences), ContextConfig(window=2))
    answer = shared_contexts(table, "tea", "coffee")
    assert answer.shared[0].context == "cup"
    assert answer.first_order.count == 0
    assert answer.first_order.pmi is None


def test_first_order_counts_what_stands_together_beside_what_chance_would_give():
    sentences = [["new", "york"]] * 6 + [["new", "car"]] * 2 + [["old", "car"]] * 4
    table = count_contexts(EncodedCorpus.from_sentences(sentences), EVERYTHING)
    together = shared_contexts(table, "new", "york").first_order
    assert together.count == 6
    assert together.expected == pytest.approx(8 * 6 / 24)  # each meeting is counted from both sides
    assert together.pmi == pytest.approx(math.log(3))


def test_only_the_strongest_contexts_are_kept_and_their_share_is_told():
    sentences = (
        [["a", "b"]] * 8 + [["a", "c"]] * 4 + [["b", "d"], ["c", "d"]] * 6 + [["e", "a"]] * 3
    )
    rows, pairs = ppmi_rows(sentences, 1), meetings(sentences, 1)
    config = ContextConfig(window=1, least=1, strongest=1)
    table = count_contexts(EncodedCorpus.from_sentences(sentences), config)
    for word, row in rows.items():
        best = row[max(row, key=lambda context: row[context] * math.log1p(pairs[word, context]))]
        number = table.vectors.row(word)
        columns, _, strengths = table.row(number)
        assert [row[table.words[column]] for column in columns] == pytest.approx([best])
        assert table.stored_share(number) == pytest.approx(
            best**2 / sum(v * v for v in row.values())
        )
        assert strengths.tolist() == pytest.approx([best])


def test_rare_meetings_and_rare_words_are_left_out():
    sentences = [["a", "b"]] * 5 + [["a", "c"]]
    config = ContextConfig(window=1, least=2, words=2)
    table = count_contexts(EncodedCorpus.from_sentences(sentences), config)
    assert len(table) == 2
    with pytest.raises(UnknownWordError, match="not among the 2 commonest words whose contexts"):
        shared_contexts(table, "a", "c")
    contexts = [table.words[column] for column in table.row(table.vectors.row("a"))[0]]
    assert "c" not in contexts


def test_the_models_cosine_stands_beside():
    table = count_contexts(EncodedCorpus.from_sentences([["a", "b", "c"]] * 3), EVERYTHING)
    vectors = Vectors(["a", "b"], np.array([[1.0, 0.0], [3.0, 4.0]], np.float32))
    assert shared_contexts(table, "a", "b", vectors=vectors).cosine == pytest.approx(0.6)
    assert math.isnan(shared_contexts(table, "a", "b").cosine)


def test_meetings_are_those_of_every_place_however_the_text_is_cut(monkeypatch):
    generator = np.random.default_rng(4)
    sentences = [[f"w{n}" for n in generator.integers(0, 9, size)] for size in range(1, 40)]
    corpus = EncodedCorpus.from_sentences(sentences)
    expected = Counter(word for word, _, _ in pairs_within(sentences, 4))
    for block in (1 << 20, 16):
        monkeypatch.setattr(context_counting, "WORDS_AT_A_TIME", block)
        sums = context_counting.count_meetings(corpus, 4)
        assert {word: int(sums[row]) for word, row in corpus.vocabulary.index.items()} == expected


def test_a_text_of_single_words_has_no_contexts():
    with pytest.raises(InputError, match="nothing to count"):
        count_contexts(EncodedCorpus.from_sentences([["a"], ["b"]]), EVERYTHING)


def sample_table():
    generator = np.random.default_rng(1)
    sentences = [[f"w{n}" for n in generator.zipf(1.5, 12) % 90] for _ in range(300)]
    return count_contexts(EncodedCorpus.from_sentences(sentences), ContextConfig(strongest=9))


def test_what_is_written_is_read_again_and_a_folder_without_contexts_names_the_command(tmp_path):
    with pytest.raises(MissingFileError, match="klyuch words contexts"):
        load_contexts(tmp_path)
    table = sample_table()
    save_contexts(table, tmp_path)
    again = load_contexts(tmp_path)
    assert (again.words, again.window, again.lower) == (table.words, table.window, table.lower)
    assert (again.total, again.meetings) == (table.total, table.meetings)
    for name in ("starts", "columns", "counts", "sums", "squares"):
        assert np.array_equal(getattr(again, name), getattr(table, name)), name
    assert len(table.columns) > 100
    assert max(np.diff(table.starts)) == 9


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"format": "other"}, "its format is other"),
        ({"entries": 10**12}, "entries is 1000000000000, and 0 to"),
        ({"entries": 3}, "and 3 entries"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(tmp_path, change, sentence):
    save_contexts(sample_table(), tmp_path)
    with safe_open(tmp_path / CONTEXTS_FILE, framework="numpy") as file:
        about = json.loads(file.metadata()["about"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    save_file(tensors, tmp_path / CONTEXTS_FILE, metadata={"about": json.dumps(about | change)})
    with pytest.raises(FormatError, match=sentence):
        load_contexts(tmp_path)


# Residual inverse document frequency: by its formula, and large for what stands together


def test_residual_idf_is_that_of_church_and_gale_where_stretches_are_alike():
    counts, stretches_with, stretches = np.array([100, 100, 7]), np.array([63, 10, 7]), 100
    rates = counts / stretches  # Poisson: 1 - exp(-rate) of the stretches have the word
    expected = -np.log2(stretches_with / stretches) + np.log2(1 - np.exp(-rates))
    bits = residual_idf(expected_stretches(counts, np.full(stretches, 1000)), stretches_with)
    assert bits == pytest.approx(expected)
    assert residual_idf(expected_stretches(counts[:1] * 0, np.array([5, 5])), counts[:1] * 0) == 0


def test_a_long_stretch_is_expected_to_have_a_word_more_often():
    lengths = np.array([10, 90])
    chance = sum(1 - np.exp(-2 * share) for share in (0.1, 0.9))
    assert expected_stretches(np.array([2]), lengths)[0] == pytest.approx(chance)


def test_words_that_stand_together_have_more_bits_than_words_spread_by_chance():
    rng = np.random.default_rng(0)
    ids = rng.integers(2, 50, 100_000)
    ids[rng.choice(100_000, 1000, replace=False)] = 0  # by chance
    ids[50_000:51_000] = 1  # together
    stretches = np.arange(0, 100_001, 1000)
    ids, groups = ids.astype(np.int32), np.arange(50)
    counted = count_stretches(ids, stretches, groups, 50)
    assert counted.tolist() == [
        len({place // 1000 for place in np.flatnonzero(ids == word)}) for word in range(50)
    ]
    counts = np.bincount(ids, minlength=50)
    bits = residual_idf(expected_stretches(counts, np.diff(stretches)), counted)
    assert abs(bits[0]) < 0.05
    assert bits[1] > 4
