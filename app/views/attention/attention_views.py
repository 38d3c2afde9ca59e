"""Attention: the text and how it is read, a word in all heads, and the answer with parts switched off."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
import streamlit as st

from app import shelf_models
from app.answers import cached
from app.figures.network_arrays import CellStyle, cells_figure
from app.shelf_models import ask, ask_in_queue
from app.views.fill.blank_answers import WORD, written
from app.widgets import address, inputs, network_inputs, network_parts, outputs, snippets
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.attention_view.payload import Panel, ViewState
from embeddings.probing.ablation_answers import GuessAblation, HeadEffects, MaskAblation
from embeddings.probing.attention_answers import ATTENTION_MEASURES, AttentionMap
from embeddings.probing.attention_maps import BETWEEN, SPECIAL
from embeddings.shelf import Entry
from embeddings.text.word_positions import MASK
from embeddings.verbs import NetworkVerbs

QUESTIONS = ("guess", "vector")


@cached(64)
def attention_panel(
    entry: Entry,
    texts: tuple[str, str],
    level: str = "word",
    special: str = "shown",
    sentences: str = "all",
    measure: str = "weights",
) -> Panel:
    """Return the attention of a text, or of two that follow each other, as it is shown, with what each head does."""
    from embeddings.attention_view.payload import Panel
    from embeddings.probing.attention_maps import as_shares, head_profiles, prepare

    weights = ask(NetworkVerbs.attention, entry, *texts, measure)
    sentences = sentences if texts[1] else "all"
    shown = prepare(weights, level=level, special=special, sentences=sentences)
    key = str((entry.stamp, texts, level, special, sentences, measure))
    return Panel(shown, head_profiles(as_shares(weights)), " ".join(filter(None, texts)), key)


def show_switched_off(page: PageState, entry: Entry, texts: tuple[str, str]) -> str:
    """Ask which parts are off and show the answer with and without them; return the same in Python."""
    say = page.say
    st.markdown(say("off.lead"))
    with st.container(horizontal=True, vertical_alignment="top", gap="medium"):
        question = inputs.choice(say, "off_question", QUESTIONS)
        asked = (_with_mask(page, texts[0]), texts[1]) if question == "guess" else texts
    config = shelf_models.reader(entry).config
    words = ask(NetworkVerbs.words_of_text, entry, *asked)
    parts = network_parts.ask_parts(say, config, words)
    pairs = network_inputs.example_sentences(page)
    others = [pair[name] for pair in pairs for name in ("first", "second")]
    replacement = network_parts.ask_replacement(say, others, asked[0])
    ablated = ask_in_queue(
        NetworkVerbs.ablate,
        entry,
        asked[0],
        parts,
        replacement,
        second=asked[1],
        only_words=True,
    )
    # "" where there is no mask, or no whole word in the vocabulary
    token = next((mask.before[0].token for mask in ablated.masks[:1] if mask.before), "")
    with st.spinner(say("off.running"), show_time=False):
        effects = ask_in_queue(
            NetworkVerbs.head_effects,
            entry,
            asked[0],
            replacement,
            second=asked[1],
            token=token,
        )
    if not parts:
        st.info(say("off.nothing_off"))
    left, right = st.columns(2, gap="medium")
    with left:
        for number, mask in enumerate(ablated.masks, 1):
            if mask.before:
                _show_guesses(say, mask, number)
    with right:
        _show_effects(say, ablated, effects)
        st.markdown(say("off.cosine", cosine=say.number(ablated.cosine, 4)))
    return snippets.code(
        "ablation",
        model=entry.name,
        text=asked[0],
        parts=parts,
        replacement=replacement,
        second=snippets.options(second=asked[1]),
        options=snippets.options(token=token),
    )


def _with_mask(page: PageState, text: str) -> str:
    """Return the text with [MASK]: as it is, or with a word that is chosen masked."""
    spans = {match.group(): match.span() for match in reversed([*WORD.finditer(text)])}
    if MASK in text or not spans:
        return text
    blanks = {pair["first"]: pair["blank"] for pair in network_inputs.example_sentences(page)}
    words, usual = [*reversed(spans)], blanks.get(text, "")
    default = usual if usual in words else words[-1]
    word = inputs.pick(page.say, "off_word", words, default=default)
    start, end = spans[word]
    return text[:start] + MASK + text[end:]


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
    rows = (
        (written(guess.token), guess.probability, left, written(now.token), now.probability)
        for guess, left, now in zip(mask.before, mask.before_again, mask.after, strict=True)
    )
    keys = ("before", "share", "left", "after", "share_now")
    table = say.table(rows, *(f"off.{key}" for key in keys))
    shares = [say("off.share"), say("off.left"), say("off.share_now")]
    outputs.table(say, table, f"switched-off-{number}", shares=shares)


def _show_effects(say: Wording, ablated: GuessAblation, effects: HeadEffects) -> None:
    """Draw which head matters for the first guess, or for the sentence vector."""
    if not ablated.masks:
        network_parts.show_effects(say, effects, say("off.effects_vector"), "off.note_vector")
        return
    title = say("off.effects_guess", token=written(effects.answer))
    network_parts.show_effects(say, effects, title, "off.note_guess")


@dataclass(frozen=True)
class MapOptions:
    """How the map is shown: words or tokens, special tokens or not; weights or norms; which sentence attends to which."""

    level: str
    special: str
    measure: str
    sentences: str


def ask_compared(page: PageState, first: tuple[str, str]) -> list[tuple[str, str]]:
    """Return the text, and a second one to compare if it is wanted."""
    say = page.say
    if not inputs.switch(say, "attention_compare"):
        return [first]
    other = inputs.line(say, "attention_other", network_inputs.example_sentences(page)[1]["first"])
    return [first, (other, "")] if other else [first]


def ask_map_options(say: Wording, is_pair: bool) -> MapOptions:
    """Ask how the map is shown."""
    level = inputs.choice(say, "attention_level", ("word", "token"))
    special = inputs.choice(say, "attention_special", SPECIAL)
    sentences = inputs.choice(say, "attention_between", BETWEEN) if is_pair else "all"
    measure = inputs.choice(say, "attention_measure", ATTENTION_MEASURES)
    return MapOptions(level, special, measure, sentences)


def read_view_state(attention_map: AttentionMap) -> ViewState:
    """Return the layer, head, view and word that the address holds.

    Until somebody chooses a head it is the one that says most of the sentence.
    """
    layer, head = attention_map.telling_head()
    address.follow(attention_layer=layer, attention_head=head)
    return network_parts.read_view_state("attention", attention_map, layer, head)


def citation_settings(options: MapOptions, view_state: ViewState) -> list[str]:
    """Return the settings for a citation, named as in the code."""
    settings = {"layer": view_state.layer, "head": view_state.head, **asdict(options)}
    usual = {"measure": "weights", "sentences": "all"}
    return [f"{name} {value}" for name, value in settings.items() if value != usual.get(name)]


def warn_about_text(say: Wording, attention_map: AttentionMap) -> None:
    """Warn of text that did not fit the network, and of words not in its vocabulary."""
    if attention_map.truncated:
        longest = len(attention_map.tokens)
        st.warning(say("attention.truncated", lost=attention_map.truncated, longest=longest))
    if attention_map.unknown:
        words = say.list(attention_map.unknown)
        st.warning(outputs.plain(say("attention.unknown", words=words)))


NUMBERED = 16  # words up to which the cells carry their numbers
MOST_HEADS = 32  # rows of the figure; a network with more heads is shown a layer at a time


def show_in_all_heads(page: PageState, panel: Panel, view_state: ViewState) -> None:
    """Let a word be chosen, and draw its weights in all heads, a row each; in those of one layer where there are many."""
    say, shown = page.say, panel.shown
    units = range(len(shown.from_side))
    if st.session_state["attention_word"] < 0:
        address.put(attention_word=default_word(shown, view_state))
    word = st.pills(
        **inputs.named(say, "attention_word"),
        options=list(units),
        format_func=lambda unit: outputs.plain(shown.from_side.labels[unit]),
        required=True,
    )
    unit = int(word or 0)
    numbers = [head for head in shown.heads if head.isdigit()]
    heads = [(layer, head) for layer in range(1, shown.layers + 1) for head in numbers]
    if len(heads) > MOST_HEADS:
        st.slider(say("attention_shown.layer"), 1, shown.layers, key="attention_layer")
        heads = [(view_state.layer, head) for head in numbers]
    weights = np.array([shown.head_weights(layer, head)[unit] for layer, head in heads])
    patterns = {(p.layer, p.head): p.pattern for p in panel.profiles}
    names = []
    for layer, head in heads:
        pattern = patterns.get((layer, head), "")
        named = say("attention.head_name", layer=str(layer), head=head)
        names.append(f"{named} · {say(f'attention_shown.{pattern}')}" if pattern else named)
    label = shown.from_side.labels[unit]
    style = CellStyle(share=True, numbers=weights.shape[1] <= NUMBERED)
    figure = cells_figure(weights, names, shown.to_side.labels, style, say.separators)
    outputs.figure(say, figure, "attention-word", say("attention.word_alt", word=label))
    st.caption(outputs.plain(say("attention.word_read", word=label)))
    if panel.shown.shared:
        st.caption(say("attention.shared"))
    rows = pd.DataFrame(weights, names, shown.to_side.labels)
    head = say("attention_shown.head")
    outputs.csv(say, lambda: rows.reset_index(names=head, allow_duplicates=True), "attention-word")


def default_word(shown: AttentionMap, view_state: ViewState) -> int:
    """Return the unit that attends most to one other unit at least two places away in the head that is open."""
    weights = shown.head_weights(view_state.layer, view_state.head)
    distance = np.abs(np.subtract.outer(np.arange(weights.shape[0]), np.arange(weights.shape[1])))
    keep = np.logical_and.outer(
        ~np.array(shown.from_side.special), ~np.array(shown.to_side.special)
    )
    return int((weights * keep * (distance > 1)).max(1).argmax())
