"""Grammar: a list of pairs of one's own, which sentence the network prefers in each, and a test over all of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.loaders.shelf_models import ask_in_queue
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.errors import KlyuchError
from embeddings.results.sentence_answers import SentenceScore
from embeddings.results.vector_answers import sign_test
from embeddings.shelf import Entry
from embeddings.shelf.locations import grammar_examples

MAX_TYPED = 6000  # characters that a link can hold
SEPARATOR = re.compile(r"\t|\s*\|\s*")
SIGNIFICANT = 0.05
Pair = tuple[str, str]


def show_own_pairs(page: PageState, entry: Entry) -> tuple[Pair, ...]:
    """Ask for pairs, a line each, and show which sentence of each the network prefers; return the pairs that were scored."""
    say = page.say
    default = "\n".join(f"{pair.good} | {pair.bad}" for pair in grammar_examples(page.language))
    lines = inputs.lines(say, "grammar_pairs", default, MAX_TYPED, height=150)
    split = [SEPARATOR.split(line) for line in lines]
    pairs = tuple((parts[0], parts[1]) for parts in split if len(parts) == 2 and all(parts))
    if not pairs:
        st.info(say("grammar.no_pairs"))
        return ()
    if len(pairs) < len(lines):
        st.warning(say("grammar.not_pairs", count=len(lines) - len(pairs)))
    texts = tuple(text for pair in pairs for text in pair)
    try:
        with st.spinner(say("attention.running"), show_time=False):
            scores = ask_in_queue("sentence_scoring.score_sentences", entry, texts, layers=False)
    except KlyuchError as error:
        outputs.refuse(say, error)
        return ()
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
    return pd.DataFrame(
        [
            {
                say("grammar.first"): first.text,
                say("grammar.second"): second.text,
                say("grammar.preferred"): names[(value > 0) - (value < 0)],
                say("grammar.difference"): first.total - second.total,
                say("grammar.difference_mean"): first.per_token - second.per_token,
            }
            for first, second in scored
            for value in [lead(first, second)]
        ]
    )
