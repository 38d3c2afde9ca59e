"""``klyuch wic``: word in context: whether a word means the same in two sentences, by the cosine of its vectors in a network."""

from __future__ import annotations

import sys
from pathlib import Path

from embeddings.cli.arguments import open_named
from embeddings.cli.nouns import verb
from embeddings.cli.output import counted, emit, grid, progress_bar
from embeddings.configuration import check_choice
from embeddings.corpora.evaluation_sets import read_word_in_context
from embeddings.corpora.sense_contexts import guess_language
from embeddings.text.lemmas import LANGUAGES


@verb("wic", "evaluate")
def evaluate(file: Path, *, model: str, language: str = "", as_json: bool = False) -> None:
    """Score a network, not tuned, on word in context: a word means the same in two sentences if the cosine reaches a threshold.

    Kinds of vectors: the word's own state (word), less its mean over the file (word_centred), the weighted mean of the words around
    (around), and a [MASK] in the word's place (blank); each at every layer. The words are divided into two halves. The threshold is
    chosen on one half and scored on the other, and so are the best kind and layer in the last line. Guessing gives 50 % if half of the
    pairs are the same.
    """
    from embeddings.probing.word_in_context import evaluate_word_in_context

    pairs = read_word_in_context(file)
    if language:
        check_choice("language", language, LANGUAGES)
    language = language or guess_language(pair.first.text for pair in pairs)
    reader = open_named(model)
    with progress_bar(as_json) as report:
        scores = evaluate_word_in_context(reader, pairs, language, report)
    kinds = list(dict.fromkeys(layer.kind for layer in scores.layers))
    by_layer = {(layer.kind, layer.layer): layer.accuracy for layer in scores.layers}
    rows: list[tuple[object, ...]] = [
        (str(layer), *(f"{100 * by_layer[kind, layer]:.1f} %" for kind in kinds))
        for layer in dict.fromkeys(layer.layer for layer in scores.layers)
    ]
    emit(scores, as_json, lambda: grid("layer", *kinds, rows=rows))
    if not as_json:
        best = " and ".join(dict.fromkeys(f"{c.kind}, layer {c.layer}" for c in scores.chosen))
        print(
            f"{100 * scores.accuracy:.1f} % of {counted(scores.total, 'pair')} of {counted(scores.words, 'word')}"
            f" (standard error {100 * scores.standard_error:.1f}), kind, layer and threshold chosen on the other half: {best}."
        )
    if scores.truncated:
        print(f"{counted(scores.truncated, 'pair')} cut around the word.", file=sys.stderr)
    if scores.unknown:
        note = f"In {counted(scores.unknown, 'pair')} the vocabulary cannot spell the word: read as [UNK]."
        print(note, file=sys.stderr)
