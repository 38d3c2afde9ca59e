"""The files of an encoded corpus: their names, and reading an array or the words of one."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from embeddings.errors import CheckpointError
from embeddings.text.words import Vocabulary

CONFIG, WORDS, SEEN = "config.json", "words.txt", "seen.txt.xz"
IDS, SENTENCES, DOCUMENTS = "ids.npy", "sentences.npy", "documents.npy"
FILES = (CONFIG, WORDS, SEEN, IDS, SENTENCES, DOCUMENTS)
S = TypeVar("S", bound=np.generic)


def map_array(folder: Path, name: str, kind: type[S]) -> NDArray[S]:
    """Memory-map one array of the folder."""
    try:
        array: NDArray[S] = np.load(folder / name, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise CheckpointError("corpus_folder", path=folder, name=name) from error
    if array.ndim != 1 or array.dtype != kind:
        raise CheckpointError("corpus_folder", path=folder, name=name)
    return array


def read_words(folder: Path) -> Vocabulary:
    """Read ``words.txt``."""
    try:
        lines = (folder / WORDS).read_text(encoding="utf-8").removesuffix("\n").split("\n")
        pairs = [line.split("\t") for line in lines]
        words = tuple(word for word, _ in pairs)
        return Vocabulary(words, np.array([int(count) for _, count in pairs], np.int64))
    except (OSError, ValueError) as error:
        raise CheckpointError("corpus_folder", path=folder, name=WORDS) from error
