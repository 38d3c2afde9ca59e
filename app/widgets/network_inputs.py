"""Inputs of the pages of networks: sentences with examples as buttons, the choice of a network, of a lens, of a translator and its beam."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from app import shelf_models
from app.streamlit_private import DeltaGenerator
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from app.wording import Wording, first_texts
from embeddings import shelf
from embeddings.errors import CheckpointError, InputError, KlyuchError
from embeddings.probing.sentence_answers import Lens
from embeddings.shelf import Entry
from embeddings.shelf.locations import sentence_pairs
from embeddings.verbs import NetworkVerbs, TranslatorVerbs

ExampleSentences = Mapping[str, str]
MORE_SETTINGS, EXAMPLES = "common.more_settings", "common.examples"  # what popovers are called
ICONS = {MORE_SETTINGS: ":material/tune:", EXAMPLES: ":material/list:"}


def example_sentences(page: PageState) -> list[dict[str, str]]:
    """Return the pairs in the models' language."""
    return [pair for pair in sentence_pairs() if pair["language"] == page.language]


def sentence_row(say: Wording, *closed: str) -> tuple[DeltaGenerator, ...]:
    """Return the place of the sentence, and next to it popovers called by keys of the wording, for what few people need."""
    left, right = st.columns([9, 2.5 * len(closed)], vertical_alignment="bottom")
    row = right.container(horizontal=True, gap="small")
    popovers = (row.popover(say(key), icon=ICONS[key], type="tertiary") for key in closed)
    return left, *popovers


def ask_sentences(
    page: PageState,
    prefix: str,
    also: Callable[[ExampleSentences], Mapping[str, str]] = lambda _: {},
) -> tuple[tuple[str, str], DeltaGenerator]:
    """Ask for both, the second, seldom wanted, in a closed popover; return them and the popover, for further settings.

    The names of widgets begin with ``prefix``, ``also`` says what else an example sets.
    """
    say, pairs = page.say, example_sentences(page)
    field, shown, more = sentence_row(say, EXAMPLES, MORE_SETTINGS)
    with field:
        first = inputs.line(say, f"{prefix}_first", pairs[0]["first"])
    with more:
        second = inputs.line(say, f"{prefix}_second", "")
    by_first = {pair["first"]: pair for pair in pairs}

    def fill(text: str) -> dict[str, object]:
        other = {f"{prefix}_second": by_first[text]["second"]} if second else {}
        return {f"{prefix}_first": text, **also(by_first[text]), **other}

    with shown:
        inputs.examples(say, f"{prefix}_first", list(by_first), fill)
    return (first, second), more


def pick_network(page: PageState) -> Entry:
    """Let a network be chosen; without one on the shelf the page ends with the way to get one.

    Those that ship come first; of them those that have read the models' language, the one of fewest languages before the others.
    """
    say = page.say
    entries = by_language(shelf_models.networks(), page.language)
    if not entries:
        outputs.end(say("network.none"))
    return inputs.pick_model(say, "network", entries)


def by_language(networks: Sequence[Entry], language: str) -> list[Entry]:
    """Return networks in the order in which they are offered for texts in ``language``."""

    def rank(entry: Entry) -> tuple[bool, bool, int, bool, str]:
        languages = shelf_models.languages(entry)
        reads = language in languages
        return shelf.is_own(entry), not reads, len(languages), entry.method != "bert", entry.name

    return sorted(networks, key=rank)


COMMANDS = """klyuch translation train train.en train.de val.en val.de --run runs/en-de
klyuch models import runs/en-de/model --name en-de"""


def translators(say: Wording) -> list[Entry]:
    """Return the translators on the shelf, those that ship first; without one the page ends with the way to get one."""
    entries = sorted(
        shelf_models.translators(), key=lambda e: (shelf.is_own(e), _is_fused(e), e.name)
    )
    if not entries:
        st.info(say("translate.none"))
        st.code(COMMANDS, language="sh")
        raise outputs.Halt
    return entries


def models(say: Wording, entries: Sequence[Entry]) -> tuple[Entry, Entry | None]:
    """Let a translator be chosen, and next to it one of the other kind, plain or fused, if there is one."""
    entry = inputs.pick_model(say, "translate_model", entries)
    others = (
        model
        for model in entries
        if _is_fused(model) != _is_fused(entry) and model.language == entry.language
    )
    other = next(others, None)
    if other is not None and not inputs.switch(say, "translate_beside", default=True):
        other = None
    return entry, other


def ask_text_to_translate(say: Wording, entry: Entry, shown: DeltaGenerator) -> str:
    """Ask for a sentence, examples in ``shown``; of a text that the translator cannot read whole, for one of its sentences."""
    examples = first_texts(entry.language.partition("-")[0], "translated")
    text = inputs.line(say, "translate_text", examples[0])
    with shown:
        inputs.examples(say, "translate_text", examples)
    if not text:
        outputs.end(say("translate.empty"))
    parts = shelf_models.ask(TranslatorVerbs.cut, entry, text)
    if len(parts) == 1:
        return parts[0]
    numbers = [str(number) for number in range(1, len(parts) + 1)]
    labels = {number: f"{number}. {part}" for number, part in zip(numbers, parts, strict=True)}
    return parts[int(inputs.pick(say, "translate_part", numbers, labels)) - 1]


def beam(say: Wording) -> int:
    """Ask how many hypotheses the beam keeps."""
    return inputs.number(say, "translate_width", 5, 1, 10)


def _is_fused(entry: Entry) -> bool:
    """Whether BERT is fused into a translator."""
    return entry.method == "bert-fused"


def choose_lens(say: Wording, entry: Entry) -> Lens | None:
    """Ask which lens reads the lower layers of a network; None for the logit lens, also while there is no other."""
    if inputs.choice(say, "lens", ("logit", "jacobian")) == "logit":
        return None
    try:
        return shelf_models.ask(NetworkVerbs.stored_lens, entry)
    except CheckpointError as error:
        outputs.refuse(say, error)
        return None
    except InputError:
        st.info(outputs.plain(say("lens.none", name=entry.name)))
        return None


def show_agreement(say: Wording, entry: Entry) -> None:
    """Show how far both lenses agree with the last layer, where a network has a Jacobian lens."""
    try:
        lens = shelf_models.ask(NetworkVerbs.stored_lens, entry)
    except KlyuchError:
        return
    lenses = [say(f"lens.{name}") for name in ("logit", "jacobian")]
    names = [say(f"lens.{measure}", lens=name) for measure in ("kl", "same") for name in lenses]
    rows = lens.to_frame().set_axis([say("fill.layer_column"), *names], axis="columns")
    rows[names[2:]] *= 100
    st.caption(say("lens.agreement", positions=lens.heldout_positions))
    forms = dict.fromkeys(names, partial(say.number, digits=2))
    outputs.table(say, rows, "lens", forms=forms)
