"""Regular expressions from any source, checked against a form that cannot search forever.

Python's matcher tries one way after another: a repeated group takes time exponential in the text, n repeats take its n-th power, and
n optional parts 2 to the n-th. So groups are not repeated, and repeats and optional parts are few.
"""

from __future__ import annotations

import re

from embeddings.errors import InputError

_REPEATED_GROUP = re.compile(r"(?<!\\)(?:\\\\)*\)[*+{]")
_REPEATS = re.compile(r"(?<!\\)(?:\\\\)*[*+{]")
_OPTIONAL = re.compile(r"(?<![\\(*+?}])(?:\\\\)*\?")
MOST_OPTIONAL, LONGEST_PATTERN = 8, 100


def bounded_pattern(pattern: str, most_repeats: int) -> re.Pattern[str]:
    """Compile a regular expression that searches in any case.

    Parameters
    ----------
    pattern : str
    most_repeats : int
        Repeats (``*``, ``+``, ``{``) at most: time grows by this power of the text's length.

    Raises
    ------
    InputError
        If it could search for ever (a repeated bracket, too many repeats, optional parts or signs), or is no regular expression.
    """
    slow = _REPEATED_GROUP.search(pattern) or len(_REPEATS.findall(pattern)) > most_repeats
    slow = slow or len(_OPTIONAL.findall(pattern)) > MOST_OPTIONAL
    if slow or len(pattern) > LONGEST_PATTERN:
        raise InputError(
            "pattern_slow", pattern=pattern, repeats=most_repeats, signs=LONGEST_PATTERN
        )
    try:
        return re.compile(pattern, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        position = (getattr(error, "pos", None) or 0) + 1
        raise InputError("pattern_invalid", pattern=pattern, position=position) from error
