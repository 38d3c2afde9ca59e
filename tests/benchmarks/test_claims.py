"""Claims of the experiments by hand, and that every file of results is what its benchmark makes of its measurements."""

import importlib

import pytest

from benchmarks import bert_speed, pca_speed, races, static_quality
from benchmarks.albert_claims import cost_claims
from benchmarks.depth import depth_experiment
from benchmarks.result_files import RESULTS, head_of, read_results
from benchmarks.senses import senses_experiment
from benchmarks.sst2 import sst2_experiment
from benchmarks.translation import translation_experiment
from benchmarks.warm_start_settings import Curve, warm_start_experiment
from embeddings.files import read_json
from embeddings.lab.experiment_files import parse
from embeddings.results.experiment import Measured


def by_claim(experiment):
    """Verdicts of an experiment, and the numbers in their sentences."""
    values = {
        claim.name: {k: v.value if isinstance(v, Measured) else v for k, v in claim.fields}
        for claim in experiment.claims
    }
    return {claim.name: claim.verdict for claim in experiment.claims}, values


MAKERS = {  # module of `benchmarks` and what makes the experiment there
    "warm_start": ("warm_start_settings", "warm_start_experiment"),
    "depth": ("depth", "depth_experiment"),
    "albert": ("albert_claims", "albert_experiment"),
    "sst2": ("sst2", "sst2_experiment"),
    "translation": ("translation", "translation_experiment"),
    "senses": ("senses", "senses_experiment"),
    "quality": ("static_quality", "quality_experiment"),
    "trials": ("static_quality", "trials_experiment"),
    "knowledge": ("knowledge", "knowledge_experiment"),
    "grammar": ("grammar_accuracy", "measured_grammar"),
    "pretraining_pilots": ("pretraining_pilots", "pilots_experiment"),
    "reliability": ("reliability", "reliability_experiment"),
    "load": ("load", "load_experiment"),
    "clicks": ("clicks", "clicks_experiment"),
    "clicks_profile": ("clicks_profile", "profile_experiment"),
    "stillness": ("stillness", "stillness_experiment"),
    "first_openings": ("first_openings", "openings_experiment"),
    "tasks": ("tasks", "tasks_experiment"),
    "page": ("page_speed", "page_experiment"),
    "concordance": ("concordance_speed", "concordance_experiment"),
    "calibration": ("calibration", "calibration_experiment"),
    "pruning": ("pruning", "pruning_experiment"),
    "millions": ("millions", "millions_experiment"),
    "stability": ("stability", "stability_experiment"),
    "whatif": ("whatif_speed", "whatif_experiment"),
    "influence": ("influence", "influence_experiment"),
    "base_size": ("base_size", "base_size_experiment"),
    "scaling": ("scaling", "scaling_experiment"),
    "averaging": ("averaging", "averaging_experiment"),
}


@pytest.mark.parametrize("name", MAKERS)
def test_a_file_of_results_is_what_its_benchmark_makes_of_its_measurements(name):
    module, maker = MAKERS[name]
    experiment, measurements = parse(read_json(RESULTS / f"{name}.json"))
    make = getattr(importlib.import_module(f"benchmarks.{module}"), maker)
    assert make({**head_of(experiment), **measurements}) == experiment


@pytest.mark.parametrize("name", races.PARTS)
def test_a_file_of_races_is_what_its_benchmark_makes_of_its_measurements(name):
    module = "bert_speed" if name == "bert_speed" else f"{name}_speed"
    benchmark, measured = importlib.import_module(f"benchmarks.{module}"), read_results(name)
    made = races.races_experiment(name, benchmark.QUESTION, benchmark.races(measured), measured)
    assert made == parse(read_json(RESULTS / f"{name}.json"))[0]


def test_joined_files_are_what_their_parts_give():
    def stored(name):
        return parse(read_json(RESULTS / f"{name}.json"))[0]

    assert races.speed([stored(name) for name in races.parts()]) == stored("speed")
    assert static_quality.static(stored("quality"), stored("trials")) == stored("static")


def test_every_result_is_held_to_its_benchmark():
    known = {*MAKERS, *races.PARTS, *races.parts(), "speed", "static"}
    assert {path.stem for path in RESULTS.glob("*.json")} == known


def test_a_curve_is_straight_between_its_points():
    curve = Curve((0, 10, 20), (8, 4, 2))
    assert curve.at(15) == 3
    assert curve.falls_to(5) == 7.5
    assert curve.falls_to(9) == 0
    assert curve.falls_to(1) is None


def arm(name, rate, *points):
    curve = [{"tokens": tokens, "mlm_loss": loss} for tokens, loss in points]
    return {"name": name, "start": name, "learning_rate": rate, "rows": 8, "curve": curve}


def test_a_warm_start_is_held_against_a_cold_one_at_equal_tokens():
    arms = [
        arm("scratch_32_rows", 0.1, (1e6, 10), (2e6, 8)),
        arm("table_32_rows", 0.1, (1e6, 9), (2e6, 7), (3e6, 6)),
        arm("table", 0.1, (1e6, 5), (2e6, 4)),
        arm("cbow", 0.2, (1e6, 7), (2e6, 6)),
    ]
    experiment = warm_start_experiment({"commands": ["klyuch"], "arms": arms})
    outcomes, numbers = by_claim(experiment)
    assert outcomes == {"warm_table": "yes", "warm_cbow": "no"}
    # Both have seen 2 million tokens: 8 and 7. The warm one passes 8 halfway from 1 to 2 million.
    assert numbers["warm_table"] == {
        "tokens": 2,
        "slow": 8,
        "fast": 7,
        "share": 75,
        "slow_rate": 0.1,
        "fast_rate": 0.1,
    }
    assert numbers["warm_cbow"]["share"] is None  # it never gets to 4
    assert [table.name for table in experiment.tables] == ["starts"]


def test_settings_of_the_warm_start_are_a_table_of_their_own():
    arms = [arm("table", 0.1, (1e6, 5)), arm("cbow", 0.2, (1e6, 4))]
    scored = {"tokens": 7, "heldout_mlm_loss": 6.5, "heldout_mlm_accuracy": 0.125}
    settings = [{"name": "as_it_is", **scored}, {"name": "masked_40", **scored}]
    table = warm_start_experiment({"arms": arms, "settings": settings}).tables[1]
    assert table.rows == (("warm_as_it_is", 7, 6.5, 12.5), ("warm_masked_40", 7, 6.5, 12.5))


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
    experiment = static_quality.static(
        static_quality.quality_experiment({"models": models}),
        static_quality.trials_experiment({"trials": [trial]}),
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


def test_speed_is_ours_over_theirs_and_seconds_the_other_way_round():
    rows = [
        {"rows": 2000, "columns": 10, "klyuch_seconds": 2, "sklearn_seconds": 1},
        {"rows": 1000, "columns": 10, "klyuch_seconds": 1, "sklearn_seconds": 3},
    ]
    bert = {"ours_tokens_per_second": 9000, "transformers_tokens_per_second": 3000}
    parts = [
        races.races_experiment("bert_speed", "?", bert_speed.races(bert), bert),
        races.races_experiment("pca", "?", pca_speed.races({"rows": rows}), {}),
    ]
    found = races.speed(parts)
    assert [row[6] for row in found.tables[0].rows] == [3, 0.5, 3]
    outcomes, numbers = by_claim(found)
    assert outcomes == {"fastest": "partly"}
    assert (numbers["fastest"]["faster"], numbers["fastest"]["ratio"]) == (2, 0.5)
    assert found.files == ("benchmarks/results/bert_speed.json", "benchmarks/results/pca.json")


def sense(method, number, *scores):
    return {"method": method, "number": number, "seconds": 1} | dict(
        zip(("wiki-wiki", "active-dict", "en"), scores, strict=True)
    )


def test_senses_are_compared_on_sets_that_both_methods_know():
    rows = [
        sense("given_log_rank", "given", 0.5, 0.2, 0.3),
        sense("lemmas_views", "found", 0.7, 0.2, None),
        sense("forms_views", "found", 0.1, 0.1, 0.4),
        sense("word_state", "found", 0.2, 0.1, 0.1),
        sense("form_and_static", "found", 0.8, 0.21, 0.5),
    ]
    outcomes, numbers = by_claim(senses_experiment({"tables": {"methods": rows}}))
    assert outcomes == {"network_helps": "partly", "own_state_best": "no", "number_found": "partly"}
    helps = numbers["network_helps"]  # +0.1, +0.01 (chance) and, where there are no lemmas, +0.1
    assert (helps["ahead"], helps["behind"], helps["all"]) == (2, 0, 3)
    assert helps["second"] == pytest.approx((0.7 + 0.2 + 0.4) / 3)


def depth():
    shapes = [(1, 110, 0.60), (4, 90, 0.66)]
    rows = [
        {"layers": n, "hidden_size": d, "nsp_accuracy": a, "nsp_standard_error": 0.01}
        for n, d, a in shapes
    ]
    printed = [{"layers": n, "hidden_size": d, "nsp_accuracy": 0.7} for n, d, _ in shapes]
    both = ("equal_parameters", "equal_operations")
    gain = {"value": 0.06, "standard_error": 0.02}
    return {
        "source": dict.fromkeys(both, printed),
        "tables": dict.fromkeys(both, rows),
        "curves": {"1x110.seed1.mlm_loss": [[1, 5.0], [2, 4.0]]},
        "findings": [{"id": "deeper_nsp_equal_parameters", "source": 0.11, "ours": gain}],
    }


def test_depth_is_shown_beside_the_source():
    experiment = depth_experiment(depth())
    outcomes, numbers = by_claim(experiment)
    assert outcomes == {"deeper_nsp_equal_parameters": "yes"}
    assert numbers["deeper_nsp_equal_parameters"] == {"gain": 6, "error": 2, "best": 4}
    table = experiment.tables[0]
    assert [column.name for column in table.columns][-1] == "source_accuracy"
    assert table.rows[1] == (4, 90, 66, 1, 70)


def form(shared, parameters, rates, kept):
    return {
        "shared": shared,
        "embedding_size": 128,
        "parameters": parameters,
        "training_tokens_per_second": rates[1],
        "training_quartiles": [rates[0], rates[2]],
        "activation_bytes": kept,
    }


@pytest.mark.parametrize(
    ("rates", "faster"), [((21, 30, 40), "yes"), ((20, 30, 40), "open"), ((1, 5, 9), "no")]
)
def test_costs_of_sharing_are_held_against_no_sharing(rates, faster):
    costs = [
        form("all", 10, rates, 5),
        form("attention", 30, (1, 1, 1), 5),
        form("feed_forward", 20, (1, 1, 1), 5),
        form("none", 40, (10, 15, 20), 5),
    ]
    found = {one.name: one for one in cost_claims(costs, {})}
    assert found["albert_trains_faster"].verdict == faster
    assert found["albert_trains_faster"].fields == (("ratio", Measured(rates[1] / 15, 2)),)
    assert found["sharing_saves_parameters"].verdict == "yes"
    assert found["sharing_saves_parameters"].fields == (("ratio", Measured(4, 1)),)
    assert found["sharing_saves_activations"].verdict == "no"
    costs[1]["parameters"] = 15  # attention shared saves more than feed-forward shared
    found = {one.name: one for one in cost_claims(costs, {})}
    assert found["sharing_saves_parameters"].verdict == "no"


@pytest.mark.parametrize(
    ("mean", "lowest", "outcome"), [(0.8, 0.76, "yes"), (0.76, 0.75, "partly"), (0.75, 0.74, "no")]
)
def test_fine_tuning_is_held_against_the_source(mean, lowest, outcome):
    arm = {"arm": "pretrained", "seeds": 2, "mean_accuracy": mean, "lowest_accuracy": lowest}
    gain = {"value": 0.06, "standard_error": 0.01}
    measured = {
        "source": {"pretrained_accuracy": 0.7569, "random_accuracy": 0.7018},
        "pretraining": {"english_tokens_seen": 15_000_000},
        "tables": {"arms": [arm], "runs": [{"arm": "pretrained", "seed": 1}]},
        "curves": {"pretrained.seed1": [[1, 0.5]], "pretrained.seed2": [[1, 0.6]]},
        "findings": [{"id": "pretrained_over_random", "ours": gain, "source": 0.0551}],
    }
    experiment = sst2_experiment(measured)
    outcomes, numbers = by_claim(experiment)
    assert outcomes == {"beats_source": outcome, "pretrained_over_random": "yes"}
    assert numbers["beats_source"] == {
        "mean": 100 * mean,
        "lowest": 100 * lowest,
        "seeds": 2,
        "tokens": 15,
    }
    assert [series.name for series in experiment.drawings[1].series] == ["arm_pretrained"]
