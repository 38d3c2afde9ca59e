"""The words around an ambiguous word, ready to be looked up in a table of forms or of lemmas."""

from __future__ import annotations

from collections.abc import Iterable

from embeddings.results.senses import Beside
from embeddings.text.contexts import Context, locate, spans_of
from embeddings.text.forms import lemma, lemma_key
from embeddings.text.occurrences import words_at

FAR = 5  # distance of all words where the word itself does not stand in its context


def surroundings(context: Context, language: str, *, strict: bool = True) -> tuple[Beside, ...]:
    """Return the words beside the word of ``context``, its own forms left out.

    Parameters
    ----------
    context : Context
        One use of a word.
    language : str
        "en", "ru" or "de".
    strict : bool, default True
        Whether a context without its word is refused; otherwise all its words come back, as far
        away as ``FAR``.

    Raises
    ------
    InputError
        If the word is nowhere in the context, and ``strict``.

    Examples
    --------
    >>> one = Context("1", "ключ", "", "", (), "Старым ключом отперли дверь.")
    >>> [(near.word, near.distance) for near in surroundings(one, "ru")]
    [('старый', 1), ('отпереть', 1), ('дверь', 2)]
    """
    spans = (locate if strict else spans_of)(context, language)
    words = words_at(context.text)
    keys = [lemma_key(word, language) for word, _, _ in words]
    places = [
        place
        for place, (_, low, high) in enumerate(words)
        if any(low < end and high > start for start, end in spans)
    ]
    own = {lemma_key(context.word, language), *(keys[place] for place in places)}
    return tuple(
        Beside(
            lemma(word, language),
            (keys[place], word.lower()),
            min((abs(place - other) for other in places), default=FAR),
            (start, end),
        )
        for place, (word, start, end) in enumerate(words)
        if keys[place] not in own
    )


def stands_in(context: Context, language: str) -> bool:
    """Whether the word of ``context`` stands in it."""
    return bool(spans_of(context, language))


def by_word(contexts: Iterable[Context]) -> dict[str, list[int]]:
    """Rows of each word's contexts, words in the order of their first."""
    rows: dict[str, list[int]] = {}
    for row, context in enumerate(contexts):
        rows.setdefault(context.word, []).append(row)
    return rows
