"""Tokenisation and encoding: by hand, beside the readable reference, whatever the blocks and the workers."""

import gzip
import hashlib
import lzma
import os
import random
import unicodedata
from pathlib import Path

import numpy as np
import pytest

from embeddings.corpora import text_files as text_files_module
from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import (
    EncodedCorpus,
    EncodingConfig,
    are_bounds,
    lie_within,
)
from embeddings.corpora.text_files import documents, file_checksums, text_files
from embeddings.errors import KlyuchError
from embeddings.text.words import split_words
from tests.corpora.small_texts import TEXT, encoded, same, write


def test_ids_counts_and_bounds_by_hand(tmp_path):
    corpus = encoded(tmp_path)
    assert corpus.vocabulary.words == ("the", "bird", "cat", "sat", "a", "dog", "on")
    assert corpus.vocabulary.counts.tolist() == [4, 2, 2, 2, 1, 1, 1]
    assert corpus.ids.tolist() == [0, 2, 3, 0, 5, 3, 6, 0, 2, 4, 1, 0, 1]
    assert corpus.sentence_bounds.tolist() == [0, 3, 9, 11, 13]
    assert corpus.document_bounds.tolist() == [0, 2, 3, 4]
    assert (corpus.ids.dtype, corpus.sentence_bounds.dtype) == (np.int32, np.int64)
    assert isinstance(corpus.ids, np.memmap)


def test_rare_words_go_and_empty_sentences_and_documents_with_them(tmp_path):
    text = "a a b\nrare\n\nonly\n\nb a c\n"
    corpus = encoded(tmp_path, text, min_count=2)
    assert corpus.vocabulary.words == ("a", "b")
    assert list(corpus.sentences()) == [["a", "a", "b"], ["b", "a"]]
    assert corpus.document_bounds.tolist() == [0, 1, 2]


def test_max_words_keeps_the_commonest_with_ties_by_word(tmp_path):
    corpus = encoded(tmp_path, "б а в б а в г\nг в\n", max_words=2)
    assert corpus.vocabulary.words == ("в", "а")


def test_too_rare_is_told_from_never_seen(tmp_path):
    corpus = encoded(tmp_path, "a a a rare rare once", min_count=3)
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
    words = "ключ за\u0301мок Straße don’t mu\u0308ssen 3.14 кто-то x — 🙂"
    pool = words.split()
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
    corpus = encoded(tmp_path, random_text(2), lower=lower)
    expected = EncodedCorpus.from_sentences(reference([tmp_path / "a.txt"], lower))
    assert same(corpus, expected)
    assert all(unicodedata.is_normalized("NFC", word) for word in corpus.vocabulary.words)


@pytest.mark.mirror
@pytest.mark.parametrize("name", ["ru_news", "ru_literature", "de_literature", "en_wikipedia.1"])
def test_real_text_encodes_as_the_readable_reference(tmp_path, name):
    mirror = Path(os.environ["KLYUCH_MIRROR"])
    with lzma.open(mirror / "corpora" / f"{name}.txt.xz") as file:
        corpus = encoded(tmp_path, file.read(3 << 20).rpartition(b"\n")[0])
    assert same(corpus, EncodedCorpus.from_sentences(reference([tmp_path / "a.txt"])))


def test_lemmas_replace_words_and_their_counts_merge(tmp_path):
    corpus = encoded(tmp_path, "Ключ ключа ключом. Дом\nключи дома", min_count=2, lemmas="ru")
    assert corpus.vocabulary.words == ("ключ", "дом")
    assert corpus.vocabulary.counts.tolist() == [4, 2]
    assert list(corpus.sentences()) == [["ключ"] * 3 + ["дом"], ["ключ", "дом"]]


def counted(corpus):
    return dict(zip(corpus.vocabulary.words, corpus.vocabulary.counts.tolist(), strict=True))


def test_german_lemmas_are_once_per_run_in_the_case_of_the_text(tmp_path):
    counts = counted(encoded(tmp_path, "Das Haus, die Häuser. Sie hausen", lemmas="de"))
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
    counts = counted(encoded(tmp_path, "L'homme et l’homme. Un homme\n"))
    assert counts == {"homme": 3, "l": 2, "et": 1, "un": 1}


# The folder of an encoded corpus: damage is found, nothing foreign is deleted, and it is no text


@pytest.mark.parametrize(
    "name", ["config.json", "ids.npy", "sentences.npy", "documents.npy", "words.txt"]
)
def test_a_damaged_folder_is_refused(tmp_path, name):
    encoded(tmp_path)
    whole = (tmp_path / "ids" / name).read_bytes()
    (tmp_path / "ids" / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(KlyuchError, match=name):
        EncodedCorpus.open(tmp_path / "ids")
    (tmp_path / "ids" / name).unlink()
    with pytest.raises(KlyuchError, match=name):
        EncodedCorpus.open(tmp_path / "ids")


def words_file(change):
    """Return a damage that rewrites the lines of words.txt."""

    def damage(folder):
        path = folder / "words.txt"
        path.write_text("".join(f"{line}\n" for line in change(path.read_text().splitlines())))

    return damage


def array_file(name, place, value):
    """Return a damage that sets one number of an array."""

    def damage(folder):
        array = np.load(folder / name)
        array[place] = value
        np.save(folder / name, array)

    return damage


def words_and_id(folder):
    """Cut a word off and let another have its count, so that only the ids tell."""
    words_file(lambda lines: [*lines[:-2], lines[-2].replace("\t1", "\t2")])(folder)


@pytest.mark.parametrize(
    ("damage", "name"),
    [
        (words_file(lambda lines: lines[:-3]), "words.txt"),
        (words_file(lambda lines: [*lines[:-1], lines[-2]]), "words.txt"),
        (words_file(lambda lines: [*lines[:-2], "x\t0", "y\t2"]), "words.txt"),
        (words_file(lambda lines: ["the\t5", *lines[1:]]), "words.txt"),
        (words_and_id, "ids.npy"),
        (array_file("ids.npy", 5, 7), "ids.npy"),
        (array_file("ids.npy", 0, -1), "ids.npy"),
        (array_file("ids.npy", -1, 2**31 - 1), "ids.npy"),
        (array_file("sentences.npy", 1, 10), "sentences.npy"),
        (array_file("sentences.npy", 1, -3), "sentences.npy"),
        (array_file("sentences.npy", -1, 12), "sentences.npy"),
        (array_file("documents.npy", 1, 9), "documents.npy"),
        (array_file("documents.npy", 0, 1), "documents.npy"),
    ],
)
def test_ids_bounds_and_words_that_do_not_agree_are_refused(tmp_path, damage, name):
    folder = encoded(tmp_path).folder
    damage(folder)
    with pytest.raises(KlyuchError, match=f"not a complete encoded corpus: {name}"):
        EncodedCorpus.open(folder)


def test_ids_and_bounds_are_checked_past_the_first_block(monkeypatch):
    monkeypatch.setattr("embeddings.corpora.encoded_corpus.IDS_AT_A_TIME", 4)
    for place in range(10):
        ids = np.zeros(10, np.int32)
        assert lie_within(ids, 1)
        ids[place] = 1
        assert not lie_within(ids, 1)
        assert are_bounds(np.arange(11), 10)
        bounds = np.arange(11)
        bounds[place + 1] = place
        assert not are_bounds(bounds, 10)


def test_encode_replaces_a_corpus(tmp_path):
    encoded(tmp_path)
    encoded(tmp_path, "one two")
    assert EncodedCorpus.open(tmp_path / "ids").vocabulary.words == ("one", "two")


FOREIGN = {
    "a foreign folder": ("precious", {"precious/thesis.tex": "years"}, r"precious.*thesis\.tex"),
    "a corpus and more": ("ids", {"ids/thesis.tex": "years"}, r"ids.*thesis\.tex"),
    "a file": ("afile.txt", {"afile.txt": "years"}, r"afile\.txt exists already"),
    "the source folder": ("novels", {}, "is the source"),
    "the source file": ("novels/b.txt", {}, "is the source"),
    "above the source": (".", {}, "or holds it"),
    "inside the source": ("novels/ids", {}, "or lies in it"),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_encode_deletes_nothing_but_a_corpus(tmp_path, case):
    output, files, sentence = FOREIGN[case]
    (tmp_path / "novels").mkdir()
    source = write(tmp_path / "novels" / "b.txt", TEXT)
    encoded(tmp_path)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write(tmp_path / name, text)
    before = {path: path.is_dir() or path.read_bytes() for path in tmp_path.rglob("*")}
    given = source if case == "the source file" else tmp_path / "novels"
    with pytest.raises(KlyuchError, match=sentence):
        encode([given], tmp_path / output, EncodingConfig(min_count=1))
    assert {path: path.is_dir() or path.read_bytes() for path in tmp_path.rglob("*")} == before


def test_an_encoded_corpus_is_no_text(tmp_path):
    source = tmp_path / "a.txt"
    folder = encoded(tmp_path).folder
    assert text_files([tmp_path]) == (source,)
    (folder / "deeper").mkdir()
    write(folder / "deeper" / "b.txt", "text")
    assert text_files([tmp_path]) == (source,)
    with pytest.raises(KlyuchError, match=r"ids is an encoded corpus already.*Name the text files"):
        text_files([folder])
    source.unlink()
    with pytest.raises(KlyuchError, match=r"holds no text: put files with the suffixes \.txt"):
        text_files([tmp_path])


# Texts and settings that are refused in a sentence, with the line and the byte


NOISE = random.Random(5).randbytes(5000).hex().encode()


BULK = ("слово и дело " * 2000).encode()


BAD = [
    ("empty", "a.txt", b"", r"a\.txt: no words were found"),
    ("punctuation only", "a.txt", b"... --- !!!\n", "no words were found"),
    ("nothing above min_count", "a.txt", b"one two two", r"min_count=5.*“two”, has the count 2"),
    ("NUL", "a.txt", b"one\ntwo \x00 three", r"a\.txt, line 2: a NUL byte"),
    ("zip", "a.txt", b"PK\x03\x04rest", "begins as a zip archive, or a document of Word or LibreOffice does"),
    ("gz called txt", "a.txt", gzip.compress(BULK, mtime=0), "begins as gzip data without the suffix"),
    ("txt called gz", "a.txt.gz", BULK, r"a\.txt\.gz is not valid \.gz data.*Get the file again"),
    ("cut gz", "a.txt.gz", gzip.compress(NOISE, mtime=0)[:-40], "ends too early"),
    (
        "Windows-1251",
        "a.txt",
        "ok\nКлюч от замка, и всё".encode("cp1251"),
        r"a\.txt, line 2: byte 0xCA is not UTF-8.*to be in WINDOWS-1251 .*--encoding WINDOWS-1251",
    ),
    ("KOI8-R", "a.txt", "Ключ от замка, и всё".encode("koi8-r"), "seems to be in KOI8-R"),
    ("Latin-1", "a.txt", "\n\nschöne Straße hier".encode("latin-1"), "line 3: byte 0xF6.*-1252"),
    ("random bytes", "a.txt", random.Random(6).randbytes(9999).replace(b"\0", b""), "no other enc"),
    ("one bad byte", "a.txt", "Ключ от зам".encode() + b"\xff" + "ка, é ü".encode(), "every letter stays"),
    ("DOS", "a.txt", "Ключ от замка, и всё".encode("cp866"), "seems to be in CP866"),
    ("Ukrainian", "a.txt", "«Ключ» від їхніх дверей — є".encode("cp1251"), "in WINDOWS-1251"),
    ("capitals first", "a.txt", "КЛЮЧ. Ключ от замка".encode("cp1251"), "in WINDOWS-1251"),
    ("UTF-16", "a.txt", "слово".encode("utf-16"), "line 1: byte 0xFF is not UTF-8.*UTF-16"),
    ("NFD before a bad byte", "a.txt", "mu\u0308ssen ".encode() + b"\xff", "line 1: byte 0xFF"),
    ("long line", "a.txt", b"ok\n" + b"a" * (16 * 2**20 + 1), "line 2: 1677721. bytes.*fold -s"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "data", "sentence"), [bad[1:] for bad in BAD], ids=[b[0] for b in BAD]
)
def test_bad_input_is_refused_in_a_sentence_and_nothing_is_left(tmp_path, name, data, sentence):
    source = write(tmp_path / name, data)
    with pytest.raises(KlyuchError, match=sentence):
        encode([source], tmp_path / "ids", EncodingConfig())
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_bad_byte_is_found_in_the_line_it_stands_in_far_into_a_file(tmp_path):
    source = write(tmp_path / "a.txt", b"word word\n" * 5000 + b"w\xffrd\n" + b"word\n" * 5000)
    with pytest.raises(KlyuchError, match="line 5001: byte 0xFF"):
        encode([source], tmp_path / "ids", EncodingConfig(), block_size=1000)


def test_a_line_just_within_the_bound_is_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files_module, "LINE_LIMIT", 1 << 20)
    source = write(tmp_path / "a.txt", b"word " * 209_000 + b"\nword\n")
    corpus = encode([source], tmp_path / "ids", EncodingConfig())
    assert corpus.sentence_bounds.tolist() == [0, 209_000, 209_001]
