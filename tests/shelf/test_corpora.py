"""The corpora of the shelf: listed, counted, deleted once."""

import json

import numpy as np
import pytest

from embeddings.corpora.encoded_corpus import EncodingConfig, encode
from embeddings.errors import (
    InputError,
)
from embeddings.results.shelf_states import TextSize
from embeddings.shelf import corpora, count_text, delete_corpus, find_corpus


@pytest.fixture
def texts(home):
    """A text and an encoded corpus."""
    place = home / "home" / "corpora" / "novel"
    place.mkdir(parents=True)
    (place / "one.txt").write_text("Ein Wort\nnoch eins\n\n\n...\nzwei drei\n", encoding="utf-8")
    (place / "two.txt").write_text("Ende", encoding="utf-8")
    (place / "source.json").write_text(json.dumps({"source": "https://example.org/novel"}))
    encode([place], home / "home" / "corpora" / "ids", EncodingConfig(min_count=1))
    return home


def test_corpora_are_listed_with_what_they_hold(texts):
    ids, novel = corpora()
    assert (ids.name, ids.kind, ids.text_size.words) == ("ids", "encoded", 7)
    assert (novel.kind, novel.files, novel.text_size) == ("text", 2, None)
    assert novel.source == "https://example.org/novel"
    assert novel.size == sum(file.stat().st_size for file in novel.path.glob("*.txt"))


def test_words_sentences_and_documents_of_a_text_are_counted(texts):
    assert count_text(find_corpus("novel").path) == TextSize(7, 4, 3)


def test_counting_agrees_with_encoding_whatever_the_blocks(texts, tmp_path):
    rng = np.random.default_rng(1)
    place = tmp_path / "text"
    place.mkdir()
    for name in ("a.txt", "b.txt"):
        lines = [" ".join(["wort"] * int(n)) for n in rng.integers(0, 4, size=3000)]
        (place / name).write_text("\n".join(lines))
    whole = encode([place], tmp_path / "ids", EncodingConfig(min_count=1))
    sizes = (len(whole.ids), len(whole.sentence_bounds) - 1, len(whole.document_bounds) - 1)
    assert count_text(place) == TextSize(*sizes)


def test_a_corpus_is_deleted_once(texts):
    delete_corpus("novel")
    assert [corpus.name for corpus in corpora()] == ["ids"]
    with pytest.raises(InputError, match="no corpus of yours called «novel» any more"):
        delete_corpus("novel")


@pytest.mark.parametrize("name", ["", ".", "..", "../models", "a/b"])
def test_only_corpora_are_deleted(texts, name):
    with pytest.raises(InputError, match="no corpus of yours"):
        delete_corpus(name)
    assert len(corpora()) == 2
