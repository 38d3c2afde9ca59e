"""``klyuch fill``: what word belongs at [MASK]; ``evaluate``: how often the network knows; ``attribute``: which words moved it."""

from __future__ import annotations

import math
import sys
from dataclasses import asdict
from pathlib import Path

import typer

from embeddings.cli.arguments import NETWORK, open_named
from embeddings.cli.output import attribution_table, counted, emit, grid

commands = typer.Typer(
    invoke_without_command=True,
    subcommand_metavar="",  # a noun without verbs, which takes a sentence
    context_settings={"allow_interspersed_args": True},
)
evaluation = typer.Typer()
attribution = typer.Typer()
VERBS = {  # `klyuch fill evaluate FILE`; any other word is a sentence
    "evaluate": evaluation,
    "attribute": attribution,
}


@commands.callback(
    epilog='Example: klyuch fill "Он вставил [MASK] в замок." --model bert-ru --topn 5; '
    "how often a network is right over a file: klyuch fill evaluate FILE --model M; "
    "which words moved a guess: klyuch fill attribute TEXT --model M"
)
def fill(
    text: str = typer.Argument(..., help="A sentence with [MASK] where a word is missing."),
    model: str = NETWORK,
    topn: int = typer.Option(10, help="How many tokens per mask."),
    second: str = typer.Option("", help="The second sentence of a pair."),
    word: list[str] = typer.Option([], help="A word whose probability is printed too; repeatable."),
    only_words: bool = typer.Option(
        False, "--only-words", help="No continuations (##), punctuation or digits."
    ),
    as_json: bool = typer.Option(
        False, "--json", help='Print JSON: [[{"token", "probability"}]], one list per mask.'
    ),
) -> None:
    """Print the likeliest tokens at each mask, with their probabilities."""
    from embeddings.corpora.sense_contexts import guess_language
    from embeddings.probing import fill_mask as filling

    filled = filling.fill(
        open_named(model), text, topn, second=second, words=word, only_words=only_words
    )
    rows: list[tuple[object, ...]] = []
    value = []
    for number, mask in enumerate(filled.masks, 1):
        requested = [(guess.word, guess.probability) for guess in mask.requested]
        listed = [*((g.token, g.probability) for g in mask.guesses), *requested]
        value.append([{"token": token, "probability": p} for token, p in listed])
        rows += [(number, token, f"{p:.3g}") for token, p in listed]
    emit(value, as_json, lambda: grid("mask", "token", "probability", rows=rows))
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


@attribution.callback()
def attribution_only() -> None:
    """Fill blanks: what word belongs at [MASK]."""


@attribution.command(
    epilog='Example: klyuch fill attribute "The key opens the [MASK]." --model bert-en --word door'
)
def attribute(
    text: str = typer.Argument(..., help="A sentence with [MASK] where a word is missing."),
    model: str = NETWORK,
    word: str = typer.Option("", help="The guess to follow; if not given, the likeliest token."),
    second: str = typer.Option("", help="The second sentence of a pair."),
    blank: int = typer.Option(1, help="Which [MASK], from 1."),
    as_json: bool = typer.Option(
        False,
        "--json",
        help='Print JSON: {"guess", "log_probability", "baseline", "words": [{"word", "attribution", "occlusion", ...}], ...}.',
    ),
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


@evaluation.callback()
def evaluation_only() -> None:
    """Fill blanks: what word belongs at [MASK]."""


@evaluation.command(epilog="Example: klyuch fill evaluate blanks.tsv --model bert-en --json")
def evaluate(
    file: Path = typer.Argument(
        ...,
        help="One sentence per line: sentence with [MASK], tab, answer (several with | between); a group behind a further tab.",
    ),
    model: str = NETWORK,
    as_json: bool = typer.Option(
        False,
        "--json",
        help='Print JSON: {"top1", "top3", "top5", "loss", "copies", "covered", "total", "too_long", "groups": {...}}.',
    ),
) -> None:
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
