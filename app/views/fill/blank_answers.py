"""Fill the blank: which word is masked, the answers for it, the guesses of each layer, and the words that moved a guess."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from app.figures.shares import guess_bars_figure, layer_guesses_figure
from app.shelf_models import ask_in_queue
from app.streamlit_private import DeltaGenerator
from app.widgets import address, inputs, network_inputs, network_parts, outputs, saved_files
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.probing.sentence_answers import Filled, FilledMask
from embeddings.shelf import Entry
from embeddings.text.tokenizer import WORD_START
from embeddings.text.word_positions import MASK, marked_blanks
from embeddings.verbs import NetworkVerbs

WORD = re.compile(r"[\w\u0300-\u036f]+(?:['’‑-][\w\u0300-\u036f]+)*")
PART = re.compile(r"[\w\u0300-\u036f]+")


@dataclass(frozen=True)
class MaskedSentence:
    """What goes to the network: a text with [MASK], what follows it, the word that is masked."""

    text: str
    second: str
    masked_words: tuple[str, ...]

    def met_as_unknown(self, unknown: Sequence[str]) -> list[str]:
        """Return the unknown words that the network meets as [UNK]: a masked one only if it occurs again."""
        words_of_texts = PART.findall(f"{self.text} {self.second}")
        return [word for word in unknown if word not in self.masked_words or word in words_of_texts]


def ask_masked_sentence(page: PageState) -> tuple[MaskedSentence | None, DeltaGenerator]:
    """Ask for a sentence and which word of it is masked; None where there is no word. Return the place of further settings too."""
    say = page.say
    texts, more = network_inputs.ask_sentences(
        page, "fill", lambda pair: {"fill_hidden": _first_masked(pair["first"], [pair])}
    )
    text, second = map(marked_blanks, texts)
    if MASK in text:
        return MaskedSentence(text, second, ()), more
    matches = list(WORD.finditer(text))
    if not matches:
        return None, more
    numbers = [str(number) for number in range(len(matches))]
    address.keep(
        "fill_hidden", _first_masked(text, network_inputs.example_sentences(page)), numbers
    )
    st.pills(
        **inputs.named(say, "fill_hidden"),
        options=numbers,
        format_func=lambda number: outputs.plain(matches[int(number)].group()),
        required=True,
    )
    match = matches[int(st.session_state["fill_hidden"])]
    masked_text = text[: match.start()] + MASK + text[match.end() :]
    return MaskedSentence(masked_text, second, (match.group(),)), more


def _first_masked(text: str, pairs: Sequence[network_inputs.ExampleSentences]) -> str:
    """Return which word is masked at first: the one of the example, else the last."""
    words = [match.group() for match in WORD.finditer(text)]
    blanks = [pair["blank"] for pair in pairs if pair["first"] == text]
    is_known = blanks and blanks[0] in words
    return str(words.index(blanks[0]) if is_known else len(words) - 1)


def written(token: str) -> str:
    """Return a token as a person writes it: without the sign of a beginning (▁) that some vocabularies set before a word."""
    return token.replace(WORD_START, " ").strip() or token


def show_blanks(
    page: PageState, sentence: MaskedSentence, filled: Filled, *, by_layer: bool
) -> None:
    """Show what the network would put in each blank, or what each of its layers would."""
    say, total = page.say, len(filled.masks)
    for number, mask in enumerate(filled.masks, 1):
        text = _show_sentence(sentence, mask)
        if total > 1:
            st.caption(f"{say('fill.blank', number=number, total=total)} · {say('fill.several')}")
        if by_layer:
            _draw_layers(say, mask, f"fill-layers-{number}", text)
        else:
            _show_masked_words(say, sentence, mask)
            draw_guesses(say, mask, f"fill-{number}", text)
            _note_repeats(page, text, mask)
        outputs.csv(say, partial(_guess_rows, say, mask), f"fill-{number}")


def _show_sentence(sentence: MaskedSentence, mask: FilledMask) -> str:
    """Write the sentence with the likeliest word in a blank; return its text."""
    text = sentence.second if mask.segment else sentence.text
    best = mask.guesses[0].token.replace(WORD_START, " ") if mask.guesses else "–"
    before, after = text[: mask.start], text[mask.end :]
    saved_files.note(outputs.plain(f"{before}[{best}]{after}"))
    st.subheader(
        f"{outputs.plain(before)}:primary[{outputs.plain(best)}]{outputs.plain(after)}",
        anchor=False,
    )
    return text


def draw_guesses(say: Wording, mask: FilledMask, key: str, text: str) -> None:
    """Draw the likeliest words of one blank of a text."""
    figure = guess_bars_figure(mask, say("fill.probability"), say.separators)
    outputs.figure(say, figure, key, say("fill.alt", text=text))
    st.caption(say("fill.bars_read"))


def _draw_layers(say: Wording, mask: FilledMask, key: str, text: str) -> None:
    """Draw what each layer would put in one blank of a text."""
    layers = range(1, len(mask.by_layer))
    names = [say("fill.input"), *(say("fill.layer", number=layer) for layer in layers)]
    figure = layer_guesses_figure(mask, names)
    outputs.figure(say, figure, key, say("fill.layers_alt", text=text))
    st.caption(say("fill.layers_read"))


def _note_repeats(page: PageState, text: str, mask: FilledMask) -> None:
    """Say which of the guesses repeat a word of the sentence."""
    from embeddings.probing.fill_mask import repeated_guesses  # torch: seconds

    if repeated := repeated_guesses(text, mask.guesses, page.language):
        words = page.say.list(page.say("common.quoted", text=guess.token) for guess in repeated)
        note = page.say("fill.repeats", words=words, count=len(repeated))
        st.info(outputs.plain(note), icon=":material/content_copy:")


def _show_masked_words(say: Wording, sentence: MaskedSentence, mask: FilledMask) -> None:
    """Show probability and rank of the word that is masked, if there is one."""
    requested = {word.word: word for word in mask.requested}
    for name in sentence.masked_words:
        fields, word = {"word": outputs.plain(name)}, requested.get(name)
        if word is None:
            said = say("fill.own_unknown", **fields)
        else:
            fields["share"] = say.significant(100 * word.probability)
            tokens = outputs.plain(" + ".join(word.tokens))
            key = "fill.own" if word.rank else "fill.own_tokens"
            said = say(key, rank=say.number(word.rank), tokens=tokens, **fields)
        st.markdown(saved_files.note(said))


def _guess_rows(say: Wording, mask: FilledMask) -> pd.DataFrame:
    """Return all guesses of all layers, the last first, with full precision."""
    rows = (
        (layer, rank, guess.token, guess.probability)
        for layer, guesses in reversed([*enumerate(mask.by_layer)])
        for rank, guess in enumerate(guesses, 1)
    )
    keys = ("fill.layer_column", "common.rank", "common.word", "fill.probability")
    return say.table(rows, *keys)


def show_moved_guess(
    say: Wording, entry: Entry, sentence: MaskedSentence, filled: Filled
) -> dict[str, Any]:
    """Let a guess be chosen and show which words moved it; return its blank, from 1, and its word or token; {} where there is none."""
    if not all(mask.guesses for mask in filled.masks):  # no whole word in the vocabulary
        st.info(say("fill.no_guess"))
        return {}
    st.caption(say("fill.moved_note"))
    guess, name = _ask_guess(say, filled)
    with st.spinner(say("fill.moved_running"), show_time=False):
        attribution = ask_in_queue(
            NetworkVerbs.attribute,
            entry,
            sentence.text,
            guess["word"],
            second=sentence.second,
            blank=guess["blank"],
            token=guess["token"],
        )
    network_parts.show_attribution(say, attribution, name)
    return guess


def _ask_guess(say: Wording, filled: Filled) -> tuple[dict[str, Any], str]:
    """Ask for the blank, where there are several, and for one of its guesses or the masked word; return it with its name."""
    blanks = [str(number) for number in range(1, len(filled.masks) + 1)]
    with st.container(horizontal=True):
        blank = int(inputs.pick(say, "fill_blank", blanks)) if len(blanks) > 1 else 1
        mask = filled.masks[blank - 1]
        labels = {guess.token: written(guess.token) for guess in mask.guesses}
        words = [word.word for word in mask.requested if word.word not in labels]
        labels |= {word: word for word in words}
        chosen = inputs.pick(say, "fill_guess", list(labels), labels)
    word, token = (chosen, "") if chosen in words else ("", chosen)
    return {"word": word, "token": token, "blank": blank}, labels[chosen]
