"""One spelling for each word: named rules that a corpus is encoded by, and queries of its models are read by.

A rule respells single words and does nothing twice: respelling a word again changes nothing. Every rule writes typographic ligatures
as letters (ﬁ, ſ); hyphens and apostrophes are one each already when words are split (`embeddings.text.words`).

American (``en-us``): colour as color, centre as center, realise as realize. Tyre, cheque and storey stay, whose American forms are
other words. Stems are listed: no ending is respelled by its letters alone, so that four, advise and improvise stay.
Russian (``ru-e``): without the dots, as most texts print it: ёлка as елка; words that differ by the dots alone keep them (всё and все).
German (``de-1996``) is `embeddings.text.german_spelling`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from embeddings.errors import InputError
from embeddings.text.characters import lower_case
from embeddings.text.german_spelling import TOUCHED as GERMAN
from embeddings.text.german_spelling import respell_german

_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "ſ": "s"}
)
_NEVER = re.compile("(?!)")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class SpellingRule:
    """How words of a language are respelled.

    Attributes
    ----------
    language : str
        "en", "ru" or "de"; "" for a rule of all languages.
    touched : Pattern
        What every lower-cased word has that the rule may change.
    respell : callable
        Takes a lower-cased word without hyphens, and whether it was written with a capital.
    """

    language: str
    touched: re.Pattern[str]
    respell: Callable[[str, bool], str]


_OUR = (
    "arb|arm|behavi|cand|clam|col|endeav|fav|ferv|flav|harb|hon|hum|lab|neighb|od|parl|ranc|rig|rum|sav|splend|succ|tum|"
    "val|vap|vig"
)
_ISE = (
    "apolog|author|brutal|capital|central|character|civil|colon|critic|crystall|emphas|equal|familiar|fertil|final|general|harmon|"
    "hospital|hypnot|ideal|immun|industrial|item|legal|liberal|local|maxim|mechan|memor|minim|mobil|modern|monopol|national|natural|"
    "neutral|normal|organ|patron|penal|popular|privat|real|recogn|scandal|sensit|social|special|stabil|standard|steril|summar|symbol|"
    "sympath|terror|theor|urban|util|visual"
)
_BRITISH_AMERICAN = (
    (f"(?<![a-z])((?:dis|un|mis)?(?:{_OUR}))our(?=$|s|e|i|a|l|f|n|h|w|')", r"\1or"),
    (
        "^(theat|cent|fib|lit|lust|meag|ochr|sab|somb|spect|calib|sept|epicent)re(?=$|s$|'s$)",
        r"\1er",
    ),
    ("^(cent|fib|lust|sab|calib)red$", r"\1ered"),
    (
        f"^((?:dis|re|un|de|im)?(?:{_ISE}))is(?=e$|es$|ed$|er$|ers$|ing$|ation$|ations$|ational$|able$)",
        r"\1iz",
    ),
    ("^(anal|paral|catal)ys(?=e$|es$|ed$|ing$)", r"\1yz"),
    ("^(def|off|pret)ence(?=$|s$|less$|'s$)", r"\1ense"),
    (
        "^(travel|cancel|label|model|signal|marvel|quarrel|level|jewel|counsel|duel)l(?=ed$|ing$|er$|ers$|ous$|or$|ors$)",
        r"\1",
    ),
    ("^grey(?=$|s$|ed$|ing$|er$|ish$)", "gray"),
    ("^plough", "plow"),
    ("^(catalog|dialog|analog)ue(?=$|s$)", r"\1"),
    ("^programme(?=$|s$)", "program"),
    ("^gaol", "jail"),
    ("^sceptic", "skeptic"),
    ("^(m|sm)ould(?=$|s$|y$|er|ed$|ing$)", r"\1old"),
    ("^manoeuvre", "maneuver"),
    ("^mediaeval", "medieval"),
    ("^encyclopaedi", "encyclopedi"),
    ("^woollen", "woolen"),
    ("^aluminium", "aluminum"),
    ("^moustache", "mustache"),
    ("^pyjamas", "pajamas"),
    ("^jewellery", "jewelry"),
)
_ENGLISH_RULES = tuple((re.compile(british), american) for british, american in _BRITISH_AMERICAN)
_ENGLISH = re.compile("our|re|is|ys|ence|ll|grey|gh|gu|mm|gaol|scept|ould|oeu|ae|alum|mous|pyj")


def respell_english(word: str, is_capital: bool) -> str:  # noqa: ARG001 - as a rule is called
    """Return a lower-cased word in American spelling."""
    for british, american in _ENGLISH_RULES:
        word = british.sub(american, word)
    return word


_RUSSIAN = re.compile("ё")
_APART = (
    frozenset(  # without the dots they are other words: небо, осел, мел, сел, слез, берег, черт
        (
            *(
                "всё",
                "нёбо",
                "нёба",
                "нёбу",
                "нёбом",
                "нёбе",
                "осёл",
                "мёл",
                "сёл",
                "слёз",
                "берёг",
                "чёрт",
                "лёт",
                "лён",
            ),
            *(
                "моём",
                "нём",
                "чём",
                "поём",
                "узнаём",
                "признаём",
                "сознаём",
                "заём",
                "тёмно",
                "крёстный",
                "крёстного",
            ),
            *(
                "совершённый",
                "совершённая",
                "совершённое",
                "совершённые",
                "истёкший",
                "истёкшего",
                "падёж",
            ),
        )
    )
)


def respell_russian(word: str, is_capital: bool) -> str:  # noqa: ARG001 - as a rule is called
    """Return a lower-cased word with е for ё, unless that is another word."""
    return word if word in _APART else word.replace("ё", "е")


RULES = {
    "de-1996": SpellingRule("de", GERMAN, respell_german),
    "en-us": SpellingRule("en", _ENGLISH, respell_english),
    "ru-e": SpellingRule("ru", _RUSSIAN, respell_russian),
    "ligatures": SpellingRule("", _NEVER, lambda word, _: word),
}


def check_spelling(name: str, language: str = "") -> None:
    """Raise `InputError` unless ``name`` is a rule, or "" for none, and none of another language than ``language``."""
    if name and name not in RULES:
        raise InputError("spelling_unknown", name=name, names=", ".join(RULES))
    if name and language and RULES[name].language not in ("", language):
        raise InputError("spelling_language", name=name, language=language)


def checked_spelling(name: object) -> str:
    """Return ``name`` if it is a rule, or "" for none; else raise ValueError."""
    if not isinstance(name, str) or (name and name not in RULES):
        raise ValueError(f"there is no spelling rule {name}")
    return name


def rule_of_language(language: str) -> str:
    """Return the name of a language's rule, "" if it has none.

    Examples
    --------
    >>> rule_of_language("de"), rule_of_language("fr")
    ('de-1996', '')
    """
    names = (name for name, rule in RULES.items() if language and rule.language == language)
    return next(names, "")


def respell(word: str, name: str) -> str:
    """Return ``word`` as the rule ``name`` has it spelled, in its own case; "" is no rule.

    Raises
    ------
    InputError
        If there is no such rule.

    Examples
    --------
    >>> respell("Schloß", "de-1996"), respell("Maße", "de-1996"), respell("Muth-Thür", "de-1996")
    ('Schloss', 'Maße', 'Mut-Tür')
    """
    check_spelling(name)
    if not name:
        return word
    rule = RULES[name]
    plain = word.translate(_LIGATURES)
    if rule.touched.search(plain.lower()) is None:
        return plain
    return "-".join(_respelled(part, rule) for part in plain.split("-"))


def _respelled(word: str, rule: SpellingRule) -> str:
    """Respell a word until nothing changes; its capital, or its capitals, are kept."""
    spelled = word
    while (again := _once(spelled, rule)) != spelled:
        spelled = again
    return spelled


def _once(word: str, rule: SpellingRule) -> str:
    """Respell a word without hyphens once."""
    lowered, is_capital = word.lower(), word[:1].isupper()
    spelled = rule.respell(lowered, is_capital)
    if spelled == lowered or not spelled:
        return word
    if len(word) > 1 and word.isupper():
        return spelled.upper()
    return spelled[:1].upper() + spelled[1:] if is_capital else spelled


@lru_cache(maxsize=1 << 12)
def read_as(word: str, name: str, *, lower: bool) -> str:
    """Return how a query is spelled in a table of words that the rule ``name`` was applied to."""
    spelled = respell(word, name)
    return lower_case(spelled) if lower else spelled


def respell_text(text: str, name: str) -> str:
    """Return ``text`` with each word as the rule ``name`` has it spelled; all that is no word stays.

    Examples
    --------
    >>> respell_text("Daß das Schloß gut sey, wußte er.", "de-1996")
    'Dass das Schloss gut sei, wusste er.'
    """
    return _WORD.sub(lambda found: _kept_respelling(found[0], name), text) if name else text


@lru_cache(maxsize=1 << 18)
def _kept_respelling(word: str, name: str) -> str:
    """`respell`, kept for the words of a text: most come again."""
    return respell(word, name)


def spelling_groups(
    words: Sequence[bytes], name: str, *, lower: bool
) -> tuple[list[bytes], NDArray[np.int32]]:
    """Return the distinct spellings of UTF-8 ``words``, and for each word the place of its spelling.

    ``lower`` lowers them after respelling, so that a noun was met with its capital.
    """
    group_of: dict[str, int] = {}
    groups = np.empty(len(words), np.int32)
    for row, word in enumerate(words):
        spelled = respell(word.decode("utf-8"), name)
        groups[row] = group_of.setdefault(lower_case(spelled) if lower else spelled, len(group_of))
    return [spelled.encode("utf-8") for spelled in group_of], groups
