"""Words found in a text by their forms, and a long text cut to the sentences around them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from embeddings.text.characters import APOSTROPHES, HYPHENS, INVISIBLE, STRESS

LONGEST = 320  # characters of an excerpt, about what 128 tokens hold
Span = tuple[int, int]
# a full stop (with closing quotes), space, then a capital, a digit or an opening quote or dash
_SENTENCE = re.compile(r"[.!?…][\"»”’)\]]*\s+(?=[«„“\"‘‚(\[—–-]*\s*[^\W_a-zа-яёäöüß])")
_MARKS = frozenset(STRESS + INVISIBLE)


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


def places(text: str, pattern: re.Pattern[str]) -> tuple[Span, ...]:
    """Where ``pattern`` finds its words in ``text``, which may bear stress marks and soft hyphens.

    Examples
    --------
    >>> places("Ключ, клю\u0301ча, ключик", form_pattern(["ключ", "ключа"]))
    ((0, 4), (6, 12))
    """
    if _MARKS.isdisjoint(text):
        return tuple(found.span() for found in pattern.finditer(text))
    kept = [at for at, sign in enumerate(text) if sign not in _MARKS]
    bare = "".join(text[at] for at in kept)
    return tuple(
        (kept[found.start()], kept[found.end() - 1] + 1) for found in pattern.finditer(bare)
    )


def excerpt(text: str, span: Span, longest: int = LONGEST) -> Span:
    """Choose the characters of ``text`` to show around ``span``: whole sentences as far as they fit.

    The sentence of the word comes first, then those before and after it in turn; a sentence that is
    longer than ``longest`` is cut between words.
    """
    if len(text) <= longest:
        return 0, len(text)
    bounds = [0, *(end.end() for end in _SENTENCE.finditer(text)), len(text)]
    first = max(row for row, start in enumerate(bounds[:-1]) if start <= span[0])
    last = next(row for row in range(first + 1, len(bounds)) if bounds[row] >= span[1])
    if bounds[last] - bounds[first] > longest:
        return _within(text, span, (bounds[first], bounds[last]), longest)
    grown = True
    while grown:
        grown = False
        if first and bounds[last] - bounds[first - 1] <= longest:
            first, grown = first - 1, True
        if last + 1 < len(bounds) and bounds[last + 1] - bounds[first] <= longest:
            last, grown = last + 1, True
    return bounds[first], bounds[first] + len(text[bounds[first] : bounds[last]].rstrip())


def _within(text: str, span: Span, sentence: Span, longest: int) -> Span:
    """Cut one long sentence between words, the span in the middle."""
    room = max(0, longest - (span[1] - span[0]))
    start = max(sentence[0], min(span[0] - room // 2, sentence[1] - longest))
    end = min(sentence[1], max(start + longest, span[1]))
    if start > sentence[0] and (space := text.find(" ", start, span[0])) >= 0:
        start = space + 1
    if end < sentence[1] and (space := text.rfind(" ", span[1], end)) >= 0:
        end = space
    return start, end
