"""From texts to ids on disk: documents and sentences, and what is refused."""

import json
import shutil
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from embeddings.corpora import text_files
from embeddings.errors import CheckpointError, FormatError, InputError
from embeddings.pretraining.prepared_corpus import PreparedCorpus, prepare_corpus
from embeddings.text.word_positions import sentences
from embeddings.text.wordpiece_training import WordPieceConfig, train_wordpiece


def test_sentences_keep_every_letter():
    text = "Er kam. „Wohin?“ fragte sie! «Ключ!» — Да… 20 Jahre."
    assert sentences(text) == ["Er kam.", "„Wohin?“ fragte sie!", "«Ключ!»", "— Да…", "20 Jahre."]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prepared")
    text = "Der König kam. Er sang.\nSie ging.\n\nEin Schloss stand da."
    (folder / "de_king.txt").write_text(text, encoding="utf-8")
    (folder / "notes.txt").write_text("A key. A lock.\n", encoding="utf-8")
    wordpiece = train_wordpiece([text, "A key. A lock."] * 3, WordPieceConfig(90, 1))
    corpus = prepare_corpus(sorted(folder.glob("*.txt")), wordpiece, folder / "ids")
    return folder, wordpiece, corpus


def read(corpus, wordpiece):
    """The sentences of a corpus as text."""
    bounds = pairwise(corpus.sentence_bounds)
    return [wordpiece.decode(corpus.ids[first:end]) for first, end in bounds]


def test_a_prepared_corpus_holds_documents_and_sentences(prepared):
    _, wordpiece, corpus = prepared
    assert [(s.name, s.language, s.documents, s.sentences) for s in corpus.sources] == [
        ("de_king", "de", 2, 4),
        ("notes", "und", 1, 2),
    ]
    assert corpus.document_bounds.tolist() == [0, 3, 4, 6]
    assert read(corpus, wordpiece)[:4] == [
        "Der König kam.",
        "Er sang.",
        "Sie ging.",
        "Ein Schloss stand da.",
    ]
    assert corpus.ids.dtype == np.uint16


def test_preparing_tells_how_much_of_each_file_is_done(prepared, tmp_path, monkeypatch):
    _, wordpiece, _ = prepared
    small_blocks = partial(text_files.read_blocks, size=1 << 14)
    monkeypatch.setattr(text_files, "read_blocks", small_blocks)
    text = "Ein Schloss stand da, und der König kam und sang.\n\n" * 2_000
    (tmp_path / "de_long.txt").write_text(text, encoding="utf-8")
    (tmp_path / "notes.txt").write_text("A key.\n", encoding="utf-8")
    seen = []
    prepare_corpus(sorted(tmp_path.glob("*.txt")), wordpiece, tmp_path / "ids", seen.append)
    size = len(text.encode())
    long = [(one.done, one.total) for one in seen if one.phase == "encode de_long"]
    assert {total for _, total in long} == {size}
    assert [done for done, _ in long] == sorted(done for done, _ in long)
    assert 0 < long[0][0] < size
    assert long[-1][0] == size
    assert (seen[-1].phase, seen[-1].done, seen[-1].total) == ("encode notes", 7, 7)


@pytest.mark.parametrize("files", [1, 5])
def test_under_a_spelling_rule_two_documents_of_three_are_respelled(prepared, tmp_path, files):
    """Of one file, and of files of a document each."""
    _, wordpiece, _ = prepared
    for number in range(files):
        documents = ["Daß ein Schloß da stand."] * (5 // files)
        (tmp_path / f"de_{number}.txt").write_text("\n\n".join(documents), encoding="utf-8")
    texts = sorted(tmp_path.glob("*.txt"))
    corpus = prepare_corpus(texts, wordpiece, tmp_path / "ids", spelling="de-1996")
    old, new = (
        wordpiece.decode(wordpiece.ids([sentence])[0])
        for sentence in ("Daß ein Schloß da stand.", "Dass ein Schloss da stand.")
    )
    assert old != new
    assert read(corpus, wordpiece) == [old, new, new, old, new]
    about = json.loads((tmp_path / "ids" / "prepared.json").read_text("utf-8"))
    assert about["spelling"] == "de-1996"


def test_an_unknown_spelling_rule_is_refused_before_anything_is_written(prepared, tmp_path):
    folder, wordpiece, _ = prepared
    with pytest.raises(InputError, match="de-1901"):
        prepare_corpus([folder / "de_king.txt"], wordpiece, tmp_path / "ids", spelling="de-1901")
    assert not (tmp_path / "ids").exists()


def test_a_damaged_prepared_corpus_is_refused(prepared, tmp_path):
    folder, _, _ = prepared
    shutil.copytree(folder / "ids", tmp_path / "ids")
    data = (tmp_path / "ids" / "notes.ids").read_bytes()
    (tmp_path / "ids" / "notes.ids").write_bytes(data[:-1])
    with pytest.raises(CheckpointError, match=r"notes.ids has \d+ bytes, and \d+ are expected"):
        PreparedCorpus.open(tmp_path / "ids")


@pytest.mark.parametrize(
    ("content", "error", "sentence"),
    [
        (b"\n\n", InputError, r"no text in these files \(1\)"),
        (b"\xff\xfe1", FormatError, "UTF-16"),
        (b"abc\x00", FormatError, "NUL byte"),
    ],
)
def test_texts_that_cannot_be_read_leave_nothing(prepared, tmp_path, content, error, sentence):
    (tmp_path / "bad.txt").write_bytes(content)
    with pytest.raises(error, match=sentence):
        prepare_corpus([tmp_path / "bad.txt"], prepared[1], tmp_path / "ids")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.txt"]


def test_preparing_into_the_sources_or_over_foreign_files_is_refused_and_nothing_is_lost(
    prepared, tmp_path
):
    text, ids, foreign = (tmp_path / name for name in ("novel.txt", "ids", "foreign"))
    text.write_text("A key. A lock.", encoding="utf-8")
    for output in (tmp_path, ids):
        with pytest.raises(InputError, match="source"):
            prepare_corpus([tmp_path], prepared[1], output)
    for _ in range(2):  # one of its own is made again
        prepare_corpus([text], prepared[1], ids)
    foreign.mkdir()
    for folder in (ids, foreign):
        (folder / "thesis.txt").write_text("mine", encoding="utf-8")
        with pytest.raises(FormatError, match=r"holds thesis\.txt, which writing would delete"):
            prepare_corpus([text], prepared[1], folder)
        assert (folder / "thesis.txt").read_text(encoding="utf-8") == "mine"
    assert text.exists()
