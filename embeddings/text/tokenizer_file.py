"""``tokenizer.json`` opened without trust: parts are checked against lists, ids and lengths against bounds, before the library runs it.

The `tokenizers` library believes the file. A regular expression in it can run for ever, a replacement can grow a text without end, an
id can lie outside every table, and a special token that is missing ends the library's own code: what it raises then is no `Exception`.
So the parts that may change or cut a text are those that the BERT, ALBERT and RoBERTa families and our translators use, with the
regular expressions that these have; and what the library raises is a sentence, whatever its class.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tokenizers import Tokenizer

from embeddings.errors import (
    CheckpointError,
    FormatError,
    KlyuchError,
    MissingFileError,
    reason,
    refusals,
)
from embeddings.files import parse_json

LARGEST = 1 << 26  # bytes; the vocabularies of a hundred languages have 17 MB
MOST_IDS = 10_000_000  # as `vocab_size` of a network's settings
MOST_SPECIAL = 16  # special tokens around a pair of texts
MOST_PARTS = 64  # steps of one kind
LONGEST_PIECE = 64  # bytes that a step may put in place of a character, or before a text
LONGEST_WORD = 1000  # characters of a word that WordPiece looks up
GROWING = ("ByteLevel", "Precompiled")  # steps that make more of a text each time
MODELS = ("WordPiece", "BPE", "Unigram", "WordLevel")
STRESS = "(?<=[аеёиоуыэюяАЕЁИОУЫЭЮЯ])[\u0300\u0301]+"  # marks over vowels, which our own leave out
REGEXES = (
    r"\s+",
    r"\s{2,}",
    " +",
    " {2,}",
    STRESS,
)  # of steps that are given one; none goes back far
PARTS = {
    "normalizer": (
        *("BertNormalizer", "ByteLevel", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "Nmt"),
        *("Precompiled", "Prepend", "Replace", "Sequence", "Strip", "StripAccents"),
    ),
    "pre_tokenizer": (
        *("BertPreTokenizer", "ByteLevel", "CharDelimiterSplit", "Digits", "Metaspace"),
        *("Punctuation", "Sequence", "Split", "UnicodeScripts", "Whitespace", "WhitespaceSplit"),
    ),
    "post_processor": (
        *("BertProcessing", "ByteLevel", "RobertaProcessing", "Sequence", "TemplateProcessing"),
    ),
    "decoder": (
        *("BPEDecoder", "ByteFallback", "ByteLevel", "Fuse", "Metaspace", "Replace", "Sequence"),
        *("Strip", "WordPiece"),
    ),
}


def open_tokenizer(path: Path) -> Tokenizer:
    """Open a ``tokenizer.json`` whose parts are all known.

    Raises
    ------
    MissingFileError, CheckpointError
        If it is not there, is damaged, or has a part, id or length out of bounds; the sentence names it.
    """
    with refusals():
        try:
            with path.open("rb") as file:
                data = file.read(LARGEST + 1)
        except FileNotFoundError:
            way_out = "A model's folder holds one."
            raise MissingFileError("file_missing", path=path, way_out=way_out) from None
    try:
        settings = parse_json(data, path, LARGEST)
    except FormatError as error:
        raise CheckpointError(error.code, **error.fields) from error
    check_tokenizer_settings(settings, path)
    with library_refusals(path):  # given what was checked, not what another parser would read
        tokenizer: Tokenizer = Tokenizer.from_str(json.dumps(settings, ensure_ascii=False))
        check_ids(tokenizer, path)
    return tokenizer


@contextmanager
def library_refusals(path: object, *further: type[Exception]) -> Iterator[None]:
    """Turn what the library raises into the `CheckpointError` that says so: bare `Exception`, and a `BaseException` if its code panics.

    Parameters
    ----------
    further : type
        Errors that are turned too.
    """
    try:
        yield
    except BaseException as error:
        is_theirs = type(error) is Exception or type(error).__name__ == "PanicException"
        if isinstance(error, KlyuchError) or not (is_theirs or isinstance(error, further)):
            raise
        theirs = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise CheckpointError("file_unreadable", path=path, reason=theirs) from error


def check_tokenizer_settings(settings: Mapping[str, object], path: object) -> None:
    """Raise `CheckpointError` unless every step is one of `PARTS` and within bounds."""
    model = settings.get("model")
    if not isinstance(model, dict):
        raise CheckpointError(
            "file_unreadable", path=path, reason=reason("entry_missing", name="model")
        )
    if model.get("type", MODELS[0]) not in MODELS:
        raise _refused(path, "model", model.get("type"), ", ".join(MODELS))
    longest = model.get("max_input_chars_per_word", 0)
    if not isinstance(longest, int) or longest > LONGEST_WORD:
        raise _refused(path, "max_input_chars_per_word", longest, LONGEST_WORD)
    for part in PARTS:
        _check_part(part, _steps(settings.get(part)), path)


def _check_part(part: str, steps: list[Mapping[str, object]], path: object) -> None:
    """Hold the steps of a part to those that are known, and to their number."""
    if len(steps) > MOST_PARTS:
        raise _refused(path, part, len(steps), MOST_PARTS)
    for step in steps:
        if step.get("type") not in PARTS[part]:
            raise _refused(path, part, step.get("type"), ", ".join(PARTS[part]))
        _check_step(step, path)
    growing = [str(step["type"]) for step in steps if step["type"] in GROWING]
    if len(growing) > len(set(growing)):
        raise _refused(path, part, ", ".join(growing), "each of them once")


def _steps(part: object) -> list[Mapping[str, object]]:
    """Return a step, and those that it consists of."""
    steps: list[Mapping[str, object]] = []
    waiting = [part]
    while waiting:
        step = waiting.pop()
        if step is None:
            continue
        if not isinstance(step, dict):
            return [{"type": step}]
        steps.append(step)
        if step.get("type") == "Sequence":
            for name in ("normalizers", "pretokenizers", "processors", "decoders"):
                inner = step.get(name, [])
                waiting += inner if isinstance(inner, list) else [inner]
    return steps


def _check_step(step: Mapping[str, object], path: object) -> None:
    """Hold a step's expression and what it inserts to their bounds."""
    kind = str(step["type"])
    if kind in ("Replace", "Split"):
        _check_pattern(step, kind, path)
    if kind == "Prepend" and len(str(step.get("prepend")).encode()) > LONGEST_PIECE:
        raise _refused(path, "Prepend.prepend", step.get("prepend"), LONGEST_PIECE)
    if kind == "Precompiled":
        longest = _longest_replacement(step.get("precompiled_charsmap"))
        if longest is None or longest > LONGEST_PIECE:
            raise _refused(path, "Precompiled.precompiled_charsmap", longest, LONGEST_PIECE)


def _check_pattern(step: Mapping[str, object], kind: str, path: object) -> None:
    """Hold what is searched for to `REGEXES`, and what is put in its place to its length: a chain of these cannot grow a text."""
    pattern = step.get("pattern")
    searched = pattern.get("String") if isinstance(pattern, dict) else pattern
    if isinstance(pattern, dict) and "Regex" in pattern:
        if pattern["Regex"] not in REGEXES:
            raise _refused(path, f"{kind}.pattern", pattern["Regex"], ", ".join(REGEXES))
        searched = " "
    if not isinstance(searched, str) or not searched:
        raise _refused(path, f"{kind}.pattern", pattern, "a text that is not empty")
    content = step.get("content", "")
    if kind == "Replace" and (not isinstance(content, str) or len(content) > len(searched)):
        raise _refused(path, "Replace.content", content, f"at most {len(searched)} characters")


def _longest_replacement(packed: object) -> int | None:
    """Return the bytes of the longest text that a SentencePiece table of characters puts in place of another; None if it is not one.

    The table is the size of a trie in bytes (four bytes, little-endian), the trie, and the texts, each closed by a zero.
    """
    if packed is None:
        return 0
    try:
        data = base64.b64decode(str(packed), validate=True)
        (size,) = struct.unpack_from("<I", data)
    except (binascii.Error, struct.error, ValueError):
        return None
    if size % 4 or 4 + size > len(data):
        return None
    return max(map(len, data[4 + size :].split(b"\0")))


def check_ids(tokenizer: Tokenizer, path: object) -> None:
    """Raise `CheckpointError` if an id is past `MOST_IDS`, or if a text gets more than `MOST_SPECIAL` special tokens."""
    highest = highest_id(tokenizer)
    if highest >= MOST_IDS:
        raise _refused(path, "id", highest, MOST_IDS - 1)
    tokenizer.no_truncation()  # a foreign file may ask for both: nothing is cut in silence
    tokenizer.no_padding()
    around = max(map(tokenizer.num_special_tokens_to_add, (False, True)))
    if around > MOST_SPECIAL:
        raise _refused(path, "post_processor", around, MOST_SPECIAL)
    for encoding in (tokenizer.encode("a"), tokenizer.encode("a", "a")):
        if not all(0 <= number < MOST_IDS for number in encoding.ids):
            raise _refused(path, "post_processor", max(encoding.ids), MOST_IDS - 1)


def highest_id(tokenizer: Tokenizer) -> int:
    """Return the highest id of a token, special ones of the post-processor included; -1 without any."""
    ids = [*tokenizer.get_vocab().values(), *tokenizer.get_added_tokens_decoder()]
    for encoding in (tokenizer.encode(""), tokenizer.encode("", "")):
        ids += encoding.ids
    return max(ids, default=-1)


def highest_type(tokenizer: Tokenizer) -> int:
    """Return the highest type id that a text or a pair of texts gets."""
    encodings = (tokenizer.encode("a"), tokenizer.encode("a", "a"))
    return max((number for encoding in encodings for number in encoding.type_ids), default=0)


def _refused(path: object, name: str, value: object, bound: object) -> CheckpointError:
    shown = str(value)[:80]
    return CheckpointError("tokenizer_part", path=path, name=name, value=shown, bound=bound)
