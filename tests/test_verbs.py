"""Questions are methods: each verb names a function of the model, and an answer prints itself, becomes a frame and JSON."""

import inspect
import json

import numpy as np
import pytest

import embeddings
from embeddings import verbs
from embeddings.probing.network import open_reader

KINDS = {
    "Vectors": verbs.VectorVerbs,
    "Network": verbs.NetworkVerbs,
    "Classifier": verbs.ClassifierVerbs,
    "Translator": verbs.TranslatorVerbs,
    "Concordance": verbs.ConcordanceVerbs,
}
EVERY = [
    (kind, name)
    for kind, verbs_of_kind in KINDS.items()
    for name, verb in vars(verbs_of_kind).items()
    if isinstance(verb, verbs.Verb)
]


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_a_verb_is_a_documented_function_whose_first_argument_is_the_model(kind, name):
    function = getattr(KINDS[kind], name)
    first = next(iter(inspect.signature(function).parameters.values()))
    assert kind in first.annotation.split(" | ")
    assert function.__doc__


def test_a_method_of_vectors_answers_as_the_function():
    vectors = embeddings.load("en-glove")
    assert vectors.neighbours("ice", 3) == embeddings.neighbours(vectors, "ice", 3)
    assert vectors.analogy("king - man + woman").answers[0].word == "queen"
    cosine = float(
        vectors.unit_rows([vectors.row("ice")])[0] @ vectors.unit_rows([vectors.row("steam")])[0]
    )
    assert vectors.similarity_matrix(["ice", "steam"]).cosines[0, 1] == pytest.approx(
        cosine, abs=1e-6
    )


NO_TABLE = {  # tuples of gensim's own, a word, a page to save
    *("evaluate_word_analogies", "evaluate_word_pairs"),
    *("odd_one_out", "explore"),
}


def answers_of_vectors(tmp_path):
    """What each verb of vectors answers, and how many rows its table has."""
    vectors, glove = embeddings.load("en-skipgram"), embeddings.load("en-glove")
    analogies, pairs = tmp_path / "analogies.txt", tmp_path / "pairs.tsv"
    analogies.write_text(": family\nking queen man woman\n")
    pairs.write_text("king\tqueen\t9\nking\twater\t1\n")
    words = ["king", "queen", "water"]
    test = vectors.association("flowers-insects")
    return {
        "neighbours": (vectors.neighbours("king", 4), 4),
        "neighbour_table": (vectors.neighbour_table(words, 2), 6),
        "similarity_matrix": (vectors.similarity_matrix(words), 3),
        "mean_similarities": (vectors.mean_similarities(words), 3),
        "axis": (vectors.axis("man", "woman", words), 3),
        "analogy": (vectors.analogy("king - man + woman", topn=5), 5),
        "map": (vectors.map(words), 3),
        "compare": (vectors.compare(glove, words), 3),
        "most_different": (vectors.most_different(glove, 6), 6),
        "joint_map": (vectors.joint_map(glove, words), 3),
        "association": (test, 20),
        "effect_size_range": (vectors.effect_size_range(test), 5),
        "similarity_range": (vectors.similarity_range("king", "queen"), 5),
        "reliability": (vectors.reliability("king", ["queen", "throne"]), 2),
        "why_near": (vectors.why_near("king", "queen", 7), 7),
        "ratios": (glove.ratios("ice", "steam", ["solid", "gas"]), 2),
        "evaluate_analogies": (vectors.evaluate_analogies(analogies), 1),
        "evaluate_pairs": (vectors.evaluate_pairs(pairs), 4),
        "health": (vectors.health(), 2),
        "senses_of": (vectors.senses_of("bank"), 3),
        "parts": (embeddings.load("de-fasttext").parts("könig"), None),
    }


def test_every_answer_of_vectors_prints_a_table_and_becomes_a_frame_and_json(tmp_path):
    given = answers_of_vectors(tmp_path)
    verbs_of_vectors = {name for kind, name in EVERY if kind == "Vectors"}
    assert verbs_of_vectors - NO_TABLE <= given.keys()
    for question, (answer, rows) in given.items():
        names, lines = answer.table()
        assert lines, question
        assert rows is None or len(lines) == rows, question
        assert answer.to_frame().shape[0] == len(lines), question
        assert json.loads(answer.to_json()), question
        if question != "map":  # a map prints its size
            drawn = [line.split() for line in repr(answer).split("\n")]
            assert [word for name in names for word in name.split()] in drawn, question


@pytest.fixture(scope="module")
def reader(tiny_bert):
    return open_reader(tiny_bert)


def answers(reader):
    sentences = ["The bank lends money.", "The bank of the river.", "A bank by the water."]
    contexts = reader.contexts("bank", sentences, language="en", companion="none")
    return {
        "fill": (reader.fill("The [MASK] of the [MASK].", 3), 6),
        "score": (reader.score("the river"), None),
        "attention": (reader.attention("bank"), None),
        "senses": (contexts.senses(number=2), 2),
        "separation": (contexts.separation(["a", "b", "b"]), 3),
        "similarity": (contexts.similarity(1), 3),
        "contexts map": (contexts.map(1), 3),
    }  # fmt: skip


def test_every_answer_prints_a_table_and_becomes_a_frame_and_json(reader):
    for question, (answer, rows) in answers(reader).items():
        frame = answer.to_frame()
        names, lines = answer.table()
        assert len(frame) == len(lines), question
        assert rows is None or len(frame) == rows, question
        assert json.loads(answer.to_json()), question
        if question != "map":  # a map prints its size
            header = next(line for line in repr(answer).split("\n") if names[0] == line.split()[0])
            assert all(name in header for name in names), question


def test_every_answer_of_classifiers_translators_and_of_parts_of_a_network(reader):
    classifier, translator = embeddings.load("en-sst2"), embeddings.load("en-de-transformer")
    text, off = "The key opens a door.", embeddings.Parts(heads=((1, 2),))
    heads = embeddings.TranslatorHeads(cross=((1, 1),))
    effects = translator.head_effects(text)
    for answer in (
        *(reader.swap_words(text, 1, 4), reader.ablate("a [MASK]", off), reader.head_effects(text)),
        *(reader.walk(text), reader.word_states([(text, "key")]), reader.score_sentences([text])),
        *(classifier.predict(text), classifier.attribute(text), classifier.ablate(text, off)),
        *(classifier.head_effects(text), translator.translate(text), translator.walk(text)),
        *(translator.translate_lines([text, text]), translator.attribute(text)),
        *(translator.ablate(text, heads), effects),
    ):
        names, lines = answer.table()
        assert lines, type(answer)
        assert answer.to_frame().shape == (len(lines), len(names)), type(answer)
        assert json.loads(answer.to_json()), type(answer)
        assert names[0] in repr(answer), type(answer)
    rows = effects.to_frame().set_index(["attention", "layer"])
    assert rows.loc["cross", 2].tolist() == effects.cross.effects[1].tolist()


def test_json_of_an_answer_has_every_number(reader):
    answer = reader.fill("The [MASK].", 2)
    said = json.loads(answer.to_json())
    probabilities = [guess["probability"] for guess in said["masks"][0]["guesses"]]
    assert probabilities == [guess.probability for guess in answer.masks[0].guesses]
    np.testing.assert_allclose(said["masks"][0]["trace"], answer.masks[0].trace)
