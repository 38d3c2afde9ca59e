"""A corpus as WordPiece ids on disk, ready for pretraining on any machine: compact, raw, one set of files a source.

``NAME.ids``: uint16 (int32 past 65 536 tokens), all tokens in text order. ``NAME.sentences``: tokens of each sentence, uint16.
``NAME.documents``: sentences of each document, uint32. ``prepared.json`` names them. All little-endian; xz halves them for the road.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.configuration import ShapeError, decode
from embeddings.corpora.text_files import documents, paragraphs, text_files
from embeddings.errors import CheckpointError, Clause, InputError, clause
from embeddings.files import (
    atomic_folder,
    check_apart,
    check_file,
    check_replaceable,
    read_json,
    sha256,
    write_json,
)
from embeddings.results import Report, Value, progress_of
from embeddings.text.spelling_rules import check_spelling, respell_text
from embeddings.text.tokenizer import FILES as TOKENIZER_FILES
from embeddings.text.tokenizer import Tokenizer
from embeddings.text.word_positions import language_of_file, sentences
from embeddings.text.wordpiece_training import (
    LanguageText,
    WordPieceConfig,
    balanced_sample,
    train_wordpiece,
)

ABOUT = "prepared.json"
_KINDS = ("ids", "sentences", "documents")
LONGEST_SENTENCE = 65_535  # what uint16 can say; a longer one is cut
DTYPES = ("<u2", "<i4")
_BATCH = 64  # documents encoded at a time
AS_WRITTEN = 3  # under a spelling rule, every third document stays as it was written


class Source(Value):
    """One file of a prepared corpus."""

    name: str
    language: str
    tokens: int
    sentences: int
    documents: int


class PreparedCorpus(Value):
    """Token ids with the bounds of sentences and documents.

    Attributes
    ----------
    ids : NDArray, shape (tokens,)
        uint16 or int32.
    sentence_bounds : NDArray[int64], shape (sentences + 1,)
        Offsets into ``ids``.
    document_bounds : NDArray[int64], shape (documents + 1,)
        Offsets into the sentences.
    document_source : NDArray[int64], shape (documents,)
        Which of ``sources`` a document comes from.
    """

    ids: NDArray[np.integer]
    sentence_bounds: NDArray[np.int64]
    document_bounds: NDArray[np.int64]
    document_source: NDArray[np.int64]
    sources: tuple[Source, ...]
    vocab_size: int

    @classmethod
    def open(cls, folder: Path) -> PreparedCorpus:
        """Read what `prepare_corpus` wrote."""
        check_file(folder / ABOUT, clause("prepare_corpus"))
        about = read_json(folder / ABOUT)
        sources = _sources(folder, about.get("files"))
        name, vocab_size = about.get("dtype"), about.get("vocab_size")
        if name not in DTYPES or not isinstance(vocab_size, int) or vocab_size < 1:
            raise _damaged(folder, clause("prepared_numbers", dtype=name, vocab_size=vocab_size))
        dtype = np.dtype(str(name))
        ids = [_read(folder, s, "ids", dtype, s.tokens) for s in sources]
        lengths = [_read(folder, s, "sentences", np.dtype("<u2"), s.sentences) for s in sources]
        counts = [_read(folder, s, "documents", np.dtype("<u4"), s.documents) for s in sources]
        for source, length, held in zip(sources, lengths, counts, strict=True):
            if int(length.sum()) != source.tokens or int(held.sum()) != source.sentences:
                raise _damaged(folder, clause("bounds_other", name=source.name))
        for source, numbers in zip(sources, ids, strict=True):
            if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < vocab_size:
                raise _damaged(folder, clause("ids_outside", name=source.name, bound=vocab_size))
        return cls(
            np.concatenate(ids),
            _bounds(np.concatenate(lengths)),
            _bounds(np.concatenate(counts)),
            np.repeat(np.arange(len(sources)), [s.documents for s in sources]),
            sources,
            vocab_size,
        )

    def split(self, share: float = 0.005) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the documents to train on and those held out.

        Every 1 / share-th of each source, at least one of four.

        Nothing random: the same documents are held out by every run.
        """
        held: list[NDArray[np.int64]] = []
        for number in range(len(self.sources)):
            rows = np.flatnonzero(self.document_source == number)
            wanted = max(round(share * len(rows)), int(len(rows) >= 4)) if share else 0
            places = np.linspace(0, len(rows) - 1, wanted + 2).astype(np.int64)[1:-1]
            held.append(rows[places])
        heldout = np.concatenate(held)
        everything = np.arange(len(self.document_source))
        return np.setdiff1d(everything, heldout), heldout


def _sources(folder: Path, files: object) -> tuple[Source, ...]:
    """Return what prepared.json says of each file; what is of another kind, or no mere name, is refused."""
    try:
        sources = decode(tuple[Source, ...], files)
    except ShapeError as error:
        raise _damaged(folder, clause("prepared_field", field=error)) from error
    if not sources or not all(_is_file_name(source.name) for source in sources):
        raise _damaged(folder, clause("prepared_files"))
    return sources


def _is_file_name(name: str) -> bool:
    """Whether a file of a folder can be called so; with an ending it has 255 bytes at most."""
    return (
        Path(name).name == name and "\0" not in name and len(name.encode(errors="replace")) <= 200
    )


def _damaged(folder: Path, reason: Clause) -> CheckpointError:
    return CheckpointError("prepared_damaged", path=folder, reason=reason)


def _bounds(lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Offsets from lengths."""
    bounds = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=bounds[1:])
    return bounds


def _read(
    folder: Path, source: Source, ending: str, dtype: np.dtype[np.generic], count: int
) -> NDArray[np.integer]:
    """Read one raw file and hold it to the length that prepared.json promises."""
    path = folder / f"{source.name}.{ending}"
    size = path.stat().st_size if path.exists() else -1
    if size != (expected := count * dtype.itemsize):
        reason = clause("bytes_other", name=path.name, found=max(size, 0), expected=expected)
        raise _damaged(folder, reason)
    return np.fromfile(path, dtype)


def train_vocabulary(
    sources: Sequence[Path], config: WordPieceConfig | None = None
) -> tuple[Tokenizer, list[str]]:
    """Learn a vocabulary from as much text of each language, and return it with the languages: the prefixes of the files' names."""
    config = config or WordPieceConfig()
    files = text_files(sources)
    texts = [
        LanguageText(language_of_file(path), paragraphs(path), sum(map(len, paragraphs(path))))
        for path in files
    ]
    vocabulary = train_wordpiece(balanced_sample(texts, config.sample_mb * 1e6), config)
    return vocabulary, sorted({text.language for text in texts})


def prepare_corpus(
    sources: Sequence[Path],
    wordpiece: Tokenizer,
    folder: Path,
    report: Report | None = None,
    spelling: str = "",
) -> PreparedCorpus:
    """Encode text files into ``folder`` (with a copy of the vocabulary) and open it.

    Under a ``spelling`` rule, two documents of three are written as the rule has it and the third stays as it is,
    so that a network of these ids reads both spellings.

    Raises
    ------
    InputError
        If the files hold no text; if there is no such rule.
    """
    check_spelling(spelling)
    check_apart(folder, sources)
    check_replaceable(folder, ABOUT, (ABOUT, *TOKENIZER_FILES, *(f"*.{kind}" for kind in _KINDS)))
    files = text_files(sources)
    dtype = np.dtype("<u2" if len(wordpiece) <= 65_536 else "<i4")
    with atomic_folder(folder) as temporary:
        wordpiece.save(temporary)
        numbers = count()  # of documents, through all files
        encoded = [
            _encode(path, _respelled(spelling, numbers), wordpiece, temporary, dtype, report)
            for path in files
        ]
        if not any(source.tokens for source in encoded):
            raise InputError("corpus_no_text", files=len(files))
        about: dict[str, object] = {
            "dtype": dtype.str,
            "vocab_size": len(wordpiece),
            "tokenizer_sha256": sha256(temporary / "tokenizer.json"),
            "files": [{f: getattr(s, f) for f in Source.__dataclass_fields__} for s in encoded],
            **({"spelling": spelling} if spelling else {}),
        }
        write_json(temporary / ABOUT, about)
    return PreparedCorpus.open(folder)


def _encode(
    path: Path,
    spelled: Callable[[list[str]], list[str]],
    wordpiece: Tokenizer,
    folder: Path,
    dtype: np.dtype[np.generic],
    report: Report | None,
) -> Source:
    """Encode one file, some documents at a time; ``report`` gets bytes of the file, and tokens a second."""
    name = path.name.removesuffix(".xz").removesuffix(".gz").removesuffix(".txt")
    totals = np.zeros(3, np.int64)
    size, read = path.stat().st_size, [0]
    stream = map(spelled, documents(path, read.append))
    advance = progress_of(report, f"encode {name}", size)
    kinds: tuple[np.dtype[Any], ...] = (dtype, np.dtype("<u2"), np.dtype("<u4"))
    with ExitStack() as stack:
        outputs = [
            stack.enter_context((folder / f"{name}.{ending}").open("wb")) for ending in _KINDS
        ]
        while batch := list(islice(stream, _BATCH)):
            arrays = _encode_batch(batch, wordpiece)
            for output, array, kind in zip(outputs, arrays, kinds, strict=True):
                output.write(array.astype(kind).tobytes())
            totals += [len(array) for array in arrays]
            advance(read[-1], int(totals[0]))
    advance(size, int(totals[0]))
    return Source(name, language_of_file(path), *(int(total) for total in totals))


def _respelled(spelling: str, numbers: Iterator[int]) -> Callable[[list[str]], list[str]]:
    """Return what spells the next document as `prepare_corpus` has it."""

    def spelled(document: list[str]) -> list[str]:
        is_kept = not spelling or next(numbers) % AS_WRITTEN == 0
        return document if is_kept else [respell_text(text, spelling) for text in document]

    return spelled


def _encode_batch(
    batch: list[list[str]], wordpiece: Tokenizer
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Ids, tokens per sentence and sentences per document of some documents; empty ones vanish."""
    cut = [[s for paragraph in document for s in sentences(paragraph)] for document in batch]
    encoded = iter(wordpiece.ids([s for document in cut for s in document]))
    ids: list[int] = []
    lengths: list[int] = []
    counts: list[int] = []
    for document in cut:
        before = len(lengths)
        for sentence in islice(encoded, len(document)):
            ids += sentence
            lengths += _pieces(len(sentence))
        if len(lengths) > before:
            counts.append(len(lengths) - before)
    return np.array(ids, np.int64), np.array(lengths, np.int64), np.array(counts, np.int64)


def _pieces(length: int) -> Iterator[int]:
    """Lengths of a sentence after cutting it to what the file can say."""
    while length > 0:
        yield min(length, LONGEST_SENTENCE)
        length -= LONGEST_SENTENCE
