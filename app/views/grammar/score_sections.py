"""Grammar: the two sentences; what the network prefers in one line, token by token, layer by layer, and as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from app.figures.sentence_comparison import layer_scores_figure, token_scores_figure
from app.widgets import address, inputs, outputs, saved_files
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.results.sentence_answers import SentenceScore
from embeddings.shelf.locations import grammar_examples

if TYPE_CHECKING:
    from app.streamlit_private import DeltaGenerator

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
        st.warning(say("grammar.lengths", **_means(say, scores)))
    if unknown := _unknown_words(scores):
        st.warning(say("grammar.unknown", words=outputs.plain(say.list(unknown))))


def show_tokens(say: Wording, scores: Sequence[SentenceScore]) -> None:
    """Draw the log-probability of each token."""
    drawn = token_scores_figure(scores, say("grammar.axis"), say.separators)
    alt = say("grammar.tokens_alt", first=scores[0].text, second=scores[1].text)
    outputs.figure(say, drawn, "grammar-tokens", alt)
    st.caption(say("grammar.tokens_read"))


def show_layers(say: Wording, scores: Sequence[SentenceScore]) -> None:
    """Draw the sums by layer."""
    layers = range(1, len(scores[0].log_probabilities))
    st.caption(f"{say('grammar.layers_read')} {_settled(say, scores)}")
    names = {name: say(f"grammar.{name}") for name in ("sum", "difference", "layer")}
    ticks = [say("fill.input"), *map(str, layers)]
    drawn = layer_scores_figure(scores, names, ticks, say.separators)
    alt = say("grammar.layers_alt", first=scores[0].text, second=scores[1].text)
    outputs.figure(say, drawn, "grammar-layers", alt)
    sums = [score.log_probabilities.sum(1) for score in scores]
    columns = {say("fill.layer_column"): range(len(sums[0]))}
    columns |= {say(f"grammar.{name}"): sums[side] for side, name in enumerate(("first", "second"))}
    outputs.csv(say, lambda: pd.DataFrame(columns), "grammar-layers")


def show_table(say: Wording, scores: Sequence[SentenceScore]) -> None:
    """Show all tokens with their log-probabilities."""

    def fill() -> None:
        outputs.table(say, token_rows(say, scores), "grammar-tokens")

    outputs.box(say, "grammar.table", "grammar-tokens", ":material/table:", fill)


def token_rows(say: Wording, scores: Sequence[SentenceScore]) -> pd.DataFrame:
    """Return a row for each token of both sentences."""
    return pd.DataFrame(
        [
            {
                say("grammar.sentence"): say(f"grammar.{name}"),
                say("grammar.position"): position,
                say("grammar.token"): token,
                say("grammar.log_probability"): float(nats),
                say("fill.probability"): math.exp(nats),
            }
            for name, score in zip(("first", "second"), scores, strict=True)
            for position, (token, nats) in enumerate(
                zip(score.tokens, score.log_probabilities[-1], strict=True), 1
            )
        ]
    )


def settled_layer(scores: Sequence[SentenceScore]) -> int | None:
    """Return the layer from which on the sums prefer the sentence that the last one does; None for a tie.

    Layer 0 is the embedding output.
    """
    first, second = (score.log_probabilities.sum(1) for score in scores)
    if first[-1] == second[-1]:
        return None
    is_same = (first - second) * (first[-1] - second[-1]) > 0
    return max((layer + 1 for layer, same in enumerate(is_same) if not same), default=0)


def _settled(say: Wording, scores: Sequence[SentenceScore]) -> str:
    """Say from which layer on the preference stands."""
    layer = settled_layer(scores)
    if layer is None:
        return ""
    return say("grammar.from_layer", layer=layer) if layer else say("grammar.from_input")


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
    left, right, side = st.columns([5, 5, 6], vertical_alignment="bottom")
    with left:
        first = inputs.line(say, KEYS[0], pairs[0].good)
    with right:
        second = inputs.line(say, KEYS[1], pairs[0].bad)
    row = side.container(horizontal=True, gap="small")
    shown = row.popover(say("common.examples"), icon=":material/list:", type="tertiary")
    more = row.popover(say("common.more_settings"), icon=":material/tune:", type="tertiary")
    with shown:
        st.caption(say("grammar.examples"))
        for pair in pairs:
            st.button(
                say(f"phenomenon.{pair.phenomenon}"),
                key=f"example-grammar-{pair.phenomenon}",
                type="tertiary",
                help=say("grammar.example", good=pair.good, bad=pair.bad),
                on_click=address.put,
                kwargs=dict(zip(KEYS, (pair.good, pair.bad), strict=True)),
            )
    return (first, second), more
