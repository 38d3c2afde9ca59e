"""Fill the blank: the answers for one blank, the hidden word's own chances, and what each layer would say.

Fill the blank: the sentence, the word in it that is hidden, what follows as context.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from app.figures.blank_guesses import guess_bars_figure, layer_guesses_figure
from app.widgets import address, network_inputs, outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.results.word_contexts import AskedWord, FilledMask
from embeddings.text.byte_names import HEAD

MASK = "[MASK]"
WORD = re.compile(r"[\w\u0300-\u036f]+(?:['’‑-][\w\u0300-\u036f]+)*")
PART = re.compile(r"[\w\u0300-\u036f]+")


@dataclass(frozen=True)
class Asked:
    """What goes to the network: a text with [MASK], what follows it, the word that was hidden."""

    text: str
    second: str
    words: tuple[str, ...]

    def seen(self, unknown: Sequence[str]) -> list[str]:
        """What of the unknown words the network meets as [UNK]: a hidden one only where it stands once more."""
        met = PART.findall(f"{self.text} {self.second}")
        return [word for word in unknown if word not in self.words or word in met]


def ask(page: PageState) -> Asked | None:
    """Ask for a sentence and let a word of it be hidden; None where there is no word."""
    say = page.say
    text, second = network_inputs.ask_sentences(page, "fill", _hidden_of)
    if MASK in text:
        return Asked(text, second, ())
    words = list(WORD.finditer(text))
    if not words:
        return None
    numbers = [str(number) for number in range(len(words))]
    address.keep(
        "fill_hidden", _first_hidden(text, network_inputs.example_sentences(page)), numbers
    )
    st.pills(
        say("fill_hidden.label"),
        numbers,
        format_func=lambda number: outputs.plain(words[int(number)].group()),
        key="fill_hidden",
        help=say("fill_hidden.help"),
        required=True,
    )
    chosen = words[int(st.session_state["fill_hidden"])]
    blank = text[: chosen.start()] + MASK + text[chosen.end() :]
    return Asked(blank, second, (chosen.group(),))


def _first_hidden(text: str, pairs: Sequence[network_inputs.ExampleSentences]) -> str:
    """Return which word is hidden to begin with: the example's own, else the last."""
    words = [match.group() for match in WORD.finditer(text)]
    blanks = [pair["blank"] for pair in pairs if pair["first"] == text]
    known = blanks and blanks[0] in words
    return str(words.index(blanks[0]) if known else len(words) - 1)


def _hidden_of(pair: network_inputs.ExampleSentences) -> dict[str, str]:
    """An example brings its hidden word."""
    return {"fill_hidden": _first_hidden(pair["first"], [pair])}


def show(say: Wording, asked: Asked, mask: FilledMask, number: int, total: int) -> None:
    """Show one blank of ``total``."""
    text = asked.second if mask.segment else asked.text
    best = mask.guesses[0].token.replace(HEAD, " ") if mask.guesses else "–"
    before, after = text[: mask.start], text[mask.end :]
    st.subheader(
        f"{outputs.plain(before)}:primary[{outputs.plain(best)}]{outputs.plain(after)}",
        anchor=False,
    )
    if total > 1:
        st.caption(say("fill.blank", number=number, total=total))
    for word in mask.asked:
        _show_hidden(say, word)
    for lacked in set(asked.words) - {word.word for word in mask.asked}:
        st.markdown(say("fill.own_unknown", word=outputs.plain(lacked)))
    left, right = st.columns(2)
    with left:
        st.caption(say("fill.last"))
        drawn = guess_bars_figure(mask, say("fill.probability"), say.separators)
        outputs.figure(say, drawn, f"fill-{number}", say("fill.alt", text=text))
    with right:
        names = [say("fill.input"), *(say("fill.layer", number=n) for n in _layers(mask))]
        st.caption(say("fill.layers"))
        drawn = layer_guesses_figure(mask, names, say.separators)
        outputs.figure(say, drawn, f"fill-layers-{number}", say("fill.layers_alt", text=text))
    if MASK in after or MASK in before:
        st.caption(say("fill.several"))
    outputs.csv(say, _rows(say, mask), f"fill-{number}")


def _show_hidden(say: Wording, word: AskedWord) -> None:
    """Say what the hidden word's own probability and rank were."""
    share = _percent(say, word.probability)
    shown = outputs.plain(word.word)
    if word.rank:
        st.markdown(say("fill.own", word=shown, share=share, rank=say.number(word.rank)))
        return
    tokens = outputs.plain(" + ".join(word.tokens))
    st.markdown(say("fill.own_tokens", word=shown, share=share, tokens=tokens))


def _percent(say: Wording, probability: float) -> str:
    """Return a probability in percent, with at least two digits that are not 0."""
    share = 100 * probability
    digits = 1 - math.floor(math.log10(share)) if share > 0 else 2
    return say.number(share, min(12, max(2, digits)))


def _layers(mask: FilledMask) -> range:
    """Return the numbers of the layers behind the embedding output."""
    return range(1, len(mask.by_layer))


def _rows(say: Wording, mask: FilledMask) -> pd.DataFrame:
    """Return all guesses of all layers, with full precision."""
    return pd.DataFrame(
        [
            {
                say("fill.layer_column"): layer,
                say("common.rank"): rank,
                say("common.word"): guess.token,
                say("fill.probability"): guess.probability,
            }
            for layer, guesses in enumerate(mask.by_layer)
            for rank, guess in enumerate(guesses, 1)
        ]
    )
