"""Models on the shelf: which there are, and each opened: vectors, network, card, co-occurrence counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from app import events
from app.answers import Cached, cached, once_per_run
from embeddings import shelf
from embeddings.corpora.concordance import Concordance
from embeddings.shelf import Entry
from embeddings.shelf.companions import choose_companion
from embeddings.shelf.loading import base_network
from embeddings.shelf.neighbour_indexes import INDEXED_PAST
from embeddings.vectors.run_spread import RunSpread, load_spread
from embeddings.vectors.sense_table import split_sense

if TYPE_CHECKING:
    from embeddings import Vectors
    from embeddings.analysis.comparison_answers import RunOverlap, ScoreRange
    from embeddings.analysis.cooccurrence_ratios import CooccurrenceTable
    from embeddings.analysis.vector_answers import IndexReport
    from embeddings.probing.network import Network
    from embeddings.shelf.companions import ShelfModel
    from embeddings.vectors.context_table import ContextTable

P = ParamSpec("P")
R = TypeVar("R")
MAX_ANSWERS = 512  # kept of one question
WARM = 100_000  # words up to which unit rows are held in memory


def static_models() -> tuple[Entry, ...]:
    """Return the static models on the shelf.

    Those over lemmas serve sense induction alone: `companion`.
    """
    return tuple(entry for entry in _of_kind("static") if entry.method != "lemmas")


def companion(language: str) -> Entry | None:
    """Return the static model next to a network of this language, as `embeddings.shelf.companions.choose_companion` chooses it."""
    return choose_companion(_of_kind("static"), language)


def networks() -> tuple[Entry, ...]:
    """Return the BERTs and ALBERTs on the shelf."""
    return _of_kind("network")


def languages(entry: Entry) -> tuple[str, ...]:
    """Return the languages that a network has read, as its card tells them; none where it does not."""
    if entry.language:
        return tuple(entry.language.split("+"))
    listed = card(entry).get("languages")
    return tuple(map(str, listed)) if isinstance(listed, list) else ()


def translators() -> tuple[Entry, ...]:
    """Return the translation models on the shelf."""
    return _of_kind("translation")


def classifiers() -> tuple[Entry, ...]:
    """Return the classifiers on the shelf."""
    return _of_kind("classifier")


def all_models() -> tuple[ShelfModel, ...]:
    """Return all models on the shelf, of every kind, with what their cards say."""
    return tuple(_described(entry) for entry in _on_shelf())


@once_per_run
def _on_shelf() -> tuple[Entry, ...]:
    """Return all models, as the folders stand now."""
    return shelf.list_models()


def _of_kind(kind: str) -> tuple[Entry, ...]:
    """Return the models of a kind, as the folders stand now: those that ship, then the user's own."""
    return tuple(sorted((entry for entry in _on_shelf() if entry.kind == kind), key=shelf.is_own))


@cached(256)
def _described(entry: Entry) -> ShelfModel:
    return shelf.shelf_models([entry])[0]


_opened: set[str] = set()  # stamps of the models that this server has opened


def note_opening(entry: Entry) -> None:
    """Write into the log that a model is opened, and whether it was before: once a server is enough."""
    events.note("opened", kind=entry.kind, again=int(entry.stamp in _opened))
    _opened.add(entry.stamp)


@cached(5)
def reader(entry: Entry) -> Network:
    """Return a network with its tokenizer."""
    note_opening(entry)
    network: Network = shelf.open_model(entry)
    return network


@cached(24)
def vectors(entry: Entry) -> Vectors:
    """Return the vectors of a model, with unit rows ready for search."""
    note_opening(entry)
    table = shelf.load_vectors(entry.path)
    if len(table) <= WARM:
        table.unit  # noqa: B018 - computed when the model is opened, not in the first query
    return table


def ask(
    question: Callable[Concatenate[Any, P], R], asked: Any, *args: P.args, **kwargs: P.kwargs
) -> R:
    """Return what a question (``NetworkVerbs.fill``) answers about a model, kept under the state of the model's files.

    Its first argument is the opened model where ``asked`` is an entry of the shelf, else ``asked`` itself.
    """
    return _answers(question, is_heavy=False)(*_with_model(asked), *args, **kwargs)


def ask_in_queue(
    question: Callable[Concatenate[Any, P], R], asked: Any, *args: P.args, **kwargs: P.kwargs
) -> R:
    """Return the same as `ask` where it takes long, so that a person waits in the queue."""
    return _answers(question, is_heavy=True)(*_with_model(asked), *args, **kwargs)


def _with_model(asked: Any) -> tuple[Any, ...]:
    """Return the entries of a model, or none and what is asked in its place."""
    return (with_base(asked),) if isinstance(asked, Entry) else ((), asked)


@cache
def _answers(question: Callable[..., R], *, is_heavy: bool) -> Cached[..., R]:
    """Return the kept answers to a question about an opened model, by its entries."""

    def answer(entries: tuple[Entry, ...], *args: Any, **kwargs: Any) -> R:
        return question(*([opened(*entries)] if entries else []), *args, **kwargs)

    return cached(MAX_ANSWERS, is_heavy=is_heavy)(answer)


@once_per_run
def with_base(entry: Entry) -> tuple[Entry, ...]:
    """Return a model, and the network on the shelf that a classifier or a fused translator is read with."""
    base = base_network(entry)
    return (entry, base) if base else (entry,)


def open_with_base(entry: Entry) -> Any:
    """Return a model as `opened` does, with the network on the shelf that it needs."""
    return opened(*with_base(entry))


def opened(entry: Entry, base: Entry | None = None) -> Any:
    """Return a model, opened once for all: `Vectors`, a network, a classifier or a translator with the network under it."""
    if entry.kind == "static":
        return vectors(entry)
    if entry.kind == "network":
        return reader(entry)
    return _opened_with(entry, base)


@cached(5)
def _opened_with(entry: Entry, base: Entry | None) -> Any:
    note_opening(entry)
    if entry.kind == "classifier":
        from embeddings.probing.label_prediction import open_classifier

        if base is None:
            raise ValueError(entry.name)  # `with_base` has found it
        return open_classifier(entry.path, base.path, entry.name)
    from embeddings.probing.translator import open_translator

    return open_translator(entry.path, reader(base) if base else None, entry.name)


def vectors_with_senses(entry: Entry, words: Iterable[str]) -> Vectors:
    """Return the vectors of a model, with a row more for each of some words that is a sense."""
    senses = tuple(word for word in words if split_sense(word))
    return _with_senses(entry, senses) if senses else vectors(entry)


@cached(3)
def _with_senses(entry: Entry, senses: tuple[str, ...]) -> Vectors:
    return vectors(entry).with_senses(senses)


def is_indexed(entry: Entry) -> bool:
    """Whether a model is so large that an index answers as well as exact search."""
    return len(vectors(entry)) > INDEXED_PAST


def neighbour_index(entry: Entry) -> IndexReport | None:
    """Return what was measured of a large model's index, which then answers; None without one."""
    return shelf.open_index(entry, vectors(entry))


@cached(64)
def card(entry: Entry) -> dict[str, object]:
    """Return the card of a model."""
    return shelf.read_card(entry)


@cached(8)
def cooccurrence(entry: Entry) -> CooccurrenceTable:
    """Return the co-occurrence counts that a GloVe folder carries."""
    from embeddings.analysis.cooccurrence_ratios import load_cooccurrence

    return load_cooccurrence(entry.path)


@once_per_run
def holder_of_contexts(entry: Entry) -> Entry | None:
    """Return the model whose folder holds the contexts of this one's corpus; None if none does."""
    return shelf.contexts_entry(entry)


def contexts(entry: Entry) -> ContextTable:
    """Return the contexts of a model's corpus."""
    return _contexts(holder_of_contexts(entry) or entry)


@cached(6)
def _contexts(entry: Entry) -> ContextTable:
    """Return the contexts in a model's own folder."""
    return shelf.open_contexts(entry)


@cached(32)
def concordance(path: Path) -> Concordance:
    """Return the index of a text, opened."""
    return Concordance.open(path)


def spread(entry: Entry) -> RunSpread | None:
    """Return what several trainings of a model say; None if not measured."""
    return _of_runs(load_spread, entry)


def overlap_of_runs(entry: Entry) -> RunOverlap | None:
    """Return how far the neighbourhoods of a model's several trainings agree; None if not measured."""
    return _of_runs(shelf.run_overlap, entry)


def score_ranges(entry: Entry) -> dict[str, ScoreRange]:
    """Return how a model's several trainings score on test sets, by file name; nothing if not measured."""
    return _of_runs(shelf.score_ranges, entry) or {}


def _of_runs(question: Callable[[Path], R], entry: Entry) -> R | None:
    """Return what the folder of a model's several trainings answers; None if there is none."""
    folder = _spread_folder(entry)
    return None if folder is None else ask(question, folder)


@once_per_run
def _spread_folder(entry: Entry) -> Path | None:
    """Return the folder with what several trainings of a model say; None if not measured."""
    return shelf.find_spread(entry)


def has_cooccurrence(entry: Entry) -> bool:
    """Whether a model's folder carries its counts."""
    return (entry.path / "cooccurrence.safetensors").exists()
