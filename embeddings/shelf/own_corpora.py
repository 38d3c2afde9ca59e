"""The user's corpora: what lies in ``KLYUCH_HOME/corpora``, how much it holds, deleting it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from embeddings.corpora.concordance_index import build_concordance, has_this_version
from embeddings.corpora.corpus_answers import TextSize
from embeddings.corpora.dated_texts import TABLE_SUFFIX
from embeddings.errors import InputError, KlyuchError
from embeddings.files import CONFIG, read_if_whole, read_json
from embeddings.mapped_files import map_npy
from embeddings.results import Report, Rows, Value
from embeddings.shelf.locations import SUFFIX, data, home, sample_concordance
from embeddings.shelf.own_models import NAME, delete_folder
from embeddings.sources.catalogue import RECORD, CatalogueEntry, read_catalogue

TEXTS = ("corpus", "wikipedia", "url")  # kinds of the catalogue that are no test sets


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


def corpora() -> Rows[ShelfCorpus]:
    """Return the user's corpora, tables of dates and test sets, by name."""
    titles = _titles()
    folders = sorted((home() / "corpora").glob("[!.]*/"))
    return Rows(_corpus(folder, titles) for folder in folders if folder.is_dir())


def corpus_names(kind: str) -> list[str]:
    """Return the names of the user's corpora of a kind, as "text" or "table"."""
    return [corpus.name for corpus in corpora() if corpus.kind == kind]


def find_corpus(name: str) -> ShelfCorpus:
    """Return the corpus of that name; one that is not there, or no more, is an `InputError`."""
    folder = home() / "corpora" / name
    if not NAME.fullmatch(name) or not folder.is_dir():
        raise InputError("corpus_gone", name=name)
    return _corpus(folder, _titles())


def delete_corpus(name: str) -> None:
    """Delete a corpus; it is gone from the list at once.

    Raises
    ------
    InputError
        If it is not there: deleted in another window, say.
    """
    delete_folder(find_corpus(name).path, "corpus_gone")


def concordance_of(name: str, report: Report | None = None) -> Path:
    """Return the concordance of a corpus, built first where there is none or the corpus is newer.

    Parameters
    ----------
    name : str
        Of a corpus, of a concordance that was built by itself, or of one that ships.
    report : callable, optional
        Called with the progress of the building.

    Raises
    ------
    KlyuchError
        If there is neither, or the corpus has no text.
    """
    path = home() / "concordances" / f"{name}{SUFFIX}"
    folder = home() / "corpora" / name
    if path.is_file() and (not folder.is_dir() or _is_current(path, folder)):
        return path
    if not folder.is_dir() and (sample := sample_concordance(name)):
        return sample
    build_concordance([find_corpus(name).path], path, report)
    return path


def _is_current(path: Path, folder: Path) -> bool:
    """Whether a concordance has the form of this version, and a folder no file that is newer."""
    built = path.stat().st_mtime_ns
    return has_this_version(path) and all(
        file.stat().st_mtime_ns <= built for file in folder.rglob("*") if file.is_file()
    )


def _corpus(folder: Path, titles: Mapping[str, CatalogueEntry]) -> ShelfCorpus:
    """Describe one folder."""
    files = [file for file in folder.rglob("*") if file.is_file() and file.name != RECORD]
    listed = titles.get(folder.name)
    kind = "table" if files and {file.suffix for file in files} == {TABLE_SUFFIX} else "text"
    if listed and listed.kind not in TEXTS:
        kind = "test set"
    counted = _encoded_size(folder)
    brought = read_if_whole(folder / RECORD)  # by `klyuch corpus get`
    return ShelfCorpus(
        folder.name,
        folder,
        "encoded" if counted else kind,
        sum(file.stat().st_size for file in files),
        len(files),
        title=listed.title if listed else "",
        licence=listed.licence if listed else "",
        source=listed.source if listed else str(brought.get("source") or ""),
        text_size=counted,
    )


def _encoded_size(folder: Path) -> TextSize | None:
    """Size of an encoded corpus by the shapes of its arrays; None for other folders."""
    from embeddings.corpora.encoded_corpus import DOCUMENTS_FILE, IDS_FILE, SENTENCES_FILE
    from embeddings.corpora.text_files import is_encoded_corpus

    if not is_encoded_corpus(folder):
        return None
    try:
        names = (IDS_FILE, SENTENCES_FILE, DOCUMENTS_FILE)
        words, sentences, documents = (map_npy(folder / name).size for name in names)
        words_of_text = read_json(folder / CONFIG).get("words_of_text")
    except (OSError, ValueError):
        return None
    return TextSize(
        words_of_text if isinstance(words_of_text, int) else words, sentences - 1, documents - 1
    )


def _titles() -> dict[str, CatalogueEntry]:
    """Entries of the catalogue by name; none where there is no catalogue."""
    try:
        return {entry.name: entry for entry in read_catalogue(data() / "catalogue.toml")}
    except KlyuchError:
        return {}
