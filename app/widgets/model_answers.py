"""What models answer or refuse: words ranked side by side, one message for all that refuse alike, scores on test sets."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from app import access, shelf_models
from app.answers import cached
from app.widgets import frame, inputs, outputs
from app.widgets.frame import PageState
from app.wording import TEXT_LANGUAGES, Wording
from embeddings import shelf
from embeddings.analysis.score_answers import ModelScore
from embeddings.analysis.similarity import per_million, tier
from embeddings.analysis.vector_answers import Neighbour
from embeddings.errors import KlyuchError, UnknownWordError
from embeddings.shelf import Entry, data, home, installed_sets
from embeddings.shelf.installed_sets import SIMILARITY
from embeddings.sources.catalogue import CatalogueEntry, read_catalogue
from embeddings.sources.fetching import fetch
from embeddings.vectors.table import Vectors
from embeddings.verbs import VectorVerbs

T = TypeVar("T")
K = TypeVar("K")
LISTED = 60  # missing words that are written out


def answers_of(
    entries: Iterable[Entry], ask: Callable[[Entry], T]
) -> tuple[dict[Entry, T], dict[Entry, KlyuchError]]:
    """Ask every model; return the answers, and why the other models have none."""
    answers: dict[Entry, T] = {}
    refusals: dict[Entry, KlyuchError] = {}
    for entry in entries:
        try:
            answers[entry] = ask(entry)
        except KlyuchError as error:
            refusals[entry] = error
    return answers, refusals


def alike(answers: Mapping[K, T]) -> dict[T, list[K]]:
    """Return who answers alike, by the answer."""
    by_answer: dict[T, list[K]] = {}
    for who, answer in answers.items():
        by_answer.setdefault(answer, []).append(who)
    return by_answer


def refuse_together(
    page: PageState,
    refusals: Mapping[Entry, KlyuchError],
    replace: Callable[[KlyuchError], Replacement] | None = None,
    key: str = "",
) -> None:
    """Say every refusal once, with the names of all models that refuse alike.

    ``replace`` gives, for an error, what puts a close spelling in the unknown word's place.
    """
    sentences = {entry: page.say.error(error) for entry, error in refusals.items()}
    for number, entries in enumerate(alike(sentences).values()):
        error = refusals[entries[0]]
        concerns_models = isinstance(error, UnknownWordError) or len(entries) < len(page.entries)
        labels = [page.label(entry) for entry in entries] if concerns_models else []
        replacement = replace(error) if replace else None
        outputs.refuse(page.say, error, replacement, f"{key}-{number}", models=labels)


def say_missing(
    page: PageState, words: Sequence[str], entries: Sequence[Entry], *, composed: bool = False
) -> None:
    """List the words without a vector, once for all models that lack the same.

    ``composed``: a word whose vector a model composes of n-grams is not missing there.
    """

    def missing_in(vectors: Vectors) -> tuple[str, ...]:
        has_vector = vectors.has_vector if composed else vectors.__contains__
        return tuple(word for word in words if not has_vector(word))

    by_label = {page.label(entry): missing_in(shelf_models.vectors(entry)) for entry in entries}
    for missing, labels in alike(by_label).items():
        if missing:
            listed = page.say.list(missing[:LISTED]) + (" …" if missing[LISTED:] else "")
            sentence = page.say("listed.missing", model=page.say.list(labels), words=listed)
            st.info(outputs.plain(sentence))


def say_reading(page: PageState, words: Sequence[str]) -> None:
    """List the words that are read in another spelling, and those whose vectors are composed of n-grams, a line a model."""
    say_read_as(page, words)
    for entry in page.entries:
        vectors = shelf_models.vectors(entry)
        composed = [w for w in words if vectors.is_composed(w)]
        if composed:
            names = {"model": page.label(entry), "words": ", ".join(composed)}
            st.caption(outputs.plain(page.say("listed.composed", **names)))


def say_read_as(page: PageState, words: Sequence[str]) -> None:
    """List the words that a model's spelling rule reads in another spelling, a line a model."""
    for entry in page.entries:
        vectors = shelf_models.vectors(entry)
        spelled = {word: vectors.read_as(word) for word in words}
        pairs = [
            page.say("listed.read_as_pair", word=word, spelled=other)
            for word, other in spelled.items()
            if other
        ]
        if pairs:
            names = {"model": page.label(entry), "rule": vectors.spelling}
            sentence = page.say("listed.read_as", pairs=page.say.list(pairs), **names)
            st.caption(outputs.plain(sentence))


def offer_other_language(page: PageState, words: Sequence[str], *spared: str) -> None:
    """Offer the shipped models of another language where they know all ``words``.

    ``spared`` are the widgets that keep what they hold when the language changes.
    """
    for language in TEXT_LANGUAGES:
        if language == page.language:
            continue
        shipped = [entry for entry in frame.offered(language) if not shelf.is_own(entry)]
        if shipped and _knows_all(shipped[0], words):
            label = page.say(f"unknown.known_{language}", words=page.say.list(words))
            switch = partial(frame.switch_language, language, *spared)
            inputs.button(label, f"language-{language}", "translate", switch)


def _knows_all(entry: Entry, words: Sequence[str]) -> bool:
    """Whether a model can be read and knows all words."""
    try:
        vectors = shelf_models.vectors(entry)
    except KlyuchError:
        return False
    return bool(words) and all(word in vectors for word in words)


def warn_of_weak_vectors(page: PageState) -> None:
    """Say of each chosen model whose vectors have collapsed, or that has read too little, not to trust it."""
    say = page.say
    for entry in page.entries:
        health = shelf_models.ask(VectorVerbs.health, entry)
        model = outputs.plain(page.label(entry))
        if health.has_collapsed:
            cosine = say.number(health.random_cosine, 2)
            st.warning(say("frame.collapsed", model=model, cosine=cosine))
        elif health.has_read_little:
            st.warning(say("frame.read_little", model=model, words=health.words_read))


Replacement = Callable[[str], dict[str, object]]
DOTS = ("", "●○○", "●●○", "●●●")


def frequency_note(say: Wording, vectors: Vectors, count: int | None) -> str:
    """Return the tier as dots and the count, ``●●○ 1,234``; nothing where not known."""
    dots = DOTS[tier(per_million(vectors, count))]
    return f"{dots} {say.number(count)}" if dots else ""


def frequency_of(say: Wording, word: str, vectors: Vectors) -> dict[str, object]:
    """Return the first cells of a table's line: a word and its frequency."""
    row = vectors.find(word)  # none for a word that is composed of n-grams
    count = None if row is None else vectors.count(row)
    return {say("common.word"): word, **_frequency(say, count, vectors)}


def _frequency(say: Wording, count: int | None, vectors: Vectors) -> dict[str, object]:
    """Return the cells of a count: itself, as a rate, as a tier."""
    rate = per_million(vectors, count)
    return {
        say("common.count"): count,
        say("common.per_million"): rate,
        say("common.tier"): say.get(f"tier.{tier(rate)}"),
    }


Ranked = Mapping[Entry, Sequence[Neighbour]]


def list_words(
    say: Wording, columns: Mapping[str, Sequence[Neighbour]], alt: str, **options: Any
) -> None:
    """List words with their cosines, a column for each title; of several columns, ● marks the words that more than one has.

    ``alt`` is read aloud, ``options`` are those of ``st.dataframe``.
    """
    named = Counter(row.word for rows in columns.values() for row in rows)
    marks = ("○ ", "● ") if len(columns) > 1 else ("", "")
    cells = {
        title: [f"{marks[named[r.word] > 1]}{r.word} {say.number(r.similarity, 2)}" for r in rows]
        for title, rows in columns.items()
    }
    table = pd.DataFrame(list(zip_longest(*cells.values())), columns=list(cells))
    st.dataframe(
        table,
        hide_index=True,
        placeholder="",
        height="content",
        width="stretch",
        alt=alt,
        **options,
    )


def ranked_rows(page: PageState, ranked: Ranked, score: str = "similarity") -> pd.DataFrame:
    """Return all lists as one table, a line a word with its frequency."""
    say = page.say
    lines = [
        {
            say("common.model"): page.label(entry),
            say("common.rank"): rank,
            say("common.word"): row.word,
            say(f"common.{score}"): row.similarity,
            **_frequency(say, row.count, shelf_models.vectors(entry)),
            say("common.forms"): ", ".join(row.forms),
        }
        for entry, rows in ranked.items()
        for rank, row in enumerate(rows, 1)
    ]
    return pd.DataFrame(lines)


def score_text(say: Wording, measure: str, value: float) -> str:
    """Return a score: an accuracy in percent, a rank correlation as ρ."""
    return say.percent(value) if measure == "accuracy" else f"ρ = {say.number(value, 2)}"


@cached(64)
def recorded_scores(entry: Entry) -> dict[str, ModelScore]:
    """Return the scores that a model's card brings, by test set."""
    return {score.test_set: score for score in shelf.model_scores([entry]) if score.test_set}


@cached(64, is_heavy=True)
def set_score(entry: Entry, path: Path) -> ModelScore:
    """Return the score of a model on one test set, of pairs or of analogies, computed on demand."""
    from embeddings.analysis.evaluation import evaluate_analogies, evaluate_pairs

    vectors, about = (
        shelf_models.vectors(entry),
        (entry.name, entry.kind, entry.method, entry.language),
    )
    if path.name in {name for names in SIMILARITY.values() for name in names}:
        pairs = evaluate_pairs(vectors, path)
        return ModelScore(*about, path.name, "spearman", pairs.spearman, pairs.covered, pairs.total)
    score = evaluate_analogies(vectors, path)
    return ModelScore(*about, path.name, "accuracy", score.accuracy, score.covered, score.total)


Scores = dict[Entry, dict[str, ModelScore]]


def scores_of(page: PageState, entries: Sequence[Entry]) -> Scores:
    """Return the scores of static models by test set, and offer to compute those that are missing.

    One click downloads the test sets that are not here and scores every model of ``entries`` on all sets of its language.
    """
    say = page.say
    computed: dict[str, dict[str, ModelScore]] = st.session_state.setdefault("_scores", {})
    scores: Scores = {
        entry: recorded_scores(entry) | computed.get(entry.stamp, {}) for entry in entries
    }
    lacking = [entry for entry in entries if entry.stamp not in computed and _lacks(page, entry)]
    if not lacking:
        return scores
    languages = dict.fromkeys(_language(page, entry) for entry in lacking)
    sets = [each for name in languages for each in sets_to_fetch(name) if access.may_change()]
    offer = st.empty()
    with offer.container():
        look: Any = {"type": "primary", "help": say("scores.help")}
        is_asked = inputs.button(say("scores.start"), "compare-score", "leaderboard", **look)
        if sets:
            size = say.size(sum(each.size or 0 for each in sets))
            licences = say.list(dict.fromkeys(each.licence for each in sets))
            st.caption(outputs.plain(say("scores.fetches", size=size, licences=licences)))
    if is_asked:
        offer.empty()
        get_sets(say, sets)
        for entry in lacking:
            computed[entry.stamp] = _compute(page, entry, scores[entry])
            scores[entry] |= computed[entry.stamp]
    return scores


def sets_to_fetch(language: str) -> tuple[CatalogueEntry, ...]:
    """Return the test sets of a language that can be downloaded and are not here."""
    have = {
        f"analogies-{language}": installed_sets.analogy_set(language),
        f"similarity-{language}": installed_sets.similarity_sets(language),
    }
    catalogue = read_catalogue(data() / "catalogue.toml")
    return tuple(entry for entry in catalogue if not have.get(entry.name, True))


def _language(page: PageState, entry: Entry) -> str:
    """Return the language whose test sets a model is scored on."""
    return entry.language or page.language


def _lacks(page: PageState, entry: Entry) -> bool:
    """Whether there is a test set, here or to download, that a model has no score on."""
    language, recorded = _language(page, entry), recorded_scores(entry)
    if installed_sets.installed_sets(language).keys() - recorded.keys():
        return True
    return not recorded and bool(sets_to_fetch(language)) and access.may_change()


def get_sets(say: Wording, sets: Sequence[CatalogueEntry]) -> bool:
    """Download test sets; one that cannot be had is named, and the others are fetched all the same. Return whether all came."""
    came = True
    with st.spinner(say("set.getting")):
        for each in sets:
            try:
                fetch(each, home() / "corpora", mirror=os.environ.get("KLYUCH_MIRROR", ""))
            except KlyuchError as error:
                outputs.refuse(say, error)
                came = False
    return came


def _compute(
    page: PageState, entry: Entry, known: Mapping[str, ModelScore]
) -> dict[str, ModelScore]:
    """Return the scores that a model lacks."""
    scores = {}
    for name, path in installed_sets.installed_sets(_language(page, entry)).items():
        if name not in known:
            running = page.say("set.running", model=outputs.plain(page.label(entry)))
            with st.spinner(running), outputs.refusals_said(page.say):
                scores[name] = set_score(entry, path)
    return scores
