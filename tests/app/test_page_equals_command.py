"""Each view of a page and each lesson shows the numbers that a command prints as JSON, asked about the same words alone.

What the page and the command leave out is decided in the library. A row of a table names the page or lesson, what the address adds, the
function of the library that the page calls, and what asks a command the same: it returns what is printed and what the page was given.
"""

from importlib import import_module
from operator import attrgetter, itemgetter

import numpy as np
import pytest

from app.views.contexts import word_in_contexts
from app.views.learn import lesson_pages
from app.widgets import views
from embeddings.corpora.sense_contexts import write_contexts
from embeddings.corpora.sense_files import read_senses
from embeddings.corpora.text_files import text_files
from embeddings.corpora.text_preview import preview
from embeddings.jobs import recipes
from embeddings.probing.sentence_answers import Guess
from embeddings.results import plain
from embeddings.shelf.locations import home
from embeddings.training.settings import defaults
from tests.app import visits
from tests.app.conftest import same
from tests.app.test_learn_page import LINKS, page_in
from tests.attention_view.page_data import data_of


def asks(command, *, printed=lambda answer: answer, shown=lambda answer: answer):
    """What asks a command about the words and sentences that a function was asked about, of the same model if there is one.

    ``printed`` and ``shown`` give what is compared, of the command's answer and of the function's.
    """

    def ask(call, say):
        about = [*call.arguments]
        model = about.pop(0) if about and not isinstance(about[0], str) else None
        lists = [[part] if isinstance(part, str) else part for part in about]
        texts = [text for part in lists if isinstance(part, list | tuple) for text in part]
        return printed(say(*command.split(), *texts, model=model)), shown(call.value)

    return ask


def without(answer, *names):
    """All parts of an answer but some, which it must have."""
    parts = plain(answer)
    for name in names:
        del parts[name]
    return parts


def near(answers):
    """Words near something; of forms there is no column where none are merged."""
    has_forms = any(answer.forms for answer in answers)
    return [plain(answer) if has_forms else without(answer, "forms") for answer in answers]


def nats(printed):
    """Log-probabilities of the tokens of a sentence."""
    return [token["log_probability"] for token in printed["tokens"]]


def answers(call, say):
    """Of a formula, its own words among them or forms of a word apart if the page asks for that."""
    options = ["--include-inputs"] if call.named.get("include_inputs") else []
    options += ["--no-fold"] if call.named.get("fold") is False else []
    formula = call.value.expression
    printed = say("words", "analogy", formula, *options, model=call.arguments[0])
    return printed, near(call.value.answers)


def reliability(call, say):
    vectors, about, *_ = call.arguments
    formula = getattr(about, "expression", about)
    return say("words", "reliability", formula, model=vectors), call.value


def points(projection):
    """The places of words on a map, as the command groups them."""
    pairs = zip(projection.words, projection.coordinates, strict=True)
    listed = [{"word": word, "coordinates": place} for word, place in pairs]
    return {"points": listed, "explained_variance_ratio": projection.explained_variance_ratio}


def axis(call, say):
    vectors, *ends = call.arguments
    return say("words", "axis", *ends, *call.named["words"], model=vectors), call.value


def differ(call, say):
    models = (call.arguments[0].first.name, call.arguments[0].second.name)
    return say("words", "differ", *models), call.value


def joint_map(call, say):
    alignment, words = call.arguments
    models = (alignment.first.name, alignment.second.name)
    return say("words", "joint-map", *models, *words), call.value


def overlap(call, say):
    alignment, words, _ = call.arguments
    file, models = home() / "words.txt", (alignment.first.name, alignment.second.name)
    file.write_text("\n".join(words), encoding="utf-8")
    return say("words", "compare", *models, "--words", file), call.value


def sense(call, say):
    vectors, name, topn = call.arguments
    senses = say("senses", "show", name.split("#")[0], model=vectors)
    near = next(each["neighbours"] for each in senses if each["word"] == name)
    assert len(near) == topn
    return near, [neighbour.word for neighbour in call.value]


def association(call, say):
    vectors, sets = call.arguments
    printed = say("words", "weat", sets.name, model=vectors)
    for each in printed["sets"]:  # the page says which words are missing
        assert each.pop("coverage") == len(each["words"]) / len(each["words"] + each["missing"])
    return without(printed, "effect_size_in_runs"), call.value  # the range is asked for apart


def why_sentences(call, say):
    _, answer, word = call.arguments
    pair = (answer.first, answer.second, "--model", "en-skipgram")
    printed = [each for each in say("words", "why", *pair)["sentences"] if each["word"] == word]
    shown = [{"word": word, "context": each.context, **plain(each.line)} for each in call.value]
    return printed, shown


def sentences(call, say):
    concordance, query = call.arguments
    place = ("--corpus", concordance.path, "--language", query.language)
    printed = say("concordance", "find", query.word, *place)
    assert printed["lines"]
    return printed, {"word": query.word, **plain(call.value)}


def collocates(call, say):
    concordance, word, language, _ = call.arguments
    place = ("--corpus", concordance.path, "--language", language)
    return say("concordance", "collocates", word, *place), call.value


def ratios(call, say):
    vectors, *pair, probes = call.arguments
    options = ("--probes", ",".join(probes))
    return say("words", "ratios", *pair, *options, model=vectors), call.value.rows


def fill(call, say):
    network, text, *topn = call.arguments
    options = [part for word in call.named["words"] for part in ("--word", word)]
    options += ["--topn", *topn] if topn else []
    options += ["--second", call.named["second"]]
    shown = [
        [*mask.guesses, *(Guess(each.word, each.probability) for each in mask.requested)]
        for mask in call.value.masks
    ]
    return say("fill", text, *options, model=network), shown


def by_layer(filled):
    """The guesses of each mask, with their layers."""
    return [
        [
            {"layer": layer, **plain(guess)}
            for layer, guesses in enumerate(mask.by_layer)
            for guess in guesses
        ]
        for mask in filled.masks
    ]


def guess(call, say):
    network, text, word = call.arguments
    word = call.named.get("token") or word
    return say("fill", "attribute", text, "--word", word, model=network), call.value


def translation(call, say):
    translator, text, width = call.arguments
    options = ("--beam", 1) if width == 1 else ()  # another width is the library's
    printed = say("translate", *options, model=translator, stdin=text)
    aligned = [token["source"] for token in printed["tokens"]]
    of_sentence = [printed[name] for name in ("source", "target", "score")]
    attention, answer = call.value.attention, [text, call.value.target, call.value.score]
    shown = [answer, attention.log_probabilities, attention.alignment]
    return [of_sentence, nats(printed), aligned], shown


def scores(call, say):
    (entry,) = call.arguments
    printed = [row for row in say("models", "scores") if row["model"] == entry.name]
    return printed, list(call.value.values())


def categories(call, say):
    card, test_set = call.arguments
    recorded = say("models", "card", card["name"])["scores"][test_set]
    return list(recorded["sections"].values()), call.value.sections


def weights(call, say):
    """Of all heads, as the command writes them."""
    entry, (first, _) = call.arguments
    file, shown = home() / "a.npz", call.value.shown
    say("attention", first, "--output", file, model=entry)
    with np.load(file) as arrays:
        printed = [arrays[name].tolist() for name in ("heads", "from_tokens", "weights")]
    return printed, [shown.heads, shown.from_side.labels, shown.weights]


def senses(call, say):
    """Of each context, with their names; the companion and the layer are the library's."""
    question, found = call.arguments[0], call.value.induction
    file, output = home() / "contexts.tsv", home() / "senses.tsv"
    write_contexts(file, question.contexts)
    options = ("--output", output, "--language", question.language)
    printed = say("contexts", "senses", file, *options, model=question.entry)
    (of_word,), word = printed["words"], word_in_contexts.in_contexts(question)
    labels = tuple(found.labels.tolist())
    by_sense = zip(word.words_around(labels), word.substitute_names(labels), strict=True)
    predicted = [int(context.predicted) for context in read_senses(output)]
    return (
        [printed["method"], of_word["number"], of_word["names"], predicted],
        [
            found.method,
            found.number,
            [near or instead for near, instead in by_sense],
            found.labels + 1,
        ],
    )


def of_word(part, shown=lambda answer, _: answer):
    """What asks ``klyuch contexts layers`` about the word that a method was asked of, and compares a part of what it prints."""

    def ask(call, say):
        (word, *_, rows), file = call.arguments, home() / "contexts.tsv"
        write_contexts(file, word.contexts)
        counted = {word.contexts[row].gold for row in rows if isinstance(row, int)}
        options = [f"--without={gold}" for gold in {*word.golds} - counted if counted]
        asked = ("contexts", "layers", file, "--language", word.reader.language, *options)
        (printed,) = say(*asked, model=word.reader.network).values()
        return part(printed, call.arguments[1]), shown(call.value, printed["separation"]["best"])

    return ask


def near_in_context(call, say):
    question, row, table = call.arguments
    context = question.contexts[row]
    options = ("--word", context.word, "--table", table.name)
    printed = say("contexts", "neighbours", context.text, *options, model=question.entry)
    return printed, call.value


def bleu(call, say):
    (card,) = call.arguments
    return say("models", "card", card["name"])["bleu"], dict(call.value)


def confusions(call, say):
    scores = say("models", "card", "en-sst2")["scores"]
    printed = {name: score["confusion"] for name, score in scores.items()}
    return printed, {name: shown.counts for name, shown in call.value.items()}


def label(call, say):
    classifier, (text,) = call.arguments
    return say("classify", "predict", model=classifier, stdin=text), call.value[0]


def label_words(call, say):
    classifier, text, _ = call.arguments
    return say("classify", "attribute", text, model=classifier), call.value


best_layer = of_word(lambda parts, _: parts["separation"]["best"])
best_map = of_word(lambda parts, _: parts["map"], lambda maps, best: maps[best])
separation = of_word(lambda parts, of: parts["found" if isinstance(of, list) else "separation"])
cosines = of_word(lambda parts, _: parts["similarity"])


def with_pairs(scored):
    return [{**plain(table), "pairs": pairs} for table, pairs in scored]


neighbours = asks("words neighbours", shown=near)
steps = asks("words analogy --steps", shown=attrgetter("steps"))
odd = asks("words odd-one-out", printed=itemgetter("word"))
matrix = asks("words matrix")
walk = asks("attention walk")
similarity = asks("words similarity", shown=lambda cosine: {"similarity": cosine})
why = asks(  # the page asks for sentences by themselves
    "words why --sentences 0",
    printed=lambda answer: without(answer, "sentences", "sentences_from"),
)
places = asks("words project", shown=points)
ablated = asks("attention ablate")
effects = asks("attention ablate --effects", printed=itemgetter("effects"))  # each head alone
inspected = asks("translation inspect")
experiment = asks("lab show")
benchmarks = asks("grammar sets --language", shown=with_pairs)
sentence_scores = asks(
    "grammar score",
    printed=lambda scores: [[s["total"], s["per_token"], nats(s)] for s in scores],
    shown=lambda scores: [[s.total, s.per_token, s.log_probabilities[-1]] for s in scores],
)
scores_by_layer = asks(
    "grammar score --layers=logit",
    printed=lambda scores: [score["layers"] for score in scores],
    shown=lambda scores: [score.log_probabilities.sum(axis=1) for score in scores],
)

ANALYSIS, PROBING, LEARN = "embeddings.analysis", "embeddings.probing", "app.views.learn"
QUESTIONS, ABLATED = "embeddings.shelf.vector_questions", f"{PROBING}.ablated_networks"
NEIGHBOURS, SOLVE = f"{ANALYSIS}.similarity.neighbours", f"{ANALYSIS}.analogies.solve"
CONTEXT_SENTENCES = "app.widgets.near_words.context_sentences"
ASSOCIATIONS = "app.views.associations.association_views"
WEAT = "embeddings.shelf.association_sets.ask_association"
USES, PLACES = "app.views.explore.word_uses", "app.views.explore.words_on_map.project"
COMMON_MAP = "app.views.compare.compared_models.common_map"
SCORES, ALL_SCORES = "app.widgets.model_answers.recorded_scores", "app.views.shelf.model_cards"
ATTENTION = "app.views.attention.attention_views"
PANEL = f"{ATTENTION}.attention_panel"
CONTEXTS, WORD = "app.views.contexts", f"{PROBING}.contexts.WordInContexts"
SENSES = f"{CONTEXTS}.word_in_contexts.answer"
EXPERIMENT, BENCHMARKS = "embeddings.lab.read_experiment", "embeddings.lab.grammar_sets"
CONFUSIONS = "app.views.classify.chosen_classifier.recorded_confusions"
BLEU = "app.views.translate.translation_views.recorded_bleu"
FILL, GUESS = f"{PROBING}.fill_mask.fill", f"{PROBING}.attribution.attribute_guess"
SENTENCES = f"{PROBING}.sentence_scoring.score_sentences"
TRANSLATION = f"{PROBING}.translator.look_inside"
TRANSLATED_WORDS = f"{PROBING}.translation_attribution.attribute_translation"
NEAR_SPRING = {"view": "why", "word": "spring", "why": "summer"}
OFF, ONE = {"view": "off"}, {"view": "one", "lang": "ru"}
USES_OF_THE = {"view": "sentences", "lang": "en", "word": "the"}
RUSSIAN_SENSES = {"view": "senses", "lang": "ru", "word": "ключ"}
VIEWS = [
    ("explore", {"lang": "ru"}, NEIGHBOURS, neighbours),
    ("explore", {"lang": "de"}, NEIGHBOURS, neighbours),
    ("explore", {"view": "map"}, PLACES, places),
    ("explore", RUSSIAN_SENSES, NEIGHBOURS, sense),
    ("explore", NEAR_SPRING, CONTEXT_SENTENCES, why_sentences),
    ("explore", {"view": "why"}, f"{QUESTIONS}.why_near", why),
    ("explore", USES_OF_THE, f"{USES}.search", sentences),
    ("explore", USES_OF_THE, f"{USES}.collocates", collocates),
    ("explore", {"view": "reliability"}, f"{QUESTIONS}.reliability", reliability),
    ("associations", {}, f"{ASSOCIATIONS}.similarity", similarity),
    ("associations", {}, f"{ASSOCIATIONS}.odd_one_out", odd),
    ("associations", {}, f"{ASSOCIATIONS}.axis", axis),
    ("associations", {"view": "list"}, f"{ASSOCIATIONS}.similarity_matrix", matrix),
    ("associations", {"view": "test"}, WEAT, association),
    ("analogies", {"lang": "ru"}, SOLVE, answers),
    ("analogies", {"view": "steps"}, SOLVE, steps),
    ("analogies", {"view": "reliability"}, f"{QUESTIONS}.reliability", reliability),
    ("compare", {}, COMMON_MAP, joint_map),
    ("compare", {}, f"{ANALYSIS}.model_comparison.compare", overlap),
    ("compare", {"view": "differ"}, f"{ANALYSIS}.model_comparison.most_moved", differ),
    ("compare", {"view": "sets"}, SCORES, scores),
    ("shelf", {"shelf_part": "scores"}, f"{ALL_SCORES}.model_scores", asks("models scores")),
    ("lab", {}, EXPERIMENT, experiment),
    ("lab", {"view": "curves"}, EXPERIMENT, experiment),
    ("lab", {"view": "numbers"}, EXPERIMENT, experiment),
    ("ratios", {}, f"{QUESTIONS}.ratios", ratios),
    ("contexts", {"lang": "ru"}, f"{WORD}.best_layer", best_layer),
    ("contexts", {"lang": "ru"}, f"{WORD}.maps", best_map),
    ("contexts", {"view": "layers", "lang": "ru"}, f"{WORD}.separation", separation),
    ("contexts", {"view": "pairs"}, f"{WORD}.similarity", cosines),
    ("contexts", ONE, f"{CONTEXTS}.one_context.neighbours", near_in_context),
    ("attention", {}, PANEL, weights),
    ("attention", {"view": "word"}, PANEL, weights),
    ("classify", {}, f"{PROBING}.label_prediction.predict", label),
    ("classify", {}, f"{PROBING}.attribution.attribute", label_words),
    ("classify", {"view": "scores"}, CONFUSIONS, confusions),
    ("classify", OFF, f"{ABLATED}.ablate_class", ablated),
    ("classify", OFF, f"{ABLATED}.class_head_effects", effects),
    ("translate", {}, TRANSLATION, translation),
    ("translate", {"view": "step"}, TRANSLATION, inspected),
    ("translate", {"view": "beam"}, TRANSLATION, inspected),
    ("translate", {"view": "heads"}, TRANSLATION, inspected),
    ("translate", {"view": "scores"}, BLEU, bleu),
    ("translate", OFF, f"{ABLATED}.ablate_translation", ablated),
    ("translate", OFF, f"{ABLATED}.translation_head_effects", effects),
    ("fill", {}, FILL, fill),
    ("fill", {"view": "layers"}, FILL, asks("fill --layers=logit", shown=by_layer)),
    ("fill", {"view": "moved"}, GUESS, guess),
    ("grammar", {}, SENTENCES, sentence_scores),
    ("grammar", {"view": "own"}, SENTENCES, sentence_scores),
    ("grammar", {"view": "layers"}, SENTENCES, scores_by_layer),
    ("grammar", {"view": "benchmarks"}, BENCHMARKS, benchmarks),
    ("grammar", {"view": "benchmarks", "text": "ru"}, BENCHMARKS, benchmarks),
    ("grammar", {"view": "benchmarks", "text": "de"}, BENCHMARKS, benchmarks),
    ("inside", {"inside_half": "decoder"}, f"{PROBING}.decoder_walk.walk_decoder", walk),
]
SLOW_VIEWS = [  # over 1.5 seconds
    ("analogies", {"view": "steps", "lang": "de"}, SOLVE, steps),
    ("contexts", {"lang": "ru"}, SENSES, senses),
    ("attention", OFF, f"{ABLATED}.ablate", ablated),
    ("attention", OFF, f"{ABLATED}.head_effects", effects),
    ("translate", {"view": "moved"}, TRANSLATED_WORDS, asks("translation attribute")),
    ("inside", {}, f"{PROBING}.encoder_walk.walk", walk),
]
LESSON_STEPS = [  # what a step itself says, apart from the page that it opens
    ("near", [1], f"{LEARN}.word_lessons.similarity", similarity),
    ("near", [2], f"{LEARN}.word_lessons.solve", answers),
    ("near", [3], f"{QUESTIONS}.why_near", why),
    ("near", [4], f"{LEARN}.word_lessons.neighbours", neighbours),
    ("analogy", [1, 2, 3, 4], f"{LEARN}.word_lessons.solve", answers),
    ("senses", [1], f"{LEARN}.word_lessons.neighbours", neighbours),
    ("ratios", [1, 2, 3, 4], f"{QUESTIONS}.ratios", ratios),
    ("context", [1, 2], FILL, fill),
    ("attention", [1, 2], PANEL, weights),
    ("attention", [3, 4], GUESS, guess),
    ("translation", [1, 2, 3, 4], TRANSLATION, translation),
    ("numbers", [1], SCORES, scores),
    ("numbers", [2], f"{LEARN}.network_lessons.grammar_sets", benchmarks),
    ("numbers", [3], f"{LEARN}.network_lessons.read_experiment", experiment),
    ("numbers", [4], "embeddings.shelf.companions.recorded_categories", categories),
]
BY_OTHER_TESTS = {  # of this folder
    "analogies sets": "page_equals_command.test_a_set_of_analogies",
    "change report": "compared_texts.test_what_the_page_starts_measures_a_planted_change_and_its_report_opens",
    "change texts": "compared_texts.test_what_the_page_starts_measures_a_planted_change_and_its_report_opens",
    "change periods": "compared_texts.test_a_pasted_table_of_dated_texts_is_divided_at_a_year",
    "change whatif": "what_if.test_lines_of_a_word_are_left_out_and_a_seeds_movement_stands_beside",
    "contexts annotation": "page_equals_command.test_the_scores_of_senses_and_their_agreement_with_an_annotation",
    "contexts documents": "sense_bench.test_page_saved_files_library_and_command_give_the_same_frequencies",
}


def view_of(page, address):
    """A page and the view that an address opens, the first if it names none."""
    return f"{page} {address.get('view', views.VIEWS.get(page, ('',))[0])}"


BY_ROWS = {view_of(page, address): row for page, address, *row in VIEWS + SLOW_VIEWS}


def test_every_view_is_compared_with_a_command():
    every = {f"{page} {view}" for page, names in views.VIEWS.items() for view in names}
    assert every == (BY_ROWS.keys() & every) | BY_OTHER_TESTS.keys()
    for test in BY_OTHER_TESTS.values():
        module, _, name = test.partition(".")
        assert callable(getattr(import_module(f"tests.app.test_{module}"), name))


def marked(*row, slow):
    return pytest.param(*row, marks=pytest.mark.slow if slow else ())


@pytest.mark.parametrize(
    ("page", "address", "function", "command"),
    [*VIEWS, *(marked(*row, slow=True) for row in SLOW_VIEWS)],
)
def test_a_view(asked, said, page, address, function, command):
    for call in asked(page, function, **address)[:3]:
        printed, shown = command(call, said)
        assert printed
        assert same(printed, shown)


@pytest.mark.parametrize(
    ("lesson", "step", "function", "command"),
    [
        marked(lesson, step, *row, slow=lesson in ("context", "attention", "translation"))
        for lesson, steps, *row in LESSON_STEPS
        for step in steps
    ],
)
def test_a_lesson(asked, said, lesson, step, function, command):
    address = {"learn_lesson": lesson, "learn_step": step}
    test_a_view(asked, said, "learn", address, function, command)


@pytest.mark.parametrize(("language", "lesson", "step"), LINKS)
def test_the_link_of_each_step_opens_its_page_which_keeps_all_its_settings(
    asked, said, language, lesson, step
):
    page = page_in(language)
    made = lesson_pages.BY_NAME[lesson].steps[step - 1](page)
    settings = {name: str(value) for name, value in lesson_pages.link_settings(page, made).items()}
    view = view_of(made.page, settings)
    if view in BY_ROWS:
        test_a_view(asked, said, made.page, settings, *BY_ROWS[view])
        app = asked.app
    else:
        assert view in BY_OTHER_TESTS
        app = visits.open_page(made.page, **settings)
    kept = {name: visits.value(app, name) for name in app.query_params}
    assert {name: kept.get(name) for name in settings} == settings
    assert not app.error


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


def test_the_costs_of_a_network(asked, said):
    """The page compares both networks with vocabularies of one size."""
    function = "app.views.inside.encoder_steps.bert_and_albert"
    (call, *_) = asked("inside", function, inside_step="costs")
    for preset, shown in zip(("bert-base", "albert-base"), call.value.values(), strict=True):
        sizes = ("--preset", preset, "--vocab-size", 30_000, "--sequence-length", 128)
        printed = said("costs", *sizes)
        parts = printed["operation_parts"]
        parts["pooler"] += parts["sentence"]
        stored = without(printed["parameter_parts"], "heads", "total")  # of the encoder alone
        assert shown == {"parameters": stored, "operations": without(parts, "sentence", "total")}


def test_the_scores_of_senses_and_their_agreement_with_an_annotation(asked, said, monkeypatch):
    names = [f"{CONTEXTS}.sense_groups.{name}" for name in ("adjusted_rand_index", "b_cubed")]
    answers, (ari, *_), (f1, one) = asked("contexts", SENSES, *names, lang="de")
    assert same(*senses(answers[0], said))
    file, output = home() / "contexts.tsv", home() / "senses.tsv"
    compared = visits.calls_of(monkeypatch, f"{CONTEXTS}.sense_reports.compare_annotations")
    app = visits.open_page("contexts", lang="de", view="annotation", timeout=180)
    app.file_uploader[-1].upload("gold.tsv", file.read_bytes(), "text/plain").run()
    (agreement,) = said("contexts", "agreement", output, file, "--language", "de").values()
    names = ("senses", "labels", "matching")  # the page has titles where the file has numbers
    assert same(without(agreement, *names), without(compared[-1].value, *names))
    options = ("--output", output, "--language", "de")
    printed = said("contexts", "senses", file, *options, model=answers[0].arguments[0].entry)
    scores = [printed["words"][0][name] for name in ("ari", "b_cubed", "one_sense_b_cubed")]
    assert same(scores, [ari.value, f1.value, one.value])


def test_attention_opens_with_the_head_that_the_command_draws(asked, said, tmp_path):
    (shown, *_), (opened, *_) = asked("attention", PANEL, f"{ATTENTION}.read_view_state")
    entry, (first, _) = shown.arguments
    said("attention", first, "--output", tmp_path / "a.html", model=entry)
    drawn = data_of((tmp_path / "a.html").read_text(encoding="utf-8"))["at"]
    assert (drawn["layer"], drawn["head"]) == (opened.value.layer, opened.value.head)


def test_the_models_of_the_shelf(asked, said):
    printed = {row["name"]: row for row in said("models", "list")}
    rows = [row for call in asked("shelf", "embeddings.shelf.shelf_models") for row in call.value]
    assert {row.name for row in rows} == printed.keys()
    described = ("is_own", "size", "words", "vector_size", "layers", "corpus", "licence", "created")
    assert all(same(printed[row.name], without(row, *described)) for row in rows)  # of its card


def test_the_estimate_of_a_training_is_of_the_settings_that_suit_its_text(asked, said):
    (call, *_) = asked("train", "app.views.train.job_start.estimate", train_source="demo")
    method, settings, text = call.arguments[:3]
    counted = preview(text_files([recipes.demonstration("en")]))
    assert same(plain(text), counted)
    assert settings == defaults(method, counted.words)
    assert same(said("jobs", "estimate", recipes.demonstration("en")), call.value)
