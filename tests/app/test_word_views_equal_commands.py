"""Each view of the word pages and each lesson shows the numbers that a command prints as JSON, asked about the same words alone.

A row of a table names the page or lesson, what the address adds, the function of the library that the page calls, and the function here
that asks a command what the page asked: it returns what is printed and what the page was given.
"""

import pytest

from tests.app import visits
from tests.app.test_page_equals_command import asked, run, said, same

__all__ = ["asked", "run", "said"]  # fixtures
ANALYSIS, PROBING, LESSONS = "embeddings.analysis", "embeddings.probing", "app.views.learn"
QUESTIONS = "embeddings.shelf.vector_questions"


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


def neighbours(call, say):
    vectors, word, _ = call.arguments
    return say("words", "neighbours", word, "--no-fold", model=vectors), call.value


def why(call, say):
    vectors, *pair = call.arguments
    printed = say("words", "why", *pair, "--sentences", 0, model=vectors)
    del printed["sentences"], printed["sentences_from"]  # the page asks for them by itself
    return printed, call.value


def fill(call, say):
    network, text, _ = call.arguments
    (word, *_) = call.named["words"]
    printed = say("fill", text, "--word", word, "--topn", 1, model=network)
    (mask,) = call.value.masks
    requested = {"token": word, "probability": mask.requested[0].probability}
    return printed[0], [mask.guesses[0], requested]


def guess(call, say):
    network, text, word = call.arguments
    return say("fill", "attribute", text, "--word", word, model=network), call.value


def translation(call, say):
    translator, text, _ = call.arguments
    printed = say("translate", model=translator, stdin=text)
    shown = [call.value.target, call.value.score, call.value.attention.log_probabilities.tolist()]
    nats = [token["log_probability"] for token in printed["tokens"]]
    return [printed["target"], printed["score"], nats], shown


def experiment(call, say):
    return say("lab", "show", *call.arguments), call.value


def scores(call, say):
    (entry,) = call.arguments
    printed = [row for row in say("models", "scores") if row["model"] == entry.name]
    return printed, list(call.value.values())


SLOW = pytest.mark.slow
GERMAN_STEPS = {"view": "steps", "lang": "de"}
RUSSIAN_SENSES = {"view": "senses", "lang": "ru", "word": "ключ"}
VIEWS = [
    ("analogies", {"lang": "ru"}, f"{ANALYSIS}.analogies.solve", answers),
    ("analogies", {"view": "steps"}, f"{ANALYSIS}.analogies.solve", steps),
    pytest.param("analogies", GERMAN_STEPS, f"{ANALYSIS}.analogies.solve", steps, marks=SLOW),
    ("analogies", {"view": "reliability"}, f"{QUESTIONS}.reliability", reliability),
    ("explore", {"view": "reliability"}, f"{QUESTIONS}.reliability", reliability),
    ("explore", RUSSIAN_SENSES, f"{ANALYSIS}.similarity.neighbours", sense),
    (
        "associations",
        {"view": "list"},
        "app.views.associations.association_views.similarity_matrix",
        matrix,
    ),
    ("compare", {"view": "differ"}, f"{ANALYSIS}.model_comparison.most_moved", differ),
    ("compare", {}, "app.views.compare.compared_models.common_map", joint_map),
    ("compare", {"view": "sets"}, "app.widgets.model_answers.recorded_scores", scores),
    ("explore", {"view": "why"}, f"{QUESTIONS}.why_near", why),
    ("lab", {}, "embeddings.lab.read_experiment", experiment),
    ("ratios", {}, f"{QUESTIONS}.ratios", ratios),
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
