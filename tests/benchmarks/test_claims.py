"""Claims of the experiments by hand, and that every file of results is what its benchmark makes of its measurements."""

import importlib

import pytest

from benchmarks import (
    bert_speed,
    gensim_speed,
    glove_speed,
    quality,
    speed,
    text_speed,
)
from benchmarks.result_files import RESULTS, head_of, read_results
from benchmarks.translation import translation_experiment
from embeddings.files import read_json
from embeddings.lab.experiment import Measured
from embeddings.lab.experiment_files import parse


def by_claim(experiment):
    """Verdicts of an experiment, and the numbers in their sentences."""
    values = {
        claim.name: {k: v.value if isinstance(v, Measured) else v for k, v in claim.fields}
        for claim in experiment.claims
    }
    return {claim.name: claim.verdict for claim in experiment.claims}, values


MAKERS = {  # module of `benchmarks` and what makes the experiment there
    "translation": ("translation", "translation_experiment"),
    "quality": ("quality", "quality_experiment"),
    "load": ("load", "load_experiment"),
    "clicks": ("clicks", "clicks_experiment"),
    "stillness": ("stillness", "stillness_experiment"),
    "page": ("page_speed", "page_experiment"),
}


@pytest.mark.parametrize("name", MAKERS)
def test_a_file_of_results_is_what_its_benchmark_makes_of_its_measurements(name):
    module, maker = MAKERS[name]
    experiment, measurements = parse(read_json(RESULTS / f"{name}.json"))
    make = getattr(importlib.import_module(f"benchmarks.{module}"), maker)
    assert make({**head_of(experiment), **measurements}) == experiment


RACES = {  # name of the file: its benchmark, and the question there
    "text": (text_speed, text_speed.QUESTION),
    "word2vec": (gensim_speed, gensim_speed.CONTESTS["word2vec"].question),
    "glove": (glove_speed, glove_speed.QUESTION),
    "bert_speed": (bert_speed, bert_speed.QUESTION),
}


@pytest.mark.parametrize("name", RACES)
def test_a_file_of_races_is_what_its_benchmark_makes_of_its_measurements(name):
    (benchmark, question), measured = RACES[name], read_results(name)
    made = speed.races_experiment(name, question, benchmark.races(measured), measured)
    assert made == parse(read_json(RESULTS / f"{name}.json"))[0]


def translated(score):
    result = {"score": score, "lower_score": score, "sentences": 1000, "signature": "s"}
    places = [f"{part}, beam {beam}" for part in ("val", "test_2016_flickr") for beam in (1, 5)]
    return {"minutes": 1, "bleu": dict.fromkeys(places, result)}


@pytest.mark.parametrize(
    ("fused", "longer", "outcomes"),
    [
        (32.0, 31.0, ("yes", "yes")),
        (32.0, 32.2, ("yes", "open")),
        (29.0, 31.0, ("no", "no")),
        (30.4, 29.0, ("open", "yes")),
    ],
)
def test_a_difference_under_half_a_point_of_bleu_tells_nothing(fused, longer, outcomes):
    runs = {"plain": 30.0, "fused": fused, "longer": longer}
    experiment = translation_experiment({name: translated(score) for name, score in runs.items()})
    found, _ = by_claim(experiment)
    assert (found["fused_better"], found["fused_not_longer"]) == outcomes
    assert found["tied_better"] == "open"  # never measured
    assert experiment.seconds == 180


def model(language, method, meaning, grammar):
    sections = {
        "capitals": {"name": "capitals", "correct": meaning, "covered": 10},
        "gram1": {"name": "gram1", "correct": grammar, "covered": 30},
    }
    scores = {"set.txt": {"sections": sections}, "WS-353": {"spearman": 0.5}}
    return {"model": f"{language}-{method}", "vector_size": 100, "scores": scores}


def test_methods_are_held_against_each_other_in_every_language():
    models = [
        model("ru", "skipgram", 5, 6),
        model("ru", "cbow", 4, 9),
        model("en", "skipgram", 6, 6),
        model("en", "cbow", 7, 9),
        model("en", "glove", 1, 3),
    ]
    trial = {
        "model": "en-skipgram",
        "change": {"window": 8},
        "scores": {"set.txt": 0.5, "other": 0.25, "WS-353": 0.7},
        "covered": {"set.txt": 30, "other": 10, "WS-353": 9},
    }
    experiment = quality.static_experiment(
        quality.quality_experiment({"models": models}),
        quality.trials_experiment({"trials": [trial]}),
    )
    outcomes, numbers = by_claim(experiment)
    assert outcomes == {"skipgram_meaning": "partly", "cbow_grammar": "yes", "glove_ahead": "no"}
    assert numbers["cbow_grammar"]["first_en"] == 30
    assert numbers["cbow_grammar"]["first_de"] is None
    assert numbers["glove_ahead"]["first_en"] == 10  # 4 of 40
    methods, trials = experiment.tables
    assert [row[0] for row in methods.rows] == [
        "en-skipgram", "en-cbow", "en-glove", "ru-skipgram", "ru-cbow",
    ]  # fmt: skip
    assert trials.rows[0][:3] == ("en-skipgram", "window=8", 43.75)  # (15 + 2.5) of 40


def test_speed_is_ours_over_theirs():
    bert = {"ours_tokens_per_second": 9000, "transformers_tokens_per_second": 3000}
    part = speed.races_experiment("bert_speed", "?", bert_speed.races(bert), bert)
    found = speed.speed_experiment([part])
    assert [row[6] for row in found.tables[0].rows] == [3]
    outcomes, numbers = by_claim(found)
    assert outcomes == {"fastest": "yes"}
    assert (numbers["fastest"]["faster"], numbers["fastest"]["ratio"]) == (1, 3)
