"""What is known of a network on the Hugging Face Hub, or in a mirror of it, before it is fetched. Sizes are bytes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a repository; ``location`` is its address, or its path in a mirror folder.

    ``sha256`` or ``blob`` (git's sha1 of a small file) as the Hub tells them; "" where it does not.
    """

    name: str
    size: int
    location: str
    sha256: str = ""
    blob: str = ""


@dataclass(frozen=True, slots=True)
class HubRepository:
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


@dataclass(frozen=True, slots=True)
class HubNetwork:
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


@dataclass(frozen=True, slots=True)
class SuggestedNetwork:
    """A network by name that is known to fit; ``languages`` are codes, "multilingual" of about a hundred."""

    name: str
    languages: tuple[str, ...]
    family: str
    layers: int
    hidden_size: int
