"""``klyuch attention ablate``: what a network, a classifier or a translator answers with parts of it turned off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from embeddings.cli.nouns import verb
from embeddings.cli.output import counted, emit, grid
from embeddings.errors import InputError

if TYPE_CHECKING:
    from embeddings.results.network_answers import (
        ClassAblation,
        GuessAblation,
        HeadEffects,
        TranslationAblation,
    )


@verb("attention", "ablate")
def ablate(
    text: str,
    *,
    model: str,
    second: str = "",
    head: list[str],
    attention: list[int],
    feed_forward: list[int],
    layer: list[int],
    word: list[int],
    replace: str = "zero",
    other: list[str],
    topn: int | None = None,
    effects: bool = False,
    as_json: bool = False,
) -> None:
    """Print what a network answers with all parts on and with some turned off.

    Prints the guesses at each [MASK] and the cosine of both sentence vectors; for a classifier the label and its log-odds; for a
    translator, of which only heads can be off, both translations.
    """
    from embeddings.results.network_answers import Replacement, joined_parts
    from embeddings.shelf import find

    kind = find(model).kind
    if kind in ("classifier", "translation"):
        _refuse_given(model, kind, {"--second": second, "--topn": topn is not None})
    if kind == "translation":
        of_networks = {
            "--attention": attention, "--feed-forward": feed_forward, "--layer": layer,
            "--word": word, "--replace": replace != "zero", "--other": other,
        }  # fmt: skip
        _refuse_given(model, kind, of_networks)
        _ablate_translator(model, text, head, effects, as_json)
        return
    parts = joined_parts(head, [*attention, *layer], [*feed_forward, *layer], word)
    replacement = Replacement(replace, tuple(other))
    answer: GuessAblation | ClassAblation
    each_head: HeadEffects | None = None
    if kind == "classifier":
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
        topn = 10 if topn is None else topn
        answer = ablate_guesses(reader, text, parts, replacement, second=second, topn=topn)
        if effects:
            each_head = head_effects(reader, text, replacement, second=second)
    value = _value(answer, each_head)
    _emit_guesses(value, _rows(answer), as_json)
    if not as_json:
        print(_last_line(answer))
        if each_head is not None:
            _print_effects(each_head)


def _refuse_given(model: str, kind: str, options: Mapping[str, object]) -> None:
    """Raise `InputError` for the first option that is given and does nothing for a kind of model."""
    for option, value in options.items():
        if value:
            raise InputError("ablation_option", option=option, model=model, kind=kind)


def _ablate_translator(
    model: str, text: str, names: list[str], effects: bool, as_json: bool
) -> None:
    """Print a translation with all heads on and again with some off."""
    from embeddings.probing.ablated_translation import ablate_translation, translation_head_effects
    from embeddings.results.network_answers import read_translator_heads
    from embeddings.shelf.loading import load_translator

    heads = read_translator_heads(names)
    translator = load_translator(model)
    answer = ablate_translation(translator, text, heads)
    by_kind = translation_head_effects(translator, text) if effects else {}
    value = _value(answer, None) | ({"effects": by_kind} if effects else {})
    rows: list[tuple[object, ...]] = [
        ("before", answer.before, answer.before_score),
        ("after", answer.after, answer.after_score),
    ]
    emit(value, as_json, lambda: grid("heads off", "translation", "score", rows=rows))
    for kind, each_head in () if as_json else by_kind.items():
        print(kind)
        _print_effects(each_head)


_COLUMNS = ("mask", "before", "probability", "now", "after", "probability after")


def _value(
    answer: GuessAblation | ClassAblation | TranslationAblation, effects: HeadEffects | None
) -> dict[str, Any]:
    """Return what is printed as JSON."""
    from dataclasses import fields

    value = {field.name: getattr(answer, field.name) for field in fields(answer)}
    return value if effects is None else value | {"effects": effects}


def _rows(answer: GuessAblation | ClassAblation) -> list[tuple[object, ...]]:
    """Return a row a guess, or a row a label."""
    from embeddings.results.network_answers import ClassAblation

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


def _emit_guesses(value: dict[str, Any], rows: list[tuple[object, ...]], as_json: bool) -> None:
    """Print the guesses, or why there are none."""
    if as_json or rows:
        emit(value, as_json, lambda: grid(*_COLUMNS, rows=rows))
    else:
        print("No guesses are compared: the text has no [MASK], or the network no MLM head.")


def _last_line(answer: GuessAblation | ClassAblation) -> str:
    """Return what is said of the whole sentence."""
    from embeddings.results.network_answers import ClassAblation

    if isinstance(answer, ClassAblation):
        return (
            f"log-odds of {answer.label}: {answer.before_log_odds:.4f}, now {answer.after_log_odds:.4f}\n"
            f"cosine of the pooled states: {answer.cosine:.4f}"
        )
    return f"cosine of the sentence vectors: {answer.cosine:.4f}"


def _print_effects(effects: HeadEffects) -> None:
    """Print a row a layer."""
    layers, heads = effects.effects.shape
    what = f"«{effects.answer}», nats" if effects.answer else "the sentence vector, 1 - cosine"
    print(f"{counted(layers * heads, 'head')} turned off one at a time; fall of {what}:")
    for layer, row in enumerate(effects.effects, 1):
        print(f"layer {layer}: " + "  ".join(f"{effect:+.3f}" for effect in row))
