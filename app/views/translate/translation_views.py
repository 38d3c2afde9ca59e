"""Translate: the translations and their BLEU, beam, each step, attention, the words that moved each word, heads switched off."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from app import shelf_models
from app.answers import cached
from app.figures.network_arrays import CellStyle, cells_figure
from app.figures.palette import INDIGO
from app.figures.shares import GROUP_SYMBOLS, beam_figure, candidates_figure, share_bars
from app.widgets import inputs, network_parts, outputs, snippets
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.corpora.sense_contexts import evident_language
from embeddings.errors import KlyuchError
from embeddings.probing.ablation_answers import TRANSLATOR_KINDS, TranslatorHeads, read_head
from embeddings.probing.attention_answers import AVERAGE
from embeddings.probing.translation_answers import (
    ATTENTIONS,
    BeamTree,
    DecodingStep,
    TranslationAttribution,
    TranslationInside,
)
from embeddings.saved_page.answer import Source
from embeddings.shelf import Entry
from embeddings.shelf.companions import read_log_probabilities, recorded_bleu
from embeddings.verbs import TranslatorVerbs

if TYPE_CHECKING:
    from embeddings.attention_view.payload import Panel


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
    usual = read_log_probabilities(shelf_models.card(entry))
    values = translation.attention.log_probabilities
    if usual is not None and len(values) and (mean := float(values.mean())) < usual.low:
        numbers = {"mean": say.number(mean, 2), "usual": say.number(usual.median, 2)}
        st.warning(say("translate.outside", **numbers))


def panel(
    entry: Entry, text_and_beam: tuple[str, int], kind: str, level: str, special: str
) -> Panel:
    """Return one kind of attention of a text and a beam as it is shown, with what each head does."""
    return _panel(shelf_models.with_base(entry), text_and_beam, kind, level, special)


@cached(64)
def _panel(
    entries: tuple[Entry, ...], text_and_beam: tuple[str, int], kind: str, level: str, special: str
) -> Panel:
    """Return the panel of a translator, kept under the state of the network in it too."""
    from embeddings.attention_view.payload import Panel
    from embeddings.probing.attention_maps import head_profiles, prepare
    from embeddings.probing.translator import attention_map

    entry = entries[0]
    attentions = shelf_models.ask_in_queue(
        TranslatorVerbs.translate, entry, *text_and_beam
    ).attention
    of_kind = attention_map(attentions, kind, entry.name)
    shown = prepare(of_kind, level=level, special=special)
    key = str((entry.stamp, text_and_beam, kind, level, special))
    return Panel(shown, head_profiles(of_kind), f"{entry.name}: {attentions.target}", key)


def show_bleu(say: Wording, entries: Sequence[Entry]) -> None:
    """Show BLEU by test set and beam, cased and lower-cased, with the signatures; or that there is none."""
    st.caption(say("translate.bleu_note"))
    rows: list[tuple[object, ...]] = []
    for entry in entries:
        scores = recorded_bleu(shelf_models.card(entry))
        if not scores:
            st.info(say("translate.no_bleu", model=outputs.plain(entry.name)))
        for name, bleu in scores:
            signatures = bleu.sentences, bleu.signature, bleu.lower_signature
            rows.append((entry.name, name, bleu.score, bleu.lower_score, *signatures))
    if rows:
        keys = ("test_set", "bleu_cased", "bleu_lower", "sentences", "signature", "lower_signature")
        table = say.table(rows, "common.model", *(f"translate.{key}" for key in keys))
        forms = dict.fromkeys(table.columns[2:4], partial(say.number, digits=1))
        outputs.table(say, table, "translate-bleu", forms=forms)


def show_decoding_steps(say: Wording, translation: TranslationInside) -> None:
    """Show the step that is chosen."""
    number = _ask_step(say, len(translation.steps))
    step = translation.steps[number - 1]
    st.subheader(_step_markdown(say, step), anchor=False)
    left, right = st.columns(2)
    with left:
        show_candidates(say, step)
    with right:
        show_source_shares(say, translation, number - 1)
    if step.chosen != step.candidates[0]:
        st.caption(say("translate.not_likeliest"))
    st.caption(say("translate.signs"))
    outputs.csv(say, lambda: _candidate_rows(say, translation), "translate-steps")


def show_candidates(say: Wording, step: DecodingStep) -> None:
    """Draw the likeliest tokens of a step."""
    st.caption(say("translate.candidates"))
    figure = candidates_figure(step, say("translate.probability"), say.separators)
    outputs.figure(say, figure, "translate-candidates", say("translate.candidates_alt"))


def show_source_shares(say: Wording, translation: TranslationInside, number: int) -> None:
    """Draw how much step ``number``, from 0, attends to each word of the source."""
    st.caption(say("translate.looked"))
    shares = translation.source_attention[number].tolist()
    rows = list(zip(translation.source_words, shares, strict=True))
    figure = share_bars(rows, (), say("translate.share"), say.separators, INDIGO)
    outputs.figure(say, figure, "translate-looked", say("translate.looked_alt"))


def _ask_step(say: Wording, steps: int) -> int:
    """Ask for a step of a translation that has several."""
    return inputs.number(say, "translate_step", 1, 1, steps) if steps > 1 else 1


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
    rows = (
        (number, step.before, rank, *likely, likely.token == step.chosen.token)
        for number, step in enumerate(translation.steps, 1)
        for rank, likely in enumerate(step.candidates, 1)
    )
    keys = ("token", "probability", "chosen")
    where = ("translate.step", "translate.before", "common.rank")
    return say.table(rows, *where, *(f"translate.{key}" for key in keys))


def show_beam_tree(say: Wording, translation: TranslationInside, beam: int) -> None:
    """Show the tree around the chosen step, the finished hypotheses, and all hypotheses as CSV."""
    st.caption(say("translate.beam_note", beam=beam) if beam > 1 else say("translate.greedy"))
    names = {group: say(f"translate.group_{group}") for group in GROUP_SYMBOLS}
    step = _ask_step(say, len(translation.steps))
    figure = beam_figure(translation.tree, step, names, say("translate.step"))
    outputs.figure(say, figure, "translate-beam", say("translate.beam_alt"))
    endings = [(text, say.number(score, 3)) for text, score in translation.tree.endings]
    table = say.table(endings, "translate.ending", "translate.worth")
    outputs.written_table(table.set_index(pd.RangeIndex(1, len(endings) + 1)))
    outputs.csv(say, lambda: _node_rows(say, translation.tree), "translate-beam")


def _node_rows(say: Wording, tree: BeamTree) -> pd.DataFrame:
    """Return every hypothesis of the search, the dropped ones too, with full precision."""
    rows = pd.DataFrame(tree.nodes).rename_axis(say("translate.number")).reset_index()
    rows["state"] = [say(f"translate.group_{state}") for state in rows["state"]]
    names = {"step": "step", "token": "token", "text": "before", "parent": "parent"}
    names |= {"state": "state", "is_best": "chosen"}
    heads = {field: say(f"translate.{name}") for field, name in names.items()}
    return rows.rename(columns={**heads, "log_probability": "log p"})


TOKEN_LABELS = {"cls": "<s>", "sep": "</s>"}  # where BERT has [CLS] and [SEP]


def show_attention(
    say: Wording,
    entry: Entry,
    translations: Mapping[Entry, TranslationInside],
    text_and_beam: tuple[str, int],
    make_source: Callable[[], Source],
) -> str:
    """Show one kind of attention; return the same in Python."""
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
    panels = [panel(translator, text_and_beam, kind, level, special) for translator in entries]
    first = panels[0].shown  # one view state fits those of as many layers and heads
    sizes = (first.layers, first.heads)
    panels = [panel for panel in panels if (panel.shown.layers, panel.shown.heads) == sizes]
    if not (first.from_side.labels and first.to_side.labels):
        st.info(say("attention_shown.nothing"))
        return ""
    view_state = network_parts.read_view_state(
        "translate", first, max(1, first.layers - 1), AVERAGE
    )
    network_parts.show_attention_view(
        say,
        "translate",
        panels,
        view_state,
        say("translate.attention"),
        {} if kind.startswith("bert") else TOKEN_LABELS,
        make_source,
    )
    if kind not in translations[entry].kinds:
        st.caption(say("translate.only_fused"))
    return snippets.code(
        "translation_heads",
        model=entries[0].name,
        text=text_and_beam[0],
        beam=text_and_beam[1],
        kind=kind,
        level=level,
        special=special,
        layer=view_state.layer,
        head=view_state.head,
    )


def show_moved_translation(say: Wording, entry: Entry, text: str, beam: int) -> str:
    """Show what each word adds to each word of the translation; return the same in Python."""
    st.caption(say("translate.moved_note"))
    with st.spinner(say("translate.moved_running"), show_time=False):
        attribution = shelf_models.ask_in_queue(TranslatorVerbs.attribute, entry, text, beam)
    method = inputs.choice(say, "translate_by", ("gradients", "occlusion"))
    by_gradients = method == "gradients"
    source = attribution.source_gradients if by_gradients else attribution.source_occlusions
    target = attribution.target_gradients if by_gradients else attribution.target_occlusions
    _show_matrix(say, "source", attribution.target_words, attribution.source_words, source)
    _show_matrix(say, "target", attribution.target_words, attribution.target_words, target)
    st.caption(say(f"translate.{method}_read"))

    outputs.closed_table(say, partial(_sum_rows, say, attribution), "translate-sums")
    return snippets.code("translation_attribution", model=entry.name, text=text, beam=beam)


def _show_matrix(
    say: Wording,
    side: str,
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    values: NDArray[np.float64],
) -> None:
    """Show what the words of one side add."""
    st.subheader(say(f"translate.moved_{side}"), anchor=False)
    figure = cells_figure(values, rows, columns, CellStyle(blue_above=True), say.separators)
    outputs.figure(say, figure, f"translate-moved-{side}", say(f"translate.moved_alt_{side}"))


def _sum_rows(say: Wording, attribution: TranslationAttribution) -> pd.DataFrame:
    """Return how log p of each word is made of both sides, the baseline and the residual."""
    return pd.DataFrame(
        {
            say("translate.row"): attribution.target_words,
            say("translate.from_source"): attribution.source_gradients.sum(1),
            say("translate.from_earlier"): attribution.target_gradients.sum(1),
            say("translate.no_words"): attribution.baselines,
            say("translate.residual"): attribution.residuals,
            "log p": attribution.log_probabilities,
        }
    )


def show_switched_off(page: PageState, entry: Entry, text: str, beam: int) -> str:
    """Ask which heads are off and show both translations; return the same in Python."""
    say = page.say
    st.markdown(say("translate_off.lead"))
    config = shelf_models.open_with_base(entry).network.config
    chosen = {}
    for kind, column in zip(TRANSLATOR_KINDS, st.columns(len(TRANSLATOR_KINDS)), strict=True):
        with column:
            names = network_parts.ask_heads(say, f"translate_off_{kind}", config)
            chosen[kind] = tuple(sorted(map(read_head, names)))
    heads = TranslatorHeads(**chosen)
    ablation = shelf_models.ask_in_queue(TranslatorVerbs.ablate, entry, text, heads, beam)
    with st.spinner(say("off.running"), show_time=False):
        effects = shelf_models.ask_in_queue(TranslatorVerbs.head_effects, entry, text, beam)
    for name, target, score in (
        ("before", ablation.before, ablation.before_score),
        ("after", ablation.after, ablation.after_score),
    ):
        st.markdown(f"{say(f'translate_off.{name}')}: **{outputs.plain(target) or '–'}**")
        st.caption(say("translate.score", score=say.number(score, 2)))
    if not heads:
        st.info(say("translate_off.nothing_off"))
    kind = inputs.choice(say, "translate_off_shown", TRANSLATOR_KINDS)
    title = say(f"translate_off_shown.{kind}")
    shown = getattr(effects, kind)
    network_parts.show_effects(say, shown, title, "translate_off.note", needed_is_blue=True)
    return snippets.code(
        "translation_ablation", model=entry.name, text=text, beam=beam, heads=heads
    )
