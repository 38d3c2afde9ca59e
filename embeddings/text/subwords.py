"""Subwords of two languages in one vocabulary: byte-pair encoding that gives the text back to the letter.

Decisions: NFC, cased; every run of white space is one space; each word begins with «▁» and a
punctuation mark is a piece of its own without it, so joining the pieces and turning «▁» into a
space is the text again (Sennrich et al. 2016, section 3.2; Kudo and Richardson 2018, section 3.1).
Letters that the training text did not have are <unk>, and reported.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, normalizers, pre_tokenizers, trainers
from tokenizers.models import BPE

from embeddings.errors import CheckpointError, InputError, MissingFileError, clause
from embeddings.files import TOKENIZER, atomic_file
from embeddings.text.tokenizer import highest_id, library_refusals, open_tokenizer

SPECIAL = ("<pad>", "<unk>", "<s>", "</s>")  # padding, unknown, start, end: ids 0 to 3
SPACE = "▁"


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text in subwords; all tuples have one entry a piece.

    ``offsets``: (start, end) in characters of ``text``, which is the text given with its white space
    made single. ``unknown``: the characters that have no piece.
    """

    text: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    unknown: tuple[str, ...]


class SubwordVocabulary:
    """A trained vocabulary of subwords."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self._size = highest_id(tokenizer) + 1
        for number, token in enumerate(SPECIAL):
            if tokenizer.token_to_id(token) != number:
                raise CheckpointError("subwords_special", token=token, number=number)

    def __len__(self) -> int:
        return self._size

    def token(self, token_id: int) -> str:
        """Return a subword as the vocabulary writes it, «▁» for a space."""
        return str(self.tokenizer.id_to_token(token_id))

    def encode(self, text: str) -> Pieces:
        """Cut a text into pieces."""
        text = " ".join(text.split())
        if not text:
            return Pieces("", (), (), (), ())
        with library_refusals(TOKENIZER):
            encoding = self.tokenizer.encode(text, add_special_tokens=False)
        offsets = tuple(
            _letters(text, token, *span)
            for token, span in zip(encoding.tokens, encoding.offsets, strict=True)
        )
        unknown = tuple(
            text[slice(*span)]
            for span, number in zip(offsets, encoding.ids, strict=True)
            if number == 1
        )
        return Pieces(text, tuple(encoding.ids), tuple(encoding.tokens), offsets, unknown)

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of many texts, on all cores."""
        clean = [" ".join(text.split()) for text in texts]
        with library_refusals(TOKENIZER):
            encodings = self.tokenizer.encode_batch_fast(clean, add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of some ids, special ones left out."""
        with library_refusals(TOKENIZER):
            return str(self.tokenizer.decode([int(i) for i in ids if int(i) >= len(SPECIAL)]))

    @classmethod
    def load(cls, folder: Path) -> SubwordVocabulary:
        """Open ``tokenizer.json`` of a folder."""
        path = folder / TOKENIZER
        if not path.exists():
            way_out = clause("translation_folder")
            raise MissingFileError("file_missing", path=path, way_out=way_out)
        return cls(open_tokenizer(path))

    def save(self, folder: Path) -> None:
        """Write ``tokenizer.json`` into an existing folder."""
        state = json.loads(self.tokenizer.to_str())
        with atomic_file(folder / TOKENIZER) as temporary:
            text = json.dumps(state, ensure_ascii=False, separators=(",", ":"))
            temporary.write_text(text, encoding="utf-8")


def train_subwords(texts: Iterable[str], vocab_size: int) -> SubwordVocabulary:
    """Learn a vocabulary from lines of both languages; every character in them has a piece.

    Raises
    ------
    InputError
        If there is no text.
    """
    tokenizer = Tokenizer(BPE(unk_token=SPECIAL[1], fuse_unk=False))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Metaspace(replacement=SPACE, prepend_scheme="always"),
            pre_tokenizers.Punctuation("isolated"),
        ]
    )
    tokenizer.decoder = decoders.Metaspace(replacement=SPACE, prepend_scheme="always")
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=2,
        special_tokens=list(SPECIAL),
        show_progress=False,
    )
    tokenizer.train_from_iterator((" ".join(text.split()) for text in texts), trainer)
    if tokenizer.get_vocab_size() <= len(SPECIAL):
        raise InputError("subwords_no_text")
    return SubwordVocabulary(tokenizer)


def _letters(text: str, token: str, start: int, end: int) -> tuple[int, int]:
    """Return the place of a piece without the space before it; a piece that is the space alone covers nothing."""
    while start < end and text[start] == " ":
        start += 1
    return (start, start) if token == SPACE else (start, end)
