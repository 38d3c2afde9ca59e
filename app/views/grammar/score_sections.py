"""Grammar: what the network prefers, token by token and by layer; pairs of one's own; accuracy on benchmarks."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from app.figures.sentence_words import layer_scores_figure, token_scores_figure
from app.shelf_models import ask_in_queue
from app.streamlit_private import DeltaGenerator
from app.widgets import inputs, network_inputs, outputs, saved_files
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.analysis.score_answers import sign_test
from embeddings.lab.experiment import Table
from embeddings.probing.sentence_answers import SentenceScore
from embeddings.shelf import Entry
from embeddings.shelf.locations import grammar_examples
from embeddings.verbs import NetworkVerbs

UNKNOWN = ("[UNK]", "<unk>")
KEYS = ("grammar_first", "grammar_second")


def show_verdict(say: Wording, scores: Sequence[SentenceScore]) -> None:
    """Say which sentence the network prefers, by how much, and what spoils the comparison."""
    first, second = scores
    ahead = first.total - second.total
    sums = {"first": say.number(first.total, 2), "second": say.number(second.total, 2)}
    are_equally_long = len(first.tokens) == len(second.tokens)
    if ahead:
        preferred = outputs.plain((first if ahead > 0 else second).text)
        verdict = "grammar.prefers" if are_equally_long else "grammar.prefers_sum"
        st.subheader(saved_files.note(say(verdict, sentence=preferred)), anchor=False)
        difference = say.number(abs(ahead), 2)
        st.markdown(saved_files.note(say("grammar.sums", **sums, difference=difference)))
    else:
        st.subheader(saved_files.note(say("grammar.tie")), anchor=False)
        st.markdown(saved_files.note(say("grammar.tie_sums", sum=sums["first"])))
    if not are_equally_long:
        st.warning(saved_files.note(say("grammar.lengths", **_means(say, scores))))
    if unknown := _unknown_words(scores):
        named = outputs.plain(say.list(unknown))
        st.warning(saved_files.note(say("grammar.unknown", words=named)))


def show_tokens(say: Wording, scores: Sequence[SentenceScore]) -> None:
    """Draw the log-probability of each token, and offer all as a table."""
    drawn = token_scores_figure(scores, say("grammar.axis"), say.separators)
    alt = say("grammar.tokens_alt", first=scores[0].text, second=scores[1].text)
    outputs.figure(say, drawn, "grammar-tokens", alt)
    st.caption(say("grammar.tokens_read"))
    rows = partial(token_rows, say, scores)
    outputs.closed_table(say, rows, "grammar-tokens", "grammar.table", ":material/table:")


def show_layers(say: Wording, scores: Sequence[SentenceScore]) -> None:
    """Draw the sums by layer."""
    layers = range(1, len(scores[0].log_probabilities))
    st.caption(say("grammar.layers_read"))
    names = {name: say(f"grammar.{name}") for name in ("sum", "difference", "layer")}
    ticks = [say("fill.input"), *map(str, layers)]
    drawn = layer_scores_figure(scores, names, ticks, say.separators)
    alt = say("grammar.layers_alt", first=scores[0].text, second=scores[1].text)
    outputs.figure(say, drawn, "grammar-layers", alt)
    sums = [score.by_layer for score in scores]
    columns: dict[str, Any] = {say("fill.layer_column"): range(len(sums[0]))}
    columns |= {say(f"grammar.{name}"): sums[side] for side, name in enumerate(("first", "second"))}
    outputs.csv(say, lambda: pd.DataFrame(columns), "grammar-layers")


def token_rows(say: Wording, scores: Sequence[SentenceScore]) -> pd.DataFrame:
    """Return a row for each token of both sentences."""
    rows = (
        (say(f"grammar.{name}"), position, token, float(nats), math.exp(nats))
        for name, score in zip(("first", "second"), scores, strict=True)
        for position, (token, nats) in enumerate(
            zip(score.tokens, score.log_probabilities[-1], strict=True), 1
        )
    )
    keys = ("sentence", "position", "token", "log_probability")
    return say.table(rows, *(f"grammar.{key}" for key in keys), "fill.probability")


def _means(say: Wording, scores: Sequence[SentenceScore]) -> dict[str, str]:
    """Return numbers of tokens and means per token, as fields."""
    first, second = scores
    is_first = first.per_token > second.per_token
    return {
        "first_tokens": say.number(len(first.tokens)),
        "second_tokens": say.number(len(second.tokens)),
        "first": say.number(first.per_token, 3),
        "second": say.number(second.per_token, 3),
        "preferred": outputs.plain((first if is_first else second).text),
    }


def _unknown_words(scores: Sequence[SentenceScore]) -> list[str]:
    """Return what stands where the network reads [UNK], each once."""
    words = [
        score.text[start:end]
        for score in scores
        if score.unknown
        for token, (start, end) in zip(score.tokens, score.spans, strict=True)
        if token in UNKNOWN
    ]
    return list(dict.fromkeys(words))


def ask_pair(page: PageState) -> tuple[tuple[str, str], DeltaGenerator]:
    """Ask for two sentences, at first those of the first example in the models' language; return the place of settings too."""
    say, pairs = page.say, grammar_examples(page.language)
    field, shown, more = network_inputs.sentence_row(
        say, network_inputs.EXAMPLES, network_inputs.MORE_SETTINGS
    )
    left, right = field.columns(2, vertical_alignment="bottom")
    with left:
        first = inputs.line(say, KEYS[0], pairs[0].good)
    with right:
        second = inputs.line(say, KEYS[1], pairs[0].bad)
    with shown:
        st.caption(say("grammar.examples"))
        for pair in pairs:
            inputs.put_button(
                say(f"phenomenon.{pair.phenomenon}"),
                f"example-grammar-{pair.phenomenon}",
                dict(zip(KEYS, (pair.good, pair.bad), strict=True)),
                type="tertiary",
                help=say("grammar.example", good=pair.good, bad=pair.bad),
            )
    return (first, second), more


SEPARATOR = re.compile(r"\t|\s*\|\s*")
SIGNIFICANT = 0.05
Pair = tuple[str, str]


def show_own_pairs(page: PageState, entry: Entry) -> tuple[Pair, ...]:
    """Ask for pairs, a line each, and show which sentence of each the network prefers; return the pairs that were scored."""
    say = page.say
    default = "\n".join(f"{pair.good} | {pair.bad}" for pair in grammar_examples(page.language))
    lines = inputs.lines(say, "grammar_pairs", default, height=150)
    split = [SEPARATOR.split(line) for line in lines]
    pairs = tuple((parts[0], parts[1]) for parts in split if len(parts) == 2 and all(parts))
    if not pairs:
        st.info(say("grammar.no_pairs"))
        return ()
    if len(pairs) < len(lines):
        st.warning(say("grammar.not_pairs", count=len(lines) - len(pairs)))
    texts = tuple(text for pair in pairs for text in pair)
    with st.spinner(say("attention.running"), show_time=False):
        scores = ask_in_queue(NetworkVerbs.score_sentences, entry, texts, layers=False)
    scored = list(zip(scores[::2], scores[1::2], strict=True))
    _show_verdict(say, scored)
    outputs.table(say, pair_rows(say, scored), "grammar-pairs")
    st.caption(say("grammar.pairs_read"))
    return pairs


def lead(first: SentenceScore, second: SentenceScore) -> float:
    """Return by how many nats the first sentence is ahead: of the sums, or of the means per token where the lengths differ."""
    if len(first.tokens) == len(second.tokens):
        return first.total - second.total
    return first.per_token - second.per_token


def _show_verdict(say: Wording, scored: Sequence[tuple[SentenceScore, SentenceScore]]) -> None:
    """Say in how many pairs the first sentence is preferred, and how likely so many or so few are by chance."""
    leads = [lead(first, second) for first, second in scored]
    decided = [value for value in leads if value]
    preferred = sum(value > 0 for value in decided)
    p = sign_test(preferred, len(decided))
    st.subheader(
        say(
            "grammar.pairs_verdict",
            preferred=preferred,
            pairs=len(decided),
            share=say.number(100 * preferred / max(1, len(decided))),
        ),
        anchor=False,
    )
    least = sign_test(len(decided), len(decided))
    key = "few" if least >= SIGNIFICANT else "significant" if p < SIGNIFICANT else "chance"
    st.markdown(say(f"grammar.pairs_{key}", p=say.number(p, 4), least=say.number(least, 3)))
    if len(decided) < len(leads):
        st.caption(say("grammar.pairs_tied", count=len(leads) - len(decided)))


def pair_rows(say: Wording, scored: Sequence[tuple[SentenceScore, SentenceScore]]) -> pd.DataFrame:
    """Return a row a pair: both sentences, which is preferred, and by how much."""
    names = {1: say("grammar.first"), -1: say("grammar.second"), 0: "–"}
    rows = []
    for first, second in scored:
        ahead = lead(first, second)
        differences = first.total - second.total, first.per_token - second.per_token
        rows.append((first.text, second.text, names[(ahead > 0) - (ahead < 0)], *differences))
    keys = ("first", "second", "preferred", "difference", "difference_mean")
    return say.table(rows, *(f"grammar.{key}" for key in keys))


def show_benchmarks(say: Wording, scored: Sequence[tuple[Table, int]]) -> None:
    """Show a table for each set."""
    st.caption(say("grammar.how_often_read"))
    for table, pairs in scored:
        st.markdown(say(f"grammar_set.{table.name}", pairs=pairs))
        forms = {column.name: partial(say.number, digits=1) for column in table.columns[1:]}
        outputs.table(say, frame_of(say, table), f"grammar-{table.name}", forms=forms)


def frame_of(say: Wording, table: Table) -> pd.DataFrame:
    """Return a set's table, its first column and its first row named in the reader's language."""
    (_, *first), *rest = table.rows
    names = [say("grammar.phenomenon"), *(column.name for column in table.columns[1:])]
    return pd.DataFrame([(say("grammar.all_pairs"), *first), *rest], columns=names)
