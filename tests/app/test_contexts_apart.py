"""Groups of contexts that do not separate are said not to, by the silhouette of the layer shown."""

from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st

from app.loaders import context_answers, shelf_models
from app.loaders.context_answers import Question
from app.views.contexts import layer_maps, sense_groups
from app.views.contexts.chosen_contexts import FIRST_WORDS, HARD_WORDS
from app.views.contexts.context_choice import shipped_contexts
from app.widgets.network_inputs import by_language
from app.wording import wording
from embeddings.analysis.sense_induction import adjusted_rand_index
from embeddings.results.sentence_answers import INDUCTION_METHODS


@pytest.mark.parametrize(
    ("silhouette", "warns"), [(0.3, False), (0.049, True), (-0.2, True), (np.nan, False)]
)
def test_a_flat_silhouette_is_a_warning(monkeypatch, silhouette, warns):
    said = []
    monkeypatch.setattr(st, "warning", said.append)
    separation = SimpleNamespace(silhouette=np.array([0.9, silhouette]))
    question = SimpleNamespace(static=None, vector="word")
    layer_maps.say_if_not_apart(SimpleNamespace(say=wording("en")), separation, 1, question)
    assert bool(said) == warns
    assert all("layer 1" in sentence for sentence in said)


def agreement(language, word):
    """Adjusted Rand index of the senses that the page finds and the attested ones."""
    chosen = shipped_contexts(language, word)
    network = by_language(shelf_models.networks(), language)[0]
    static = shelf_models.companion(language)
    question = Question(network, language, chosen.contexts, "word", static)
    answer = context_answers.answer(question, chosen.attested_rows, INDUCTION_METHODS[0])
    labels = sense_groups.find_senses(question, answer, answer.best_layer).grouping.labels
    pairs = [(chosen.contexts[row].gold, labels[row]) for row in chosen.attested_rows]
    return adjusted_rand_index(*zip(*pairs, strict=True))


@pytest.mark.parametrize("language", FIRST_WORDS)
def test_the_page_opens_on_a_word_that_the_network_separates_and_names_one_that_it_does_not(
    language,
):
    assert agreement(language, FIRST_WORDS[language]) == 1
    assert agreement(language, HARD_WORDS[language]) < 0.5
