"""``klyuch fill``, ``grammar`` and ``attention``: what a network answers, and where its heads look."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from embeddings.cli.nouns import open_named, verb
from embeddings.cli.output import (
    columns_of,
    command_source,
    counted,
    emit,
    grid,
    listed,
    note,
    percent,
    progress_bar,
    rows_of,
    some,
    some_fields,
)
from embeddings.configuration import check_choice, check_range
from embeddings.corpora.evaluation_sets import read_minimal_pairs
from embeddings.errors import InputError
from embeddings.files import check_file_target
from embeddings.lab import grammar_sets
from embeddings.results import plain
from embeddings.shelf import find

if TYPE_CHECKING:
    from embeddings.attention_view.payload import Panel, ViewState
    from embeddings.probing.network import Network
    from embeddings.probing.sentence_answers import Lens, SentenceScore


LENSES = ("", "logit", "jacobian")


@verb("fill")
def fill(
    text: str,
    *,
    model: str,
    topn: int = 10,
    second: str = "",
    word: list[str],
    only_words: bool = True,
    layers: str = "",
) -> None:
    """Print the likeliest tokens at each mask, with their probabilities."""
    from embeddings.corpora.sense_contexts import guess_language
    from embeddings.probing import fill_mask as filling

    check_choice("layers", layers, LENSES)
    network = open_named(model)
    lens = _lens(network, layers)
    filled = filling.fill(
        network, text, topn, second=second, words=word, only_words=only_words, lens=lens
    )
    names, lines = filled.table()
    if layers:
        names = ["mask", "layer", "token", "probability"]
        lines = [
            [number, layer, guess.token, guess.probability]
            for number, mask in enumerate(filled.masks, 1)
            for layer, guesses in enumerate(mask.by_layer)
            for guess in guesses
        ]
    value = [
        [dict(zip(names[1:], line[1:], strict=True)) for line in lines if line[0] == mask]
        for mask in range(1, len(filled.masks) + 1)
    ]
    emit(value, grid(*names, rows=lines))
    language = guess_language([text])
    repeated = [
        guess.token
        for mask in filled.masks
        for guess in filling.repeated_guesses(text, mask.guesses, language)
    ]
    note(listed("Repeats a word of the sentence", repeated))
    note(listed("Not in the vocabulary", filled.unknown))


def _lens(network: Network, layers: str) -> Lens | None:
    """Return the lens that ``--layers`` names, None for the logit lens."""
    if layers != "jacobian":
        return None
    with progress_bar() as report:
        return network.lens(report)


@verb("fill", "attribute")
def attribute(text: str, *, model: str, word: str = "", second: str = "", blank: int = 1) -> None:
    """Print which words of a sentence moved a guess, in nats of its log-probability.

    Two methods: integrated gradients, which add up to the log-probability together with the baseline (all words masked) and the
    residual; and occlusion (each word masked alone). Next to them is the share of the last layer's attention from the blank.
    """
    emit(open_named(model).attribute(text, word, second=second, blank=blank))


@verb("fill", "lens")
def lens(*, model: str) -> None:
    """Print how far the guesses of each layer agree with the last layer's, by the logit lens and by the Jacobian lens.

    The mean divergence from the last layer (KL, nats) and the share of equal first guesses, on held-out tokens. Where no lens is stored
    for these weights, it is computed (a minute for a shipped network) and kept under KLYUCH_HOME.
    """
    with progress_bar() as report:
        made = open_named(model).lens(report)
    names, lines = made.table()
    layers = [dict(zip(names, line, strict=True)) for line in lines]
    about = some_fields(made, "positions", "heldout_positions", "weights")
    emit({**about, "layers": layers}, made)


@verb("fill", "evaluate")
def evaluate(file: Path, *, model: str) -> None:
    """Score a network on sentences with one blank each.

    Prints the shares of answers that are the first guess and among the first three and five, the mean loss in nats, and the share of
    first guesses that repeat a word of the sentence. Only sentences whose answer is one token of the vocabulary are counted.
    """
    from embeddings.corpora.evaluation_sets import read_blanks

    blanks = read_blanks(file)
    scores = open_named(model).evaluate_blanks(blanks)
    columns = ("group", "first guess=top1:%", "among three=top3:%", "among five=top5:%")
    rest = ("loss:.2f", "copies:%", "covered", "total")
    emit(scores, columns_of({**scores.groups, "all": scores}, *columns, *rest))
    lacking = scores.total - scores.covered - scores.too_long
    note(some(lacking, "answer", " outside the vocabulary or of several tokens: not covered."))
    note(some(scores.too_long, "sentence", " longer than the network takes: not covered."))


@verb("grammar", "score")
def score(sentences: list[str], *, model: str, tokens: bool = False, layers: str = "") -> None:
    """Print the pseudo-log-likelihood of sentences, in nats: the higher, the likelier.

    Each token is masked in its turn, with the rest of its word, and the log-probabilities are added up (Salazar et al. 2020; Kauf and
    Ivanova 2023). Sums compare sentences of the same length; for others there is the mean per token.
    """
    check_choice("layers", layers, LENSES)
    network = open_named(model)
    lens = _lens(network, layers)
    scores = network.score_sentences(sentences, layers=bool(layers), lens=lens)
    value = [
        {
            "sentence": sentence.text,
            **some_fields(sentence, "total", "per_token", "unknown"),
            "tokens": [
                {"token": token, "log_probability": nats} for token, nats in sentence.table()[1]
            ],
            **({"layers": sentence.by_layer} if layers else {}),
        }
        for sentence in scores
    ]
    sums = rows_of(scores, "text", "total", "per_token", "tokens")
    emit(value, *(scores if tokens else [sums]), *([_by_layer(scores)] if layers else []))
    if len({len(sentence.tokens) for sentence in scores}) > 1:
        note("The sentences have unequal numbers of tokens: compare per token.")
    unknown = sum(sentence.unknown for sentence in scores)
    note(some(unknown, "token", " not in the vocabulary, read as [UNK]."))


def _by_layer(scores: Sequence[SentenceScore]) -> Table:
    """Draw a line a layer, a column a sentence."""
    numbers = zip(*(score.by_layer.tolist() for score in scores), strict=True)
    rows = [(layer, *sums) for layer, sums in enumerate(numbers)]
    return grid("layer", *(score.text for score in scores), rows=rows)


@verb("grammar", "evaluate")
def grammar_evaluate(file: Path, *, model: str, limit: int = 0) -> None:
    """Score a file of minimal pairs: the share in which the grammatical sentence has the higher pseudo-log-likelihood."""
    check_range("limit", limit, 0, 10**9)
    pairs = read_minimal_pairs(file)
    if 0 < limit < len(pairs):
        pairs = tuple(pairs[number * len(pairs) // limit] for number in range(limit))
    reader = open_named(model)
    with progress_bar() as report:
        scores = reader.evaluate_pairs(pairs, report)
    rows = [(name, percent(share)) for name, share in scores.phenomena.items()]
    error = scores.standard_error
    named = "" if math.isnan(error) else f", standard error {100 * error:.1f} points"
    rows.append(("all", f"{100 * scores.accuracy:.1f} % of {counted(scores.total, 'pair')}{named}"))
    rows.append(("all, per token", percent(scores.per_token)))
    emit(scores, grid("phenomenon", "accuracy", rows=rows))
    note(some(scores.unknown, "pair", " in which the vocabulary lacks something: read as [UNK]."))


@verb("grammar", "sets")
def sets(*, language: str) -> None:
    """Print how the networks that ship score on a language's sets of minimal pairs, as they were measured last."""
    scored = grammar_sets(language)
    value = [{**plain(table), "pairs": pairs} for table, pairs in scored]
    emit(value, *(part for table, pairs in scored for part in (table, counted(pairs, "pair"))))


ENDINGS = (".html", ".svg", ".npz")


@verb("attention")
def attention(
    text: str,
    *,
    model: str,
    output: Path,
    second: str = "",
    layer: int = 0,
    head: str = "",
    view: str = "lines",
    word_level: bool = True,
    special: str = "shown",
    sentences: str = "all",
    norms: bool = False,
) -> None:
    """Write the attention of a text: .html (all heads, to look at), .svg (one head), .npz (the weights of all heads).

    The .npz holds `weights` (layers, heads, from, to), float32, with `heads`, `from_tokens`,
    `to_tokens`, `from_segments`, `to_segments`.
    """
    from embeddings.attention_view.payload import ATTENTION_VIEWS, Panel, ViewState
    from embeddings.probing.attention_maps import BETWEEN, as_shares

    if output.suffix.lower() not in ENDINGS:
        raise InputError("attention_output", path=output)
    check_file_target(output)
    check_choice("view", view, ATTENTION_VIEWS)
    check_choice("sentences", sentences, BETWEEN)
    measure = "norms" if norms else "weights"
    weights = open_named(model).attention(text, second, measure)
    level = "word" if word_level else "token"
    shown = weights.prepare(level=level, special=special, sentences=sentences)
    most_telling = shown.telling_head()
    layer, head = layer or most_telling[0], head or most_telling[1]
    check_choice("head", head, shown.heads)
    check_range("layer", layer, 1, shown.layers)
    title = " ".join(filter(None, (text.strip(), second.strip())))
    panel = Panel(shown, as_shares(weights).head_profiles(), title, "text")
    _write(output, panel, ViewState(layer, head, view), model)
    value = {
        "output": str(output),
        **some_fields(shown, "layers", "heads", "tokens"),
        **some_fields(weights, "truncated", "unknown"),
    }
    emit(value)
    note(some(weights.truncated, "token", " at the end did not fit the network."))
    note(listed("Not in the vocabulary", weights.unknown))


def _write(output: Path, panel: Panel, at: ViewState, model: str) -> None:
    """Write the file that its ending asks for."""
    import numpy as np

    from embeddings.attention_view.html_page import standalone
    from embeddings.attention_view.svg_picture import picture
    from embeddings.files import atomic_file

    shown, ending = panel.shown, output.suffix.lower()
    with atomic_file(output) as temporary:
        if ending == ".svg":
            temporary.write_text(picture(panel, at), encoding="utf-8")
        elif ending == ".html":
            page = standalone(
                [panel], at, heading=panel.title, source=command_source([model]), about=shown.model
            )
            temporary.write_text(page, encoding="utf-8")
        else:
            with temporary.open("wb") as file:
                np.savez_compressed(
                    file,
                    weights=shown.weights,
                    heads=np.array(shown.heads),
                    from_tokens=np.array(shown.from_side.labels),
                    to_tokens=np.array(shown.to_side.labels),
                    from_segments=np.array(shown.from_side.segments),
                    to_segments=np.array(shown.to_side.segments),
                )


@verb("attention", "walk")
def walk(text: str, *, model: str, layer: int = 1, head: int = 1) -> None:
    """Print every array on the way of a sentence through a network, or through the decoder of a translator."""
    from embeddings.shelf.loading import load_translator

    is_translator = find(model).kind == "translation"
    asked = load_translator(model) if is_translator else open_named(model)
    emit(asked.walk(text, layer, head))


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
) -> None:
    """Print what a network answers with all parts on and with some turned off.

    Prints the guesses at each [MASK] and the cosine of both sentence vectors; for a classifier the label and its log-odds; for a
    translator, of which only heads can be off, both translations.
    """
    from embeddings.probing import ablation_answers
    from embeddings.shelf.loading import load_classifier, load_translator

    kind = find(model).kind
    of_networks = {"--second": second, "--topn": topn is not None}
    of_encoders = {
        "--attention": attention, "--feed-forward": feed_forward, "--layer": layer,
        "--word": word, "--replace": replace != "zero", "--other": other,
    }  # fmt: skip
    refused = {"classifier": of_networks, "translation": of_networks | of_encoders}.get(kind, {})
    if option := next((name for name, value in refused.items() if value), ""):
        raise InputError("ablation_option", option=option, model=model, kind=kind)
    off = head, [*attention, *layer], [*feed_forward, *layer], word
    replacement = ablation_answers.Replacement(replace, tuple(other))
    answer: Any
    each_head: Any
    if kind == "translation":
        heads, translator = ablation_answers.read_translator_heads(head), load_translator(model)
        answer = translator.ablate(text, heads)
        each_head = translator.head_effects(text) if effects else None
    elif kind == "classifier":
        parts, classifier = ablation_answers.joined_parts(*off), load_classifier(model)
        answer = classifier.ablate(text, parts, replacement)
        each_head = classifier.head_effects(text, replacement) if effects else None
    else:
        parts, network = ablation_answers.joined_parts(*off), open_named(model)
        number: dict[str, Any] = {} if topn is None else {"topn": topn}
        answer = network.ablate(text, parts, replacement, second=second, **number)
        each_head = network.head_effects(text, replacement, second=second) if effects else None
    value = plain(answer) | ({"effects": each_head} if each_head else {})
    nothing = "No guesses are compared: the text has no [MASK], or the network no MLM head."
    emit(value, answer, *([] if answer.table()[1] else [nothing]), each_head or ())
