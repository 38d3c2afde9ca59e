"""The questions that a model answers as its methods: `Vectors`, a network, a classifier, a translator; and a concordance.

Each line names the function that answers: the model is its first argument, the arguments of the method are the others. Pages, commands
and the Python shown on a page ask the same functions. Their modules are imported when they are first asked, so that a table of vectors
needs no torch and no package imports what is built on it; type checkers see the functions themselves.
"""

# ruff: noqa: F401 - a module that is imported is an attribute of its package
from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import MethodType
from typing import TYPE_CHECKING, Any


class Verb:
    """A method that a function below `embeddings` answers; or a package or module there, whose attributes are verbs."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, name: str) -> Verb:
        """Return what a package or module has, by its name alone."""
        if name.startswith("__"):
            raise AttributeError(name)
        return Verb(f"{self.name}.{name}")

    def __get__(self, model: object, kind: type) -> Callable[..., Any]:
        """Return the function with the model as its first argument; of a class the function itself."""
        module, _, name = self.name.rpartition(".")
        function: Callable[..., Any] = getattr(import_module(f"embeddings.{module}"), name)
        return function if model is None else MethodType(function, model)


class Opener(Verb):
    """A function that opens a model: it is called on the class and takes no model."""

    def __get__(self, model: object, kind: type) -> Callable[..., Any]:
        """Return the function."""
        return super().__get__(None, kind)


if TYPE_CHECKING:  # modules below that no other import here brings
    import embeddings.probing.ablated_networks
    import embeddings.probing.decoder_walk
    import embeddings.probing.sentence_scoring
    import embeddings.probing.translation_attribution
    import embeddings.probing.word_in_context
    import embeddings.saved_page.questions
    import embeddings.shelf.vector_questions
    import embeddings.vectors.gensim_files
    from embeddings import analysis, corpora, probing, saved_page, shelf, vectors

    opener = staticmethod
else:
    packages = ("analysis", "corpora", "probing", "saved_page", "shelf", "vectors")
    analysis, corpora, probing, saved_page, shelf, vectors = map(Verb, packages)

    def opener(verb: Verb) -> Opener:
        """Return the verb as an opener."""
        return Opener(verb.name)


class VectorVerbs:
    """Questions to a table of words; those of gensim are in `embeddings.vectors.gensim_interface`."""

    neighbours = analysis.similarity.neighbours
    explore = saved_page.questions.explore
    neighbour_table = analysis.similarity.neighbour_table
    similarity_matrix = analysis.similarity.similarity_matrix
    odd_one_out = analysis.similarity.odd_one_out
    mean_similarities = analysis.similarity.mean_similarities
    axis = analysis.similarity.axis
    cluster = analysis.number_of_groups.cluster
    analogy = analysis.analogies.solve
    answer_rank = analysis.analogies.answer_rank
    parallelogram = analysis.projection.parallelogram
    map = analysis.projection.project
    compare = analysis.model_comparison.compare_models
    most_different = analysis.model_comparison.most_different
    joint_map = analysis.model_comparison.joint_map
    association = shelf.association_sets.ask_association
    effect_size_range = shelf.vector_questions.effect_size_range
    similarity_range = shelf.vector_questions.similarity_range
    reliability = shelf.vector_questions.reliability
    why_near = shelf.vector_questions.why_near
    ratios = shelf.vector_questions.ratios
    evaluate_analogies = analysis.evaluation.evaluate_analogies
    evaluate_pairs = analysis.evaluation.evaluate_pairs
    evaluate_word_analogies = analysis.evaluation.evaluate_word_analogies
    evaluate_word_pairs = analysis.evaluation.evaluate_word_pairs
    health = analysis.stability.check_vectors
    assign_senses = analysis.sense_grouping.assign_senses


class VectorFiles:
    """Files of a table of words, opened and written as in gensim."""

    load = opener(vectors.gensim_files.load)
    load_word2vec_format = opener(vectors.gensim_files.load_word2vec_format)
    save = vectors.gensim_files.save
    save_word2vec_format = vectors.gensim_files.save_word2vec_format


class NetworkVerbs:
    """Questions to a network with its tokenizer."""

    fill = probing.fill_mask.fill
    attribute = probing.attribution.attribute_guess
    attention = probing.attention_weights.attention
    score = probing.sentence_scoring.score
    score_sentences = probing.sentence_scoring.score_sentences
    contexts = shelf.companions.contexts
    lens = shelf.companions.lens
    walk = probing.encoder_walk.walk
    ablate = probing.ablated_networks.ablate
    head_effects = probing.ablated_networks.head_effects
    word_states = probing.context_states.word_states
    mean_states = probing.context_states.mean_states
    substitutes = probing.substitutes.substitutes
    evaluate_pairs = probing.sentence_scoring.evaluate_pairs
    words_of_text = probing.ablated_networks.words_of_text
    words_with_tokens = probing.encoder_walk.words
    swap_words = probing.encoder_walk.swap
    stored_lens = probing.jacobian_lens.stored_lens
    evaluate_blanks = probing.fill_mask.evaluate_blanks
    evaluate_word_in_context = probing.word_in_context.evaluate_word_in_context


class ClassifierVerbs:
    """Questions to a classifier."""

    predict = probing.label_prediction.predict
    attribute = probing.attribution.attribute
    ablate = probing.ablated_networks.ablate_class
    head_effects = probing.ablated_networks.class_head_effects
    evaluate = probing.label_prediction.evaluate
    words_of_text = probing.ablated_networks.words_of_text
    calibrate = probing.label_prediction.calibrate_classifier


class TranslatorVerbs:
    """Questions to a translation model."""

    translate = probing.translator.look_inside
    translate_lines = probing.translator.translate
    cut = probing.translator.cut
    walk = probing.decoder_walk.walk_decoder
    attribute = probing.translation_attribution.attribute_translation
    ablate = probing.ablated_networks.ablate_translation
    head_effects = probing.ablated_networks.translation_head_effects


class ConcordanceVerbs:
    """Questions to a concordance."""

    search = corpora.concordance_search.search
    collocates = corpora.concordance_search.collocates
