"""Which keys of the wording the app can ask for, read off its code.

A key is asked for when it stands in the code whole, or when an f-string can make it: each part that is filled in at run time must then
be a text that stands somewhere, as a literal of the code or as a name or value in what the page reads (results of the benchmarks, the
catalogue, example pairs, the names of test sets and their categories).
"""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from embeddings.attention_view.payload import LABELS
from embeddings.lab import NAMES
from tests.product_sources import ROOT, nodes

HOLE = "\0"
LONGEST = 60  # characters of a part of a key


@cache
def parts() -> frozenset[str]:
    """Texts that can fill a hole."""
    texts = {str(number) for number in range(20)} | {*_literals(), *LABELS}
    for name in (*NAMES, "grammar", "quality"):
        path = ROOT / "benchmarks" / "results" / f"{name}.json"
        strings = {path.stem, *_strings(json.loads(path.read_text(encoding="utf-8")))}
        texts |= {part for text in strings for part in text.split("|")}
    for path in [*(ROOT / "data").rglob("*.toml"), *(ROOT / "app" / "wording").glob("*.toml")]:
        texts |= set(re.findall(r"[\w.-]+", path.read_text(encoding="utf-8")))
    lines = (ROOT / "data" / "grammar" / "examples.tsv").read_text(encoding="utf-8").splitlines()
    texts |= {line.split("\t")[1] for line in lines}  # phenomena
    texts |= {Path(text).stem for text in texts if "." in text and len(text) < LONGEST}
    return frozenset(
        form for text in texts if len(text) < LONGEST for form in (text, text.replace("-", "_"))
    )


@cache
def texts_of(top: str) -> tuple[tuple[Path, ast.Constant | ast.JoinedStr], ...]:
    """Every text and every f-string of the code below a folder, with its file."""
    return tuple(
        (path, node) for path, node in nodes(top) if isinstance(node, ast.Constant | ast.JoinedStr)
    )


def _literals() -> Iterator[str]:
    """Every text that stands in the code."""
    for _, node in texts_of("app") + texts_of("embeddings"):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _f_strings(*tops: str) -> Iterator[str]:
    """Every f-string of letters, underlines and full stops, a `HOLE` for each value."""
    for _, node in (text for top in tops for text in texts_of(top)):
        if isinstance(node, ast.JoinedStr):
            pieces = (v.value if isinstance(v, ast.Constant) else HOLE for v in node.values)
            text = "".join(str(piece) for piece in pieces)
            if HOLE in text and re.fullmatch(rf"[\w.{HOLE}]+", text):
                yield text


@cache
def patterns() -> frozenset[str]:
    """F-strings of the app that look like keys."""
    return frozenset(text for text in _f_strings("app") if "." in text)


@cache
def compounds() -> frozenset[str]:
    """F-strings that make a part of a key, as ``{page}_first``: those with some letters of their own."""
    texts = _f_strings("app", "embeddings")
    return frozenset(t for t in texts if "." not in t and re.search("[a-z]{3}", t))


def is_asked_for(key: str) -> bool:
    """Whether the code can ask for a key."""
    return key in parts() or any(_fits(pattern, key) for pattern in patterns())


def _fits(pattern: str, key: str) -> bool:
    """Whether a pattern makes the key when its holes are filled with known parts, in any way of cutting it."""
    fixed, hole, rest = pattern.partition(HOLE)
    if not hole:
        return pattern == key
    if not key.startswith(fixed):
        return False
    left = key[len(fixed) :]
    return any(
        (left[:end] in parts() or _composed(left[:end])) and _fits(rest, left[end:])
        for end in range(1, len(left) + 1)
        if "." not in left[:end] or left[:end] in parts()
    )


@cache
def _composed(text: str) -> bool:
    """Whether a part is itself made by an f-string, of one known part."""
    for compound in compounds():
        before, _, after = compound.partition(HOLE)
        value = text.removeprefix(before).removesuffix(after)
        if HOLE not in after and f"{before}{value}{after}" == text and value in parts():
            return True
    return False


def _strings(value: object) -> Iterator[str]:
    """Every name and text of a JSON value."""
    if isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
    elif isinstance(value, str):
        yield value
