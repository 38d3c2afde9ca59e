"""Tokenisation and encoding: by hand, beside the readable reference, whatever the blocks and the workers."""

import gzip
import hashlib
import lzma
import os
import random
import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig, encode
from embeddings.corpora.text_files import documents, file_checksums, text_files
from embeddings.text.words import split_words
from tests.corpora.small_texts import TEXT, same, write


def test_ids_counts_and_bounds_by_hand(tmp_path):
    corpus = encode(
        [write(tmp_path / "a.txt", TEXT)], tmp_path / "ids", EncodingConfig(min_count=1)
    )
    assert corpus.vocabulary.words == ("the", "bird", "cat", "sat", "a", "dog", "on")
    assert corpus.vocabulary.counts.tolist() == [4, 2, 2, 2, 1, 1, 1]
    assert corpus.ids.tolist() == [0, 2, 3, 0, 5, 3, 6, 0, 2, 4, 1, 0, 1]
    assert corpus.sentence_bounds.tolist() == [0, 3, 9, 11, 13]
    assert corpus.document_bounds.tolist() == [0, 2, 3, 4]
    assert (corpus.ids.dtype, corpus.sentence_bounds.dtype) == (np.int32, np.int64)
    assert isinstance(corpus.ids, np.memmap)


def test_rare_words_go_and_empty_sentences_and_documents_with_them(tmp_path):
    text = "a a b\nrare\n\nonly\n\nb a c\n"
    corpus = encode([write(tmp_path / "a.txt", text)], tmp_path / "i", EncodingConfig(min_count=2))
    assert corpus.vocabulary.words == ("a", "b")
    assert list(corpus.sentences()) == [["a", "a", "b"], ["b", "a"]]
    assert corpus.document_bounds.tolist() == [0, 1, 2]


def test_max_words_keeps_the_commonest_with_ties_by_word(tmp_path):
    source = write(tmp_path / "a.txt", "б а в б а в г\nг в\n")
    corpus = encode([source], tmp_path / "i", EncodingConfig(min_count=1, max_words=2))
    assert corpus.vocabulary.words == ("в", "а")


def test_too_rare_is_told_from_never_seen(tmp_path):
    source = write(tmp_path / "a.txt", "a a a rare rare once")
    corpus = encode([source], tmp_path / "i", EncodingConfig(min_count=3))
    seen = lzma.decompress((corpus.folder / "seen.txt.xz").read_bytes()).decode()
    assert seen.splitlines() == ["a\t3", "rare\t2"]


def test_text_gz_xz_and_folders_give_the_same_ids(tmp_path):
    parts = ["one two\n\nthree", "four two\n"]
    plain = [write(tmp_path / f"{i}.txt", part) for i, part in enumerate(parts)]
    (tmp_path / "folder" / "deep").mkdir(parents=True)
    write(tmp_path / "folder" / "a.txt.gz", gzip.compress(parts[0].encode()))
    write(tmp_path / "folder" / "deep" / "b.txt.xz", lzma.compress(parts[1].encode()))
    write(tmp_path / "folder" / "skipped.odp", "slides")
    write(tmp_path / "folder" / ".hidden.txt", "hidden")
    config = EncodingConfig(min_count=1)
    one = encode(plain, tmp_path / "one", config)
    two = encode([tmp_path / "folder"], tmp_path / "two", config)
    assert same(one, two)
    assert [list(words) for words in one.sentences()] == [
        ["one", "two"],
        ["three"],
        ["four", "two"],
    ]
    assert one.document_bounds.tolist() == [0, 1, 2, 3]
    names = [path.name for path in text_files([tmp_path / "folder"])]
    assert names == ["a.txt.gz", "b.txt.xz"]


def random_text(seed):
    pick = random.Random(seed)
    pool = [
        "ключ",
        "за\u0301мок",
        "Straße",
        "don’t",
        "mu\u0308ssen",
        "3.14",
        "кто-то",
        "x",
        "—",
        "🙂",
    ]
    lines = [" ".join(pick.choice(pool) for _ in range(pick.randrange(9))) for _ in range(400)]
    return "\n".join(lines)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_ids_do_not_depend_on_blocks_or_workers(tmp_path, end):
    source = write(tmp_path / "a.txt", "\ufeff" + random_text(1).replace("\n", end))
    config = EncodingConfig(min_count=2)
    whole = encode([source, source], tmp_path / "whole", config, workers=1)
    for size, workers in ((64, 3), (1000, 2), (7, 1)):
        part = encode([source, source], tmp_path / "part", config, workers=workers, block_size=size)
        assert same(whole, part)


def reference(paths, lower=True):
    """Sentences by document with the readable tokenizer."""
    lines = [
        [words for line in document if (words := split_words(line, lower=lower))]
        for path in paths
        for document in documents(path)
    ]
    return [document for document in lines if document]


@pytest.mark.parametrize("lower", [True, False])
def test_encode_equals_the_readable_reference(tmp_path, lower):
    source = write(tmp_path / "a.txt", random_text(2))
    corpus = encode([source], tmp_path / "i", EncodingConfig(min_count=1, lower=lower))
    expected = EncodedCorpus.from_sentences(reference([source], lower))
    assert same(corpus, expected)
    assert all(unicodedata.is_normalized("NFC", word) for word in corpus.vocabulary.words)


@pytest.mark.mirror
@pytest.mark.parametrize("name", ["ru_news", "ru_literature", "de_literature", "en_wikipedia.1"])
def test_real_text_encodes_as_the_readable_reference(tmp_path, name):
    mirror = Path(os.environ["KLYUCH_MIRROR"])
    with lzma.open(mirror / "corpora" / f"{name}.txt.xz") as file:
        source = write(tmp_path / "a.txt", file.read(3 << 20).rpartition(b"\n")[0])
    corpus = encode([source], tmp_path / "i", EncodingConfig(min_count=1))
    assert same(corpus, EncodedCorpus.from_sentences(reference([source])))


def test_lemmas_replace_words_and_their_counts_merge(tmp_path):
    source = write(tmp_path / "a.txt", "Ключ ключа ключом. Дом\nключи дома")
    corpus = encode([source], tmp_path / "i", EncodingConfig(min_count=2, lemmas="ru"))
    assert corpus.vocabulary.words == ("ключ", "дом")
    assert corpus.vocabulary.counts.tolist() == [4, 2]
    assert list(corpus.sentences()) == [["ключ"] * 3 + ["дом"], ["ключ", "дом"]]


def test_german_lemmas_are_once_per_run_in_the_case_of_the_text(tmp_path):
    source = write(tmp_path / "a.txt", "Das Haus, die Häuser. Sie hausen")
    corpus = encode([source], tmp_path / "i", EncodingConfig(min_count=1, lemmas="de"))
    counts = dict(zip(corpus.vocabulary.words, corpus.vocabulary.counts.tolist(), strict=True))
    assert (counts["haus"], counts["hausen"]) == (2, 1)


def test_progress_reaches_the_whole(tmp_path):
    reports = []
    source = write(tmp_path / "a.txt", random_text(3))
    encode([source], tmp_path / "i", EncodingConfig(), reports.append, block_size=500)
    read = [at for at in reports if at.phase == "encode"]
    assert read[-1].done == read[-1].total == source.stat().st_size
    assert [at.done for at in read] == sorted(at.done for at in read)
    assert read[-1].per_second > 0


def test_from_sentences_takes_sentences_or_documents():
    flat = EncodedCorpus.from_sentences([["b", "a"], [], ["b"]])
    nested = EncodedCorpus.from_sentences([[["b", "a"]], [["b"], ["c"]]], min_count=2)
    assert flat.document_bounds.tolist() == [0, 2]
    assert nested.vocabulary.words == ("b",)
    assert nested.sentence_bounds.tolist() == [0, 1, 2]
    assert nested.document_bounds.tolist() == [0, 1, 2]
    assert (flat.vocabulary.counts.tolist(), flat.folder) == ([2, 1], None)


def test_counts_equal_a_counter_over_the_reference(tmp_path):
    source = write(tmp_path / "a.txt", random_text(4))
    corpus = encode([source], tmp_path / "i", EncodingConfig(min_count=1))
    counted = Counter(split_words(source.read_text()))
    assert (
        dict(zip(corpus.vocabulary.words, corpus.vocabulary.counts.tolist(), strict=True))
        == counted
    )


def test_files_of_one_name_keep_a_checksum_each_whatever_others_are_called(tmp_path):
    names = ("a.txt (2)", "one/a.txt", "two/a.txt", "three/a.txt", "a.txt (b).txt", "four/a.txt")
    paths = [tmp_path / name for name in names]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text(path.parent.name, encoding="utf-8")
    checksums = file_checksums(paths)
    keys = ["a.txt (2)", "a.txt", "a.txt (3)", "a.txt (4)", "a.txt (b).txt", "a.txt (5)"]
    assert list(checksums) == keys
    for key, path in zip(keys, paths, strict=True):
        assert checksums[key] == hashlib.sha256(path.read_bytes()).hexdigest()


def test_an_elided_word_is_counted_by_itself(tmp_path):
    corpus = encode(
        [write(tmp_path / "fr.txt", "L'homme et l’homme. Un homme\n")],
        tmp_path / "c",
        EncodingConfig(min_count=1),
    )
    counts = dict(zip(corpus.vocabulary.words, corpus.vocabulary.counts.tolist(), strict=True))
    assert counts == {"homme": 3, "l": 2, "et": 1, "un": 1}
