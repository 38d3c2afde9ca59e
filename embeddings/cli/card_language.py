"""``--language`` of the commands that write a model's card: a code, or nothing."""

from __future__ import annotations

import typer

from embeddings.configuration import check_language


def _checked(value: str) -> str:
    """Refuse what is no code; left out, it stays unknown."""
    if value:
        check_language(value)
    return value


CARD_LANGUAGE = typer.Option(
    "",
    "--language",
    help="For the card: en, ru, de or another code of two or three letters (ISO 639).",
    callback=_checked,
)
