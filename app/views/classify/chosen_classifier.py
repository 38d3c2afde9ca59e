"""Classify: the classifier and its text; its prediction, the words that moved it, its scores, and the label with parts off."""

from __future__ import annotations

import math
import re

import streamlit as st

from app import shelf_models
from app.figures.sentence_words import confusion_figure
from app.shelf_models import ask, ask_in_queue
from app.widgets import inputs, network_inputs, network_parts, outputs, saved_files, snippets
from app.wording import Wording, first_texts
from embeddings import shelf
from embeddings.corpora.sense_contexts import evident_language
from embeddings.probing.ablation_answers import ClassAblation
from embeddings.probing.sentence_answers import Attribution, Prediction
from embeddings.shelf import Entry
from embeddings.shelf.companions import read_calibration, recorded_confusions
from embeddings.text.lemmas import foreign
from embeddings.verbs import ClassifierVerbs

WORD = re.compile(r"\w+")
MAX_LISTED_WORDS = 10  # words of another script that are listed
COMMANDS = """klyuch corpus get sst2
klyuch classify train --model bert-en --train stsa.binary.train --validation stsa.binary.dev \\
    --language en --names negative,positive --output reviews
klyuch models import reviews --name reviews"""


def choose_classifier(say: Wording) -> Entry:
    """Let a classifier be chosen; without one on the shelf the page says how to train one and ends."""
    entries = sorted(shelf_models.classifiers(), key=lambda e: (shelf.is_own(e), e.name))
    if not entries:
        st.info(say("classify.none"))
        st.code(COMMANDS, language="sh")
        raise outputs.Halt
    return inputs.pick_model(say, "classify_model", entries)


def ask_classified_text(say: Wording, entry: Entry) -> str:
    """Ask for the text that is classified."""
    examples = first_texts(entry.language, "classified")
    field, shown = network_inputs.sentence_row(say, network_inputs.EXAMPLES)
    with field:
        text = inputs.line(say, "classify_text", examples[0])
    with shown:
        inputs.examples(say, "classify_text", examples)
    if not text:
        outputs.end(say("classify.empty"))
    if text in examples[:2] and entry.language == "en" and not shelf.is_own(entry):
        shown.caption(say("classify.examples_note"))
    words = dict.fromkeys(WORD.findall(text))
    outside = foreign(words, entry.language) if entry.language else ()
    if len(outside) > len(words) / 2:
        listed = ", ".join(outside[:MAX_LISTED_WORDS])
        st.warning(outputs.plain(say("classify.foreign", words=listed, model=entry.name)))
    elif (language := evident_language([text])) and entry.language not in ("", language):
        names = {
            "language": say(f"language.{language}"),
            "own": say.get(f"language.{entry.language}"),
        }
        st.warning(outputs.plain(say("classify.other_language", model=entry.name, **names)))
    return text


def show_prediction(say: Wording, entry: Entry, text: str) -> str:
    """Show the label and all probabilities; return the label whose word attributions are shown."""
    prediction = ask_in_queue(ClassifierVerbs.predict, entry, (text,))[0]
    names = label_names(say, entry)
    probability = prediction.probabilities[prediction.label]
    answer = "classify.unsure" if is_unsure(prediction) else "classify.answer"
    share = say.number(100 * probability, 1)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        saved_files.note(text)
        sentence = say(answer, label=outputs.plain(names[prediction.label]), share=share)
        st.subheader(saved_files.note(sentence), anchor=False)
        _say_how_far_to_trust(say, entry, prediction)
        if prediction.truncated:
            st.caption(say("classify.truncated", tokens=prediction.truncated))
    with right.container(horizontal=True):
        for label, probability in prediction.probabilities.items():
            share = say.percent(probability)
            st.metric(outputs.plain(names[label]), share)
            saved_files.note(f"{names[label]}: {share}")
    order = sorted(names, key=lambda label: -prediction.probabilities[label])
    if len(order) == 2:
        return order[0]
    return inputs.pick(say, "classify_label", order, names)


def label_names(say: Wording, entry: Entry) -> dict[str, str]:
    """Return what each label is called on screen, common ones in the screen's language."""
    config = shelf_models.open_with_base(entry).network.config
    names = zip(config.labels, config.names, strict=True)
    return {label: say.get(f"class_label.{name.lower()}", name) for label, name in names}


def is_unsure(prediction: Prediction) -> bool:
    """Whether the label is too little likelier than chance to be taken for an answer.

    Halfway between chance and certainty: 75 % of two labels.
    """
    chance = 1 / len(prediction.probabilities)
    return prediction.probabilities[prediction.label] < (1 + chance) / 2


def _say_how_far_to_trust(say: Wording, entry: Entry, prediction: Prediction) -> None:
    """Say next to the number whether the text is of a kind that the classifier knows, and how often it is right when so sure."""
    card = shelf_models.card(entry)
    if prediction.distance is not None and prediction.distance > 1:
        corpus = card.get("corpus")
        title = str(corpus.get("title") or corpus.get("name")) if isinstance(corpus, dict) else "–"
        st.warning(saved_files.note(outputs.plain(say("classify.outside", texts=title))))
        return  # how often it is right among its own texts says nothing of this one
    recorded = read_calibration(card)
    if recorded is None:
        st.caption(say("classify.uncalibrated"))
        return
    probability = prediction.probabilities[prediction.label]
    for part in recorded[1].bins:
        if part.low < probability <= part.high:
            said = say(
                "classify.reliable",
                texts=part.texts,
                low=say.number(100 * part.low),
                high=say.number(100 * part.high),
                share=say.number(100 * part.accuracy),
            )
            st.caption(saved_files.note(said))


def show_classifier_scores(say: Wording, entry: Entry) -> None:
    """Show accuracy and confusion of every set on the card; or that there is none."""
    card = shelf_models.card(entry)
    labels = label_names(say, entry)
    confusions = recorded_confusions(card, tuple(labels))
    if not confusions:
        st.info(say("classify.no_scores", model=outputs.plain(entry.name)))
    names = list(labels.values())
    for index, (test_set, confusion) in enumerate(confusions.items()):
        st.markdown(
            say(
                "classify.accuracy",
                share=say.number(100 * confusion.accuracy, 2),
                right=confusion.right,
                total=confusion.total,
                test_set=outputs.plain(test_set),
            )
        )
        axes = (say("classify.called"), say("classify.is"))
        figure = confusion_figure(confusion, names, axes, say.separators)
        alt = say("classify.confusion_alt", test_set=test_set)
        outputs.figure(say, figure, f"classify-confusion-{index}", alt)
        st.caption(say("classify.confusion_read"))


def show_switched(say: Wording, entry: Entry, text: str) -> str:
    """Ask which parts are off and show the label with and without them; return the same in Python."""
    st.markdown(say("off.lead"))
    words = ask(ClassifierVerbs.words_of_text, entry, text)
    config = shelf_models.open_with_base(entry).network.encoder.config
    parts = network_parts.ask_parts(say, config, words)
    others = first_texts(entry.language, "classified")
    replacement = network_parts.ask_replacement(say, others, text)
    ablation = ask_in_queue(ClassifierVerbs.ablate, entry, text, parts, replacement)
    with st.spinner(say("off.running"), show_time=False):
        effects = ask_in_queue(ClassifierVerbs.head_effects, entry, text, replacement)
    if not parts:
        st.info(say("off.nothing_off"))
    names = label_names(say, entry)
    _show_labels(say, ablation, names)
    title = say("off.effects_guess", token=names[effects.answer])
    network_parts.show_effects(say, effects, title, "off.note_class", needed_is_blue=True)
    return snippets.code(
        "class_ablation", model=entry.name, text=text, parts=parts, replacement=replacement
    )


def _show_labels(say: Wording, ablation: ClassAblation, names: dict[str, str]) -> None:
    """Set the probabilities of all labels, and the log-odds of the first answer, next to those without the parts."""
    before, after = ablation.before, ablation.after
    label, now = before.label, after.label
    st.markdown(
        say(
            "off.class_same" if label == now else "off.class_changed",
            before=outputs.plain(names[label]),
            after=outputs.plain(names[now]),
            log_odds=say.number(ablation.before_log_odds, 3),
            left=say.number(ablation.after_log_odds, 3),
        )
    )
    shares = before.probabilities.items()
    rows = ((names[code], share, after.probabilities[code]) for code, share in shares)
    table = say.table(rows, "off.class_label", "off.share", "off.left")
    outputs.table(say, table, "switched-classes", shares=list(table.columns[1:]))
    st.markdown(say("off.class_cosine", cosine=say.number(ablation.cosine, 4)))


def show_moved_words(say: Wording, entry: Entry, text: str, label: str) -> None:
    """Show what each word contributes, costs or is attended by, and what the classifier says of no words at all."""
    with st.spinner(say("classify.running"), show_time=False):
        attribution = ask_in_queue(ClassifierVerbs.attribute, entry, text, label)
    name = label_names(say, entry)[label]
    measure = network_parts.show_attribution(say, attribution, name)
    if measure == "gradients":
        bias = _bias_sentence(say, entry, attribution, outputs.plain(name))
        st.markdown(saved_files.note(bias))
    elif measure == "attention":
        share = say.number(100 * attribution.special_attention)
        st.markdown(say("classify.differ", share=share))


def _bias_sentence(say: Wording, entry: Entry, attribution: Attribution, label: str) -> str:
    """Return what the classifier says of no words at all, and what its temperature does to log-odds."""
    temperature = shelf_models.open_with_base(entry).temperature
    share = 1 / (1 + math.exp(-attribution.baseline / temperature))
    bias = say("classify.bias", label=label, share=say.number(100 * share))
    if temperature == 1:
        return bias
    return f"{bias} {say('classify.temperature', temperature=say.number(temperature, 2))}"
