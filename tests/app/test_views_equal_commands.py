"""Each view of a page and each lesson shows the numbers that a command prints as JSON, asked about the same words alone.

What the page and the command leave out is decided in the library. A row of a table names the page or lesson, what the address adds, the
function of the library that the page calls, and the function here that asks a command what the page asked: it returns what is printed
and what the page was given.
"""

from importlib import import_module

import numpy as np
import pytest

from app.views.learn import lesson_pages
from app.views.learn.lesson_pages import BY_NAME, LESSONS
from app.widgets import views
from embeddings.corpora.sense_contexts import write_contexts
from embeddings.corpora.sense_files import read_senses
from embeddings.results import plain
from embeddings.shelf.locations import home
from tests.app import visits
from tests.app.conftest import same
from tests.app.test_learn_page import page_in

ANALYSIS, PROBING, LEARN = "embeddings.analysis", "embeddings.probing", "app.views.learn"
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
    """Of a formula, its own words among them or forms of a word apart if the page asks for that."""
    options = ["--include-inputs"] if call.named.get("include_inputs") else []
    options += ["--no-fold"] if call.named.get("fold") is False else []
    formula = call.value.expression
    return say("words", "analogy", formula, *options, model=call.arguments[0]), call.value.answers


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
    return say("words", "neighbours", word, model=vectors), call.value


def why(call, say):
    vectors, *pair = call.arguments
    printed = say("words", "why", *pair, "--sentences", 0, model=vectors)
    del printed["sentences"], printed["sentences_from"]  # the page asks for them by itself
    return printed, call.value


def fill(call, say):
    network, text, *topn = call.arguments
    options = [part for word in call.named["words"] for part in ("--word", word)]
    options += ["--topn", *topn] if topn else []
    options += ["--second", call.named["second"]]
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
    translator, text, width = call.arguments
    options = ("--beam", 1) if width == 1 else ()  # another width is the library's
    printed, attention = (
        say("translate", *options, model=translator, stdin=text),
        call.value.attention,
    )
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


def weights(call, say):
    """Of all heads, as the command writes them."""
    entry, (first, _) = call.arguments
    file, shown = home() / "a.npz", call.value.shown
    say("attention", first, "--output", file, model=entry)
    with np.load(file) as arrays:
        printed = [arrays[name].tolist() for name in ("heads", "from_tokens", "weights")]
    return printed, [shown.heads, shown.from_side.labels, shown.weights]


def senses(call, say):
    """Of each context; the companion and the layer are the library's."""
    question, found = call.arguments[0], call.value.induction
    file, output = home() / "contexts.tsv", home() / "senses.tsv"
    write_contexts(file, question.contexts)
    options = ("--output", output, "--language", question.language)
    (of_word,) = say("contexts", "senses", file, *options, model=question.entry)["words"]
    predicted = [int(context.predicted) for context in read_senses(output)]
    return [of_word["number"], predicted], [found.number, found.labels + 1]


def benchmarks(call, say):
    shown = [{**plain(table), "pairs": pairs} for table, pairs in call.value]
    return say("grammar", "sets", "--language", *call.arguments), shown


def categories(call, say):
    card, test_set = call.arguments
    recorded = say("models", "card", card["name"])["scores"][test_set]
    return list(recorded["sections"].values()), call.value.sections


def overlap(call, say):
    alignment, words, topn = call.arguments
    file, models = home() / "words.txt", (alignment.first.name, alignment.second.name)
    file.write_text("\n".join(words), encoding="utf-8")
    return say("words", "compare", *models, "--words", file, "--topn", topn), call.value


def association(call, say):
    vectors, sets = call.arguments
    printed, expected = say("words", "weat", sets.name, model=vectors), plain(call.value)
    assert printed.keys() >= expected.keys()
    names = ("effect_size", "statistic", "one_sided", "two_sided", "targets")
    return {name: printed[name] for name in names}, expected


def places(call, say):
    vectors, words = call.arguments
    printed = say("words", "project", *words, model=vectors)
    return [point["coordinates"] for point in printed["points"]], call.value.coordinates


def sentences(call, say):
    concordance, query = call.arguments
    place = ("--corpus", concordance.path, "--language", query.language)
    printed = say("concordance", "find", query.word, *place, "--limit", query.limit)
    assert printed["lines"]
    return printed, {"word": query.word, **plain(call.value)}


def collocates(call, say):
    concordance, word, language, window = call.arguments
    place = ("--corpus", concordance.path, "--language", language, "--window", window)
    printed = say("concordance", "collocates", word, *place, "--topn", 10_000)
    return printed, sorted(call.value, key=lambda each: -each.log_likelihood)


def near_in_context(call, say):
    question, row, table = call.arguments
    context = question.contexts[row]
    options = ("--word", context.word, "--table", table.name)
    printed = say("contexts", "neighbours", context.text, *options, model=question.entry)
    return printed, call.value


def label(call, say):
    classifier, (text,) = call.arguments
    return say("classify", "predict", model=classifier, stdin=text), call.value[0]


def label_words(call, say):
    classifier, text, _ = call.arguments
    return say("classify", "attribute", text, model=classifier), call.value


def all_scores(call, say):
    return say("models", "scores"), call.value


SLOW = pytest.mark.slow  # over 1.5 seconds
RUSSIAN_WORD = {"view": "one", "lang": "ru"}
OFF = {"view": "off"}
GERMAN_STEPS = {"view": "steps", "lang": "de"}
WATER = {"view": "sentences", "lang": "en", "word": "water"}
RUSSIAN_SENSES = {"view": "senses", "lang": "ru", "word": "ключ"}
PANEL = "app.views.attention.attention_views.attention_panel"
VIEWS = [
    ("explore", {"lang": "ru"}, f"{ANALYSIS}.similarity.neighbours", neighbours),
    ("explore", {"lang": "de"}, f"{ANALYSIS}.similarity.neighbours", neighbours),
    ("analogies", {"lang": "ru"}, f"{ANALYSIS}.analogies.solve", answers),
    ("analogies", {"view": "steps"}, f"{ANALYSIS}.analogies.solve", steps),
    pytest.param("analogies", GERMAN_STEPS, f"{ANALYSIS}.analogies.solve", steps, marks=SLOW),
    ("analogies", {"view": "reliability"}, f"{QUESTIONS}.reliability", reliability),
    ("explore", {"view": "reliability"}, f"{QUESTIONS}.reliability", reliability),
    ("explore", RUSSIAN_SENSES, f"{ANALYSIS}.similarity.neighbours", sense),
    ("associations", {}, f"{ASSOCIATIONS}.similarity", similarity),
    ("associations", {}, f"{ASSOCIATIONS}.odd_one_out", odd),
    ("associations", {}, f"{ASSOCIATIONS}.axis", axis),
    (
        "associations",
        {"view": "test"},
        "embeddings.shelf.association_sets.ask_association",
        association,
    ),
    ("associations", {"view": "list"}, f"{ASSOCIATIONS}.similarity_matrix", matrix),
    ("compare", {"view": "differ"}, f"{ANALYSIS}.model_comparison.most_moved", differ),
    ("compare", {}, "app.views.compare.compared_models.common_map", joint_map),
    ("compare", {}, f"{ANALYSIS}.model_comparison.compare", overlap),
    ("compare", {"view": "sets"}, "app.widgets.model_answers.recorded_scores", scores),
    ("explore", {"view": "map"}, "app.views.explore.words_on_map.project", places),
    ("explore", WATER, "app.views.explore.word_uses.search", sentences),
    ("explore", WATER, "app.views.explore.word_uses.collocates", collocates),
    ("explore", {"view": "why"}, f"{QUESTIONS}.why_near", why),
    ("lab", {}, "embeddings.lab.read_experiment", experiment),
    ("lab", {"view": "curves"}, "embeddings.lab.read_experiment", experiment),
    ("lab", {"view": "numbers"}, "embeddings.lab.read_experiment", experiment),
    ("attention", {}, PANEL, weights),
    ("attention", {"view": "word"}, PANEL, weights),
    ("contexts", RUSSIAN_WORD, "app.views.contexts.one_context.neighbours", near_in_context),
    pytest.param(
        "contexts",
        {"lang": "ru"},
        "app.views.contexts.word_in_contexts.answer",
        senses,
        marks=SLOW,
    ),
    ("ratios", {}, f"{QUESTIONS}.ratios", ratios),
    pytest.param("attention", OFF, f"{ABLATED}.ablate", ablated, marks=SLOW),
    pytest.param("attention", OFF, f"{ABLATED}.head_effects", effects, marks=SLOW),
    ("classify", {}, f"{PROBING}.label_prediction.predict", label),
    ("classify", {}, f"{PROBING}.attribution.attribute", label_words),
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
    *(
        (
            "grammar",
            {"view": "benchmarks", "text": language},
            "embeddings.lab.grammar_sets",
            benchmarks,
        )
        for language in visits.LANGUAGES
    ),
    ("grammar", {"view": "own"}, f"{PROBING}.sentence_scoring.score_sentences", sentence_scores),
    ("grammar", {}, f"{PROBING}.sentence_scoring.score_sentences", sentence_scores),
    pytest.param("inside", {}, f"{PROBING}.encoder_walk.walk", walk, marks=SLOW),
    (
        "shelf",
        {"shelf_part": "scores"},
        "app.views.shelf.model_cards.model_scores",
        all_scores,
    ),
    ("inside", {"inside_half": "decoder"}, f"{PROBING}.decoder_walk.walk_decoder", walk),
]
OF_NETWORKS = ("senses", "context", "attention", "translation")
LESSON_STEPS = [  # what a step itself says, apart from the page that it opens
    ("near", 1, f"{LEARN}.word_lessons.similarity", similarity),
    ("near", 2, f"{LEARN}.word_lessons.solve", answers),
    ("near", 3, f"{QUESTIONS}.why_near", why),
    ("near", 4, f"{LEARN}.word_lessons.neighbours", neighbours),
    *(("analogy", step, f"{LEARN}.word_lessons.solve", answers) for step in range(1, 5)),
    ("senses", 1, f"{LEARN}.word_lessons.neighbours", neighbours),
    *(("ratios", step, f"{QUESTIONS}.ratios", ratios) for step in range(1, 5)),
    pytest.param("context", 1, f"{PROBING}.fill_mask.fill", fill, marks=SLOW),
    pytest.param("context", 2, f"{PROBING}.fill_mask.fill", fill, marks=SLOW),
    pytest.param("attention", 1, PANEL, weights, marks=SLOW),
    pytest.param("attention", 2, PANEL, weights, marks=SLOW),
    pytest.param("attention", 3, f"{PROBING}.attribution.attribute_guess", guess, marks=SLOW),
    pytest.param("attention", 4, f"{PROBING}.attribution.attribute_guess", guess, marks=SLOW),
    *(
        pytest.param(
            "translation", step, f"{PROBING}.translator.look_inside", translation, marks=SLOW
        )
        for step in range(1, 5)
    ),
    ("numbers", 1, "app.widgets.model_answers.recorded_scores", scores),
    ("numbers", 2, f"{LEARN}.network_lessons.grammar_sets", benchmarks),
    ("numbers", 3, f"{LEARN}.network_lessons.read_experiment", experiment),
    ("numbers", 4, "embeddings.shelf.companions.recorded_categories", categories),
]


def view_of(page, address):
    """A page and the view that an address opens, the first if it names none."""
    return page, address.get("view", views.VIEWS.get(page, ("",))[0])


COMPARED = {view_of(*row[:2]): row[2:] for row in (getattr(row, "values", row) for row in VIEWS)}
BY_OTHER_TESTS = {
    ("analogies", "sets"): "test_views_equal_commands.test_a_set_of_analogies",
    ("change", "report"): "test_page_equals_command.test_a_report_of_change",
    (
        "change",
        "texts",
    ): "test_compared_texts.test_what_the_page_starts_measures_a_planted_change_and_its_report_opens",
    (
        "change",
        "periods",
    ): "test_compared_texts.test_a_pasted_table_of_dated_texts_is_divided_at_a_year",
    (
        "change",
        "whatif",
    ): "test_what_if.test_lines_of_a_word_are_left_out_and_a_seeds_movement_stands_beside",
    ("classify", "scores"): "test_views_equal_commands.test_the_recorded_scores",
    ("contexts", "layers"): "test_views_equal_commands.test_a_view_of_a_word_in_contexts",
    ("contexts", "pairs"): "test_views_equal_commands.test_a_view_of_a_word_in_contexts",
    ("contexts", "annotation"): "test_page_equals_command.test_contexts",
    (
        "contexts",
        "documents",
    ): "test_sense_bench.test_page_saved_files_library_and_command_give_the_same_frequencies",
    ("translate", "scores"): "test_views_equal_commands.test_the_recorded_scores",
}


def test_every_view_is_compared_with_a_command():
    every = {(page, view) for page, names in views.VIEWS.items() for view in names}
    assert every == (COMPARED.keys() & every) | BY_OTHER_TESTS.keys()
    for test in BY_OTHER_TESTS.values():
        module, _, name = test.partition(".")
        assert callable(getattr(import_module(f"tests.app.{module}"), name))


@pytest.mark.parametrize(("page", "address", "function", "command"), VIEWS)
def test_a_view(asked, said, page, address, function, command):
    for call in asked(page, function, **address)[:3]:
        printed, shown = command(call, said)
        assert printed
        assert same(printed, shown)


@pytest.mark.parametrize(("lesson", "step", "function", "command"), LESSON_STEPS)
def test_a_lesson(asked, said, lesson, step, function, command):
    for call in asked("learn", function, learn_lesson=lesson, learn_step=step)[:3]:
        printed, shown = command(call, said)
        assert printed
        assert same(printed, shown)


@pytest.mark.parametrize(
    ("lesson", "step"),
    [
        pytest.param(each.name, at, marks=SLOW if each.name in OF_NETWORKS else ())
        for each in LESSONS
        for at in range(len(each.steps))
    ],
)
def test_what_the_page_shows_that_a_step_of_a_lesson_opens(asked, said, lesson, step):
    made = BY_NAME[lesson].steps[step](page_in("en"))
    view = view_of(made.page, made.settings)
    if view in BY_OTHER_TESTS:
        return
    function, command = COMPARED[view]
    address = lesson_pages.link_settings(page_in("en"), made)
    for call in asked(made.page, function, **address)[:3]:
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
