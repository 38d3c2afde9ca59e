"""Searching a concordance: all forms of a word, other words near it, a regular expression, sorted; and the word's collocates.

Decisions:
- counts are of paragraphs, which the index knows: how often two words stand together is the number of paragraphs in which they stand
  within the window of each other;
- log-likelihood is Dunning's (1993) over the table of paragraphs with and without either word, log-Dice Rychlý's (2008);
- of a word in very many paragraphs an even sample is looked at, and the other word's count is scaled to it;
- a search ends after some seconds, and says so.
"""

from __future__ import annotations

import math
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from embeddings.configuration import check_choice, check_range
from embeddings.corpora.concordance import (
    INDEXED,
    MAX_LISTED_PARAGRAPHS,
    Concordance,
    connected,
    cut_line,
    forms_of,
    full_text_query,
    paragraph_at,
    spelled_word,
)
from embeddings.corpora.corpus_answers import (
    Collocate,
    ConcordanceAnswer,
    ConcordanceLine,
    WordForm,
)
from embeddings.results import Rows, Value
from embeddings.text.lemmas import function_words, is_function_word
from embeddings.text.word_positions import Span, form_pattern, tokens, word_spans
from embeddings.text.words import bounded_pattern, normalize

ORDERS = ("text", "left", "right")
SECONDS = 5.0  # after which a search stops
MOST_REPEATS = 2  # of a regular expression: a line has a few hundred letters
EXAMINED = 5_000  # paragraphs for collocates
COLLOCATION_WINDOW = 5  # words on either side, where no number is asked for
LISTED_LINES = 200  # where no number is asked for
READ_CONTEXTS = 100  # likewise of lines that a network is to read
SORTED_BY = 3  # words on one side by which lines are sorted


class ConcordanceQuery(Value):
    """What is searched for.

    Attributes
    ----------
    word : str
        One word, in any form.
    language : str
        "en", "ru" or "de": whose forms are meant.
    near : tuple of str
        Other words, in any form, that must stand within ``window`` words of it.
    window : int
        Words on either side.
    pattern : str
        A regular expression that must match the line.
    order : str
        "text", or "left" and "right": by the words before or behind it.
    limit : int
        Lines at most.
    is_exhaustive : bool
        Whether equal lines and all excerpts of a long paragraph count: then the lines have every use of the word, and if there is
        room for all of them, they know how many words their file and document have. Without ``near``.
    """

    word: str
    language: str
    near: tuple[str, ...] = ()
    window: int = COLLOCATION_WINDOW
    pattern: str = ""
    order: str = "text"
    limit: int = LISTED_LINES
    is_exhaustive: bool = False


def search(
    concordance: Concordance, query: ConcordanceQuery, seconds: float | None = None
) -> ConcordanceAnswer:
    """Return the lines that a query finds, spread evenly over the corpus where there are more; equal ones once, if not exhaustive.

    The search stops after ``seconds``, `SECONDS` if not given.

    Raises
    ------
    InputError
        If a word is not one word, a bound is exceeded, or the pattern is not a regular expression or could search forever.
    """
    check_range("limit", query.limit, 1, 10_000)
    check_range("window", query.window, 1, 255)
    check_choice("order", query.order, ORDERS)
    matches = bounded_pattern(query.pattern, MOST_REPEATS).search if query.pattern else None
    end = time.monotonic() + (SECONDS if seconds is None else seconds)
    lines: dict[object, tuple[int, ConcordanceLine]] = {}
    examined, stopped = 0, False
    with connected(concordance.path) as connection:
        words = (query.word, *query.near)
        forms, *others = (forms_of(connection, word, query.language) for word in words)
        spellings = list(map(_spellings, (forms, *others), words))
        patterns = [form_pattern(words) for words in spellings]
        full_text = " AND ".join(f"({full_text_query(words)})" for words in spellings)
        capital = query.language == "de" and query.word[:1].isupper()
        common = sum(form.paragraphs for form in forms) > MAX_LISTED_PARAGRAPHS
        for row in concordance.rows(connection, full_text, common):
            if len(lines) >= query.limit or time.monotonic() > end:
                stopped = True
                break
            examined += 1
            found = _lines(paragraph_at(connection, row), patterns, query.window, capital)
            for number, line in enumerate(found if query.is_exhaustive else islice(found, 1)):
                if matches is None or matches(line.text):
                    key = (row, number) if query.is_exhaustive else line.text
                    lines.setdefault(key, (row, line))
        stopped = stopped or len(lines) > query.limit
        in_order = sorted(lines.values(), key=lambda pair: pair[0])[: query.limit]
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if query.is_exhaustive and not stopped and version > 1:
            in_order = list(_with_sizes(connection, in_order))
    ordered = [line for _, line in in_order]
    if query.order != "text":
        ordered.sort(key=lambda line: _beside(line, query.order))
    return ConcordanceAnswer(tuple(ordered), forms, examined, not stopped)


def _spellings(forms: Sequence[WordForm], word: str) -> tuple[str, ...]:
    """Return all forms of a word, and the word as it is spelled."""
    return tuple(dict.fromkeys([*(form.form for form in forms), spelled_word(word)]))


def _with_sizes(
    connection: sqlite3.Connection, lines: Sequence[tuple[int, ConcordanceLine]]
) -> Iterator[tuple[int, ConcordanceLine]]:
    """Yield lines, each with its row, that know how many words their file and document have."""
    totals = dict(connection.execute("SELECT file, sum(words) FROM documents GROUP BY file"))
    document = "SELECT file, words FROM documents WHERE first <= ? ORDER BY first DESC LIMIT 1"
    for row, line in lines:
        file, words = connection.execute(document, (row,)).fetchone()
        yield row, replace(line, file_words=int(totals[file]), document_words=int(words))


def _lines(
    paragraph: ConcordanceLine, patterns: Sequence[re.Pattern[str]], window: int, capital: bool
) -> Iterator[ConcordanceLine]:
    """Yield the lines around a word, which have all its uses; of several words one, around the first that has the others near it."""
    text = paragraph.text
    spans = [word_spans(text, pattern) for pattern in patterns]
    words = [span for span in spans[0] if not capital or text[span[0]].isupper()]
    if len(patterns) == 1:
        while words:
            line = cut_line(paragraph, words)
            yield line
            words = words[len(line.spans) :]
        return
    starts = {start: number for number, (start, _) in enumerate(tokens(text))}
    for word in words:
        near = [_nearest(starts, word, others, window) for others in spans[1:]]
        if all(near):
            line = cut_line(paragraph, [word, *(span for span in near if span)])
            if len(line.spans) == len(patterns):
                yield line
                return


def _nearest(
    places: dict[int, int], word: Span, others: Iterable[Span], window: int
) -> Span | None:
    """Return the nearest of some spans within the window of a word; None if there is none."""
    own = places.get(word[0])
    if own is None:
        return None
    distances = [
        (abs(places[other[0]] - own), other)
        for other in others
        if other != word and other[0] in places
    ]
    distance, other = min(distances, default=(window + 1, word))
    return other if distance <= window else None


def _beside(line: ConcordanceLine, side: str) -> tuple[str, ...]:
    """Return the words before a line's word, the next first, or those behind it."""
    start, end = line.spans[0]
    before, behind = line.text[:start], line.text[end:]
    text = before if side == "left" else behind
    words = [normalize(text[a:b]) for a, b in tokens(text)]
    return tuple(words[: -SORTED_BY - 1 : -1] if side == "left" else words[:SORTED_BY])


def text_language(concordance: Concordance) -> str:
    """Return the language whose function words occur in most paragraphs of a corpus, each divided by how many of them are listed."""
    listed = {language: function_words(language) for language in INDEXED}
    with connected(concordance.path) as connection:
        counts = concordance.paragraph_counts(
            connection, sorted(frozenset().union(*listed.values()))
        )
    return max(
        INDEXED,
        key=lambda name: sum(counts.get(word, 0) for word in listed[name]) / len(listed[name]),
    )


def collocates(  # noqa: PLR0913
    concordance: Concordance,
    word: str,
    language: str,
    window: int = COLLOCATION_WINDOW,
    least: int = 3,
    *,
    order: str = "log_likelihood",
    only_content: bool = True,
    topn: int = 30,
) -> Rows[Collocate]:
    """Return the collocates of a word: the words near it more often than by chance, the strongest first.

    Parameters
    ----------
    concordance : Concordance
    word : str
        In any form; its own forms are left out.
    language : str
        "en", "ru" or "de".
    window : int, default 5
        Words on either side.
    least : int, default 3
        Minimum number of paragraphs that contain both.
    order : {"log_likelihood", "log_dice"}, default "log_likelihood"
        What they are ranked by.
    only_content : bool, default True
        Leave out function words.
    topn : int, default 30
        Number of words.

    Raises
    ------
    InputError
        If the word is not one word, or a bound is exceeded.
    """
    check_range("window", window, 1, 255)
    check_range("least", least, 1, 10**9)
    check_range("topn", topn, 1, 10**9)
    check_choice("order", order, ("log_likelihood", "log_dice"))
    together: Counter[str] = Counter()
    examined = 0
    with connected(concordance.path) as connection:
        forms = _spellings(forms_of(connection, word, language), word)
        pattern, query = form_pattern(forms), full_text_query(forms)
        every = concordance.count(connection, query)
        is_common = every > MAX_LISTED_PARAGRAPHS
        for row in islice(concordance.rows(connection, query, is_common), EXAMINED):
            near = _company(paragraph_at(connection, row).text, pattern, window)
            examined += bool(near)
            together.update(near - set(forms))
        share = min(1.0, examined / every) if every else 0.0
        common = [(name, count) for name, count in together.items() if count >= least]
        counts = concordance.paragraph_counts(connection, [name for name, _ in common])
    answers = []
    for name, count in common:
        if total := counts.get(name):
            expected = max(total * share, count)
            paragraphs = max(concordance.paragraphs * share, examined + expected - count)
            answers.append(
                Collocate(
                    name,
                    count,
                    total,
                    log_likelihood(count, examined, expected, paragraphs),
                    log_dice(count, examined, expected),
                )
            )
    listed = [
        answer
        for answer in answers
        if answer.log_likelihood > 0  # negative: less often than chance
        and not (only_content and is_function_word(answer.word, language))
    ]
    return Rows(sorted(listed, key=lambda c: -float(getattr(c, order)))[:topn])


def _company(text: str, pattern: re.Pattern[str], window: int) -> set[str]:
    """Return the words within the window of a word, in small letters."""
    places = tokens(text)
    number_of = {start: number for number, (start, _) in enumerate(places)}
    near: set[int] = set()
    for start, _ in word_spans(text, pattern):
        if (own := number_of.get(start)) is not None:
            near |= set(range(max(0, own - window), min(len(places), own + window + 1))) - {own}
    return {normalize(text[slice(*places[number])]) for number in near}


def log_likelihood(together: float, first: float, second: float, total: float) -> float:
    """Return Dunning's G² of two words in paragraphs, negative where they avoid each other.

    Parameters
    ----------
    together, first, second, total : float
        Paragraphs with both, with the first, with the second, and all.

    References
    ----------
    Dunning (1993), "Accurate Methods for the Statistics of Surprise and Coincidence".

    Examples
    --------
    >>> log_likelihood(10, 20, 50, 100)  # as often as chance gives
    0.0
    """
    observed = (together, first - together, second - together, total - first - second + together)
    others = total - first, total - second
    expected = (
        first * second / total,
        first * others[1] / total,
        others[0] * second / total,
        others[0] * others[1] / total,
    )
    pairs = zip(observed, expected, strict=True)
    value = 2 * math.fsum(
        seen * math.log(seen / by_chance) for seen, by_chance in pairs if seen > 0
    )
    value = max(value, 0.0)
    return value if together >= expected[0] else -value


def log_dice(together: float, first: float, second: float) -> float:
    """Return 14 + log2 of the Dice coefficient of two words (Rychlý 2008).

    Examples
    --------
    >>> log_dice(8, 8, 8), log_dice(4, 8, 8)
    (14.0, 13.0)
    """
    return 14 + math.log2(2 * together / (first + second))
