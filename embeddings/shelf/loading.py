"""Opening a model of the shelf and what lies next to it: contexts that explain its neighbours, tables of senses, measured spreads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embeddings.analysis.comparison_answers import RunOverlap, RunRange, ScoreRange
from embeddings.corpora.concordance import Concordance
from embeddings.errors import CheckpointError, InputError, KlyuchError, clause
from embeddings.files import atomic_folder, sealed, write_json
from embeddings.model_card import CARD, change_card, load_card, verify_files
from embeddings.optional import optional
from embeddings.shelf.entries import Entry, find, list_models, load_vectors, read_card
from embeddings.shelf.locations import data, find_concordance, home
from embeddings.shelf.model_folders import copy_recorded
from embeddings.vectors.context_table import CONTEXTS_FILE, ContextTable, load_contexts
from embeddings.vectors.formats.native_folder import check_native_target, write_native
from embeddings.vectors.run_spread import SPREAD_FILE, RunSpread, load_spread
from embeddings.vectors.sense_table import SENSES_FILE, SenseTable, save_senses
from embeddings.vectors.table import Vectors

if TYPE_CHECKING:
    from embeddings.probing.label_prediction import Classifier
    from embeddings.probing.network import Network
    from embeddings.probing.translator import Translator


def open_model(entry: Entry) -> Any:
    """Open a model as what its kind is: `Vectors`, a `Network`, a `Classifier` or a `Translator` (`OPENERS`).

    Raises
    ------
    KlyuchError
        If a file is damaged, or the BERT that the model names is not on the shelf.
    """
    return OPENERS[entry.kind](entry)


def load_network(entry: Entry) -> Network:
    """Open a network with its tokenizer; a large one computes states of words in the faster number format (`with_fast_products`).

    Raises
    ------
    MissingFileError, CheckpointError, InputError
        As `embeddings.probing.network.open_reader`.
    """
    with optional():  # torch: only where it is used
        from embeddings.probing.network import open_reader, with_fast_products

    return with_fast_products(open_reader(entry.path, entry.name))


def load_classifier(name_or_path: str | Path) -> Classifier:
    """Open a classifier of that name, or in that folder.

    Raises
    ------
    CheckpointError
        If it is no classifier, a file is damaged, or the BERT that it names is not on the shelf.
    """
    with optional():  # torch: only where it is used
        from embeddings.probing.label_prediction import open_classifier

    entry = find_of_kind(name_or_path, "classifier", "classify_kind")
    base = base_network(entry)
    assert base
    return open_classifier(entry.path, base.path, entry.name)


def load_translator(name_or_path: str | Path) -> Translator:
    """Open a translation model of that name, or in that folder.

    Raises
    ------
    CheckpointError
        If it is no translator, a file is damaged, or the BERT that it names is not on the shelf.
    """
    with optional():
        from embeddings.probing.translator import open_translator

    entry = find_of_kind(name_or_path, "translation", "translation_kind")
    base = base_network(entry)
    return open_translator(entry.path, load_network(base) if base else None, entry.name)


def find_of_kind(name_or_path: str | Path, kind: str, code: str) -> Entry:
    """Return the model of that name, or in that folder; one of another kind is a `CheckpointError` with a ``code``."""
    entry = find(name_or_path)
    if entry.kind != kind:
        names = [other.name for other in list_models() if other.kind == kind]
        choices = ", ".join(names) or clause("none_listed")
        raise CheckpointError(code, name=entry.name, kind=entry.kind, choices=choices)
    return entry


def base_network(entry: Entry) -> Entry | None:
    """Return the network on the shelf that a classifier or a fused translator is read with: their cards name it by sha256.

    Other models have none.

    Raises
    ------
    CheckpointError
        If no network on the shelf is that one.
    """
    if entry.kind not in ("classifier", "translation"):
        return None
    with optional():
        from embeddings.networks.encoder_decoder import find_bert
        from embeddings.networks.huggingface_folder import find_named_bert

    networks = {other.path: other for other in list_models() if other.kind == "network"}
    if entry.kind == "classifier":
        return networks[find_named_bert(entry.path, networks, "classify_bert_missing")]
    path = find_bert(entry.path, networks)
    return networks[path] if path else None


OPENERS: Mapping[str, Callable[[Entry], object]] = {
    "static": lambda entry: load_vectors(entry.path),
    "network": load_network,
    "classifier": lambda entry: load_classifier(entry.path),
    "translation": lambda entry: load_translator(entry.path),
}


def contexts_entry(entry: Entry) -> Entry | None:
    """Return the model whose folder holds contexts of this model's corpus: itself, or one with the same corpus files; None if none has.

    Files are the same where the cards give the same checksums.
    """
    if (entry.path / CONTEXTS_FILE).exists():
        return entry
    if not (corpus := _corpus_files(entry)):
        return None
    others = (other for other in list_models() if (other.path / CONTEXTS_FILE).exists())
    return next((other for other in others if _corpus_files(other) == corpus), None)


def open_contexts(entry: Entry) -> ContextTable:
    """Return the contexts of a model's corpus, checked against the card next to them.

    Raises
    ------
    MissingFileError
        If no model of this corpus has any; the sentence names the command that counts them.
    CheckpointError, FormatError
        If the file is damaged.
    """
    with_contexts = contexts_entry(entry) or entry
    if (with_contexts.path / CONTEXTS_FILE).exists():
        verify_files(with_contexts.path, CONTEXTS_FILE)
    return load_contexts(with_contexts.path)


def _corpus_files(entry: Entry) -> dict[str, str]:
    """Names and checksums of a model's corpus files; empty where the card does not tell them."""
    return _files_of(entry, entry.stamp)


@lru_cache(maxsize=256)
def _files_of(entry: Entry, _: str) -> dict[str, str]:
    """The same, read once a state of the model's files."""
    try:
        corpus = read_card(entry).get("corpus")
    except KlyuchError:
        return {}
    files = corpus.get("files") if isinstance(corpus, dict) else None
    if not isinstance(files, dict) or entry.method == "lemmas":
        return {}
    return {str(name): str(checksum) for name, checksum in files.items()}


def check_senses_target(entry: Entry, output: Path) -> None:
    """Refuse before any work a folder that the model with senses cannot be written to.

    Raises
    ------
    InputError
        If it is the model's own folder.
    FormatError
        If it holds something else than a static model.
    """
    if output.resolve() == entry.path.resolve():
        raise InputError("senses_folder", path=output)
    check_native_target(output)


def write_with_senses(
    entry: Entry, vectors: Vectors, table: SenseTable, output: Path, about: Mapping[str, object]
) -> None:
    """Write the model with a table of senses to a folder, whole or not at all.

    Parameters
    ----------
    entry : Entry
        The model; of one in this project's form all files are copied as they are, others are written in float32.
    vectors : Vectors
        Its vectors.
    table : SenseTable
        Of its words.
    output : Path
        As `check_senses_target` passes it.
    about : Mapping
        What the card says of the senses: corpus, settings, command.
    """
    check_senses_target(entry, output)
    named: dict[str, object] = {"name": output.name, "senses": dict(about)}
    add = partial(save_senses, table)
    if not (entry.path / CARD).exists():
        write_native(vectors, output, card=named, dtype="float32", extra=add)
        return
    with atomic_folder(output) as new:
        card = load_card(entry.path)
        copy_recorded(entry.path, new, card)
        add(new)
        write_json(new / CARD, sealed(card))
        change_card(new, SENSES_FILE, **named)


def open_concordance(name_or_path: str) -> Concordance:
    """Open a concordance: the user's of that name, one that ships, or the file at that path; raises as `Concordance.open`."""
    return Concordance.open(find_concordance(name_or_path))


NOT_COMPARED = ("seed", "workers")  # settings in which a spread may differ from its model


def spread_path(name_or_path: str) -> Path:
    """Return the folder of a spread: a mere name lies in the user's own folder."""
    path = Path(name_or_path).expanduser()
    return home() / "spreads" / name_or_path if path.name == name_or_path and name_or_path else path


def find_spread(entry: Entry) -> Path | None:
    """Return the folder with a model's spread: of its name, its settings and its corpus; None if there is none.

    The corpus is the same where the spread's card gives as many tokens as the model's.
    """
    for folder in (home() / "spreads" / entry.name, data() / "spreads" / entry.name):
        if (folder / SPREAD_FILE).exists() and _is_of(folder, entry):
            return folder
    return None


def open_spread(entry: Entry) -> RunSpread | None:
    """Return a model's spread; None if it has none.

    Raises
    ------
    CheckpointError, FormatError
        If it is damaged.
    """
    folder = find_spread(entry)
    return None if folder is None else load_spread(folder)


def run_overlap(folder: Path) -> RunOverlap | None:
    """Return how far the neighbourhoods of the runs agree, as the card of a spread has it; None where it does not.

    Raises
    ------
    KlyuchError
        If the card is missing or damaged.
    """
    card = load_card(folder)
    share = (card.get("summary") or {}).get("overlap")
    return None if share is None else RunOverlap(share, card["spread"]["nearest"])


def score_ranges(folder: Path) -> dict[str, ScoreRange]:
    """Return how the runs score on test sets, by file name, as the card of a spread has it.

    Raises
    ------
    KlyuchError
        If the card is missing or damaged.
    """
    card = load_card(folder)
    is_resampled = card.get("spread", {}).get("resample") == "documents"
    return {
        name: ScoreRange(
            score["measure"], RunRange.of(score["values"]), score["total"], is_resampled
        )
        for name, score in card.get("scores", {}).items()
        if None not in score["values"]  # of a set that a run does not cover
    }


def _is_of(folder: Path, entry: Entry) -> bool:
    """Whether a spread was measured with the model's settings on a corpus of its size.

    A setting that one of the cards lacks is younger than that card.
    """
    try:
        spread, model = load_card(folder), read_card(entry)
    except KlyuchError:
        return False
    parts: list[Any] = [card.get(key) for key in ("settings", "corpus") for card in (spread, model)]
    if not all(isinstance(part, dict) for part in parts):
        return False
    first, second, measured, trained = parts
    common = first.keys() & second.keys() - {*NOT_COMPARED}
    is_same_text = measured.get("words") == trained.get("words")
    return is_same_text and bool(common) and all(first[name] == second[name] for name in common)
