"""The questions that a model answers as its methods: `Vectors`, a network, a classifier, a translator.

Each line names the function that answers: the model is its first argument, the arguments of the method are the others. Pages, commands
and the Python shown on a page ask the same functions. They are imported when they are first asked, so that a table of vectors needs no
torch and no package imports what is built on it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import MethodType
from typing import Any


class Verb:
    """A method that a function of another module answers, ``package.module.function`` below `embeddings`."""

    def __init__(self, function: str) -> None:
        self.module, _, self.function = f"embeddings.{function}".rpartition(".")

    def __get__(self, model: object, kind: type) -> Callable[..., Any]:
        """Return the function with the model as its first argument; of a class the function itself."""
        function: Callable[..., Any] = getattr(import_module(self.module), self.function)
        return function if model is None else MethodType(function, model)


class VectorVerbs:
    """Questions to a table of words; those of gensim are in `embeddings.vectors.gensim_interface`."""

    neighbours = Verb("analysis.similarity.neighbours")
    explore = Verb("saved_page.questions.explore")
    neighbour_table = Verb("analysis.similarity.neighbour_table")
    similarity_matrix = Verb("analysis.similarity.similarity_matrix")
    odd_one_out = Verb("analysis.similarity.odd_one_out")
    mean_similarities = Verb("analysis.similarity.mean_similarities")
    axis = Verb("analysis.similarity.axis")
    analogy = Verb("analysis.analogies.solve")
    map = Verb("analysis.projection.project")
    compare = Verb("analysis.model_comparison.compare_models")
    most_different = Verb("analysis.model_comparison.most_different")
    joint_map = Verb("analysis.model_comparison.joint_map")
    association = Verb("shelf.association_sets.ask_association")
    evaluate_analogies = Verb("analysis.evaluation.evaluate_analogies")
    evaluate_pairs = Verb("analysis.evaluation.evaluate_pairs")
    health = Verb("analysis.vector_health.check_vectors")


class NetworkVerbs:
    """Questions to a network with its tokenizer."""

    __slots__ = ()

    fill = Verb("probing.fill_mask.fill")
    attribute = Verb("probing.guess_attribution.attribute_guess")
    remove_words = Verb("probing.attribution.word_removals")
    attention = Verb("probing.attention_weights.attention")
    score = Verb("probing.sentence_scoring.score")
    score_sentences = Verb("probing.sentence_scoring.score_sentences")
    contexts = Verb("shelf.companions.contexts")
    lens = Verb("shelf.companions.lens")
    walk = Verb("probing.encoder_walk.walk")
    ablate = Verb("probing.ablated_answers.ablate")
    head_effects = Verb("probing.ablated_answers.head_effects")
    word_states = Verb("probing.context_states.word_states")
    substitutes = Verb("probing.substitutes.substitutes")
    evaluate_pairs = Verb("probing.sentence_scoring.evaluate_pairs")
    evaluate_blanks = Verb("probing.fill_evaluation.evaluate_blanks")


class ClassifierVerbs:
    """Questions to a classifier."""

    __slots__ = ()

    predict = Verb("probing.label_prediction.predict")
    attribute = Verb("probing.attribution.attribute")
    ablate = Verb("probing.ablated_answers.ablate_class")
    head_effects = Verb("probing.ablated_answers.class_head_effects")
    evaluate = Verb("probing.label_prediction.evaluate")
    calibrate = Verb("probing.label_prediction.calibrate_classifier")


class TranslatorVerbs:
    """Questions to a translation model."""

    __slots__ = ()

    translate = Verb("probing.translation_steps.look_inside")
    translate_lines = Verb("probing.translator.translate")
    walk = Verb("probing.decoder_walk.walk_decoder")
    attribute = Verb("probing.translation_attribution.attribute_translation")
    ablate = Verb("probing.ablated_translation.ablate_translation")
    head_effects = Verb("probing.ablated_translation.translation_head_effects")
