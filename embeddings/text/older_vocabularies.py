"""Vocabularies from before ``tokenizer.json``, which the transformers library reads."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer

from embeddings.errors import CheckpointError, InputError


def older_vocabulary(folder: Path) -> Tokenizer:
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
    try:
        found: Tokenizer = AutoTokenizer.from_pretrained(str(folder)).backend_tokenizer
    except (ValueError, OSError, KeyError, TypeError, AttributeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CheckpointError("file_unreadable", path=folder, reason=reason) from error
    return found
