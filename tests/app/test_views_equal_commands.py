"""Each view of a page and each lesson shows the numbers that a command prints as JSON, asked about the same words alone.

What the page and the command leave out is decided in the library. A row of a table names the page or lesson, what the address adds, the
function of the library that the page calls, and the function here that asks a command what the page asked: it returns what is printed
and what the page was given.
"""

import pytest

from embeddings.corpora.sense_contexts import write_contexts
from embeddings.results import plain
from tests.app import visits
from tests.app.conftest import same

ANALYSIS, PROBING, LESSONS = "embeddings.analysis", "embeddings.probing", "app.views.learn"
QUESTIONS = "embeddings.shelf.vector_questions"
ABLATED = f"{PROBING}.ablated_networks"
ASSOCIATIONS = "app.views.associations.association_views"


def log_probabilities(printed):
    """Of the tokens of a sentence."""
    return [token["log_probability"] for token in printed["tokens"]]


def ablated(call, say):
    model, text, *_ = call.arguments
    return say("attention", "ablate", text, model=model), call.value


def effects(call, say):
    """Of each head, off alone."""
    model, text, *_ = call.arguments
    return say("attention", "ablate", text, "--effects", model=model)["effects"], call.value


def inspected(call, say):
    translator, text, _ = call.arguments
    return say("translation", "inspect", text, model=translator), call.value


def translation_words(call, say):
    translator, text, _ = call.arguments
    return say("translation", "attribute", text, model=translator), call.value


def guesses_by_layer(call, say):
    network, text = call.arguments
    shown = [
        [
            {"layer": layer, **plain(guess)}
            for layer, guesses in enumerate(mask.by_layer)
            for guess in guesses
        ]
        for mask in call.value.masks
    ]
    return say("fill", text, "--layers", "logit", model=network), shown


def scores_by_layer(call, say):
    network, texts = call.arguments
    printed = say("grammar", "score", *texts, "--layers", "logit", model=network)
    shown = [score.log_probabilities.sum(axis=1) for score in call.value]
    return [score["layers"] for score in printed], shown


def sentence_scores(call, say):
    network, texts = call.arguments
    printed = say("grammar", "score", *texts, model=network)
    shown = [[score.total, score.per_token, score.log_probabilities[-1]] for score in call.value]
    return [
        [score["total"], score["per_token"], log_probabilities(score)] for score in printed
    ], shown


def walk(call, say):
    model, text, *_ = call.arguments
    return say("attention", "walk", text, model=model), call.value


def answers(call, say):
    vectors, formula = call.arguments
    return say("words", "analogy", formula, model=vectors), call.value.answers


def steps(call, say):
    vectors, formula = call.arguments
    return say("words", "analogy", formula, "--steps", model=vectors), call.value.steps


def reliability(call, say):
    vectors, about, *_ = call.arguments
    formula = getattr(about, "expression", about)
    return say("words", "reliability", formula, model=vectors), call.value


def matrix(call, say):
    vectors, words = call.arguments
    return say("words", "matrix", *words, model=vectors), call.value


def differ(call, say):
    models = (call.arguments[0].first.name, call.arguments[0].second.name)
    return say("words", "differ", *models), call.value


def joint_map(call, say):
    alignment, words = call.arguments
    models = (alignment.first.name, alignment.second.name)
    return say("words", "joint-map", *models, *words), call.value


def sense(call, say):
    vectors, name, topn = call.arguments
    senses = say("senses", "show", name.split("#")[0], model=vectors)
    near = next(each["neighbours"] for each in senses if each["word"] == name)
    assert len(near) == topn
    return near, [neighbour.word for neighbour in call.value]


def ratios(call, say):
    vectors, *pair, probes = call.arguments
    options = ("--probes", ",".join(probes))
    return say("words", "ratios", *pair, *options, model=vectors), call.value.rows


def similarity(call, say):
    vectors, *pair = call.arguments
    return say("words", "similarity", *pair, model=vectors), {"similarity": call.value}


def odd(call, say):
    vectors, words = call.arguments
    return say("words", "odd-one-out", *words, model=vectors)["word"], call.value


def axis(call, say):
    vectors, *ends = call.arguments
    return say("words", "axis", *ends, *call.named["words"], model=vectors), call.value


def neighbours(call, say):
    vectors, word, _ = call.arguments
    return say("words", "neighbours", word, "--no-fold", model=vectors), call.value


def why(call, say):
    vectors, *pair = call.arguments
    printed = say("words", "why", *pair, "--sentences", 0, model=vectors)
    del printed["sentences"], printed["sentences_from"]  # the page asks for them by itself
    return printed, call.value


def fill(call, say):
    network, text, *topn = call.arguments
    options = [part for word in call.named["words"] for part in ("--word", word)]
    options += ["--topn", *topn] if topn else []
    shown = [
        [
            *mask.guesses,
            *({"token": each.word, "probability": each.probability} for each in mask.requested),
        ]
        for mask in call.value.masks
    ]
    return say("fill", text, *options, model=network), shown


def guess(call, say):
    network, text, word = call.arguments
    word = call.named.get("token") or word
    return say("fill", "attribute", text, "--word", word, model=network), call.value


def translation(call, say):
    translator, text, _ = call.arguments
    printed, attention = say("translate", model=translator, stdin=text), call.value.attention
    aligned = [token["source"] for token in printed["tokens"]]
    return (
        [
            printed["source"],
            printed["target"],
            printed["score"],
            log_probabilities(printed),
            aligned,
        ],
        [
            text,
            call.value.target,
            call.value.score,
            attention.log_probabilities,
            attention.alignment,
        ],
    )


def experiment(call, say):
    return say("lab", "show", *call.arguments), call.value


def scores(call, say):
    (entry,) = call.arguments
    printed = [row for row in say("models", "scores") if row["model"] == entry.name]
    return printed, list(call.value.values())


SLOW = pytest.mark.slow  # over 1.5 seconds
OFF = {"view": "off"}
GERMAN_STEPS = {"view": "steps", "lang": "de"}
RUSSIAN_SENSES = {"view": "senses", "lang": "ru", "word": "ключ"}
VIEWS = [
    ("analogies", {"lang": "ru"}, f"{ANALYSIS}.analogies.solve", answers),
    ("analogies", {"view": "steps"}, f"{ANALYSIS}.analogies.solve", steps),
    pytest.param("analogies", GERMAN_STEPS, f"{ANALYSIS}.analogies.solve", steps, marks=SLOW),
    ("analogies", {"view": "reliability"}, f"{QUESTIONS}.reliability", reliability),
    ("explore", {"view": "reliability"}, f"{QUESTIONS}.reliability", reliability),
    ("explore", RUSSIAN_SENSES, f"{ANALYSIS}.similarity.neighbours", sense),
    ("associations", {}, f"{ASSOCIATIONS}.similarity", similarity),
    ("associations", {}, f"{ASSOCIATIONS}.odd_one_out", odd),
    ("associations", {}, f"{ASSOCIATIONS}.axis", axis),
    ("associations", {"view": "list"}, f"{ASSOCIATIONS}.similarity_matrix", matrix),
    ("compare", {"view": "differ"}, f"{ANALYSIS}.model_comparison.most_moved", differ),
    ("compare", {}, "app.views.compare.compared_models.common_map", joint_map),
    ("compare", {"view": "sets"}, "app.widgets.model_answers.recorded_scores", scores),
    ("explore", {"view": "why"}, f"{QUESTIONS}.why_near", why),
    ("lab", {}, "embeddings.lab.read_experiment", experiment),
    ("ratios", {}, f"{QUESTIONS}.ratios", ratios),
    pytest.param("attention", OFF, f"{ABLATED}.ablate", ablated, marks=SLOW),
    pytest.param("attention", OFF, f"{ABLATED}.head_effects", effects, marks=SLOW),
    ("classify", OFF, f"{ABLATED}.ablate_class", ablated),
    ("classify", OFF, f"{ABLATED}.class_head_effects", effects),
    ("translate", OFF, f"{ABLATED}.ablate_translation", ablated),
    ("translate", OFF, f"{ABLATED}.translation_head_effects", effects),
    ("translate", {}, f"{PROBING}.translator.look_inside", translation),
    ("translate", {"view": "step"}, f"{PROBING}.translator.look_inside", inspected),
    ("translate", {"view": "beam"}, f"{PROBING}.translator.look_inside", inspected),
    ("translate", {"view": "heads"}, f"{PROBING}.translator.look_inside", inspected),
    pytest.param(
        "translate",
        {"view": "moved"},
        f"{PROBING}.translation_attribution.attribute_translation",
        translation_words,
        marks=SLOW,
    ),
    ("fill", {"view": "layers"}, f"{PROBING}.fill_mask.fill", guesses_by_layer),
    ("fill", {}, f"{PROBING}.fill_mask.fill", fill),
    ("fill", {"view": "moved"}, f"{PROBING}.attribution.attribute_guess", guess),
    ("grammar", {"view": "layers"}, f"{PROBING}.sentence_scoring.score_sentences", scores_by_layer),
    ("grammar", {"view": "own"}, f"{PROBING}.sentence_scoring.score_sentences", sentence_scores),
    ("grammar", {}, f"{PROBING}.sentence_scoring.score_sentences", sentence_scores),
    pytest.param("inside", {}, f"{PROBING}.encoder_walk.walk", walk, marks=SLOW),
    ("inside", {"inside_half": "decoder"}, f"{PROBING}.decoder_walk.walk_decoder", walk),
]
LESSON_STEPS = [
    ("near", 1, f"{LESSONS}.word_lessons.similarity", similarity),
    ("near", 3, f"{QUESTIONS}.why_near", why),
    ("near", 4, f"{LESSONS}.word_lessons.neighbours", neighbours),
    ("analogy", 1, f"{LESSONS}.word_lessons.solve", answers),
    ("senses", 1, f"{LESSONS}.word_lessons.neighbours", neighbours),
    ("ratios", 1, f"{QUESTIONS}.ratios", ratios),
    pytest.param("context", 1, f"{PROBING}.fill_mask.fill", fill, marks=SLOW),
    pytest.param("attention", 3, f"{PROBING}.attribution.attribute_guess", guess, marks=SLOW),
    pytest.param("translation", 1, f"{PROBING}.translator.look_inside", translation, marks=SLOW),
    ("numbers", 1, "app.widgets.model_answers.recorded_scores", scores),
    ("numbers", 3, f"{LESSONS}.network_lessons.read_experiment", experiment),
]


@pytest.mark.parametrize(("page", "address", "function", "command"), VIEWS)
def test_a_view(asked, said, page, address, function, command):
    for call in asked(page, function, **address)[:3]:
        printed, shown = command(call, said)
        assert printed
        assert same(printed, shown)


@pytest.mark.parametrize(("lesson", "step", "function", "command"), LESSON_STEPS)
def test_a_lesson(asked, said, lesson, step, function, command):
    call = asked("learn", function, learn_lesson=lesson, learn_step=step)[0]
    printed, shown = command(call, said)
    assert printed
    assert same(printed, shown)


@pytest.mark.slow
def test_a_set_of_analogies(said, monkeypatch):
    page = visits.open_page("analogies", lang="ru", view="sets", boxes=(), models="ru-skipgram")
    function = "embeddings.analysis.evaluation.evaluate_analogies"
    calls = visits.calls_of(monkeypatch, function)
    page.button(key="score").click().run(timeout=180)
    for call in list(calls):
        vectors, paths = call.arguments
        files = [part for path in paths for part in ("--analogies", path)]
        printed = said("words", "evaluate", *files, model=vectors)["analogies"]
        for section in printed["sections"]:  # the page draws correct / covered
            assert section.pop("accuracy") == section["correct"] / section["covered"]
        assert same(printed, call.value)
    assert calls


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
