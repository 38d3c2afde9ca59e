"""Lesson: what is near? Cosines, opposites, shared contexts, two methods."""

from __future__ import annotations

from app.loaders import shelf_models
from app.views.learn.lesson_models import static_model, with_models
from app.views.learn.lesson_step import Step, binned, labels, ranked
from app.widgets import ranked_words, why_near
from app.widgets.frame import PageState
from app.wording import lesson_examples
from embeddings.analysis.analogies import answer_rank, solve
from embeddings.analysis.shared_contexts import shared_contexts
from embeddings.analysis.similarity import neighbours, similarity
from embeddings.shelf import Entry

NEAR, FAR = 11, 101  # ranks from which on a word is no longer among the 10, the 100 nearest
TOPN = 10
CONTEXTS = (0, 3, 6, 9)  # places of the contexts that are offered, by what they contribute


def which_is_nearest(page: PageState) -> Step:
    """Ask which of some words is nearest."""
    say, entry = page.say, static_model(page, "skipgram")
    word, *options = lesson_examples(page.language)["near"].split(" | ")
    vectors = shelf_models.vectors(entry)
    cosines = [similarity(vectors, word, option) for option in options]
    choice = ranked(
        options, cosines, lambda cosine: say("learn.cosine", value=say.number(cosine, 2))
    )
    return Step(
        choice,
        show=lambda: _show_lists(page, word, entry),
        page="explore",
        settings={"word": word, "models": entry.name},
        fields={"word": word, "model": page.label(entry)},
    )


def opposites(page: PageState) -> Step:
    """Ask at which rank the opposite of a word is."""
    entry = static_model(page, "skipgram")
    word, opposite = lesson_examples(page.language)["opposites"].split(" | ")
    vectors = shelf_models.vectors(entry)
    rank = answer_rank(vectors, solve(vectors, word, fold=False), opposite) or 0
    return Step(
        binned(labels(page.say, "learn_near.2"), (NEAR, FAR), rank),
        show=lambda: _show_lists(page, word, entry),
        page="explore",
        settings={"word": word, "models": entry.name},
        fields={"word": word, "opposite": opposite, "rank": rank},
    )


def which_context(page: PageState) -> Step:
    """Ask which shared context contributes most to the nearness of a word and its nearest neighbour."""
    say, entry = page.say, static_model(page, "skipgram")
    word = lesson_examples(page.language)["near"].split(" | ")[0]
    vectors = shelf_models.vectors(entry)
    near = neighbours(vectors, word, 1)[0].word
    answer = shared_contexts(shelf_models.contexts(entry), word, near, vectors=vectors)
    offered = [answer.shared[place] for place in CONTEXTS if place < len(answer.shared)]
    offered.sort(key=lambda shared: shared.context)
    choice = ranked(
        [shared.context for shared in offered],
        [shared.contribution / answer.ppmi_cosine for shared in offered],
        lambda share: f"{say.number(100 * share, 1)} %",
    )
    return Step(
        choice,
        show=lambda: why_near.show_shared(page, entry, answer),
        page="explore",
        settings={"word": word, "models": entry.name, "why": near},
        fields={"word": word, "near": near},
    )


def two_methods(page: PageState) -> Step:
    """Ask how many of the ten nearest words two methods have in common."""
    first, second = static_model(page, "skipgram"), static_model(page, "glove")
    word = lesson_examples(page.language)["near"].split(" | ")[0]
    lists = [
        {near.word for near in neighbours(shelf_models.vectors(entry), word, TOPN)}
        for entry in (first, second)
    ]
    common = len(lists[0] & lists[1])
    return Step(
        binned(labels(page.say, "learn_near.4"), (3, 7), common),
        show=lambda: _show_lists(page, word, first, second),
        page="explore",
        settings={"word": word, "models": f"{first.name},{second.name}"},
        fields={
            "word": word,
            "common": common,
            "first": page.label(first),
            "second": page.label(second),
        },
    )


def _show_lists(page: PageState, word: str, *entries: Entry) -> None:
    """Draw the nearest words in some models."""
    nearest = {entry: neighbours(shelf_models.vectors(entry), word, TOPN) for entry in entries}
    chosen = with_models(page, *entries)
    ranked_words.lists(chosen, nearest, "neighbours", "explore.neighbours_alt", word)


NEAR = (which_is_nearest, opposites, which_context, two_methods)
