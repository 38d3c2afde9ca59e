"""What is on the shelf, on the Hub and on this machine: models, networks that can be fetched, what is installed and what is wrong."""

from __future__ import annotations

from pathlib import Path

from embeddings.results.display import Value


class FileState(Value):
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


class ShelfModel(Value):
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


class Damage(Value):
    """A model's folder that cannot be used: ``code`` and ``reason`` as the refusal says it."""

    name: str
    path: Path
    is_own: bool
    reason: str


class ModelScore(Value):
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


class TextSize(Value):
    """What a corpus holds: words, sentences (lines with a word in them), documents."""

    words: int
    sentences: int
    documents: int


class ShelfCorpus(Value):
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


class FetchedFile(Value):
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


class HubFile(Value):
    """A file of a repository; ``location`` is its address, or its path in a mirror folder.

    ``sha256`` or ``blob`` (git's sha1 of a small file) as the Hub tells them; "" where it does not.
    """

    name: str
    size: int
    location: str
    sha256: str = ""
    blob: str = ""


class HubRepository(Value):
    """The files of a repository that a network consists of, at one commit.

    ``revision`` is what was asked for ("" is the main branch), ``commit`` what that was then ("" in a mirror that does not say).
    ``origin`` is the address of the Hub, or the mirror's folder of these files: then ``is_local``. ``card`` is the README.
    """

    name: str
    revision: str
    commit: str
    origin: str
    files: tuple[HubFile, ...]
    is_local: bool = False
    card: HubFile | None = None

    @property
    def label(self) -> str:
        """The name as a person writes it: hf:OWNER/NAME, with the revision that was asked for."""
        return f"hf:{self.name}@{self.revision}" if self.revision else f"hf:{self.name}"

    @property
    def size(self) -> int:
        """Bytes to fetch."""
        return sum(file.size for file in self.files)

    def file(self, name: str) -> HubFile | None:
        """Return the file of that name; None if there is none."""
        return next((file for file in self.files if file.name == name), None)


class HubNetwork(Value):
    """A network that can be fetched: of a kind that opens here, and small enough for the memory.

    ``licence`` and ``languages`` as its model card tells them; ``language`` is what the shelf will say ("" is not known).
    ``memory``: bytes that opening takes, about; ``free``: bytes that are free now, None where the system does not say.
    """

    repository: HubRepository
    model_type: str
    layers: int
    hidden_size: int
    parameters: int
    memory: int
    free: int | None
    licence: str
    language: str
    languages: tuple[str, ...]


class SuggestedNetwork(Value):
    """A network by name that is known to fit; ``languages`` are codes, "multilingual" of about a hundred."""

    name: str
    languages: tuple[str, ...]
    family: str
    layers: int
    hidden_size: int


class Library(Value):
    """A library: its version, "" where it is not installed; ``extra`` is "" for one of the base install."""

    name: str
    version: str
    extra: str


class Device(Value):
    """What can be computed on: ``kind`` is "cpu", "cuda" or "mps"; ``memory`` is 0 where it is not known."""

    kind: str
    name: str
    memory: int


class Room(Value):
    """A folder that is written to: ``free`` is what is left on its disk; ``is_writable`` was tried with a small file."""

    purpose: str
    path: Path
    free: int
    is_writable: bool


class Leftover(Value):
    """What a killed process left; ``is_old``: the next writer there removes it."""

    path: Path
    size: int
    is_old: bool


class BadFile(Value):
    """A file of a model that is not what its card says: ``state`` as in `FileState`."""

    model: str
    name: str
    state: str


class Diagnosis(Value):
    """All of it; ``problems`` says in plain English what is wrong and what to do."""

    version: str
    python: str
    system: str
    libraries: tuple[Library, ...]
    devices: tuple[Device, ...]
    rooms: tuple[Room, ...]
    shipped_models: int
    own_models: int
    damaged: tuple[Damage, ...]
    bad_files: tuple[BadFile, ...]
    jobs: dict[str, int]
    leftovers: tuple[Leftover, ...]
    problems: tuple[str, ...]
