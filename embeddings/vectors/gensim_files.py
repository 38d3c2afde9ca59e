"""Files that `Vectors` opens and writes, called as gensim's ``KeyedVectors`` are; `embeddings.verbs` makes them its methods."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from embeddings.errors import FormatError, InputError
from embeddings.files import atomic_file
from embeddings.vectors.formats import read, write
from embeddings.vectors.table import Vectors


def load(path: str | Path) -> Vectors:
    """Read a native folder or a file in any format of `embeddings.vectors.formats`."""
    vectors = read(Path(path))
    vectors.path = Path(path).absolute()
    return vectors


def save(vectors: Vectors, fname: str | Path) -> None:
    """Write a native folder, which `Vectors.load` opens; nothing is pickled."""
    write(vectors, Path(fname), format="native")


def save_word2vec_format(
    vectors: Vectors,
    fname: str | Path,
    fvocab: str | Path | None = None,
    binary: bool = False,
    *,
    write_header: bool = True,
    prefix: str = "",
) -> None:
    """Write word2vec text or binary; ``fvocab`` gets ``word count`` lines, ``prefix`` stands before each word."""
    if binary and not write_header:
        raise InputError("vectors_no_header")
    table = vectors
    if prefix:
        table = Vectors([prefix + word for word in vectors.words], vectors.matrix, vectors.counts)
    plain = "word2vec" if write_header else "glove"
    write(table, Path(fname), format="word2vec-binary" if binary else plain)
    if fvocab is not None:
        if vectors.counts is None:
            raise InputError("vectors_uncounted")
        counted = zip(table.words, vectors.counts.tolist(), strict=True)
        with atomic_file(Path(fvocab)) as temporary:
            text = "".join(f"{word} {count}\n" for word, count in counted)
            temporary.write_text(text, encoding="utf-8")


def load_word2vec_format(  # noqa: PLR0913 - gensim's arguments
    fname: str | Path,
    fvocab: str | Path | None = None,
    binary: bool = False,  # noqa: ARG001 - found out from the file, as is the header
    encoding: str = "utf8",
    unicode_errors: str = "strict",
    limit: int | None = None,
    *,
    no_header: bool = False,  # noqa: ARG001
) -> Vectors:
    """Read word2vec text or binary, or any other format of `embeddings.vectors.formats`.

    ``unicode_errors`` "replace" or "ignore" opens files whose words are cut inside a character.
    """
    vectors = read(Path(fname), limit=limit, errors=unicode_errors)
    if fvocab is None:
        return vectors
    try:
        text = Path(fvocab).read_bytes().decode(encoding, unicode_errors)
        pairs = [line.rsplit(None, 1) for line in text.split("\n") if line.strip()]
        counts = {word: int(count) for word, count in pairs}
        vectors.counts = np.array([counts.get(word, 0) for word in vectors.words], np.int64)
    except (ValueError, OverflowError) as error:  # past 64 bits
        raise FormatError("file_unreadable", path=fvocab, reason=error) from error
    return vectors
