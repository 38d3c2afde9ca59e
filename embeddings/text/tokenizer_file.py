"""``tokenizer.json`` opened: its size, ids and special tokens are bounded, and what the library raises becomes an error message.

An id can lie outside every table, and a special token that is missing ends the library's own code: what it raises then is no `Exception`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tokenizers import Tokenizer

from embeddings.errors import CheckpointError, FormatError, KlyuchError, MissingFileError, refusals
from embeddings.files import parse_json

LARGEST = 1 << 26  # bytes; the vocabularies of a hundred languages have 17 MB
MOST_IDS = 10_000_000  # as `vocab_size` of a network's settings
MOST_SPECIAL = 16  # special tokens around a pair of texts
STRESS = "(?<=[аеёиоуыэюяАЕЁИОУЫЭЮЯ])[\u0300\u0301]+"  # marks over vowels, which our own leave out


def open_tokenizer(path: Path) -> Tokenizer:
    """Open a ``tokenizer.json``.

    Raises
    ------
    MissingFileError, CheckpointError
        If it is not there, is damaged, or has an id out of bounds; the sentence names it.
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
    with library_refusals(path):
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
