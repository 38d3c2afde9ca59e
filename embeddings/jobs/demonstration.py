"""A text that is ready to be trained on: the sentences that the project wrote about words of several senses."""

from __future__ import annotations

import io
from pathlib import Path

from embeddings.library.places import data, home
from embeddings.text.brought import Brought
from embeddings.text.contexts import read_contexts
from embeddings.text.intake import take_in


def demonstration(language: str) -> Path:
    """Return the folder of the demonstration corpus of a language, made when first asked for.

    A paragraph is a sentence, a document the sentences about one word. It is tiny: some 2 000 words.
    """
    name = f"demonstration-{language}"
    folder = home() / "corpora" / name
    if not folder.exists():
        lines: list[str] = []
        before = ""
        for context in read_contexts(data() / "contexts" / f"{language}.tsv"):
            lines += ([""] if before not in ("", context.word) else []) + [context.text]
            before = context.word
        text = "\n".join(lines).encode()
        take_in(
            [Brought("demonstration.txt", io.BytesIO(text), len(text))],
            folder.parent,
            name,
            language,
        )
    return folder
