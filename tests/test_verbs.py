"""Questions are methods: each is a function of the model, and an answer prints itself, becomes a frame and JSON."""

import inspect
import json
from types import FunctionType, MethodType

import pytest
from gensim.models import KeyedVectors

import embeddings
from embeddings import shelf, verbs
from embeddings.corpora import evaluation_sets as sets
from embeddings.corpora.concordance import Concordance
from embeddings.corpora.concordance_search import ConcordanceQuery
from embeddings.corpora.labelled import LabelledTexts
from embeddings.corpora.sense_contexts import Context
from embeddings.probing.contextual_neighbours import open_table

NAMES = ("Vectors", "Network", "Classifier", "Translator", "WordInContexts")
KINDS = {name: getattr(embeddings, name) for name in NAMES} | {"Concordance": Concordance}
METHODS = [
    (kind, name)
    for kind, of_kind in KINDS.items()
    for name in dir(of_kind)
    if not name.startswith("_") and isinstance(getattr(of_kind, name), FunctionType | MethodType)
]
NOT_A_QUESTION = (  # kind, reason, names
    ("Vectors", "called and answered as in gensim", " ".join(dir(KeyedVectors))),
    ("Vectors", "the table as a mapping or frame", "from_frame get items keys to_frame values"),
    ("Vectors", "the table without some rows, or with more", "subset with_senses"),
    ("Vectors", "rows of words", "find forms_of_sense row rows_left_out sense_row"),
    ("Vectors", "what stands in a row, a number or vectors", "compose count rows_of unit_rows"),
    ("Vectors", "how words are spelled", "beginning_with has_vector is_composed read_as"),
    ("Vectors", "one word or number", "answer_rank odd_one_out"),
    ("Vectors", "a page to save", "explore"),
    ("Network", "words by their numbers in other questions", "words_of_text words_with_tokens"),
    ("Network", "opens a word in contexts, which has questions of its own", "contexts"),
    ("Classifier", "words by their numbers in other questions", "words_of_text"),
    ("Classifier", "a text as it is read", "as_read encode"),
    ("Translator", "a text as it is read", "cut fits tokens"),
    ("WordInContexts", "one number", "best_layer"),
    ("WordInContexts", "a page to save", "explore"),
    ("Concordance", "the file and its rows", "count open paragraph_counts rows"),
)
NAMED = {(kind, name) for kind, _, names in NOT_A_QUESTION for name in names.split()}
ELSEWHERE = {"ratios": "en-glove", "parts": "de-fasttext"}  # models that store what is asked for


@pytest.mark.parametrize(("kind", "name"), METHODS)
def test_a_method_is_documented_and_a_verb_takes_the_model_first(kind, name):
    function = getattr(KINDS[kind], name)
    assert function.__doc__
    if type(inspect.getattr_static(KINDS[kind], name)) is verbs.Verb:
        first = next(iter(inspect.signature(function).parameters.values()))
        assert kind in first.annotation.split(" | ")


@pytest.fixture(scope="module")
def models():
    """A model of each kind, by its class."""
    names = ("en-skipgram", "bert-en", "en-sst2", "en-de-transformer")
    opened = {type(model).__name__: model for model in map(embeddings.load, names)}
    contexts = [
        Context("", "bank", "", "", ((4, 8),), text, (("file", "a.txt"),))
        for text in ("The bank lends money.", "The bank of a river.", "The bank by the water.")
    ]
    opened["WordInContexts"] = opened["Network"].contexts("bank", contexts, language="en")
    return opened | {"Concordance": shelf.open_concordance("sample-en")}


@pytest.fixture(scope="module")
def questions(models, tmp_path_factory):
    """How many lines each answer has, None where it depends on the model, and the arguments of the question."""
    folder = tmp_path_factory.mktemp("sets")
    analogies, pairs = folder / "analogies.txt", folder / "pairs.tsv"
    analogies.write_text(": family\nking queen man woman\n")
    pairs.write_text("king\tqueen\t9\nking\twater\t1\n")
    glove, words = embeddings.load("en-glove"), ["king", "queen", "water"]
    vectors, contexts = models["Vectors"], models["WordInContexts"].contexts
    text, blank = "The key opens a door.", "The [MASK] opens a door."
    off, cross = embeddings.Parts(heads=((1, 2),)), embeddings.TranslatorHeads(cross=((1, 1),))
    films, labels = ("A bad film.", "A good film.") * 10, models["Classifier"].labels * 10
    uses = (sets.WordInContext(text, (4, 7)), sets.WordInContext("The door.", (4, 8)))
    same = [sets.WordInContextPair(use.text, use, use, True) for use in uses]
    asked = (
        ("Vectors", {"neighbours": 10, "senses_of": 3}, "bank"),
        ("Vectors", {"neighbour_table": 6}, words, 2),
        ("Vectors", {"cluster": 3, "map": 3}, words),
        ("Vectors", {"mean_similarities": 3, "similarity_matrix": 3}, words),
        ("Vectors", {"axis": 3}, "man", "woman", words),
        ("Vectors", {"analogy": 10}, "king - man + woman"),
        ("Vectors", {"parallelogram": 7}, vectors.analogy("king - man + woman")),
        ("Vectors", {"compare": 3, "joint_map": 3}, glove, words),
        ("Vectors", {"most_different": 6}, glove, 6),
        ("Vectors", {"association": 20}, "flowers-insects"),
        ("Vectors", {"effect_size_range": 5}, vectors.association("flowers-insects")),
        ("Vectors", {"similarity_range": 5, "why_near": 15}, "king", "queen"),
        ("Vectors", {"reliability": 2}, "king", ["queen", "throne"]),
        ("Vectors", {"ratios": 2}, "ice", "steam", ["solid", "gas"]),
        ("Vectors", {"evaluate_analogies": 1}, analogies),
        ("Vectors", {"evaluate_pairs": 4}, pairs),
        ("Vectors", {"health": 2}),
        ("Vectors", {"assign_senses": 3}, contexts, "en"),
        ("Vectors", {"parts": None}, "könig"),
        ("Network", {"fill": 6}, "The [MASK] of the [MASK].", 3),
        ("Network", {"attribute": 5}, blank),
        ("Network", {"attention": 9 * 9 * 16, "head_effects": 4, "score": 7, "walk": 9}, text),
        ("Network", {"score_sentences": 2}, [text, text]),
        ("Network", {"evaluate_pairs": None}, [sets.MinimalPair("They are.", "They is.")]),
        ("Network", {"evaluate_blanks": None}, [sets.BlankSentence("Open the [MASK].", "door")]),
        ("Network", {"lens": 4, "stored_lens": 4}),
        ("Network", {"ablate": 10}, blank, off),
        ("Network", {"swap_words": 9}, text, 1, 4),
        ("Network", {"evaluate_word_in_context": None}, same, "en"),
        ("Network", {"word_states": 2}, [(text, "key"), (text, "door")]),
        ("Network", {"mean_states": 2}, [[(text, (4, 7))], [(text, (16, 20))]]),
        ("Network", {"substitutes": 8}, [(text, (4, 7)), (text, (16, 20))], 4),
        ("Classifier", {"attribute": 6, "head_effects": 4, "predict": 1}, text),
        ("Classifier", {"ablate": 2}, text, off),
        ("Classifier", {"calibrate": 1, "evaluate": 2}, LabelledTexts(folder, labels, films)),
        ("Translator", {"attribute": 7, "head_effects": 12, "translate": 7, "walk": 10}, text),
        ("Translator", {"ablate": None}, text, cross),
        ("Translator", {"translate_lines": 2}, [text, text]),
        ("WordInContexts", {"maps": 5, "sense_vectors": 3, "states": 3, "induction": None}),
        ("WordInContexts", {"naming_substitutes": 3 * 200}),
        ("WordInContexts", {"map": 3, "senses": 2, "similarity": 3}, 2),
        ("WordInContexts", {"separation": 5}, ["a", "b", "b"]),
        ("WordInContexts", {"frequencies": 2}, "file", 2),
        ("WordInContexts", {"substitute_names": 2, "words_around": 2}, [0, 1, 1]),
        ("WordInContexts", {"substitutes": 12}, 0),
        ("WordInContexts", {"neighbours": 10}, 0, open_table(shelf.find("en-bert").path)),
        ("Concordance", {"search": 3}, ConcordanceQuery("key", "en", limit=3)),
        ("Concordance", {"collocates": 30}, "the", "en"),
    )
    return {(kind, name): (n, args) for kind, counts, *args in asked for name, n in counts.items()}


def test_what_is_named_as_no_question_is_a_method_and_is_not_asked(questions):
    assert {one for one in NAMED if one[1] not in dir(KeyedVectors)} <= set(METHODS)
    assert not questions.keys() & NAMED


@pytest.mark.parametrize(("kind", "name"), [one for one in METHODS if one not in NAMED])
def test_an_answer_prints_a_table_and_becomes_a_frame_and_json(models, questions, kind, name):
    expected, arguments = questions[kind, name]
    model = embeddings.load(ELSEWHERE[name]) if name in ELSEWHERE else models[kind]
    answer = getattr(model, name)(*arguments)
    names, lines = answer.table()
    assert lines
    assert expected in (None, len(lines))
    assert json.loads(answer.to_json())
    is_map = hasattr(answer, "figure")  # prints its size; words are the index of its frame
    assert answer.to_frame().shape == (len(lines), len(names) - is_map)
    drawn = [line.split() for line in str(answer).split("\n")]
    assert is_map or [word for name in names for word in name.split()] in drawn


def test_effects_of_a_translator_stand_by_attention_and_layer(models):
    effects = models["Translator"].head_effects("The key opens a door.")
    rows = effects.to_frame().set_index(["attention", "layer"])
    assert rows.loc["cross", 2].tolist() == effects.cross.effects[1].tolist()
