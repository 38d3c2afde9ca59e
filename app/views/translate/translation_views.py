"""Translate: the outputs of the translators and their BLEU, the beam and each step's candidates, and attention to the source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from app.components.attention_component import attention_view, view_labels
from app.figures.shares import (
    GROUP_SYMBOLS,
    beam_figure,
    candidates_figure,
    source_attention_figure,
)
from app.loaders import network_answers, shelf_models
from app.widgets import address, inputs, outputs
from app.widgets.frame import PageState
from app.widgets.network_parts import weights
from app.widgets.snippets import HeadChoice
from app.wording import Wording
from embeddings.attention_view.html_page import standalone
from embeddings.attention_view.payload import VIEWS, Panel, ViewState
from embeddings.corpora.sense_contexts import evident_language
from embeddings.errors import KlyuchError
from embeddings.results.network_answers import (
    ATTENTIONS,
    AVERAGE,
    AttentionMap,
    BeamTree,
    DecodingStep,
    TranslationInside,
)
from embeddings.shelf import Entry
from embeddings.verbs import TranslatorVerbs


def show_translations(
    say: Wording, entries: Sequence[Entry], text: str, beam: int
) -> dict[Entry, TranslationInside]:
    """Show the translations and return them; the page ends if the first of them fails."""
    translations: dict[Entry, TranslationInside] = {}
    for entry, column in zip(entries, st.columns(len(entries)), strict=True):
        with column:
            try:
                translations[entry] = shelf_models.ask_in_queue(
                    TranslatorVerbs.translate, entry, text, beam
                )
            except KlyuchError as error:
                outputs.refuse(say, error)
                if entry == entries[0]:
                    raise outputs.Halt from error
                continue
            _show_translation(say, entry, translations[entry])
    return translations


def _show_translation(say: Wording, entry: Entry, translation: TranslationInside) -> None:
    """Show one translation, its score, and warnings."""
    fused = say("translate.fused" if entry.method == "bert-fused" else "translate.plain")
    st.caption(f"{outputs.plain(entry.name)} · {fused}")
    st.subheader(outputs.plain(translation.target) or "–", anchor=False)
    st.caption(say("translate.score", score=say.number(translation.score, 2)))
    _say_if_outside(say, entry, translation)
    if translation.unknown:
        letters = " ".join(translation.unknown)
        st.warning(say("translate.unknown", letters=outputs.plain(letters)))
    if not translation.finished:
        st.warning(say("translate.unfinished"))


def _say_if_outside(say: Wording, entry: Entry, translation: TranslationInside) -> None:
    """Say that a translation is out of what the translator knows: another language, or words it is far less sure of than usual."""
    source = entry.language.partition("-")[0]
    language = evident_language([translation.attention.source])
    if source and language not in ("", source):
        names = {"language": language, "source": source}
        named = {name: say.get(f"language.{code}", code) for name, code in names.items()}
        st.warning(say("translate.other_language", **named))
    usual = network_answers.log_probability_range(entry)
    values = translation.attention.log_probabilities
    if usual is not None and len(values) and (mean := float(values.mean())) < usual.low:
        numbers = {"mean": say.number(mean, 2), "usual": say.number(usual.median, 2)}
        st.warning(say("translate.outside", **numbers))


def show_bleu(say: Wording, entries: Sequence[Entry]) -> None:
    """Show BLEU by test set and beam, cased and lower-cased, with the signatures; or that there is none."""
    st.caption(say("translate.bleu_note"))
    rows = [
        {
            say("common.model"): entry.name,
            say("translate.test_set"): name,
            say("translate.bleu_cased"): score.score,
            say("translate.bleu_lower"): score.lower_score,
            say("translate.sentences"): score.sentences,
            say("translate.signature"): score.signature,
            say("translate.lower_signature"): score.lower_signature,
        }
        for entry in entries
        for name, score in network_answers.bleu(entry)
    ]
    for entry in entries:
        if not network_answers.bleu(entry):
            st.info(say("translate.no_bleu", model=outputs.plain(entry.name)))
    if rows:
        one_digit = partial(say.number, digits=1)
        number_formats = {
            say("translate.bleu_cased"): one_digit,
            say("translate.bleu_lower"): one_digit,
        }
        outputs.table(say, pd.DataFrame(rows), "translate-bleu", forms=number_formats)


STEP_KEY = "translate_step"


def show_decoding_steps(say: Wording, translation: TranslationInside) -> None:
    """Show the step that is chosen."""
    number = _ask_step(say, len(translation.steps))
    step = translation.steps[number - 1]
    st.subheader(_step_markdown(say, step), anchor=False)
    left, right = st.columns(2)
    with left:
        st.caption(say("translate.candidates"))
        figure = candidates_figure(step, say("translate.probability"), say.separators)
        outputs.figure(say, figure, "translate-candidates", say("translate.candidates_alt"))
    with right:
        st.caption(say("translate.looked"))
        shares = [float(share) for share in translation.source_attention[number - 1]]
        figure = source_attention_figure(
            translation.source_words, shares, say("translate.share"), say.separators
        )
        outputs.figure(say, figure, "translate-looked", say("translate.looked_alt"))
    if step.chosen != step.candidates[0]:
        st.caption(say("translate.not_likeliest"))
    st.caption(say("translate.signs"))
    outputs.csv(say, lambda: _candidate_rows(say, translation), "translate-steps")


def _ask_step(say: Wording, steps: int) -> int:
    """Ask for a step, by a slider and two buttons; a translation of one step needs neither."""
    number = address.keep(STEP_KEY, 1, (1, steps))
    if steps == 1:
        return 1
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(
            say("translate.back"), key="translate-back", icon=":material/chevron_left:",
            disabled=number == 1, on_click=address.put, kwargs={STEP_KEY: number - 1},
        )  # fmt: skip
        st.button(
            say("translate.on"), key="translate-on", icon=":material/chevron_right:",
            disabled=number == steps, on_click=address.put, kwargs={STEP_KEY: number + 1},
        )  # fmt: skip
        number = st.slider(
            say(f"{STEP_KEY}.label"), 1, steps, key=STEP_KEY, help=say(f"{STEP_KEY}.help")
        )
    return int(number)


def _step_markdown(say: Wording, step: DecodingStep) -> str:
    """Return what is written so far, and the token that comes next in colour."""
    token = step.chosen.token.replace("▁", " ")
    end = say("translate.end") if step.chosen.token == "</s>" else ""
    gap = " " if token.startswith(" ") or end else ""
    return (
        f"{outputs.plain(step.before)}{gap}:primary[{outputs.plain(end or token.strip() or '▁')}]"
    )


def _candidate_rows(say: Wording, translation: TranslationInside) -> pd.DataFrame:
    """Return all candidates of all steps, with full precision."""
    return pd.DataFrame(
        [
            {
                say("translate.step"): number,
                say("translate.before"): step.before,
                say("common.rank"): rank,
                say("translate.token"): candidate.token,
                say("translate.probability"): candidate.probability,
                say("translate.chosen"): candidate.token == step.chosen.token,
            }
            for number, step in enumerate(translation.steps, 1)
            for rank, candidate in enumerate(step.candidates, 1)
        ]
    )


def show_beam_tree(say: Wording, translation: TranslationInside, beam: int) -> None:
    """Show the tree around the chosen step, the finished hypotheses, and all hypotheses as CSV."""
    st.caption(say("translate.beam_note", beam=beam) if beam > 1 else say("translate.greedy"))
    names = {group: say(f"translate.group_{group}") for group in GROUP_SYMBOLS}
    step = _ask_step(say, len(translation.steps))
    figure = beam_figure(translation.tree, step, names, say("translate.step"), say.separators)
    outputs.figure(say, figure, "translate-beam", say("translate.beam_alt"))
    outputs.written_table(
        pd.DataFrame(
            {
                say("translate.ending"): [text for text, _ in translation.tree.endings],
                say("translate.worth"): [
                    say.number(score, 3) for _, score in translation.tree.endings
                ],
            },
            index=range(1, len(translation.tree.endings) + 1),
        )
    )
    outputs.csv(say, lambda: _node_rows(say, translation.tree), "translate-beam")


def _node_rows(say: Wording, tree: BeamTree) -> pd.DataFrame:
    """Return every hypothesis of the search, the dropped ones too, with full precision."""
    return pd.DataFrame(
        [
            {
                say("translate.number"): number,
                say("translate.parent"): node.parent,
                say("translate.step"): node.step,
                say("translate.token"): node.token,
                say("translate.before"): node.text,
                "log p": node.log_probability,
                say("translate.state"): say(f"translate.group_{node.state}"),
                say("translate.chosen"): node.is_best,
            }
            for number, node in enumerate(tree.nodes)
        ]
    )


TOKEN_LABELS = {"cls": "<s>", "sep": "</s>"}  # where BERT has [CLS] and [SEP]


def show_attention(
    page: PageState,
    entry: Entry,
    translations: Mapping[Entry, TranslationInside],
    text: str,
    beam: int,
) -> HeadChoice:
    """Show one kind of attention; return what is drawn, for the same in Python."""
    say = page.say
    kinds = [
        kind
        for kind in ATTENTIONS
        if any(kind in translation.kinds for translation in translations.values())
    ]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = inputs.choice(say, "translate_kind", kinds)
        level = inputs.choice(say, "translate_level", ("word", "token"))
        special = inputs.choice(say, "translate_special", ("shown", "hidden"))
    st.caption(say(f"translate.about_{kind}"))
    entries = [
        translator for translator, translation in translations.items() if kind in translation.kinds
    ]
    panels = [
        network_answers.panel(translator, (text, beam), kind, level, special)
        for translator in entries
    ]
    panels = [panel for panel in panels if _same_shape(panel.shown, panels[0].shown)]
    if not (panels[0].shown.from_side.labels and panels[0].shown.to_side.labels):
        st.info(say("attention_shown.nothing"))
        return HeadChoice(entries[0].name, kind, level, special, 1, AVERAGE)
    view_state = _read_view_state(panels[0].shown)
    token_labels = {} if kind.startswith("bert") else TOKEN_LABELS
    attention_view(say, panels, view_state, _save_view_state, token_labels)
    if kind not in translations[entry].kinds:
        st.caption(say("translate.only_fused"))
    _offer_files(page, panels, view_state, token_labels)
    return HeadChoice(entries[0].name, kind, level, special, view_state.layer, view_state.head)


def first_head(entry: Entry) -> HeadChoice:
    """Return what is drawn at first: the mean of the heads of the cross-attention in the last layer but one."""
    layer = max(1, shelf_models.open_with_base(entry).network.config.num_hidden_layers - 1)
    return HeadChoice(entry.name, "cross", "word", "shown", layer, AVERAGE)


def _read_view_state(attention_map: AttentionMap) -> ViewState:
    """Return the layer, head and view of the address; at first the heads' average in the last layer but one."""
    layer = address.keep(
        "translate_layer", max(1, attention_map.layers - 1), (1, attention_map.layers)
    )
    head = address.keep("translate_head", AVERAGE, attention_map.heads)
    word = address.keep("translate_word", -1, (-1, len(attention_map.from_side) - 1))
    return ViewState(layer, head, address.keep("translate_view", VIEWS[0], VIEWS), word=word)


def _save_view_state(view_state: ViewState) -> None:
    """Write the layer, head and view chosen inside the component to the address."""
    address.put(
        translate_layer=view_state.layer,
        translate_head=view_state.head,
        translate_view=view_state.view,
        translate_word=view_state.word,
    )


def _same_shape(first: AttentionMap, second: AttentionMap) -> bool:
    """Whether two networks have the same layers and heads, so that one view state fits both."""
    return (first.layers, first.heads) == (second.layers, second.heads)


def _offer_files(
    page: PageState, panels: Sequence[Panel], view_state: ViewState, token_labels: Mapping[str, str]
) -> None:
    """Offer the view as one HTML file, and the weights of the head shown as CSV."""
    say = page.say
    with st.container(horizontal=True):
        outputs.download(
            say("attention.html"),
            lambda: _view_page(say, panels, view_state, token_labels),
            "klyuch-translation.html",
            "translate_html",
            help=say("attention.html_help"),
        )
        looks = say("attention.looks")
        make = partial(weights, panels[0].shown, view_state, looks)
        outputs.csv(say, make, "translate-attention")


def _view_page(
    say: Wording, panels: Sequence[Panel], view_state: ViewState, token_labels: Mapping[str, str]
) -> str:
    """Return the view as an HTML file."""
    return standalone(
        panels,
        view_state,
        heading=say("translate.attention"),
        about=", ".join(panel.shown.model for panel in panels),
        labels=view_labels(say) | dict(token_labels),
        language=say.language,
    )
