"""The folder of an encoded corpus: damage is found, nothing foreign is deleted, and it is no text."""

import numpy as np
import pytest

from embeddings.corpora.encoded_corpus import (
    EncodedCorpus,
    EncodingConfig,
    are_bounds,
    encode,
    lie_within,
)
from embeddings.corpora.text_files import text_files
from embeddings.errors import KlyuchError
from tests.corpora.small_texts import TEXT, encoded, write


@pytest.mark.parametrize(
    "name", ["config.json", "ids.npy", "sentences.npy", "documents.npy", "words.txt"]
)
def test_a_damaged_folder_is_refused(tmp_path, name):
    encode([write(tmp_path / "a.txt", TEXT)], tmp_path / "ids", EncodingConfig(min_count=1))
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
    folder = encoded(tmp_path)
    damage(folder)
    with pytest.raises(KlyuchError, match=f"not a complete encoded corpus: {name}"):
        EncodedCorpus.open(folder)


def test_ids_and_bounds_are_checked_past_the_first_block(monkeypatch):
    monkeypatch.setattr("embeddings.corpora.encoded_corpus.PIECE", 4)
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
    assert EncodedCorpus.open(encoded(tmp_path, "one two")).vocabulary.words == ("one", "two")


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


def test_a_link_to_the_source_is_the_source(tmp_path):
    (tmp_path / "novels").mkdir()
    write(tmp_path / "novels" / "b.txt", TEXT)
    (tmp_path / "link").symlink_to(tmp_path / "novels")
    with pytest.raises(KlyuchError, match="is the source"):
        encode([tmp_path / "novels"], tmp_path / "link", EncodingConfig(min_count=1))
    assert (tmp_path / "novels" / "b.txt").read_text() == TEXT


def test_an_encoded_corpus_is_no_text(tmp_path):
    source = tmp_path / "a.txt"
    folder = encoded(tmp_path)
    assert text_files([tmp_path]) == (source,)
    (folder / "deeper").mkdir()
    write(folder / "deeper" / "b.txt", "text")
    assert text_files([tmp_path]) == (source,)
    with pytest.raises(KlyuchError, match=r"ids is an encoded corpus already.*Name the text files"):
        text_files([folder])
    source.unlink()
    with pytest.raises(KlyuchError, match="holds no text"):
        text_files([tmp_path])
