"""German as it is spelled since 1996: Schloß as Schloss, Thür as Tür, giebt as gibt; Maße, Straße and groß stay.

ß becomes ss behind a short vowel. Behind two vowels (weiß, Fließ, Preußen) it stays; behind e and i alone the vowel is short; behind a, ä
and o it is short but for the stems listed here, behind ö, u and ü long but for those listed. Two nouns have a twin among the verbs, and
their capital distinguishes them: das Floß and der Schoß stay, floß and schoß are floss and schoss. Spellings from before 1901 are read by
stems (th, ey, ie), never by the letters alone: Theater, Thron and Rathaus keep their th. Listed names stay as they are.
"""

from __future__ import annotations

import re

TOUCHED = re.compile("ß|th|ey|[gfh]ie|dt")  # no rule changes a word without these
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

# behind a th at the end of a stem stand these; other letters begin the second word of a compound (Rathaus, Nothilfe)
_FLEXION = "(?=$|['-]|[bcdfghklmnprstvwxz]|e(?!i|ld|lf|r[bdrz]|rst|ft|b|c|x|tz|nau|now)|ig|isch|in(?:nen)?$|ung)"
_BEFORE_1901 = (
    ("aaß", "aß"),
    ("ooß", "oß"),
    ("thür(?!ing|d)", "tür"),
    ("thr(?=än)", "tr"),
    ("thun(?!er|d|g|fisch)", "tun"),
    (
        "(?:^|(?<=an)|(?<=ab)|(?<=auf)|(?<=weg)|(?<=wohl)|(?<=zu))thu(?=(?:e|est|et|t|st|end|'s|t's)?$)",
        "tu",
    ),
    ("(?:(?<=ge)|(?<=unter))than", "tan"),
    ("that(?!cher)", "tat"),
    ("thät", "tät"),
    ("(?<!en)theil(?!and|anst|ungsk|kr)", "teil"),
    ("(?<!ber)thier(?!se|ry|sch)", "tier"),
    ("th(?=urm|ürm)", "t"),
    ("theu(?=r|er)", "teu"),
    ("thör(?=ich|igt|in)|(?<=be)thör", "tör"),
    ("^thor(?=(?:e|es|s|en|heit|heiten|weg)?$)", "tor"),
    ("^thal(?=(?:e|grund|weg|sohle)?$)", "tal"),
    ("^thäler", "täler"),
    ("^thaler", "taler"),
    ("^thau(?=(?:e|en|t|te|tropfen|wetter)?$)", "tau"),
    ("^thee(?=(?:s|kanne|tisch|tasse|wasser|stunde|kessel)?$)", "tee"),
    (f"(?<!hel)(?<!hell)muth{_FLEXION}", "mut"),
    ("müth", "müt"),
    ("wuth(?=$|aus|sch)", "wut"),
    ("wüth", "wüt"),
    (f"noth(?!ung){_FLEXION}", "not"),
    ("nöth", "nöt"),
    (f"(?<!ma)(?<!pa)(?<!ba)rath{_FLEXION}", "rat"),
    ("räth", "rät"),
    ("röth", "röt"),
    ("rieth(?=$|en?$|s)", "riet"),
    (f"werth(?!er(?:s|n|isch.*)?$){_FLEXION}", "wert"),
    (f"wirth{_FLEXION}", "wirt"),
    (f"fluth{_FLEXION}", "flut"),
    (f"gluth{_FLEXION}", "glut"),
    ("blüth", "blüt"),
    ("mieth(?=e|s)", "miet"),
    ("(?:^|(?<=auf)|(?<=ein)|(?<=aus)|(?<=be)|(?<=ge))ath(?=em|m)", "at"),
    ("(?<=[fghklmnrt])thum(?=$|e?s|e$)|(?<=[hkp]s)thum(?=$|e?s|e$)", "tum"),
    ("thüm(?=e|l)", "tüm"),
    ("gieb(?=$|st|t|'s)", "gib"),
    ("(?<=[fgh])ieng(?=$|en?$|e?st$|e?t$)", "ing"),
    ("^todt(?=(?:e|en|er|es|em)?$)", "tot"),
    ("tödte(?=$|n|t|st)", "töte"),
    ("^((?:be)?)frey(?=$|e|h|l|s|t)", r"\1frei"),
    ("^zwey", "zwei"),
    ("^drey(?!er|fus)", "drei"),
    ("^sey(?=$|n|d$|e$|en$|st$|'s$|et$)|sey(?=ns?$)", "sei"),
    ("^(da|her|vor|an|wo|)bey(?=$|m$|'m$|de|s|fa|na)", r"\1bei"),
    ("^meyn(?=$|e|t|st|u)", "mein"),
    ("(?<=[lnhi])erley$", "erlei"),
    ("erey(?=$|en$)", "erei"),
    ("he[uy]rat(?=h|$|e)", "heirat"),
)
_LOWER_ALONE = ((f"(?<!do)roth{_FLEXION}", "rot"),)
_OLD = tuple((re.compile(old), new) for old, new in _BEFORE_1901)
_OLD_LOWER = (*_OLD, *((re.compile(old), new) for old, new in _LOWER_ALONE))
_CAPITAL_NAMES = frozenset(("bey", "frey"))  # with a capital they are names
_WORDS = {
    "dieß": "dies",
    "diß": "dies",
    "dießmal": "diesmal",
    "dißmal": "diesmal",
    "dießseits": "diesseits",
    "deßhalb": "deshalb",
    "deßwegen": "deswegen",
    "weßhalb": "weshalb",
    "weßwegen": "weswegen",
    "indeß": "indes",
    "unterdeß": "unterdes",
    "bißher": "bisher",
    "kirmeß": "kirmes",
    "vnß": "uns",
}


def respell_german(word: str, is_capital: bool) -> str:
    """Return a lower-cased word, without hyphens, as it is spelled since 1996.

    Parameters
    ----------
    word : str
        In lower case.
    is_capital : bool
        Whether it was written with a capital: the noun Floß stays, the verb floß does not.
    """
    if word in _WORDS:
        return _WORDS[word]
    if is_capital and word in _CAPITAL_NAMES:
        return word
    for old, new in _OLD if is_capital else _OLD_LOWER:
        word = old.sub(new, word)
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
