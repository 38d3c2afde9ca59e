"""What a model brings along: scores and calibration on its card, its companion model, sentences, and the lens of a network."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import lru_cache, partial
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from embeddings.analysis.context_answers import Calibration
from embeddings.analysis.score_answers import AnalogyScore, ModelScore, SectionScore
from embeddings.configuration import ShapeError, check_choice, decode
from embeddings.corpora.sense_contexts import Context, guess_language, locate, read_contexts
from embeddings.errors import InputError, KlyuchError, refusals
from embeddings.files import CONFIG, WEIGHTS, read_if_whole, sha256
from embeddings.method_registry import CBOW, SKIPGRAM
from embeddings.model_card import CARD, change_card, load_card
from embeddings.probing.translation_answers import LogProbabilityRange
from embeddings.results import BleuScore, Confusion, Report, Rows, Value
from embeddings.shelf.entries import Entry, find, list_models, load_vectors, read_card
from embeddings.shelf.exporting import folder_size
from embeddings.shelf.locations import data
from embeddings.shelf.own_models import is_own
from embeddings.text.lemmas import LEMMA_LANGUAGES, lemma_key
from embeddings.text.word_positions import occurrences
from embeddings.vectors.formats.native_rows import VECTORS
from embeddings.vectors.table import Vectors

if TYPE_CHECKING:
    from embeddings.analysis.sense_induction import WordSpace
    from embeddings.probing.contexts import ContextReader, WordInContexts
    from embeddings.probing.label_prediction import TextDomain
    from embeddings.probing.network import Network
    from embeddings.probing.sentence_answers import Lens

CITED = ("vector_size", "window", "epochs", "iterations", "seed")
TEST_SET_MEASURES = ("accuracy", "spearman")


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


def shelf_models(entries: Sequence[Entry] | None = None) -> Rows[ShelfModel]:
    """Return what the cards and settings of models say of them, in the order of the shelf."""
    return Rows(_described(entry) for entry in (list_models() if entries is None else entries))


def model_scores(models: Sequence[Entry | str] | None = None) -> Rows[ModelScore]:
    """Return what the cards of models, or of those of some names, say of test sets, in the order of the shelf and the cards.

    A card is anybody's: what in it is no score of a known shape is left out.
    """
    listed: list[ModelScore] = []
    for model in list_models() if models is None else models:
        entry = find(model) if isinstance(model, str) else model
        try:
            scores = read_card(entry).get("scores")
        except KlyuchError:
            continue
        if isinstance(scores, Mapping):
            listed += _scores(entry, scores)
    return Rows(listed)


def provenance(entry: Entry, card: Mapping[str, object]) -> str:
    """Return a model, its corpus, the settings it was trained with and its checksum in one line."""
    files = card.get("files")
    hashes = files if isinstance(files, dict) else {}
    recorded = next((str(hashes[name]) for name in (VECTORS, WEIGHTS) if name in hashes), "")
    if not recorded and entry.path.is_file():
        recorded = sha256(entry.path)
    corpus = card.get("corpus")
    source = (
        str(corpus.get("title") or corpus.get("name") or "") if isinstance(corpus, dict) else ""
    )
    trained = card.get("settings")
    chosen = {"seed": card.get("seed"), **(trained if isinstance(trained, dict) else {})}
    size = [f"{key} {chosen[key]}" for key in CITED if chosen.get(key) is not None]
    parts = [
        f"{entry.name} ({', '.join(filter(None, [source, *size]))})"
        if source or size
        else entry.name
    ]
    parts += [f"sha256 {recorded[:16]}" if recorded else ""]
    return "; ".join(filter(None, parts)) + "."


def _described(entry: Entry) -> ShelfModel:
    """Describe one model."""
    card, settings = read_if_whole(entry.path / CARD), read_if_whole(entry.path / CONFIG)
    trained = card.get("settings")
    read = card.get("corpus") or (trained.get("corpus") if isinstance(trained, Mapping) else None)
    about: Mapping[object, object] = read if isinstance(read, Mapping) else {}
    origin = card.get("origin")
    when = card.get("created") or (origin.get("imported") if isinstance(origin, Mapping) else "")
    return ShelfModel(
        *(entry.name, entry.kind, entry.method, entry.language, entry.path, is_own(entry)),
        folder_size(entry.path),
        words=_whole(settings.get("words")) or _whole(settings.get("vocab_size")),
        vector_size=_whole(settings.get("vector_size")) or _whole(settings.get("hidden_size")),
        layers=_whole(settings.get("num_hidden_layers")),
        corpus=str(about.get("title") or about.get("name") or _files(about.get("files"))),
        licence=str(about.get("licence") or ""),
        created=str(when or "")[:10],
    )


def _files(files: object) -> str:
    """Name the texts that a network was trained on."""
    listed = files if isinstance(files, list) else []
    return ", ".join(
        str(file["name"]) for file in listed if isinstance(file, Mapping) and "name" in file
    )


def _scores(entry: Entry, scores: Mapping[object, object]) -> Iterator[ModelScore]:
    """Yield the scores of one card."""
    who = (entry.name, entry.kind, entry.method, entry.language)
    for name, scored in scores.items():
        if isinstance(scored, Mapping):
            for measure in TEST_SET_MEASURES:
                if (value := _number(scored.get(measure))) is not None:
                    counts = (_whole(scored.get(key)) for key in ("covered", "total"))
                    yield ModelScore(*who, str(name), measure, value, *counts)
        elif (value := _number(scored)) is not None:
            yield ModelScore(*who, "", str(name), value)


def _number(value: object) -> float | None:
    """Return a finite number, or None."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None  # type: ignore[arg-type]


def _whole(value: object) -> int | None:
    """Return a whole number, or None."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if abs(value) < 1 << 63 else None  # what a table can show


def recorded_confusions(card: Mapping[str, object], labels: Sequence[str]) -> dict[str, Confusion]:
    """Return the confusion tables of a classifier with these labels, by test set."""
    names, scores = tuple(labels), card.get("scores")
    by_set = {}
    for test_set, score in scores.items() if isinstance(scores, Mapping) else ():
        try:
            counts = np.array(score["confusion"], np.int64)
        except (KeyError, TypeError, ValueError):
            continue
        if counts.shape == (len(names), len(names)):
            by_set[str(test_set)] = Confusion(names, counts)
    return by_set


def recorded_categories(card: Mapping[str, object], name: str) -> AnalogyScore | None:
    """Return the score of a test set by category, as a card brings it; None where it does not."""
    scores = card.get("scores")
    score = scores.get(name) if isinstance(scores, dict) else None
    if not isinstance(score, dict):
        return None
    try:
        sections = tuple(SectionScore(**section) for section in score["sections"].values())
        return AnalogyScore(score["accuracy"], score["covered"], score["total"], sections)
    except (AttributeError, KeyError, TypeError):  # of no known shape
        return None


def recorded_bleu(card: Mapping[str, object]) -> tuple[tuple[str, BleuScore], ...]:
    """Return the BLEU that a card brings, by test set and beam; what is of no known shape is left out."""
    recorded = card.get("bleu")
    scores: list[tuple[str, BleuScore]] = []
    for test_set, values in recorded.items() if isinstance(recorded, Mapping) else ():
        with suppress(ShapeError):
            scores.append((str(test_set), decode(BleuScore, values)))
    return tuple(scores)


METHODS_IN_ORDER = ("lemmas", SKIPGRAM, CBOW, "glove")  # the one that serves best first
NO_COMPANION = "none"
SENTENCE_LANGUAGES = ("en", "ru", "de")  # the languages that the project's own sentences are in


def choose_companion(entries: Iterable[Entry], language: str) -> Entry | None:
    """Return the static model of a language that is used next to a network: shipped before own, by method, by name."""
    order = {method: rank for rank, method in enumerate(METHODS_IN_ORDER)}
    return min(
        (entry for entry in entries if entry.kind == "static" and entry.language == language),
        key=lambda e: (is_own(e), order.get(e.method, len(order)), e.name),
        default=None,
    )


def companion_space(vectors: Vectors, language: str) -> WordSpace:
    """Return the lemmas of a static model, by which the words around a word are weighed."""
    from embeddings.analysis.sense_induction import word_space

    return word_space(vectors, partial(lemma_key, language=language))


def shipped_sentences(language: str) -> Path:
    """Return the file of the project's own sentences of a language, their senses marked."""
    return data() / "contexts" / f"{language}.tsv"


def context_reader(network: Network, language: str, companion: str = "") -> ContextReader:
    """Return a network as it reads words in contexts, with companion and baseline of a language.

    Parameters
    ----------
    network : Network
    language : {"en", "ru", "de"}
    companion : str
        The static model next to it; "none" for none, "" for the one that `choose_companion` chooses.
    """
    from embeddings.probing.contexts import ContextReader

    check_choice("language", language, LEMMA_LANGUAGES)
    chosen = find(companion) if companion not in ("", NO_COMPANION) else None
    entry = chosen if companion else choose_companion(list_models(), language)
    space = _space(entry, entry.stamp, language) if entry else None
    return ContextReader(network, language, space, shipped_sentences(language))


@lru_cache(maxsize=2)
def _space(entry: Entry, _: str, language: str) -> WordSpace:
    """Open a static model as words around are weighed by it, once a state of its files."""
    return companion_space(load_vectors(entry.path), language)


def contexts(
    network: Network,
    word: str,
    sentences: Sequence[str | tuple[str, tuple[int, int]] | Context],
    *,
    language: str = "",
    companion: str = "",
) -> WordInContexts:
    """Let a network read a word in sentences: its vectors, senses, map and separation are methods of what comes back.

    Parameters
    ----------
    network : Network
    word : str
        In any form.
    sentences : sequence of str, (str, (int, int)) or Context
        Each place of the word in a text is a context; or a text with the characters of the word. A `Context` is one as it is, with
        its annotated sense.
    language : str
        "en", "ru" or "de"; detected if not given.
    companion : str
        As for `context_reader`.

    Raises
    ------
    InputError
        If a text lacks the word.
    """
    texts = [
        item if isinstance(item, str | Context) else Context("", word, "", "", (item[1],), item[0])
        for item in sentences
    ]
    language = language or guess_language(
        item.text if isinstance(item, Context) else item for item in texts
    )
    read = context_reader(network, language, companion)
    located: list[Context] = []
    for item in texts:
        if isinstance(item, Context):
            located.append(item)
            continue
        one = Context("", word, "", "", (), item)
        spans = occurrences(item, word, language) or locate(one, language)
        located += [replace(one, positions=(span,)) for span in spans]
    return read.read(located)


def lens(network: Network, report: Report | None = None) -> Lens:
    """Return the Jacobian lens of a network; where none is stored it is computed, minutes for a large one, and kept for the user.

    Jacobians are averaged over the sentences of `shipped_sentences`, agreement is measured on the sample sentences, both of the network's
    languages (all three where its card names none of them).

    Parameters
    ----------
    network : Network
    report : callable, optional
        Called with `Progress` in sentences.

    Raises
    ------
    InputError
        If the network has no MLM head or is too large, or if the disk refuses.
    CheckpointError
        If the file of a lens is damaged.
    """
    from embeddings.probing import jacobian_lens

    try:
        return jacobian_lens.stored_lens(network)
    except InputError:  # none, or of other weights
        made = build_lens(network, report)
    if made.weights:
        jacobian_lens.write_lens(made, jacobian_lens.own_path(made.weights))
    return made


def build_lens(network: Network, report: Report | None = None) -> Lens:
    """Compute the lens of a network over the sentences that ship, as `lens`; nothing is stored."""
    from embeddings.probing.jacobian_lens import fit_lens

    folder = network.folder
    card = load_card(folder) if folder and (folder / CARD).is_file() else {}
    read = re.findall(r"[a-z]+", f"{card.get('language')} {card.get('languages')}")
    languages = [code for code in SENTENCE_LANGUAGES if code in read] or SENTENCE_LANGUAGES
    texts = [[c.text for c in read_contexts(shipped_sentences(name))] for name in languages]
    samples = data() / "sentences" / "samples"
    heldout = [(samples / f"{name}.txt").read_text("utf-8").split("\n") for name in languages]
    return fit_lens(network, _in_turn(texts), _in_turn(heldout), report)


def _in_turn(parts: Sequence[Sequence[str]]) -> list[str]:
    """Return texts of several languages, one of each in turn, so that any beginning has all of them; empty ones are left out."""
    return [text for row in zip_longest(*parts, fillvalue="") for text in row if text]


def record_calibration(
    entry: Entry, calibration: Calibration, test_set: str, domain: TextDomain | None = None
) -> None:
    """Write a calibration into the card of a classifier, and the domain of its texts next to its weights.

    Raises
    ------
    KlyuchError
        If its folder cannot be written to.
    """
    from embeddings.networks.classifier import DOMAIN
    from embeddings.probing.label_prediction import save_domain

    _record(entry, "calibration", calibration, test_set)
    if domain is not None:
        with refusals():
            save_domain(domain, entry.path)
            change_card(entry.path, DOMAIN)


def read_calibration(card: Mapping[str, object]) -> tuple[str, Calibration] | None:
    """Return the test set and the calibration that a card brings; None where there is none of known shape."""
    recorded = card.get("calibration")
    if not isinstance(recorded, Mapping):
        return None
    try:
        return str(recorded.get("set", "")), decode(Calibration, recorded)
    except ShapeError:
        return None


def record_log_probabilities(entry: Entry, spread: LogProbabilityRange, test_set: str) -> None:
    """Write how sure a translator is of its own kind of sentences into its card.

    Raises
    ------
    KlyuchError
        If its folder cannot be written to.
    """
    _record(entry, "domain", spread, test_set)


def _record(entry: Entry, key: str, measured: Any, test_set: str) -> None:
    """Write what was measured on a test set into a card."""
    with refusals():
        change_card(entry.path, **{key: {"set": test_set, **asdict(measured)}})


def read_log_probabilities(card: Mapping[str, object]) -> LogProbabilityRange | None:
    """Return how sure a translator is of its own kind of sentences, as its card has it; None where there is nothing of known shape."""
    try:
        return decode(LogProbabilityRange, card.get("domain"))
    except ShapeError:
        return None
