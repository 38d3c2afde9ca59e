"""Classify: which classifier, what sentence, what it says, and of which label the words are asked.

Classify: how good the classifier is, and what it takes for what, as its card tells it.
"""

from __future__ import annotations

import streamlit as st

from app.figures.word_attributions import confusion_figure
from app.loaders import classification_answers, shelf_models
from app.widgets import inputs, outputs
from app.wording import Wording
from embeddings.errors import KlyuchError
from embeddings.shelf import Entry


def show_scores(say: Wording, entry: Entry) -> None:
    """Show accuracy and confusion of every set on the card; or that there is none."""
    st.header(say("classify.scores"), anchor=False)
    card = shelf_models.card(entry)
    found = classification_answers.confusion(entry, card)
    if not found:
        st.info(say("classify.no_scores", model=outputs.plain(entry.name)))
    names = list(classification_answers.labels(entry).values())
    for place, (test_set, one) in enumerate(found.items()):
        st.markdown(
            say(
                "classify.accuracy",
                share=say.number(100 * one.accuracy, 2),
                right=say.number(one.right),
                total=say.number(one.total),
                test_set=outputs.plain(test_set),
            )
        )
        axes = (say("classify.called"), say("classify.is"))
        drawn = confusion_figure(one, names, axes, say.separators)
        alt = say("classify.confusion_alt", test_set=test_set)
        outputs.figure(say, drawn, f"classify-confusion-{place}", alt)
    bert = card.get("bert")
    if isinstance(bert, dict):
        name, digest = outputs.plain(str(bert.get("name"))), str(bert.get("sha256"))[:16]
        st.caption(say("classify.bert", name=name, digest=digest))


EXAMPLES = {  # of the classifier's language
    "en": (
        "A moving story with a wonderful cast, but the ending is a disappointment.",
        "The film is never boring, and the actors are a joy to watch.",
        "Two hours of noise without a single funny line.",
        "It is not a bad film, only a very long one.",
    ),
    "ru": ("Прекрасная книга, но перевод ужасен.",),
    "de": ("Ein großartiges Buch, aber das Ende enttäuscht.",),
}
COMMANDS = """klyuch corpus get sst2
klyuch classify train --model bert-en-ru-de --train stsa.binary.train --validation stsa.binary.dev \\
    --language en --names negative,positive --output reviews
klyuch models import reviews --name reviews"""


def pick_classifier(say: Wording) -> Entry:
    """Let a classifier be chosen; without one on the shelf the page says how to train one and ends."""
    entries = {entry.name: entry for entry in shelf_models.classifiers()}
    if not entries:
        st.info(say("classify.none"))
        st.code(COMMANDS, language="sh")
        raise outputs.Halt
    if len(entries) == 1:
        return next(iter(entries.values()))
    names = sorted(entries)
    return entries[inputs.pick(say, "classify_model", names, {name: name for name in names})]


def ask_text(say: Wording, entry: Entry) -> str:
    """Ask for a sentence."""
    examples = EXAMPLES.get(entry.language, EXAMPLES["en"])
    text = inputs.line(say, "classify_text", examples[0])
    inputs.examples(say, "classify_text", examples)
    if not text:
        st.info(say("classify.empty"))
        raise outputs.Halt
    return text


def answer(say: Wording, entry: Entry, text: str) -> str:
    """Show the label and how probable each is; return the one whose words are to be shown."""
    try:
        found = classification_answers.predicted(entry, text)
        names = classification_answers.labels(entry)
    except KlyuchError as error:
        outputs.refuse(say, error)
        raise outputs.Halt from error
    share = say.number(100 * found.probabilities[found.label], 1)
    st.subheader(
        say("classify.answer", label=outputs.plain(names[found.label]), share=share), anchor=False
    )
    if found.truncated:
        st.caption(say("classify.truncated", tokens=found.truncated))
    with st.container(horizontal=True):
        for label, probability in found.probabilities.items():
            st.metric(outputs.plain(names[label]), f"{say.number(100 * probability, 1)} %")
    order = sorted(names, key=lambda label: -found.probabilities[label])
    if len(order) == 2:
        return order[0]
    return inputs.pick(say, "classify_label", order, names)
