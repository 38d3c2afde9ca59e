"""Attention and Inside: what the network answers with parts of it switched off, and which head matters for the answer."""

from __future__ import annotations

import re

import pandas as pd
import streamlit as st

from app.loaders import shelf_models
from app.loaders.shelf_models import ask, ask_in_queue
from app.widgets import inputs, network_inputs, outputs, snippets, switched_parts
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.errors import KlyuchError
from embeddings.results.network_answers import GuessAblation, HeadEffects, MaskAblation
from embeddings.shelf import Entry
from embeddings.text.wordpiece import HEAD

MASK = "[MASK]"
WORD = re.compile(r"[\w\u0300-\u036f]+(?:['’‑-][\w\u0300-\u036f]+)*")
QUESTIONS = ("guess", "vector")


def show(page: PageState, entry: Entry, texts: tuple[str, str]) -> str:
    """Ask which parts are off and show the answer with and without them; return the same in Python, "" where there is no answer."""
    say = page.say
    st.markdown(say("off.lead"))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        question = inputs.choice(say, "off_question", QUESTIONS)
        asked = (_with_mask(page, texts[0]), texts[1]) if question == "guess" else texts
    try:
        config = shelf_models.reader(entry).config
        words = ask("ablated_answers.words_of_text", entry, *asked)
        parts = switched_parts.ask_parts(
            say, config.num_hidden_layers, config.num_attention_heads, words
        )
        pairs = network_inputs.example_sentences(page)
        others = [pair[name] for pair in pairs for name in ("first", "second")]
        replacement = switched_parts.ask_replacement(say, others, asked[0])
        ablated = ask_in_queue(
            "ablated_answers.ablate",
            entry,
            asked[0],
            parts,
            replacement,
            second=asked[1],
            only_words=True,
        )
        token = _first_guess(ablated)
        with st.spinner(say("off.running"), show_time=False):
            effects = ask_in_queue(
                "ablated_answers.head_effects",
                entry,
                asked[0],
                replacement,
                second=asked[1],
                token=token,
            )
    except KlyuchError as error:
        outputs.refuse(say, error)
        return ""
    if not parts:
        st.info(say("off.nothing_off"))
    left, right = st.columns(2, gap="medium")
    with left:
        for number, mask in enumerate(ablated.masks, 1):
            if mask.before:
                _show_guesses(say, mask, number)
    with right:
        _show_effects(page, ablated, effects)
        st.markdown(say("off.cosine", cosine=say.number(ablated.cosine, 4)))
    return snippets.ablation(entry.name, asked, parts, replacement, token)


def _with_mask(page: PageState, text: str) -> str:
    """Return the text with [MASK]: as it is, or with a word that is chosen masked."""
    spans = {match.group(): match.span() for match in reversed([*WORD.finditer(text)])}
    if MASK in text or not spans:
        return text
    blanks = {pair["first"]: pair["blank"] for pair in network_inputs.example_sentences(page)}
    words = list(reversed(spans))
    default = blanks.get(text, words[-1])
    word = inputs.pick(
        page.say, "off_word", words, {word: word for word in words}, default if default in spans else words[-1]
    )  # fmt: skip
    start, end = spans[word]
    return text[:start] + MASK + text[end:]


def _first_guess(ablated: GuessAblation) -> str:
    """Return the first guess at the first mask; "" where there is no mask, or no whole word in the vocabulary."""
    guesses = ablated.masks[0].before if ablated.masks else ()
    return guesses[0].token if guesses else ""


def written(token: str) -> str:
    """Return a token as a person writes it: without the sign of a beginning (▁) that some vocabularies set before a word."""
    return token.replace(HEAD, " ").strip() or token


def _show_guesses(say: Wording, mask: MaskAblation, number: int) -> None:
    """Set the guesses at one mask next to those without the parts."""
    first, now = mask.before[0], mask.after[0]
    st.markdown(
        say(
            "off.answer_same" if first.token == now.token else "off.answer_changed",
            before=outputs.plain(written(first.token)),
            after=outputs.plain(written(now.token)),
            share=say.number(first.probability, 3),
            left=say.number(mask.before_again[0], 3),
            share_now=say.number(now.probability, 3),
        )
    )
    columns = [say("off.before"), say("off.share"), say("off.left"), say("off.after"), say("off.share_now")]  # fmt: skip
    rows = [
        (
            written(guess.token),
            guess.probability,
            left,
            written(instead.token),
            instead.probability,
        )
        for guess, left, instead in zip(mask.before, mask.before_again, mask.after, strict=True)
    ]
    shares = [columns[1], columns[2], columns[4]]
    outputs.table(say, pd.DataFrame(rows, columns=columns), f"switched-off-{number}", shares=shares)


def _show_effects(page: PageState, ablated: GuessAblation, effects: HeadEffects) -> None:
    """Draw which head matters for the first guess, or for the sentence vector."""
    say = page.say
    if not ablated.masks:
        switched_parts.show_effects(page, effects, say("off.effects_vector"), "off.note_vector")
        return
    title = say("off.effects_guess", token=written(effects.answer))
    switched_parts.show_effects(page, effects, title, "off.note_guess")
