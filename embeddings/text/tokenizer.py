"""A vocabulary of subwords: tokenisation, encoding and decoding by the `tokenizers` library, each token with its characters in the text.

Ours is WordPiece, greedy longest match with tails marked ``##`` (Devlin et al. 2019, section 3); `embeddings.text.wordpiece_training`
learns one. Those of ALBERT and RoBERTa open too: SentencePiece and bytes, where ▁ stands before a word. Vocabularies from before
``tokenizer.json`` are read by the transformers library.

A byte-level vocabulary (GPT-2, RoBERTa) writes each byte as a letter: printable Latin-1 as itself, the others as the letters from
U+0100 on (Radford et al. 2019), so that «Ðº» is the Russian к; `readable` gives such tokens as people read them.

Of a ``tokenizer.json`` the size, ids and special tokens are bounded, and what the library raises becomes an error message: an id can lie
outside every table, and a special token that is missing ends the library's own code, with what is no `Exception`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate, starmap
from pathlib import Path

import numpy as np
import tokenizers
from numpy.typing import NDArray
from tokenizers import Encoding, decoders

from embeddings.errors import (
    CheckpointError,
    FormatError,
    InputError,
    KlyuchError,
    MissingFileError,
    clause,
)
from embeddings.files import OLDER_VOCABULARIES, VOCABULARIES, atomic_file, read_json, write_json

PAD, UNK, CLS, SEP, MASK = "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"
SPECIAL = (PAD, UNK, CLS, SEP, MASK)
FILES = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")
_ELSEWHERE = ("<pad>", "<unk>", "<s>", "</s>", "<mask>")  # where the folder names none
_NAMES = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")


@dataclass(frozen=True, slots=True)
class Tokens:
    """A sentence (or a pair) as WordPiece sees it; all tuples have one entry a token.

    ``offsets``: (start, end) in characters of the text given, (0, 0) for a special token.
    ``segments``: 0 for the first sentence, 1 for the second.
    """

    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    segments: tuple[int, ...]

    def at(self, positions: Iterable[int]) -> Tokens:
        """Return some of the tokens, in the order of their positions."""
        fields = zip(self.ids, self.tokens, self.offsets, self.segments, strict=True)
        every = [*fields]
        ids, tokens, offsets, segments = zip(*(every[i] for i in positions), strict=True)
        return Tokens(ids, tokens, offsets, segments)

    def covering(self, start: int, end: int, segment: int = 0) -> tuple[int, ...]:
        """Positions of the tokens that share a character with ``text[start:end]`` of a segment.

        Examples
        --------
        >>> Tokens((2, 7, 8, 3), ("[CLS]", "ключ", "##ом", "[SEP]"), ((0, 0), (0, 4), (4, 6), (0, 0)), (0,) * 4).covering(0, 6)
        (1, 2)
        """
        return tuple(
            position
            for position, (low, high) in enumerate(self.offsets)
            if low < end and high > start and low < high and self.segments[position] == segment
        )


class Tokenizer:
    """A trained vocabulary.

    ``special`` names the special tokens, ``pad_id``, ``unk_id``, ``cls_id``, ``sep_id``, ``mask_id`` are their ids.
    ``of_bytes``: whether tokens are made of bytes, a space before a word among them, as GPT-2's and RoBERTa's.
    ``tells_sentences``: whether it marks the second sentence of a pair for the network (RoBERTa's does not).
    """

    def __init__(self, tokenizer: tokenizers.Tokenizer, special: Sequence[str] = SPECIAL) -> None:
        check_ids(tokenizer, "tokenizer.json")
        self.tokenizer, self.special = tokenizer, tuple(special)
        ids: list[int] = []
        for token in special:
            token_id = tokenizer.token_to_id(token)
            if token_id is None:
                raise CheckpointError("wordpiece_special", token=token)
            ids.append(token_id)
        self.special_ids = tuple(ids)
        self.pad_id, self.unk_id, self.cls_id, self.sep_id, self.mask_id = ids
        self.of_bytes = isinstance(tokenizer.decoder, decoders.ByteLevel)
        self._added = {added.content for added in tokenizer.get_added_tokens_decoder().values()}
        self.tells_sentences = any(tokenizer.encode(special[-1], special[-1]).type_ids)
        self._size = highest_id(tokenizer) + 1

    def __len__(self) -> int:
        return self._size

    @property
    def highest_type(self) -> int:
        """The highest type id of a token, of one text or a pair."""
        encodings = (self.tokenizer.encode("a"), self.tokenizer.encode("a", "a"))
        return max((number for encoding in encodings for number in encoding.type_ids), default=0)

    @property
    def words(self) -> tuple[str, ...]:
        """All tokens in the order of their ids; those made of bytes (RoBERTa's) in letters, a space before a word as ▁."""
        names = (self.tokenizer.id_to_token(i) or "" for i in range(len(self)))
        return tuple(map(self._readable, names))

    def encode(self, first: str, second: str | None = None) -> Tokens:
        """Return ``[CLS] first [SEP]``, or ``[CLS] first [SEP] second [SEP]``, with offsets."""
        encoding = self._encoded(first, second)
        segments = encoding.type_ids
        if second is not None and not self.tells_sentences:
            segments = _sentences(encoding.sequence_ids)
        return Tokens(
            tuple(encoding.ids),
            tuple(map(self._readable, encoding.tokens)),
            tuple(encoding.offsets),
            tuple(segments),
        )

    def _encoded(self, first: str, second: str | None = None, *, special: bool = True) -> Encoding:
        """Encode by the library; text that is not Unicode is rejected."""
        try:
            with library_refusals("tokenizer.json"):
                return self.tokenizer.encode(first, second, add_special_tokens=special)
        except TypeError as error:  # lone surrogates: how Python holds bytes that are not UTF-8
            raise InputError("wordpiece_text") from error

    def _readable(self, token: str) -> str:
        """Return a token of a byte-level vocabulary as text; any other as it is."""
        return readable(token) if self.of_bytes and token not in self._added else token

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of many texts, without special tokens, on all cores."""
        with library_refusals("tokenizer.json"):
            encodings = self.tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def word_ids(self, word: str, *, spaced: bool = True) -> list[int]:
        """Ids of a word inside a sentence; a vocabulary of bytes keeps the space before it, if it is ``spaced``."""
        return self._encoded(f" {word}" if self.of_bytes and spaced else word, special=False).ids

    def decode(self, ids: Sequence[int] | NDArray[np.integer]) -> str:
        """Text of some ids, tails joined to their heads, special tokens left out."""
        with library_refusals("tokenizer.json"):
            return str(self.tokenizer.decode([int(i) for i in ids]))

    @classmethod
    def load(cls, folder: Path) -> Tokenizer:
        """Open ``tokenizer.json`` of a folder (or the file itself)."""
        path = folder if folder.is_file() else folder / "tokenizer.json"
        is_older = not path.exists() and any(
            (folder / name).exists() for name in OLDER_VOCABULARIES
        )
        if not path.exists() and not is_older:
            way_out = clause("train_wordpiece")
            raise MissingFileError("file_missing", path=path, way_out=way_out)
        with library_refusals(path):
            tokenizer = older_vocabulary(folder) if is_older else open_tokenizer(path)
            return cls(tokenizer, _special(path.parent, tokenizer))

    def save(self, folder: Path, max_length: int = 512) -> None:
        """Write the files from which `AutoTokenizer` makes the same ids."""
        folder.mkdir(parents=True, exist_ok=True)
        with atomic_file(folder / "tokenizer.json") as temporary:
            temporary.write_text(self.tokenizer.to_str(), encoding="utf-8")
        special = dict(zip(_NAMES, self.special, strict=True))
        settings = {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": max_length,
            "model_input_names": ["input_ids", "token_type_ids", "attention_mask"],
            "clean_up_tokenization_spaces": False,
        }
        write_json(folder / "tokenizer_config.json", settings | special)
        write_json(folder / "special_tokens_map.json", special)


def _sentences(sequences: Sequence[int | None]) -> list[int]:
    """Number of the sentence of each token; a special one belongs to the token before it."""
    return list(accumulate(sequences, lambda last, new: last if new is None else new, initial=0))[
        1:
    ]


def older_vocabulary(folder: Path) -> tokenizers.Tokenizer:
    """Read ``vocab.txt``, ``vocab.json`` with ``merges.txt``, or a SentencePiece model of a folder.

    Raises
    ------
    InputError
        If the library is not installed.
    CheckpointError
        If it cannot read the folder.
    """
    try:
        from transformers import AutoTokenizer
    except ImportError as error:
        raise InputError("hub_missing", path=folder) from error
    with library_refusals(folder, Exception):  # its validations raise errors of many kinds
        try:
            tokenizer: tokenizers.Tokenizer = AutoTokenizer.from_pretrained(
                str(folder), trust_remote_code=False
            ).backend_tokenizer
        except ImportError as error:
            raise InputError("hub_missing", path=folder) from error
    return tokenizer


def has_vocabulary(folder: Path) -> bool:
    """Whether a folder holds a vocabulary that `Tokenizer.load` opens."""
    return any((folder / name).exists() for name in VOCABULARIES)


def check_tokenizer(folder: Path) -> None:
    """Raise `CheckpointError` unless a network's folder has a tokenizer."""
    if not has_vocabulary(folder):
        raise CheckpointError("classify_tokenizer", path=folder, wanted=", ".join(VOCABULARIES))


def _special(folder: Path, tokenizer: tokenizers.Tokenizer) -> tuple[str, ...]:
    """Names of the special tokens: as the folder says, else BERT's, else RoBERTa's where the vocabulary has those."""
    path = folder / "special_tokens_map.json"
    path = path if path.exists() else folder / "tokenizer_config.json"
    names = read_json(path) if path.exists() else {}

    def named(name: str, of_bert: str, of_roberta: str) -> str:
        value = names.get(name)
        value = value.get("content") if isinstance(value, dict) else value
        if isinstance(value, str):
            return value
        known = [
            token for token in (of_bert, of_roberta) if tokenizer.token_to_id(token) is not None
        ]
        return known[0] if known else of_bert

    return tuple(starmap(named, zip(_NAMES, SPECIAL, _ELSEWHERE, strict=True)))


_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]
BYTES = {chr(byte): byte for byte in _PRINTABLE} | {chr(256 + n): b for n, b in enumerate(_OTHERS)}
WORD_START = "▁"  # a space, as SentencePiece vocabularies write it


def readable(token: str) -> str:
    """Return a token of bytes as text, a space as ▁; one that is no text, as a part of a letter, by its bytes.

    Examples
    --------
    >>> [readable(token) for token in ("ĠÐºÐ»ÑİÑĩ", "Ð")]
    ['▁ключ', '<0xD0>']
    """
    if not all(letter in BYTES for letter in token):  # not of this kind
        return token
    held = bytes(BYTES[letter] for letter in token)
    text = held.decode("utf-8", errors="replace").replace(" ", WORD_START)
    is_text = text.isprintable() and "\N{REPLACEMENT CHARACTER}" not in text
    return text if is_text else "".join(f"<0x{byte:02X}>" for byte in held)


LARGEST_TOKENIZER = 1 << 26  # bytes; the vocabularies of a hundred languages have 17 MB
MOST_IDS = 10_000_000  # as `vocab_size` of a network's settings
MOST_SPECIAL = 16  # special tokens around a pair of texts
STRESS = "(?<=[аеёиоуыэюяАЕЁИОУЫЭЮЯ])[\u0300\u0301]+"  # marks over vowels, which our own leave out


def open_tokenizer(path: Path) -> tokenizers.Tokenizer:
    """Open a ``tokenizer.json``.

    Raises
    ------
    MissingFileError, CheckpointError
        If it is not there, is damaged, or has an id out of bounds; the sentence names it.
    """
    try:
        settings = read_json(path, LARGEST_TOKENIZER)
    except FormatError as error:
        raise CheckpointError(error.code, **error.fields) from error
    with library_refusals(path):
        tokenizer: tokenizers.Tokenizer = tokenizers.Tokenizer.from_str(
            json.dumps(settings, ensure_ascii=False)
        )
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
        raise CheckpointError("file_unreadable", path=path, reason=error) from error


def check_ids(tokenizer: tokenizers.Tokenizer, path: object) -> None:
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


def highest_id(tokenizer: tokenizers.Tokenizer) -> int:
    """Return the highest id of a token, special ones of the post-processor included; -1 without any."""
    ids = [*tokenizer.get_vocab().values(), *tokenizer.get_added_tokens_decoder()]
    for encoding in (tokenizer.encode(""), tokenizer.encode("", "")):
        ids += encoding.ids
    return max(ids, default=-1)


def _refused(path: object, name: str, value: object, bound: object) -> CheckpointError:
    shown = str(value)[:80]
    return CheckpointError("tokenizer_part", path=path, name=name, value=shown, bound=bound)
