"""``klyuch corpus`` and ``klyuch concordance``: texts by name, tokenisation and encoding; all contexts of a word."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Span, Text

from embeddings import shelf
from embeddings.cli.nouns import verb
from embeddings.cli.output import (
    columns_of,
    confirm_deletion,
    emit,
    grid,
    progress_bar,
    some_fields,
)
from embeddings.corpora.concordance import build_concordance, line_contexts
from embeddings.corpora.concordance_search import (
    COLLOCATION_WINDOW,
    LISTED_LINES,
    READ_CONTEXTS,
    ConcordanceQuery,
)
from embeddings.corpora.corpus_answers import ConcordanceLine, TextSize
from embeddings.corpora.encoded_corpus import EncodingConfig
from embeddings.corpora.sense_files import check_form, write_senses
from embeddings.corpora.text_conversion import as_utf8
from embeddings.corpora.word_counts import FrequencyConfig, FrequencyList
from embeddings.errors import InputError
from embeddings.files import check_apart, check_file_target
from embeddings.notebook import get_corpus
from embeddings.results import plain
from embeddings.shelf.locations import concordance_path
from embeddings.sources.catalogue import CatalogueEntry, find_entry, read_catalogue


@verb("corpus", "encode")
def encode_command(
    sources: list[Path],
    *,
    output: Path,
    workers: int = 2,
    cluster: str = "",
    shard_mb: int = 16,
    config: EncodingConfig,
) -> None:
    """Tokenise and encode text: a folder of word ids that the trainers read."""
    with progress_bar() as report, ExitStack() as connection:
        if cluster:
            from embeddings.cluster.connection import connected
            from embeddings.cluster.encoding import encode_on_cluster

            pool, size = connection.enter_context(connected(cluster)), shard_mb << 20
            corpus = encode_on_cluster(sources, output, config, pool, report, shard_bytes=size)
        else:
            from embeddings.corpora.corpus_encoding import encode  # numba

            corpus = encode(sources, output, config, report, workers=workers)
    emit(
        {
            "folder": str(corpus.folder),
            "vocabulary": len(corpus.vocabulary),
            "words": len(corpus.ids),
            "sentences": len(corpus.sentence_bounds) - 1,
            "documents": len(corpus.document_bounds) - 1,
        }
    )


@verb("corpus", "convert")
def convert_command(
    sources: list[Path], *, output: Path, encoding: str = "", segment: str = ""
) -> None:
    """Write the text of any files as plain UTF-8, which every other command reads."""
    from embeddings.corpora.text_conversion import convert_texts

    encodings = convert_texts(sources, output, encoding, segment)
    emit(encodings, grid("file", "encoding of the source", rows=encodings.items()))


@verb("corpus", "list")
def list_command() -> None:
    """List the texts and test sets that can be downloaded by name, and which of them are here; and texts of your own."""
    entries = read_catalogue(shelf.data() / "catalogue.toml")
    folder = shelf.home() / "corpora"
    listed = [_listed(entry, folder) for entry in entries]
    names = {entry.name for entry in entries}
    listed += [
        {**asdict(corpus), "language": (), "note": "", "here": True}
        for corpus in shelf.corpora()
        if corpus.name not in names
    ]
    emit(listed, columns_of(listed, "name", "language", "kind", "size:B", "licence", "here"))


@verb("corpus", "get")
def get_command(name: str, *, folder: str = "") -> None:
    """Download a text or test set into KLYUCH_HOME/corpora, from KLYUCH_MIRROR (a folder or an address) or the public address."""
    entry = find_entry(read_catalogue(shelf.data() / "catalogue.toml"), name, folder)
    with progress_bar() as report:
        files = get_corpus(name, report, folder)
    place = shelf.home() / "corpora" / entry.name
    notes = [f"In {place}", *([f"Note: {entry.note}."] if entry.note else [])]
    columns = ("name", "size:B", "origin", "checked by", "was here")
    emit({"folder": place, "files": files}, columns_of(files, *columns), *notes)


def _listed(entry: CatalogueEntry, folder: Path) -> dict[str, Any]:
    """One row of the list; ``size`` in bytes, None where it is not known."""
    names = ("name", "title", "kind", "language", "size", "licence", "source", "note")
    return {
        **some_fields(entry, *names),
        "here": entry.is_downloaded(folder),
        "path": folder / entry.name,
    }


@verb("corpus", "count")
def count_command(
    name: str,
    *,
    frequencies: Path | None = None,
    encoding: str = "",
    cluster: str = "",
    shard_mb: int = 16,
    config: FrequencyConfig,
) -> None:
    """Count words, sentences (lines) and documents of a text, and how often it has each word or lemma."""
    is_name = Path(name).name == name and (shelf.home() / "corpora" / name).is_dir()
    source = shelf.find_corpus(name).path if is_name else Path(name)
    wanted = None
    if frequencies is not None:
        check_file_target(frequencies)
        check_apart(frequencies, [source])
        wanted = config.list_in(frequencies)
    if cluster and encoding:
        raise InputError("encoding_cluster", encoding=encoding)
    emit(
        _count_on_cluster(source, wanted, cluster, shard_mb << 20)
        if cluster
        else _count_here(source, wanted, encoding)
    )


def _count_here(source: Path, wanted: FrequencyList | None, encoding: str) -> TextSize:
    """Count on this machine."""
    from embeddings.corpora.text_counting import count_files, write_frequencies

    with as_utf8([source], encoding) as texts:
        counted_words = count_files(texts, lower=wanted is not None and wanted.config.reads_lower)
    if wanted is not None:
        write_frequencies(counted_words, wanted)
    return counted_words.size


def _count_on_cluster(
    source: Path, wanted: FrequencyList | None, address: str, shard_bytes: int
) -> TextSize:
    """Count on the workers at an address."""
    from embeddings.cluster.connection import connected
    from embeddings.cluster.encoding import count_text_on_cluster, shards_folder

    unnamed = shelf.home() / "counts" / sha256(str(source).encode()).hexdigest()[:16]
    folder = shards_folder(wanted.path if wanted else unnamed)
    with progress_bar() as report, connected(address) as workers:
        sources = [source]
        return count_text_on_cluster(
            sources, workers, folder, wanted, report, shard_bytes=shard_bytes
        )


@verb("corpus", "delete")
def delete_command(name: str, *, yes: bool = False) -> None:
    """Delete a corpus of yours, after asking."""
    corpus = shelf.find_corpus(name)
    confirm_deletion(corpus.path, corpus.size, yes)
    shelf.delete_corpus(name)
    emit({"deleted": name}, f"{name} is deleted.")


@verb("concordance", "build")
def build_command(corpora: list[Path], *, output: str, encoding: str = "") -> None:
    """Index a corpus, so that every context of a word is found immediately."""
    path = concordance_path(output)
    with progress_bar() as report, as_utf8(corpora, encoding) as texts:
        paragraphs, words = build_concordance(texts, path, report)
    emit({"file": str(path), "paragraphs": paragraphs, "words": words})


@verb("concordance", "find")
def find_command(
    word: str,
    *,
    corpus: str,
    language: str,
    limit: int | None = None,
    near: list[str],
    window: int = COLLOCATION_WINDOW,
    pattern: str = "",
    order: str = "text",
    output: Path | None = None,
) -> None:
    """Show sentences that have a word, in any of its forms."""
    if len(word.split()) > 1:
        raise InputError("concordance_words", word=word)
    if output is not None:
        check_file_target(output)
        check_form(output)
    concordance = shelf.open_concordance(corpus)
    limit = limit or (LISTED_LINES if output is None else READ_CONTEXTS)
    query = ConcordanceQuery(
        word, language, tuple(near), window, pattern, order, limit, output is not None and not near
    )
    answer = concordance.search(query)
    if output is not None:
        write_senses(output, line_contexts(answer.lines, word))
    about = {"word": word, **plain(answer)}
    nothing = f"“{word}” is not in this corpus." if not answer.forms else "No line has all of this."
    emit(about, _table(answer.lines) if answer.lines else nothing)


@verb("concordance", "collocates")
def collocates_command(
    word: str,
    *,
    corpus: str,
    language: str,
    window: int = COLLOCATION_WINDOW,
    least: int = 3,
    topn: int = 30,
    order: str = "log_likelihood",
    only_content: bool = True,
) -> None:
    """Print the collocates of a word: log-likelihood ratio and logDice, counted in paragraphs."""
    options: dict[str, Any] = {"order": order, "only_content": only_content, "topn": topn}
    answer = shelf.open_concordance(corpus).collocates(word, language, window, least, **options)
    emit(answer, answer or f"“{word}” has no collocates with these settings.")


def _table(lines: tuple[ConcordanceLine, ...]) -> Table:
    """Return the lines with the word in bold."""
    table = Table("file", "document", "text")
    for line in lines:
        text = Text(line.text, spans=[Span(start, end, "bold") for start, end in line.spans])
        table.add_row(line.file, str(line.document), text)
    return table
