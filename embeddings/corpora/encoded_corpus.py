"""A corpus as int32 ids on disk: memory-mapped, with the bounds of sentences (lines) and documents.

The folder: ``config.json`` (settings and sources), ``words.txt`` (``word<TAB>count``), ``ids.npy``,
``sentences.npy`` and ``documents.npy`` (bounds), ``seen.txt.xz`` (every word that the text has at
least twice, with its count, so that a word too rare can be distinguished from one that never occurs).
Opening checks every id and bound at the speed of memory: the trainers' loops rely on them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from embeddings.arrays import Int32s, Int64s, slices
from embeddings.configuration import CheckedConfig, from_json, setting
from embeddings.errors import CheckpointError
from embeddings.files import CONFIG, read_json
from embeddings.mapped_files import map_npy
from embeddings.results import Value
from embeddings.text.lemmas import LEMMA_LANGUAGES
from embeddings.text.spelling_rules import check_spelling
from embeddings.text.words import Vocabulary

IDS_AT_A_TIME = 1 << 20  # numbers looked at together: 4 MiB of ids
WORDS_FILE, FREQUENT_WORDS_FILE = "words.txt", "seen.txt.xz"
IDS_FILE, SENTENCES_FILE, DOCUMENTS_FILE = "ids.npy", "sentences.npy", "documents.npy"
ARRAYS = {IDS_FILE: np.int32, SENTENCES_FILE: np.int64, DOCUMENTS_FILE: np.int64}
FILES = (CONFIG, WORDS_FILE, FREQUENT_WORDS_FILE, *ARRAYS)


def lie_within(ids: Int32s, size: int) -> bool:
    """Whether all ``ids`` lie in [0, size); a negative one reads as a large one without its sign."""
    unsigned = ids.view(np.uint32)
    return all(int(unsigned[part].max()) < size for part in slices(len(ids), IDS_AT_A_TIME))


def are_bounds(bounds: Int64s, end: int) -> bool:
    """Whether ``bounds`` rise, never staying, from 0 to ``end``."""
    if len(bounds) == 0 or bounds[0] != 0 or bounds[-1] != end:
        return False
    parts, earlier, later = slices(len(bounds) - 1, IDS_AT_A_TIME), bounds[:-1], bounds[1:]
    return all(bool((later[part] > earlier[part]).all()) for part in parts)


def read_vocabulary(folder: Path) -> Vocabulary:
    """Read ``words.txt``."""
    try:
        lines = (folder / WORDS_FILE).read_text(encoding="utf-8").removesuffix("\n").split("\n")
        pairs = [line.split("\t") for line in lines]
        words = tuple(word for word, _ in pairs)
        return Vocabulary(words, np.array([int(count) for _, count in pairs], np.int64))
    except (OSError, ValueError, OverflowError) as error:
        raise CheckpointError("corpus_folder", path=folder, name=WORDS_FILE) from error


def recorded_checksums(folder: Path) -> dict[str, str]:
    """Return the sha256 of the files that a corpus was encoded from, by name; none where they were not recorded."""
    recorded = read_json(folder / CONFIG).get("files")
    return {**recorded} if isinstance(recorded, dict) else {}


class EncodingConfig(CheckedConfig):
    """How a corpus becomes ids."""

    min_count: int = setting(5, "Minimum count: rarer words are left out of the text.", 1, 2**40)
    max_words: int = setting(
        0, "Keep at most this many words, the most frequent; 0 keeps all.", 0, 2**31 - 1
    )
    lower: bool = setting(True, "Lower-case all words.", flag="--lower/--keep-case")
    lemmas: str = setting(
        "",
        "Replace words by their lemmas in this language, by its code: en, ru, de, fr, uk and 49 more.",
        choices=("", *LEMMA_LANGUAGES),
    )

    spelling: str = setting(
        "",
        "Write words as this rule spells them, de-1996 (Schloß is Schloss), en-us (colour is color), ru-e (ёлка is елка), ligatures.",
    )
    encoding: str = setting(
        "",
        "Encoding of the text, as windows-1251 or gb18030; detect: find each file's. UTF-8 if not given.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_spelling(self.spelling, self.lemmas)

    @property
    def reads_lower(self) -> bool:
        """Whether words are lower-cased as the text is split: lemmas and spellings are looked up in the text's own case."""
        return self.lower and not self.lemmas and not self.spelling


class EncodedCorpus(Value):
    """The words of a corpus in the order of the text, as ids; words outside it are left out.

    Attributes
    ----------
    folder : Path or None
        Where it lies; None for one made in memory.
    vocabulary : Vocabulary
        Words by falling frequency; an id is a position in it.
    ids : NDArray of int32, shape (words of the text,)
        Memory-mapped where the corpus lies on disk.
    sentence_bounds : NDArray of int64, shape (sentences + 1,)
        Sentence s (a line with at least one word of the vocabulary) is ``ids[bounds[s]:bounds[s +
        1]]``.
    document_bounds : NDArray of int64, shape (documents + 1,)
        Document d holds sentences ``bounds[d]`` up to ``bounds[d + 1]``.
    config : EncodingConfig
        The settings that made it.
    """

    folder: Path | None
    vocabulary: Vocabulary
    ids: Int32s
    sentence_bounds: Int64s
    document_bounds: Int64s
    config: EncodingConfig = EncodingConfig()

    @classmethod
    def open(cls, folder: Path) -> EncodedCorpus:
        """Open a folder that `encode` wrote; ids and bounds are memory-mapped.

        Raises
        ------
        MissingFileError, FormatError, CheckpointError
            If a file is missing, broken, or does not agree with the others: every id is looked at,
            since the trainers write to memory by them.
        """
        vocabulary = read_vocabulary(folder)
        settings = read_json(folder / CONFIG).get("config")
        if not isinstance(settings, Mapping):
            raise CheckpointError("corpus_folder", path=folder, name=CONFIG)
        arrays: list[NDArray[Any]] = []
        for name, kind in ARRAYS.items():
            try:
                array = map_npy(folder / name)
            except (OSError, ValueError) as error:
                raise CheckpointError("corpus_folder", path=folder, name=name) from error
            if array.ndim != 1 or array.dtype != kind:
                raise CheckpointError("corpus_folder", path=folder, name=name)
            arrays.append(array)
        config = from_json(EncodingConfig, settings, folder / CONFIG)
        ids, sentences, documents = arrays
        corpus = cls(folder, vocabulary, ids, sentences, documents, config)
        corpus._check()
        return corpus

    def _check(self) -> None:
        """Raise `CheckpointError`, which names the file, if the files do not agree: the trainers write to memory by these ids."""
        vocabulary, ids = self.vocabulary, self.ids
        for name, is_sound in (
            (WORDS_FILE, len(vocabulary.index) == len(vocabulary) and vocabulary.counts.min() > 0),
            (WORDS_FILE, int(vocabulary.counts.sum()) == len(ids)),
            (IDS_FILE, lie_within(ids, len(vocabulary))),
            (SENTENCES_FILE, are_bounds(self.sentence_bounds, len(ids))),
            (DOCUMENTS_FILE, are_bounds(self.document_bounds, len(self.sentence_bounds) - 1)),
        ):
            if not is_sound:
                raise CheckpointError("corpus_folder", path=self.folder, name=name)

    @classmethod
    def from_sentences(
        cls,
        sentences: Sequence[Sequence[str]] | Sequence[Sequence[Sequence[str]]],
        min_count: int = 1,
    ) -> EncodedCorpus:
        """Make a small corpus in memory from sentences (one document) or documents of sentences.

        Examples
        --------
        >>> small = EncodedCorpus.from_sentences([["a", "b"], ["b"]])
        >>> small.vocabulary.words, small.ids.tolist(), small.sentence_bounds.tolist()
        (('b', 'a'), [1, 0, 0], [0, 2, 3])
        """
        nested = any(not isinstance(item, str) for sentence in sentences for item in sentence)
        documents = cast("Sequence[Sequence[Sequence[str]]]", sentences if nested else [sentences])
        counted = Counter(word for document in documents for line in document for word in line)
        ranked = sorted(
            (word for word in counted if counted[word] >= min_count),
            key=lambda word: (-counted[word], word),
        )
        vocabulary = Vocabulary(
            tuple(ranked), np.array([counted[word] for word in ranked], np.int64)
        )
        ids: list[int] = []
        sentence_bounds, document_bounds = [0], [0]
        for document in documents:
            for line in document:
                ids += [vocabulary.index[word] for word in line if word in vocabulary.index]
                if len(ids) > sentence_bounds[-1]:
                    sentence_bounds.append(len(ids))
            if len(sentence_bounds) - 1 > document_bounds[-1]:
                document_bounds.append(len(sentence_bounds) - 1)
        return cls(
            None,
            vocabulary,
            np.array(ids, np.int32),
            np.array(sentence_bounds, np.int64),
            np.array(document_bounds, np.int64),
            EncodingConfig(min_count=min_count),
        )

    def sentences(self) -> Iterable[list[str]]:
        """Yield each sentence as words."""
        words = self.vocabulary.words
        for start, end in zip(self.sentence_bounds[:-1], self.sentence_bounds[1:], strict=True):
            yield [words[number] for number in self.ids[start:end]]
