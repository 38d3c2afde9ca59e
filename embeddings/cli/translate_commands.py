"""``klyuch translate``: one sentence per line in, one translation per line out."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from embeddings.cli.nouns import verb
from embeddings.errors import InputError, not_utf8
from embeddings.results.display import plain
from embeddings.shelf.loading import load_translator


@verb("translate")
def translate(
    file: Path | None = None,
    *,
    model: str,
    beam: int = 5,
    length_penalty: float = 1.0,
    as_json: bool = False,
) -> None:
    """Translate line by line; an empty line stays empty."""
    from embeddings.corpora.labelled import read_lines
    from embeddings.networks.decoding import DecodingConfig
    from embeddings.probing.translator import translate as run

    config = DecodingConfig(beam, length_penalty)
    translator = load_translator(model)
    lines = read_lines(file) if file is not None else standard_input()
    for number, translation in enumerate(run(translator, lines, config, align=as_json), 1):
        print(json.dumps(plain(translation), ensure_ascii=False) if as_json else translation.target)
        if translation.unknown:
            letters = " ".join(dict.fromkeys(translation.unknown))
            print(f"Line {number}: not in the vocabulary: {letters}", file=sys.stderr)
        if not translation.finished:
            print(f"Line {number}: no end was found; the translation is cut.", file=sys.stderr)


def standard_input() -> tuple[str, ...]:
    """Return the lines of standard input; a BOM and every kind of line end are read."""
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("file_unreadable", path="-", reason=not_utf8(error)) from error
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return tuple(line.strip() for line in text.removesuffix("\n").split("\n")) if text else ()
