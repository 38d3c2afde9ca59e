"""Results on what stands on the shelf: states of files, scores, corpora. Sizes are bytes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class FileState:
    """A file of a model, looked at now.

    ``state`` is "sound", "changed", "missing"; or, where its card names no sha256, "unrecorded", and
    "unreadable" if it cannot be opened either.
    """

    name: str
    size: int
    state: str

    @property
    def is_bad(self) -> bool:
        """Whether the model cannot be used with this file as it is."""
        return self.state in {"changed", "missing", "unreadable"}


@dataclass(frozen=True, slots=True)
class ShelfModel:
    """A model as its card and settings describe it; "" and None where they do not say.

    ``words`` are those of a static model, or the tokens of a network; ``vector_size`` is
    ``hidden_size`` there, ``layers`` its number of layers. ``size``: bytes of all files.
    """

    name: str
    kind: str
    method: str
    language: str
    path: Path
    is_own: bool
    size: int
    words: int | None = None
    vector_size: int | None = None
    layers: int | None = None
    corpus: str = ""
    licence: str = ""
    created: str = ""


@dataclass(frozen=True, slots=True)
class Damage:
    """A model's folder that cannot be used: ``code`` and ``reason`` as the refusal says it."""

    name: str
    path: Path
    is_own: bool
    reason: str


@dataclass(frozen=True, slots=True)
class ModelScore:
    """A model's score on a test set, as its card tells it.

    ``measure``: "accuracy" (a fraction), "spearman" (in [-1, 1]) or the name that the card gives;
    ``covered`` of ``total`` questions or pairs have all their words in the model (None: not recorded).
    """

    model: str
    kind: str
    method: str
    language: str
    test_set: str
    measure: str
    value: float
    covered: int | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class TextSize:
    """What a corpus holds: words, sentences (lines with a word in them), documents."""

    words: int
    sentences: int
    documents: int


@dataclass(frozen=True, slots=True)
class ShelfCorpus:
    """A corpus in the user's own folder; ``kind``: "text", "encoded" (ids, ready for training), "table" (of dates) or "test set".

    ``text_size`` is None where nobody has counted it yet; ``title``, ``licence`` and ``source`` are "" where not known.
    """

    name: str
    path: Path
    kind: str
    size: int
    files: int
    title: str = ""
    licence: str = ""
    source: str = ""
    text_size: TextSize | None = None


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A file that was brought: ``size`` in bytes, ``origin`` the address or path it came from.

    ``checked_by``: "catalogue" where its sha256 was known beforehand, "record" where the first download recorded it, "nothing yet" where
    it is recorded now. ``was_here``: it was there already, and sound.
    """

    name: str
    path: Path
    size: int
    sha256: str
    origin: str
    checked_by: str
    was_here: bool
