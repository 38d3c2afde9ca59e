"""``klyuch fill``: what word belongs at [MASK]."""

from __future__ import annotations

import sys

import typer

from embeddings.cli.arguments import NETWORK, open_named
from embeddings.cli.output import emit, grid

commands = typer.Typer(
    invoke_without_command=True,
    subcommand_metavar="",  # a noun without verbs, which takes a sentence
    context_settings={"allow_interspersed_args": True},
)


@commands.callback(
    epilog='Example: klyuch fill "Он вставил [MASK] в замок." --model bert-en-ru-de --topn 5'
)
def fill(
    text: str = typer.Argument(..., help="A sentence with [MASK] where a word is missing."),
    model: str = NETWORK,
    topn: int = typer.Option(10, help="How many tokens a mask."),
    second: str = typer.Option("", help="What follows the sentence, if it is a pair."),
    word: list[str] = typer.Option(
        [], help="A word whose probability is printed too; again for more."
    ),
    only_words: bool = typer.Option(False, "--only-words", help="No tails (##), signs and digits."),
    as_json: bool = typer.Option(
        False, "--json", help='Print JSON: [[{"token", "probability"}]], one list a mask.'
    ),
) -> None:
    """Print the likeliest tokens at each mask, with their probabilities."""
    from embeddings.probing import fill_mask as filling

    found = filling.fill(
        open_named(model), text, topn, second=second, words=word, only_words=only_words
    )
    rows: list[tuple[object, ...]] = []
    value = []
    for number, mask in enumerate(found.masks, 1):
        asked = [(one.word, one.probability) for one in mask.asked]
        listed = [*((g.token, g.probability) for g in mask.guesses), *asked]
        value.append([{"token": token, "probability": p} for token, p in listed])
        rows += [(number, token, f"{p:.3g}") for token, p in listed]
    emit(value, as_json, lambda: grid("mask", "token", "probability", rows=rows))
    if found.unknown:
        print(f"Not in the vocabulary: {', '.join(found.unknown)}", file=sys.stderr)
