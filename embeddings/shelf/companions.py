"""Words in contexts with what the shelf adds: the static model next to a network, and sentences for the random baseline."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from embeddings.configuration import check_choice
from embeddings.corpora.sense_contexts import Context, guess_language, locate, read_contexts
from embeddings.errors import InputError
from embeddings.files import CARD, read_json
from embeddings.results import Report
from embeddings.shelf.entries import Entry, find, list_models, load_vectors
from embeddings.shelf.locations import data
from embeddings.shelf.own_models import is_own
from embeddings.text.lemmas import LANGUAGES, lemma_key
from embeddings.text.word_positions import occurrences
from embeddings.vectors.table import Vectors

if TYPE_CHECKING:
    from embeddings.analysis.sense_induction import WordSpace
    from embeddings.probing.contexts import ContextReader, WordInContexts
    from embeddings.probing.network import Network
    from embeddings.results.word_contexts import Lens

METHODS_IN_ORDER = ("lemmas", "skipgram", "cbow", "glove")  # the one that serves best first
NO_COMPANION = "none"
SENTENCES = ("en", "ru", "de")  # the languages that the project's own sentences are in


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

    check_choice("language", language, LANGUAGES)
    chosen = find(companion) if companion not in ("", NO_COMPANION) else None
    entry = chosen if companion else choose_companion(list_models(), language)
    space = _space(entry, entry.stamp, language) if entry else None
    texts = tuple(context.text for context in read_contexts(shipped_sentences(language)))
    return ContextReader(network, language, space, texts)


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
    card = read_json(folder / CARD) if folder and (folder / CARD).is_file() else {}
    read = re.findall(r"[a-z]+", f"{card.get('language')} {card.get('languages')}")
    languages = [language for language in SENTENCES if language in read] or SENTENCES
    texts = [[c.text for c in read_contexts(shipped_sentences(name))] for name in languages]
    samples = data() / "sentences" / "samples"
    heldout = [(samples / f"{name}.txt").read_text("utf-8").split("\n") for name in languages]
    return fit_lens(network, _in_turn(texts), _in_turn(heldout), report)


def _in_turn(parts: Sequence[Sequence[str]]) -> list[str]:
    """Return texts of several languages, one of each in turn, so that any beginning has all of them; empty ones are left out."""
    return [text for row in zip_longest(*parts, fillvalue="") for text in row if text]
