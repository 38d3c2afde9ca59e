"""Which words a shipped model keeps: the commonest forms, or dictionary forms for all forms of their word."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest
import torch

from benchmarks import build_models
from benchmarks.build_data import documents_of_periods, passages, write_sample
from benchmarks.build_models import MIN_USES, cut, kept_rows
from benchmarks.build_networks import shortened
from embeddings.corpora.text_files import documents
from embeddings.networks.bert import new_network
from embeddings.networks.bert_config import BertConfig
from embeddings.shelf import data
from embeddings.vectors.character_ngrams import Subwords, ngram_bucket
from embeddings.vectors.table import Vectors
from tests.training.small_runs import SMALL

COUNTS = {"и": 900, "дом": 300, "сказал": 90, "автобуса": 60, "автобусе": 50, "автобус": 40}


RARE = {"рояля": 36, "роялем": 35, "рояль": MIN_USES - 1}


def kept(counts, **recipe):
    """Return the words that a recipe keeps of a Russian model with these counts, written as ``ru-e`` has them."""
    model = Vectors(
        tuple(counts), np.eye(len(counts), dtype=np.float32), np.array(list(counts.values()))
    )
    model.spelling = "ru-e"
    rows = kept_rows(model, {"corpus": "ru-network"} | recipe)
    return [model.words[row] for row in rows]


def test_the_commonest_forms_are_kept_where_a_recipe_says_no_more():
    assert kept(COUNTS, words=4) == ["и", "дом", "сказал", "автобуса"]


def test_a_dictionary_form_counts_with_all_forms_of_its_word_and_order_stays_that_of_counts():
    """The bus: 60 + 50 + 40 uses are more than the 90 of a verb's form."""
    assert kept(COUNTS, words=3, dictionary_forms=True) == ["и", "дом", "автобус"]
    assert kept(COUNTS, words=4, dictionary_forms=True) == ["и", "дом", "сказал", "автобус"]


def test_a_dictionary_form_of_few_uses_counts_as_it_stands():
    """The piano has 95 uses together, its dictionary form one too few."""
    counts = COUNTS | RARE
    assert "рояль" not in kept(counts, words=4, dictionary_forms=True)
    assert "рояль" in kept(counts | {"рояль": MIN_USES}, words=4, dictionary_forms=True)


def test_a_dictionary_form_is_found_though_the_dictionary_writes_it_with_ё():
    """Of учетных the lemma is учётный, which a model that reads ё as е has as учетный."""
    counts = {"и": 900, "учетных": 60, "сказал": 50, "учетный": 40}
    assert kept(counts, words=2, dictionary_forms=True) == ["и", "учетный"]


# Models are cut by their recipe


def test_a_model_is_cut_to_the_words_and_components_of_its_recipe():
    rows = np.random.default_rng(0).normal(size=(50, 8)).astype(np.float32)
    vectors = Vectors([f"w{i}" for i in range(50)], rows, np.arange(50, 0, -1))
    recipe = {"corpus": "de", "method": "skipgram", "lemmas": True, "words": 40}
    whole = cut(vectors, "de-lemmas", recipe)
    few = cut(vectors, "de-lemmas", recipe | {"components": 3})
    assert (whole.matrix.shape, few.matrix.shape) == ((40, 8), (40, 3))
    assert few.words == whole.words
    unit = rows[:40] / np.linalg.norm(rows[:40], axis=1, keepdims=True)
    centred = unit - unit.mean(0)
    values = np.linalg.svd(centred, compute_uv=False)
    assert np.linalg.norm(few.matrix, axis=0) == pytest.approx(values[:3], rel=1e-4)


def test_a_model_is_cut_without_the_mean_and_main_directions_of_its_commonest_words(monkeypatch):
    monkeypatch.setattr(build_models, "COMMONEST", 30)
    rows = np.random.default_rng(0).normal(size=(50, 6)) * [1, 9, 1, 5, 1, 1] + 2
    vectors = Vectors([f"w{i}" for i in range(50)], rows.astype(np.float32), np.arange(50, 0, -1))
    recipe = {"corpus": "de", "method": "skipgram", "words": 40, "directions": 2}
    shortened = cut(vectors, "de-skipgram", recipe)
    mean = rows[:30].mean(0)
    axes = np.linalg.svd(rows[:30] - mean)[2][2:]
    assert shortened.matrix.shape == (40, 6)
    assert shortened.matrix == pytest.approx((rows[:40] - mean) @ axes.T @ axes, abs=1e-4)


def test_a_fasttext_model_is_cut_to_the_ngrams_of_the_most_tokens():
    rows = np.eye(100, 3, dtype=np.float32)
    vectors = Vectors(["ab", "cd", "ef"], rows[:3], np.array([2, 9, 5]))
    vectors.subwords = Subwords(2, 2, 100, rows)
    recipe = {"corpus": "de", "method": "fasttext", "words": 2, "ngrams": 6}
    shortened = cut(vectors, "de-fasttext", recipe)
    common = [ngram_bucket(text, 100) for text in (b"<c", b"cd", b"d>", b"<e", b"ef", b"f>")]
    assert len(set(common)) == 6
    assert (shortened.words, shortened.subwords.buckets.tolist()) == (("ab", "cd"), sorted(common))


# What is cut from a network before it ships changes nothing that it says


def test_positions_that_no_row_reached_are_cut_and_nothing_else_changes():
    network = new_network(BertConfig(**SMALL, vocab_size=50)).eval()
    small = shortened(network, 24)
    ids = torch.arange(24)[None]
    with torch.inference_mode():
        assert torch.equal(small.encoder(ids).last, network.encoder(ids).last)
    assert small.config.max_position_embeddings == 24


# Texts of the reports of change that ship: passages of like length, drawn at random, as many tokens as asked for


def test_passages_hold_whole_paragraphs_in_order_and_as_many_tokens_as_asked_for():
    paragraphs = ["one two", "three", "four five six", "seven"]
    assert list(passages(paragraphs, 3)) == [["one two", "three"], ["four five six"], ["seven"]]
    assert list(passages([], 3)) == []


def test_a_sample_is_drawn_from_all_texts_without_paragraphs_as_long_as_chapters(tmp_path):
    first, second, sample = (tmp_path / name for name in ("a.txt", "b.txt", "sample.txt"))
    first.write_text("\n".join(f"a{n} word" for n in range(100)), encoding="utf-8")
    second.write_text("\n\n".join(f"b{n} word" for n in range(100)), encoding="utf-8")
    with second.open("a", encoding="utf-8") as file:
        file.write("\n\n" + "long " * 60)
    recipe = {"tokens": 200, "passage": 10}
    write_sample([first, second], recipe, sample)
    drawn = list(documents(sample))
    words = [word for document in drawn for paragraph in document for word in paragraph.split()]
    assert 200 <= len(words) < 210
    assert "long" not in words
    assert {word[0] for word in words} == {"a", "b", "w"}
    assert len({tuple(document) for document in drawn}) == len(drawn)
    again = tmp_path / "again.txt"
    write_sample([first, second], recipe, again)
    assert again.read_bytes() == sample.read_bytes()


def test_documents_are_dealt_to_the_years_before_and_from_the_one_named_on(tmp_path):
    table = tmp_path / "dates.tsv"
    table.write_text("documents\tyear\n1-2\t1849\n4\t1850\n", encoding="utf-8")
    assert documents_of_periods(table, 1850) == ({1, 2}, {4})
    text, sample = tmp_path / "a.txt", tmp_path / "sample.txt"
    text.write_text("a b\n\nc d\n\ne f\n\ng h\n", encoding="utf-8")
    write_sample([text], {"tokens": 100, "passage": 1}, sample, {1, 4})
    assert sorted(sample.read_text(encoding="utf-8").split()) == ["a", "b", "g", "h"]


def test_the_table_of_novels_dates_no_document_twice_and_has_novels_of_both_periods():
    before, after = documents_of_periods(data() / "german_novels.tsv", 1850)
    with (data() / "german_novels.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert not before & after
    assert all(1700 < int(row["year"]) < 1930 for row in rows)
    spans = [row["documents"].partition("-") for row in rows]
    assert len(before | after) == sum(int(b or a) - int(a) + 1 for a, _, b in spans)


@pytest.mark.slow
@pytest.mark.mirror
def test_each_novel_of_the_table_holds_the_name_that_tells_it():
    """The author on the title page, or a person whom a quarter of the chapters and more name."""
    source = Path(os.environ["KLYUCH_MIRROR"]) / "corpora" / "de_literature.txt.xz"
    texts = ["\n".join(lines) for lines in documents(source)]
    with (data() / "german_novels.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            first, _, last = row["documents"].partition("-")
            novel = texts[int(first) - 1 : int(last or first)]
            assert 4 * sum(row["name"] in text for text in novel) >= len(novel), row
