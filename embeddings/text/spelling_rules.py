"""One spelling for each word: named rules that a corpus is encoded by, and queries of its models are read by.

A rule respells single words and does nothing twice: respelling a word again changes nothing. Every rule writes typographic ligatures
as letters (ﬁ, ſ); hyphens and apostrophes are one each already when words are split (`embeddings.text.words`).

American (``en-us``): colour as color, centre as center, realise as realize. Tyre, cheque and storey stay, whose American forms are
other words. Stems are listed: no ending is respelled by its letters alone, so that four, advise and improvise stay.
Russian (``ru-e``): without the dots, as most texts print it: ёлка as елка; words that differ by the dots alone keep them (всё and все).
German (``de-1996``), as spelled since 1996: Schloß as Schloss, Thür as Tür, giebt as gibt; Maße, Straße and groß stay.

In German ß becomes ss behind a short vowel. Behind two vowels (weiß, Fließ, Preußen) it stays; behind e and i alone the vowel is short;
behind a, ä and o it is short but for the stems listed here, behind ö, u and ü long but for those listed. Two nouns have a twin among the
verbs, and their capital distinguishes them: das Floß and der Schoß stay, floß and schoß are floss and schoss. Spellings from before 1901
are read by stems (th, ey, ie), never by the letters alone: Theater, Thron and Rathaus keep their th. Listed names stay as they are.
The lists of stems and words are in spellings.toml.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from embeddings.errors import InputError, clause

_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "ſ": "s"}
)
_NEVER = re.compile("(?!)")
_HYPHENATED_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


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


@cache
def _table(rule: str) -> dict[str, Any]:
    """Return what spellings.toml lists for a rule."""
    path = Path(__file__).with_name("spellings.toml")
    tables: dict[str, dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))
    return tables[rule]


@cache
def _pairs(rule: str, name: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the expressions of a list, with what is written in their place; ``{our}`` stands for the text ``our`` of the rule."""
    table = _table(rule)
    texts = {key: text for key, text in table.items() if isinstance(text, str)}

    def compiled(expression: str) -> re.Pattern[str]:
        return re.compile(re.sub(r"\{([a-z]+)\}", lambda key: texts[key[1]], expression))

    return tuple((compiled(old), new) for old, new in table[name])


def _replaced(word: str, pairs: Sequence[tuple[re.Pattern[str], str]]) -> str:
    """Return a word after each of some replacements."""
    for old, new in pairs:
        word = old.sub(new, word)
    return word


_ENGLISH = re.compile("our|re|is|ys|ence|ll|grey|gh|gu|mm|gaol|scept|ould|oeu|ae|alum|mous|pyj")


_RUSSIAN = re.compile("ё")


@cache
def _apart() -> frozenset[str]:
    """Return the words that are other words without the dots."""
    return frozenset(_table("ru-e")["apart"].split())


_GERMAN = re.compile("ß|th|ey|[gfh]ie|dt")  # no rule changes a word without these
_VOWELS = "aeiouyäöü"
_LONG = re.compile(  # letters before an ß behind a long a, ä or o
    "(?:ma|(?<!el)sa|stra|spa|fra|erga|^a|mä|sä|frä|gefä|spä|strä|ergä|^ä|gro|jro|blo|klo|so|sto|^lo|^bo)$"
)
_SHORT = re.compile(  # and behind a short ö, u or ü
    "(?:schlö|prö|wu|[fh]lu|ku|chu|nu|gu|dru|stu|wü|kü|flü|nü|schlü|drü)$"
)
_SHORT_BY_REST = re.compile(  # the same, where the letters behind the ß decide: muß but Muße, Rösslein but Größe, Russland but Ruß
    "muß(?!e)|(?<![gj])röß(?=lein|chen|l$|li)|schöß(?=ling)|müß(?=t|en|$)|(?<!g)ruß(?=l[aä]nd)"
)
_NAMES = re.compile(
    "^(?:hoeneß|keßler|geßler|geßner|dreßler|feßler|rößner|rößler|voß$|voßkuhle|haßelmann|jürgaß)"
)
_TWINS = re.compile("(?:flo|(?<!ge)scho)$")
_INFLECTED = re.compile("(?:e|en|es|er|t|te|ten)$")
_CAPITAL_NAMES = frozenset(("bey", "frey"))  # with a capital they are names


def respell_german(word: str, is_capital: bool) -> str:
    """Return a lower-cased word, without hyphens, as it is spelled since 1996.

    Parameters
    ----------
    word : str
        In lower case.
    is_capital : bool
        Whether it was written with a capital: the noun Floß stays, the verb floß does not.
    """
    table = _table("de-1996")
    if word in table["words"]:
        return str(table["words"][word])
    if is_capital and word in _CAPITAL_NAMES:
        return word
    names = ("before_1901",) if is_capital else ("before_1901", "lower_alone")
    for name in names:
        word = _replaced(word, _pairs("de-1996", name))
    if "ß" not in word or _NAMES.search(word):
        return word
    return re.sub("ß", lambda sharp: _written(word, sharp.start(), is_capital), word)


def _written(word: str, at: int, is_capital: bool) -> str:
    """Return what stands for the ß at a place since 1996: ß, ss, or s at the end of -niß."""
    before, rest = word[:at], word[at + 1 :]
    if not _is_short(word, at, is_capital):
        return "ß"
    is_suffix = before.endswith("ni") and len(before) > len("kni") + 1
    return "s" if is_suffix and not _INFLECTED.match(rest) else "ss"


def _is_short(word: str, at: int, is_capital: bool) -> bool:
    """Whether the vowel before the ß at a place is short, so that ss stands there since 1996."""
    before = word[:at]
    if not before or before[-1] not in _VOWELS or (len(before) > 1 and before[-2] in _VOWELS):
        return False
    if before[-1] in "öuü":
        by_rest = any(match.end() == at + 1 for match in _SHORT_BY_REST.finditer(word))
        return by_rest or _SHORT.search(before) is not None
    if is_capital and _TWINS.search(before):
        return False
    return _LONG.search(before) is None


RULES = {
    "de-1996": SpellingRule("de", _GERMAN, respell_german),
    "en-us": SpellingRule(
        "en", _ENGLISH, lambda word, _: _replaced(word, _pairs("en-us", "rules"))
    ),
    "ru-e": SpellingRule(
        "ru", _RUSSIAN, lambda word, _: word if word in _apart() else word.replace("ё", "е")
    ),
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
        raise ValueError(clause("spelling_other", name=name, names=", ".join(RULES)))
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


@lru_cache(maxsize=1 << 18)  # most words of a text come again
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


def respell_text(text: str, name: str) -> str:
    """Return ``text`` with each word as the rule ``name`` has it spelled; all that is no word stays.

    Examples
    --------
    >>> respell_text("Daß das Schloß gut sey, wußte er.", "de-1996")
    'Dass das Schloss gut sei, wusste er.'
    """
    return _HYPHENATED_WORD.sub(lambda found: respell(found[0], name), text) if name else text
