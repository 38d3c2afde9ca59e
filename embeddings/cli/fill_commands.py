"""``klyuch fill``: what word belongs at [MASK]; ``evaluate``: how often the network knows; ``attribute``: which words moved it."""

from __future__ import annotations

import math
import sys
from dataclasses import asdict
from pathlib import Path

from embeddings.cli.arguments import open_named
from embeddings.cli.nouns import verb
from embeddings.cli.output import attribution_table, counted, emit, grid, progress_bar
from embeddings.configuration import check_choice


@verb("fill")
def fill(
    text: str,
    *,
    model: str,
    topn: int = 10,
    second: str = "",
    word: list[str],
    only_words: bool = False,
    layers: str = "",
    as_json: bool = False,
) -> None:
    """Print the likeliest tokens at each mask, with their probabilities."""
    from embeddings.corpora.sense_contexts import guess_language
    from embeddings.probing import fill_mask as filling

    check_choice("layers", layers, ("", "logit", "jacobian"))
    network = open_named(model)
    with progress_bar(quiet=as_json or layers != "jacobian") as report:
        lens = network.lens(report) if layers == "jacobian" else None
    filled = filling.fill(
        network, text, topn, second=second, words=word, only_words=only_words, lens=lens
    )
    rows: list[tuple[object, ...]] = []
    value: list[list[dict[str, object]]] = []
    for number, mask in enumerate(filled.masks, 1):
        if layers:
            by_layer = [(n, g) for n, guesses in enumerate(mask.by_layer) for g in guesses]
            value.append([{"layer": n, **asdict(g)} for n, g in by_layer])
            rows += [(number, n, g.token, f"{g.probability:.3g}") for n, g in by_layer]
            continue
        requested = [(guess.word, guess.probability) for guess in mask.requested]
        listed = [*((g.token, g.probability) for g in mask.guesses), *requested]
        value.append([{"token": token, "probability": p} for token, p in listed])
        rows += [(number, token, f"{p:.3g}") for token, p in listed]
    columns = ("mask", *(["layer"] if layers else []), "token", "probability")
    emit(value, as_json, lambda: grid(*columns, rows=rows))
    language = guess_language([text])
    repeated = [
        guess.token
        for mask in filled.masks
        for guess in filling.repeated_guesses(text, mask.guesses, language)
    ]
    if repeated:
        print(f"Repeats a word of the sentence: {', '.join(repeated)}", file=sys.stderr)
    if filled.unknown:
        print(f"Not in the vocabulary: {', '.join(filled.unknown)}", file=sys.stderr)


@verb("fill", "attribute")
def attribute(
    text: str,
    *,
    model: str,
    word: str = "",
    second: str = "",
    blank: int = 1,
    as_json: bool = False,
) -> None:
    """Print which words of a sentence moved a guess, in nats of its log-probability.

    Two methods: integrated gradients, which add up to the log-probability together with the baseline (all words masked) and the
    residual; and occlusion (each word masked alone). Next to them is the share of the last layer's attention from the blank.
    """
    from embeddings.probing.guess_attribution import attribute_guess

    guess = attribute_guess(open_named(model), text, word, second=second, blank=blank)
    emit(
        guess,
        as_json,
        lambda: attribution_table(
            guess.words, guess.baseline, guess.residual, ("log p", guess.log_probability)
        ),
    )


@verb("fill", "lens")
def lens(*, model: str, as_json: bool = False) -> None:
    """Print how far the guesses of each layer agree with the last layer's, by the logit lens and by the Jacobian lens.

    The mean divergence from the last layer (KL, nats) and the share of equal first guesses, on held-out tokens. Where no lens is stored
    for these weights, it is computed (a minute for a shipped network) and kept under KLYUCH_HOME.
    """
    with progress_bar(as_json) as report:
        made = open_named(model).lens(report)
    names, lines = made.table()
    value = {
        **{name: getattr(made, name) for name in ("positions", "heldout_positions", "weights")},
        "layers": [dict(zip(names, line, strict=True)) for line in lines],
    }
    emit(value, as_json, lambda: grid(*names, rows=[tuple(line) for line in lines]))


@verb("fill", "evaluate")
def evaluate(file: Path, *, model: str, as_json: bool = False) -> None:
    """Score a network on sentences with one blank each.

    Prints the shares of answers that are the first guess and among the first three and five, the mean loss in nats, and the share of
    first guesses that repeat a word of the sentence. Only sentences whose answer is one token of the vocabulary are counted.
    """
    from embeddings.corpora.evaluation_sets import read_blanks
    from embeddings.probing.fill_evaluation import evaluate_blanks

    blanks = read_blanks(file)
    scores = evaluate_blanks(open_named(model), blanks)
    rows: list[tuple[object, ...]] = [
        (
            name,
            _percent(group_scores.top1),
            _percent(group_scores.top3),
            _percent(group_scores.top5),
            f"{group_scores.loss:.2f}" if group_scores.covered else "–",
            _percent(group_scores.copies),
            f"{group_scores.covered} of {group_scores.total}",
        )
        for name, group_scores in (*scores.groups.items(), ("all", scores))
    ]
    head = ("group", "first guess", "among three", "among five", "loss", "copies", "covered")
    emit(_without_nan(asdict(scores)), as_json, lambda: grid(*head, rows=rows))
    if lacking := scores.total - scores.covered - scores.too_long:
        print(
            f"{counted(lacking, 'answer')} outside the vocabulary or of several tokens: not covered.",
            file=sys.stderr,
        )
    if scores.too_long:
        print(f"{scores.too_long} longer than the network takes: not covered.", file=sys.stderr)


def _percent(share: float) -> str:
    """Return a share in percent; a dash where nothing is covered."""
    return "–" if math.isnan(share) else f"{100 * share:.1f} %"


def _without_nan(scores: dict[str, object]) -> dict[str, object]:
    """Return scores as JSON knows them: null where nothing is covered."""
    plain: dict[str, object] = {}
    for name, value in scores.items():
        if isinstance(value, dict):
            plain[name] = {key: _without_nan(nested) for key, nested in value.items()}
        else:
            plain[name] = None if value != value else value
    return plain
