"""``klyuch attention ablate``: what a network or a classifier answers with parts of it turned off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from embeddings.cli.output import counted, emit, grid

if TYPE_CHECKING:
    from embeddings.results.ablations import ClassAblation, GuessAblation, HeadEffects

ablation = typer.Typer()


@ablation.callback()
def ablation_only() -> None:
    """Attention: parts of a network turned off."""


@ablation.command(
    epilog='Example: klyuch attention ablate "He was very [MASK]." --model bert-en --head 2.2 --effects'
)
def ablate(
    text: str = typer.Argument(..., help="A sentence, with [MASK] where a word is guessed."),
    model: str = typer.Option(
        ...,
        "--model",
        "-m",
        help="A BERT, ALBERT or classifier: its name on the shelf or its folder.",
    ),
    second: str = typer.Option("", help="The second sentence of a pair; not for a classifier."),
    head: list[str] = typer.Option(
        [], help="A head to turn off: layer and head from 1, as 3.2; repeatable."
    ),
    attention: list[int] = typer.Option(
        [], help="A layer whose whole attention is turned off; repeatable."
    ),
    feed_forward: list[int] = typer.Option(
        [], help="A layer whose feed-forward block is turned off; repeatable."
    ),
    layer: list[int] = typer.Option([], help="A layer with both turned off; repeatable."),
    word: list[int] = typer.Option(
        [], help="A word that nothing attends to: its number in the text from 1; repeatable."
    ),
    replace: str = typer.Option(
        "zero", help="What takes the place of a part's output: zero, mean or patch."
    ),
    other: list[str] = typer.Option(
        [],
        help="A sentence that the mean is taken over (repeatable), or that is patched in (as many tokens as the text).",
    ),
    topn: int = typer.Option(10, help="How many guesses per mask."),
    effects: bool = typer.Option(
        False, "--effects", help="Also turn each head off alone: by how much the answer falls."
    ),
    as_json: bool = typer.Option(
        False,
        "--json",
        help='Print JSON: {"masks": [{"before", "after", "before_again"}], "cosine", "effects": {"answer", "effects"}}.',
    ),
) -> None:
    """Print what a network answers with all parts on and with some turned off.

    Printed are the guesses at each [MASK] (of a classifier the label and its log-odds), and the cosine of both sentence vectors.
    """
    from embeddings.results.ablations import Replacement, joined_parts
    from embeddings.shelf import find

    parts = joined_parts(head, [*attention, *layer], [*feed_forward, *layer], word)
    replacement = Replacement(replace, tuple(other))
    answer: GuessAblation | ClassAblation
    each_head: HeadEffects | None = None
    if find(model).kind == "classifier":
        from embeddings.probing.ablated_answers import ablate_class, class_head_effects
        from embeddings.shelf.loading import load_classifier

        classifier = load_classifier(model)
        answer = ablate_class(classifier, text, parts, replacement)
        if effects:
            each_head = class_head_effects(classifier, text, replacement)
    else:
        from embeddings.cli.arguments import open_named
        from embeddings.probing.ablated_answers import ablate as ablate_guesses
        from embeddings.probing.ablated_answers import head_effects

        reader = open_named(model)
        answer = ablate_guesses(reader, text, parts, replacement, second=second, topn=topn)
        if effects:
            each_head = head_effects(reader, text, replacement, second=second)
    value = _value(answer, each_head)
    emit(value, as_json, lambda: grid(*_COLUMNS, rows=_rows(answer)))
    if not as_json:
        print(f"cosine of the sentence vectors: {answer.cosine:.4f}")
        if each_head is not None:
            _print_effects(each_head)


_COLUMNS = ("mask", "before", "probability", "now", "after", "probability after")


def _value(answer: GuessAblation | ClassAblation, effects: HeadEffects | None) -> dict[str, Any]:
    """Return what is printed as JSON."""
    from dataclasses import fields

    value = {field.name: getattr(answer, field.name) for field in fields(answer)}
    return value if effects is None else value | {"effects": effects}


def _rows(answer: GuessAblation | ClassAblation) -> list[tuple[object, ...]]:
    """Return a row a guess, or a row a label."""
    from embeddings.results.ablations import ClassAblation

    if isinstance(answer, ClassAblation):
        now = answer.after.probabilities
        return [
            ("–", label, share, now[label], answer.after.label, now[answer.after.label])
            for label, share in answer.before.probabilities.items()
        ]
    return [
        (number, guess.token, guess.probability, left, instead.token, instead.probability)
        for number, mask in enumerate(answer.masks, 1)
        for guess, left, instead in zip(mask.before, mask.before_again, mask.after, strict=True)
    ]


def _print_effects(effects: HeadEffects) -> None:
    """Print a row a layer."""
    layers, heads = effects.effects.shape
    what = f"«{effects.answer}», nats" if effects.answer else "the sentence vector, 1 - cosine"
    print(f"{counted(layers * heads, 'head')} turned off one at a time; fall of {what}:")
    for layer, row in enumerate(effects.effects, 1):
        print(f"layer {layer}: " + "  ".join(f"{effect:+.3f}" for effect in row))
