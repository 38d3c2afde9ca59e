"""Where a text is cut: into sentences, and around a word in all its forms, with the sentences near it as an excerpt.

`language_of_file` reads the language that a file's name says (``ru_news.txt.xz`` is Russian).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from embeddings.configuration import check_choice
from embeddings.text.characters import APOSTROPHES, HYPHENS, INVISIBLE, STRESS
from embeddings.text.lemmas import LEMMA_LANGUAGES, same_word
from embeddings.text.words import ELIDED, normalize, without_elision

EXCERPT_SIZE = 320  # characters of an excerpt, about what 128 tokens hold
Span = tuple[int, int]
_MARKS = frozenset(STRESS + INVISIBLE)
_ELISION = (
    rf"(?i:(?:{'|'.join(sorted(ELIDED))})(?=[{APOSTROPHES}][aeiouyhœæ\u00e0-\u00ff])(?!c.h|d.y))"
)
_TOKEN = re.compile(  # of letters with their marks, which stand apart in a text that is not NFC
    _ELISION
    + rf"|[^\W_](?:[\w\u0300-\u036f\u00ad]|(?:[{HYPHENS}{APOSTROPHES}](?=[^\W_]))|(?<=[lL])·(?=[lL]))*"
)
MASK = "[MASK]"  # what people write, whatever the tokenizer calls it
BLANK = re.compile(r"_{2,}|(?:(?<=\s)|^)(?:\.{3}|…)(?=\s)")  # ways to write a missing word
_VOWELS_ETC = "аеиоуыэюяйь"
_ENDING = re.compile("[ауюяеиыо]|[оеё]м|[ое]в|[ое]й|ью|[ая]ми?|[ая]х")


def form_pattern(forms: Iterable[str]) -> re.Pattern[str]:
    """Compile what finds any of ``forms`` as a whole word, in any case and with any hyphen."""
    classes = {
        **dict.fromkeys(HYPHENS, f"[{re.escape(HYPHENS)}]"),
        **dict.fromkeys(APOSTROPHES, f"[{APOSTROPHES}]"),
    }
    spelled = "|".join(
        "".join(classes.get(sign, re.escape(sign)) for sign in form)
        for form in sorted(forms, key=len, reverse=True)
    )
    return re.compile(rf"(?<![^\W_])(?:{spelled})(?![^\W_])", re.IGNORECASE)


def word_spans(text: str, pattern: re.Pattern[str]) -> tuple[Span, ...]:
    """Where ``pattern`` finds its words in ``text``, which may bear stress marks and soft hyphens.

    Examples
    --------
    >>> word_spans("Ключ, клю\u0301ча, ключик", form_pattern(["ключ", "ключа"]))
    ((0, 4), (6, 12))
    """
    if _MARKS.isdisjoint(text):
        return tuple(match.span() for match in pattern.finditer(text))
    kept = [at for at, sign in enumerate(text) if sign not in _MARKS]
    bare = "".join(text[at] for at in kept)
    return tuple(
        (kept[match.start()], kept[match.end() - 1] + 1) for match in pattern.finditer(bare)
    )


def tokens(text: str) -> tuple[Span, ...]:
    """Where the words of ``text`` stand.

    Examples
    --------
    >>> tokens("«Да», кто-то, l'eau")
    ((1, 3), (6, 12), (14, 15), (16, 19))
    """
    return tuple(match.span() for match in _TOKEN.finditer(text))


def excerpt(text: str, span: Span) -> Span:
    """Choose the characters of ``text`` to show around ``span``: whole sentences as far as they fit.

    The sentence of the word comes first, then those before and after it in turn; a sentence that is
    longer than `EXCERPT_SIZE` is cut between words.
    """
    if len(text) <= EXCERPT_SIZE:
        return 0, len(text)
    bounds = [0, *(end.end() for end in SENTENCE_BREAK.finditer(text)), len(text)]
    first = max(row for row, start in enumerate(bounds[:-1]) if start <= span[0])
    last = next(row for row in range(first + 1, len(bounds)) if bounds[row] >= span[1])
    if bounds[last] - bounds[first] > EXCERPT_SIZE:
        return _within(text, span, (bounds[first], bounds[last]))
    grown = True
    while grown:
        grown = False
        if first and bounds[last] - bounds[first - 1] <= EXCERPT_SIZE:
            first, grown = first - 1, True
        if last + 1 < len(bounds) and bounds[last + 1] - bounds[first] <= EXCERPT_SIZE:
            last, grown = last + 1, True
    return bounds[first], bounds[first] + len(text[bounds[first] : bounds[last]].rstrip())


def _within(text: str, span: Span, sentence: Span) -> Span:
    """Cut one long sentence between words, the span in the middle."""
    room = max(0, EXCERPT_SIZE - (span[1] - span[0]))
    start = max(sentence[0], min(span[0] - room // 2, sentence[1] - EXCERPT_SIZE))
    end = min(sentence[1], max(start + EXCERPT_SIZE, span[1]))
    if start > sentence[0] and (space := text.find(" ", start, span[0])) >= 0:
        start = space + 1
    if end < sentence[1] and (space := text.rfind(" ", span[1], end)) >= 0:
        end = space
    return start, end


def occurrences(text: str, word: str, language: str) -> tuple[tuple[int, int], ...]:
    """Where ``word`` occurs in ``text``, in every inflected form: (start, end) in characters.

    A capital asked for is kept in German: Schloss does not find the verb schloss. Where no Russian
    form is known, the word with another ending counts (луками, known as a form of лука, for лук).

    Examples
    --------
    >>> occurrences("Связка ключей; ключом отперли дверь.", "ключ", "ru")
    ((7, 13), (15, 21))
    """
    check_choice("language", language, LEMMA_LANGUAGES)
    word = without_elision(normalize(word.strip(), lower=False))
    if not word:
        return ()
    words = [
        (token, (start, end))
        for token, start, end in words_at(text)
        if not (language == "de" and word[:1].isupper() and token[:1].islower())
    ]
    exact = tuple(span for token, span in words if same_word(token, word, language))
    if exact or language != "ru":
        return exact
    return tuple(span for token, span in words if _inflected(token.lower(), word.lower()))


def is_word(text: str) -> bool:
    """Whether a text is one word: nothing around it, and nothing that parts it.

    Examples
    --------
    >>> [is_word(text) for text in ("don't", "river bank", "...")]
    [True, False, False]
    """
    return [span for _, *span in words_at(text)] == [[0, len(text)]]


def words_at(text: str) -> list[tuple[str, int, int]]:
    """Words of ``text`` in its own case, without stress marks, each with start and end."""
    return [
        (normalize(match.group(), lower=False), match.start(), match.end())
        for match in _TOKEN.finditer(text)
    ]


def _inflected(form: str, word: str) -> bool:
    """Whether a lower-cased Russian word is another with a case ending, its last vowel exchanged."""
    stem = word.rstrip(_VOWELS_ETC)
    return len(stem) > 2 and form.startswith(stem) and bool(_ENDING.fullmatch(form[len(stem) :]))


def marked_blanks(text: str) -> str:
    """Return a text with [MASK] for each blank written as two or more underscores, ``...`` or ``…``.

    A text that has [MASK] stays as it is. Dots are a blank only between spaces, else they end a sentence.

    >>> marked_blanks("My favourite food is ___.")
    'My favourite food is [MASK].'
    >>> marked_blanks("The key opens the ... with a click. Well...")
    'The key opens the [MASK] with a click. Well...'
    """
    return text if MASK in text else BLANK.sub(MASK, text)


# a full stop (with closing quotes), space, then a capital, a digit or an opening quote or dash
SENTENCE_BREAK = re.compile(r"(?<=[.!?…])[\"»”’)\]]*\s+(?=[«„“\"‘‚(\[—–-]*\s*[^\W_a-zа-яёäöüß])")


def language_of_file(path: Path) -> str:
    """Return ``en`` for ``en_wikipedia.1.txt``.

    ``und`` (undetermined) where the name has no such prefix.

    Examples
    --------
    >>> language_of_file(Path("ru_news.txt.xz")), language_of_file(Path("notes.txt"))
    ('ru', 'und')
    """
    head, underline, _ = path.name.partition("_")
    return head if underline and re.fullmatch("[a-z]{2,3}", head) else "und"


def sentences(paragraph: str) -> list[str]:
    """Cut a paragraph after full stops that a capital follows.

    A rule of thumb, the same for every language.

    Examples
    --------
    >>> sentences("Ключ бил. «Вода холодна!» Она пила z.B. so")
    ['Ключ бил.', '«Вода холодна!»', 'Она пила z.B. so']
    """
    pieces: list[str] = []
    start = 0
    for end in SENTENCE_BREAK.finditer(paragraph):
        stop = end.start() + len(end.group().rstrip())  # closing quotes stay with their sentence
        pieces.append(paragraph[start:stop])
        start = end.end()
    pieces.append(paragraph[start:])
    return [sentence for sentence in pieces if sentence]
