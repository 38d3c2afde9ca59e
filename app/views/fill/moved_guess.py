"""Fill the blank: which words moved a guess, by integrated gradients and by occlusion."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from app.figures.word_attributions import attribution_figure, coloured_text, occlusion_figure
from app.loaders.shelf_models import ask_in_queue
from app.views.fill.blank_answers import MaskedSentence
from app.widgets import inputs, outputs
from app.wording import Wording
from embeddings.errors import KlyuchError
from embeddings.results.sentence_answers import Filled, GuessAttribution
from embeddings.shelf import Entry
from embeddings.text.wordpiece import HEAD


@dataclass(frozen=True)
class FollowedGuess:
    """Which guess is followed: the blank, from 1, and a word, or a token as the network lists it."""

    blank: int
    word: str = ""
    token: str = ""

    @property
    def name(self) -> str:
        """What the guess is called on screen."""
        return self.word or self.token.replace(HEAD, " ").strip() or self.token


def show_moved_guess(
    say: Wording, entry: Entry, sentence: MaskedSentence, filled: Filled
) -> FollowedGuess | None:
    """Let a guess be chosen and show which words moved it; return it, None where there is none."""
    if not all(mask.guesses for mask in filled.masks):  # no whole word in the vocabulary
        st.info(say("fill.no_guess"))
        return None
    st.caption(say("fill.moved_note"))
    guess = _ask_guess(say, filled)
    try:
        with st.spinner(say("fill.moved_running"), show_time=False):
            attribution = ask_in_queue(
                "guess_attribution.attribute_guess",
                entry,
                sentence.text,
                guess.word,
                second=sentence.second,
                blank=guess.blank,
                token=guess.token,
            )
    except KlyuchError as error:
        outputs.refuse(say, error)
        return None
    name = outputs.plain(guess.name)
    st.html(coloured_text(attribution))
    st.caption(say("fill.colours", guess=name))
    left, right = st.columns(2)
    with left:
        st.subheader(say("attribution.gradients"), anchor=False)
        figure = attribution_figure(
            attribution, say("attribution.adds", guess=guess.name), say.separators
        )
        outputs.figure(say, figure, "fill-gradients", say("attribution.gradients_alt"))
        st.caption(say("attribution.gradients_read"))
    with right:
        st.subheader(say("attribution.occlusion"), anchor=False)
        figure = occlusion_figure(
            attribution, say("attribution.falls", guess=guess.name), say.separators
        )
        outputs.figure(say, figure, "fill-occlusion", say("attribution.occlusion_alt"))
        st.caption(say("attribution.occlusion_read"))
    st.markdown(_sum_sentence(say, attribution, name))

    def fill() -> None:
        outputs.table(say, _attribution_rows(say, attribution), "fill-moved")

    outputs.box(say, "common.as_table", "fill-moved", ":material/table_rows:", fill)
    return guess


def _ask_guess(say: Wording, filled: Filled) -> FollowedGuess:
    """Ask for the blank, where there are several, and for one of its guesses or the masked word."""
    blanks = [str(number) for number in range(1, len(filled.masks) + 1)]
    blank = blanks[0]
    with st.container(horizontal=True):
        if len(blanks) > 1:
            blank = inputs.pick(say, "fill_blank", blanks, dict(zip(blanks, blanks, strict=True)))
        mask = filled.masks[int(blank) - 1]
        tokens = [guess.token for guess in mask.guesses]
        words = [requested.word for requested in mask.requested if requested.word not in tokens]
        names = {token: FollowedGuess(1, token=token).name for token in tokens}
        guess = inputs.pick(
            say, "fill_guess", [*tokens, *words], names | {word: word for word in words}
        )
    if guess in words:
        return FollowedGuess(int(blank), word=guess)
    return FollowedGuess(int(blank), token=guess)


def _sum_sentence(say: Wording, attribution: GuessAttribution, guess: str) -> str:
    """Return the sentence on how the words and the baseline make log p."""
    values = {
        "log_probability": attribution.log_probability,
        "baseline": attribution.baseline,
        "words": sum(word.attribution for word in attribution.words),
    }
    fields = {name: say.number(value, 3) for name, value in values.items()}
    residual = say.number(attribution.residual, 5)
    sentence = say(
        "attribution.sum", guess=guess, residual=residual, steps=attribution.steps, **fields
    )
    return sentence.replace("+ \N{MINUS SIGN}", "\N{MINUS SIGN} ")


def _attribution_rows(say: Wording, attribution: GuessAttribution) -> pd.DataFrame:
    """Return what each word adds, what is lost without it and its attention, then what is no word's."""
    rows: list[tuple[str, float, float | None, float | None]] = [
        (word.word, word.attribution, word.occlusion, word.attention) for word in attribution.words
    ]
    rows += [
        (say("classify.masked_text"), attribution.baseline, None, None),
        (say("classify.residual"), attribution.residual, None, None),
        (say("attribution.others"), 0.0, None, attribution.other_attention),
        (say("attribution.total"), attribution.log_probability, None, 1.0),
    ]
    names = ("common.word", "attribution.by_gradients", "attribution.by_occlusion")
    columns = [*(say(name) for name in names), say("attribution.attention")]
    return pd.DataFrame(rows, columns=columns)
