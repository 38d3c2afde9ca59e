"""Each view of the pages of networks, as it opens by default, has the numbers that one command prints as JSON.

A command is asked no more than the words and models that the page shows: what both leave out is decided in the library.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest

from embeddings.corpora.sense_contexts import write_contexts
from embeddings.results import plain
from tests.app.test_page_equals_command import asked, run, said, same

__all__ = ["asked", "run", "said"]  # fixtures


class View(NamedTuple):
    """A view, the functions of the library that answer it, and the command that asks the same.

    ``command`` returns the words of the command after the arguments of the page's call that follow the model; ``printed`` and
    ``shown`` return what is compared, of the command's answer and of the page's answers, one a function.
    """

    page: str
    address: Mapping[str, Any]
    functions: tuple[str, ...]
    command: Callable[..., tuple[Any, ...]]
    printed: Callable[[Any], Any] = lambda answer: answer
    shown: Callable[..., Any] = lambda answer: answer


def ablation(page, *names):
    """The view that turns off parts of a network; nothing is off at first, and each head is off alone."""
    return View(
        page,
        {"view": "off"},
        tuple(f"embeddings.probing.ablated_networks.{name}" for name in names),
        lambda text, *_: ("attention", "ablate", text, "--effects"),
        shown=lambda answer, effects: {**plain(answer), "effects": effects},
    )


def inspected(view):
    """A view of everything on the way of a translation."""
    function = "embeddings.probing.translator.look_inside"
    return View("translate", {"view": view}, (function,), lambda text, _: (*INSPECT, text))


INSPECT = ("translation", "inspect")
SCORE = ("embeddings.probing.sentence_scoring.score_sentences",)
WALK = ("attention", "walk")
NETWORK_VIEWS = {
    "attention off": ablation("attention", "ablate", "head_effects"),
    "classify off": ablation("classify", "ablate_class", "class_head_effects"),
    "translate off": ablation("translate", "ablate_translation", "translation_head_effects"),
    "translate step": inspected("step"),
    "translate beam": inspected("beam"),
    "translate heads": inspected("heads"),
    "translate moved": View(
        "translate",
        {"view": "moved"},
        ("embeddings.probing.translation_attribution.attribute_translation",),
        lambda text, _: ("translation", "attribute", text),
    ),
    "fill layers": View(
        "fill",
        {"view": "layers"},
        ("embeddings.probing.fill_mask.fill",),
        lambda text: ("fill", text, "--layers", "logit"),
        shown=lambda filled: [
            [
                {"layer": layer, **plain(guess)}
                for layer, guesses in enumerate(mask.by_layer)
                for guess in guesses
            ]
            for mask in filled.masks
        ],
    ),
    "grammar layers": View(
        "grammar",
        {"view": "layers"},
        SCORE,
        lambda texts: ("grammar", "score", *texts, "--layers", "logit"),
        lambda scores: [score["layers"] for score in scores],
        lambda scores: [score.log_probabilities.sum(axis=1) for score in scores],
    ),
    "grammar own": View(
        "grammar",
        {"view": "own"},
        SCORE,
        lambda texts: ("grammar", "score", *texts),
        lambda scores: [[score["total"], score["per_token"]] for score in scores],
        lambda scores: [[score.total, score.per_token] for score in scores],
    ),
    "inside": View(
        "inside",
        {},
        ("embeddings.probing.encoder_walk.walk",),
        lambda text, *_: (*WALK, text),
    ),
    "inside decoder": View(
        "inside",
        {"inside_half": "decoder"},
        ("embeddings.probing.decoder_walk.walk_decoder",),
        lambda text, *_: (*WALK, text),
    ),
}

SLOW = ("attention off", "inside", "translate moved")  # over 1.5 seconds


@pytest.mark.parametrize(
    "view",
    [
        pytest.param(view, id=name, marks=pytest.mark.slow if name in SLOW else ())
        for name, view in NETWORK_VIEWS.items()
    ],
)
def test_a_view_of_a_network(asked, said, view):
    calls = asked(view.page, *view.functions, **view.address)
    for each in zip(*calls, strict=True) if len(view.functions) > 1 else zip(calls, strict=True):
        model, *arguments = each[0].arguments
        printed = view.printed(said(*view.command(*arguments), model=model))
        assert printed
        assert same(printed, view.shown(*(call.value for call in each)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("view", "function", "name"),
    [
        ("senses", "embeddings.probing.contexts.context_maps", "map"),
        ("layers", "embeddings.probing.contexts.separation", "separation"),
        ("pairs", "embeddings.probing.contexts.likeness_matrix", "similarity"),
    ],
)
def test_a_view_of_a_word_in_contexts(asked, said, tmp_path, view, function, name):
    answers, calls = asked(
        "contexts", "app.views.contexts.word_in_contexts.answer", function, view=view
    )
    question, answer = answers[0].arguments[0], answers[0].value
    write_contexts(tmp_path / "contexts.tsv", question.contexts)
    options = ("--language", question.language)
    of_words = said("contexts", "layers", tmp_path / "contexts.tsv", *options, model=question.entry)
    printed = of_words[question.contexts[0].word]
    assert printed["separation"]["best"] == answer.best_layer
    shown = calls[-1].value[answer.best_layer] if name == "map" else calls[-1].value
    assert same(printed[name], shown)


def test_the_costs_of_a_network(asked, said):
    """The page compares both networks with vocabularies of one size."""
    function = "app.views.inside.encoder_steps.bert_and_albert"
    (call, *_) = asked("inside", function, inside_step="costs")
    for preset, shown in zip(("bert-base", "albert-base"), call.value.values(), strict=True):
        sizes = ("--preset", preset, "--vocab-size", 30_000, "--sequence-length", 128)
        printed = said("costs", *sizes)
        parts = printed["operation_parts"]
        parts["pooler"] += parts["sentence"]
        assert shown["parameters"].items() <= printed["parameter_parts"].items()
        assert shown["operations"].items() <= parts.items()


def test_the_recorded_scores(asked, said):
    function = "app.views.classify.chosen_classifier.recorded_confusions"
    for call in asked("classify", function, view="scores"):
        scores = said("models", "card", "en-sst2")["scores"]
        confusions = {name: score["confusion"] for name, score in scores.items()}
        assert {name: plain(shown.counts) for name, shown in call.value.items()} == confusions
    function = "app.views.translate.translation_views.recorded_bleu"
    calls = asked("translate", function, view="scores")
    for call, name in zip(calls, ("en-de-transformer", "en-de-bert-fused"), strict=True):
        assert plain(dict(call.value)) == said("models", "card", name)["bleu"]


@pytest.mark.parametrize("language", ["en", "ru", "de"])
def test_the_benchmarks_of_grammar(asked, said, language):
    function = "embeddings.lab.grammar_sets"
    for call in asked("grammar", function, text=language, view="benchmarks"):
        shown = [{**plain(table), "pairs": pairs} for table, pairs in call.value]
        assert shown
        assert said("grammar", "sets", "--language", *call.arguments) == shown
