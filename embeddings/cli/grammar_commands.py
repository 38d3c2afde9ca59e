"""``klyuch grammar``: which of two sentences a network takes to be the likelier one, and how often that is the grammatical one."""

from __future__ import annotations

import math
import sys
from dataclasses import asdict
from pathlib import Path

from embeddings.cli.arguments import open_named
from embeddings.cli.nouns import verb
from embeddings.cli.output import counted, emit, grid, progress_bar
from embeddings.configuration import check_range
from embeddings.corpora.evaluation_sets import read_minimal_pairs


@verb("grammar", "score")
def score(sentences: list[str], *, model: str, tokens: bool = False, as_json: bool = False) -> None:
    """Print the pseudo-log-likelihood of sentences, in nats: the higher, the likelier.

    Each token is masked in its turn, with the rest of its word, and the log-probabilities are added up (Salazar et al. 2020; Kauf and
    Ivanova 2023). Sums compare sentences of the same length; for others there is the mean per token.
    """
    from embeddings.probing.sentence_scoring import score_sentences

    scores = score_sentences(open_named(model), sentences, layers=False)
    value = [
        {
            "sentence": sentence.text,
            "total": sentence.total,
            "per_token": sentence.per_token,
            "unknown": sentence.unknown,
            "tokens": [
                {"token": token, "log_probability": float(nats)}
                for token, nats in zip(sentence.tokens, sentence.log_probabilities[-1], strict=True)
            ],
        }
        for sentence in scores
    ]
    if tokens:
        rows: list[tuple[object, ...]] = [
            (number, token, f"{nats:.2f}")
            for number, sentence in enumerate(scores, 1)
            for token, nats in zip(sentence.tokens, sentence.log_probabilities[-1], strict=True)
        ]
        emit(value, as_json, lambda: grid("sentence", "token", "log p", rows=rows))
    else:
        rows = [(s.text, f"{s.total:.2f}", f"{s.per_token:.2f}", len(s.tokens)) for s in scores]
        emit(value, as_json, lambda: grid("sentence", "sum", "per token", "tokens", rows=rows))
    if len({len(sentence.tokens) for sentence in scores}) > 1:
        print("The sentences have unequal numbers of tokens: compare per token.", file=sys.stderr)
    if unknown := sum(sentence.unknown for sentence in scores):
        print(
            f"Not in the vocabulary: {counted(unknown, 'token')}, read as [UNK].", file=sys.stderr
        )


@verb("grammar", "evaluate")
def evaluate(file: Path, *, model: str, limit: int = 0, as_json: bool = False) -> None:
    """Score a file of minimal pairs: the share in which the grammatical sentence has the higher pseudo-log-likelihood."""
    from embeddings.probing.sentence_scoring import evaluate_pairs

    check_range("limit", limit, 0, 10**9)
    pairs = read_minimal_pairs(file)
    if 0 < limit < len(pairs):
        pairs = tuple(pairs[number * len(pairs) // limit] for number in range(limit))
    reader = open_named(model)
    with progress_bar(as_json) as report:
        scores = evaluate_pairs(reader, pairs, report)
    rows: list[tuple[object, ...]] = [
        (name, f"{100 * share:.1f} %") for name, share in scores.phenomena.items()
    ]
    error = scores.standard_error
    named = "" if math.isnan(error) else f", standard error {100 * error:.1f} points"
    rows.append(("all", f"{100 * scores.accuracy:.1f} % of {counted(scores.total, 'pair')}{named}"))
    rows.append(("all, per token", f"{100 * scores.per_token:.1f} %"))
    emit(asdict(scores), as_json, lambda: grid("phenomenon", "accuracy", rows=rows))
    if scores.unknown:
        print(
            f"In {counted(scores.unknown, 'pair')} the vocabulary lacks something: read as [UNK].",
            file=sys.stderr,
        )
