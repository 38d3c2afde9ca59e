"""What is not written, and what is never written over."""

import numpy as np
import pytest

from embeddings import Vectors
from embeddings.errors import FormatError
from embeddings.vectors.formats import WRITERS, write
from tests.vectors.odd_words import odd, save


@pytest.mark.parametrize("kind", ["word2vec", "glove", "fasttext", "word2vec-binary"])
@pytest.mark.parametrize("word", ["New York", "a\tb", "a\nb", ""])
def test_a_word_with_white_space_is_not_written_and_the_way_out_is_told(tmp_path, kind, word):
    vectors = Vectors(["fine", word], np.eye(2, dtype=np.float32))
    with pytest.raises(FormatError, match=r"(?s)line 2.*native format"):
        write(vectors, tmp_path / "v", format=kind)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", list(WRITERS))
def test_nan_is_not_written(tmp_path, kind):
    with pytest.raises(FormatError, match="«a» holds nan"):
        write(Vectors(["a"], np.array([[np.nan]], np.float32)), tmp_path / "v", format=kind)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["native", "projector"])
def test_a_folder_that_holds_something_else_is_never_replaced(tmp_path, kind):
    (tmp_path / "thesis").mkdir()
    write(odd(), tmp_path / "thesis", format=kind)
    write(odd(), tmp_path / "thesis", format=kind)
    for path in (tmp_path / "thesis").iterdir():
        path.unlink()
    save(tmp_path / "thesis", "years of work", "chapter.tex")
    for target in (tmp_path / "thesis", tmp_path / "thesis" / "chapter.tex"):
        with pytest.raises(FormatError, match=r"holds chapter\.tex, which writing would delete"):
            write(odd(), target, format=kind)
    assert (tmp_path / "thesis" / "chapter.tex").read_text() == "years of work"


@pytest.mark.parametrize("kind", ["native", "projector", "gensim"])
def test_a_foreign_file_beside_the_vectors_is_named_and_nothing_is_replaced(tmp_path, kind):
    write(odd(), tmp_path / "v", format=kind)
    save(tmp_path / "v", "years of work", "chapter.tex")
    before = {file: file.read_bytes() for file in (tmp_path / "v").iterdir()}
    with pytest.raises(FormatError, match=r"holds chapter\.tex, which writing would delete"):
        write(odd(), tmp_path / "v", format=kind)
    assert {file: file.read_bytes() for file in (tmp_path / "v").iterdir()} == before
