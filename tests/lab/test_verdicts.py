"""Verdicts of the experiments by hand."""

import pytest

from embeddings.lab import read_experiment
from embeddings.lab.albert_comparison import _costs
from embeddings.lab.result_files import Finding, Told
from embeddings.results.experiment import Measured
from tests.lab.verdicts import by_claim


def arm(name, rate, *points):
    curve = [{"tokens": tokens, "mlm_loss": loss} for tokens, loss in points]
    return {"name": name, "start": name, "learning_rate": rate, "rows": 8, "curve": curve}


def test_a_warm_start_is_held_against_a_cold_one_at_equal_tokens(results):
    arms = [
        arm("scratch_32_rows", 0.1, (1e6, 10), (2e6, 8)),
        arm("table_32_rows", 0.1, (1e6, 9), (2e6, 7), (3e6, 6)),
        arm("table", 0.1, (1e6, 5), (2e6, 4)),
        arm("cbow", 0.2, (1e6, 7), (2e6, 6)),
    ]
    results(warm_start={"commands": ["klyuch"], "arms": arms})
    outcomes, numbers = by_claim("warm_start")
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
    assert [table.name for table in read_experiment("warm_start").tables] == ["starts"]


def test_settings_of_the_warm_start_are_a_table_of_their_own(results):
    arms = [arm("table", 0.1, (1e6, 5)), arm("cbow", 0.2, (1e6, 4))]
    scored = {"tokens": 7, "heldout_mlm_loss": 6.5, "heldout_mlm_accuracy": 0.125}
    settings = [{"name": "as_it_is", **scored}, {"name": "masked_40", **scored}]
    results(warm_start={"commands": ["klyuch"], "arms": arms, "settings": settings})
    table = read_experiment("warm_start").tables[1]
    assert table.rows == (("warm_as_it_is", 7, 6.5, 12.5), ("warm_masked_40", 7, 6.5, 12.5))


def translated(score):
    one = {"score": score, "lower_score": score, "sentences": 1000, "signature": "s"}
    places = [f"{part}, beam {beam}" for part in ("val", "test_2016_flickr") for beam in (1, 5)]
    return {"minutes": 1, "bleu": dict.fromkeys(places, one)}


@pytest.mark.parametrize(
    ("fused", "longer", "outcomes"),
    [
        (32.0, 31.0, ("yes", "yes")),
        (32.0, 32.2, ("yes", "open")),
        (29.0, 31.0, ("no", "no")),
        (30.4, 29.0, ("open", "yes")),
    ],
)
def test_a_difference_under_half_a_point_of_bleu_tells_nothing(results, fused, longer, outcomes):
    runs = {"plain": 30.0, "fused": fused, "longer": longer}
    results(translation={name: translated(score) for name, score in runs.items()})
    found, _ = by_claim("translation")
    assert (found["fused_better"], found["fused_not_longer"]) == outcomes
    assert found["tied_better"] == "open"  # never measured
    assert read_experiment("translation").seconds == 180


def model(language, method, meaning, grammar):
    sections = {
        "capitals": {"name": "capitals", "correct": meaning, "covered": 10},
        "gram1": {"name": "gram1", "correct": grammar, "covered": 30},
    }
    scores = {"set.txt": {"sections": sections}, "WS-353": {"spearman": 0.5}}
    return {"model": f"{language}-{method}", "vector_size": 100, "scores": scores}


def test_methods_are_held_against_each_other_in_every_language(results):
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
    results(quality={"models": models}, trials={"trials": [trial]})
    outcomes, numbers = by_claim("static")
    assert outcomes == {"skipgram_meaning": "partly", "cbow_grammar": "yes", "glove_ahead": "no"}
    assert numbers["cbow_grammar"]["first_en"] == 30
    assert numbers["cbow_grammar"]["first_de"] is None
    assert numbers["glove_ahead"]["first_en"] == 10  # 4 of 40
    methods, trials = read_experiment("static").tables
    assert [row[0] for row in methods.rows] == [
        "en-skipgram", "en-cbow", "en-glove", "ru-skipgram", "ru-cbow",
    ]  # fmt: skip
    assert trials.rows[0][:3] == ("en-skipgram", "window=8", 43.75)  # (15 + 2.5) of 40


def test_speed_is_ours_over_theirs_and_seconds_the_other_way_round(results):
    rows = [
        {"rows": 2000, "columns": 10, "klyuch_seconds": 2, "sklearn_seconds": 1},
        {"rows": 1000, "columns": 10, "klyuch_seconds": 1, "sklearn_seconds": 3},
    ]
    bert = {"ours_tokens_per_second": 9000, "transformers_tokens_per_second": 3000}
    results(pca={"rows": rows}, bert_speed=bert)
    found = read_experiment("speed")
    assert [row[6] for row in found.tables[0].rows] == [3, 0.5, 3]
    outcomes, numbers = by_claim("speed")
    assert outcomes == {"fastest": "partly"}
    assert (numbers["fastest"]["faster"], numbers["fastest"]["ratio"]) == (2, 0.5)
    assert found.files == ("benchmarks/results/bert_speed.json", "benchmarks/results/pca.json")


def sense(method, number, *scores):
    return {"method": method, "number": number, "seconds": 1} | dict(
        zip(("wiki-wiki", "active-dict", "en"), scores, strict=True)
    )


def test_senses_are_compared_on_sets_that_both_methods_know(results):
    rows = [
        sense("given_log_rank", "given", 0.5, 0.2, 0.3),
        sense("lemmas_views", "found", 0.7, 0.2, None),
        sense("forms_views", "found", 0.1, 0.1, 0.4),
        sense("word_state", "found", 0.2, 0.1, 0.1),
        sense("around_and_static", "found", 0.8, 0.21, 0.5),
    ]
    results(senses={"tables": {"methods": rows}})
    outcomes, numbers = by_claim("senses")
    assert outcomes == {"network_helps": "partly", "own_state_best": "no", "number_found": "partly"}
    helps = numbers["network_helps"]  # +0.1, +0.01 (chance) and, where there are no lemmas, +0.1
    assert (helps["ahead"], helps["behind"], helps["all"]) == (2, 0, 3)
    assert helps["second"] == pytest.approx((0.7 + 0.2 + 0.4) / 3)


@pytest.mark.parametrize(
    ("value", "error", "outcome"),
    [(0.3, 0.1, "yes"), (0.2, 0.1, "open"), (-0.3, 0.1, "no"), (0.1, None, "open"), (0, 0, "open")],
)
def test_two_standard_errors_are_chance(value, error, outcome):
    assert Finding(value, error, None).outcome() == outcome


def depth(short):
    shapes = [(1, 110, 0.60), (4, 90, 0.66)]
    rows = [
        {"layers": n, "hidden_size": d, "nsp_accuracy": a, "nsp_standard_error": 0.01}
        for n, d, a in shapes
    ]
    printed = [{"layers": n, "hidden_size": d, "nsp_accuracy": 0.7} for n, d, _ in shapes]
    both = ("equal_parameters", "equal_operations")
    gain = {"value": 0.06, "standard_error": 0.02}
    return {
        "short": short,
        "source": dict.fromkeys(both, printed),
        "tables": dict.fromkeys(both, rows),
        "curves": {"1x110.seed1.mlm_loss": [[1, 5.0], [2, 4.0]]},
        "findings": [{"id": "deeper_nsp_equal_parameters", "source": 0.11, "ours": gain}],
    }


def test_depth_is_shown_beside_the_source(results):
    results(depth=depth(short=False))
    outcomes, numbers = by_claim("depth")
    assert outcomes == {"deeper_nsp_equal_parameters": "yes"}
    assert numbers["deeper_nsp_equal_parameters"] == {"gain": 6, "error": 2, "best": 4}
    table = read_experiment("depth").tables[0]
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
    found = {one.claim: one for one in _costs(Told(costs, "albert.json", "make it"))}
    assert found["albert_trains_faster"].outcome == faster
    assert found["albert_trains_faster"].fields == (("ratio", Measured(rates[1] / 15, 2)),)
    assert found["sharing_saves_parameters"].outcome == "yes"
    assert found["sharing_saves_parameters"].fields == (("ratio", Measured(4, 1)),)
    assert found["sharing_saves_activations"].outcome == "no"
    costs[1]["parameters"] = 15  # attention shared saves more than feed-forward shared
    found = {one.claim: one for one in _costs(Told(costs, "albert.json", "make it"))}
    assert found["sharing_saves_parameters"].outcome == "no"


@pytest.mark.parametrize(
    ("mean", "lowest", "outcome"), [(0.8, 0.76, "yes"), (0.76, 0.75, "partly"), (0.75, 0.74, "no")]
)
def test_fine_tuning_is_held_against_the_source(results, mean, lowest, outcome):
    arm = {"arm": "pretrained", "seeds": 2, "mean_accuracy": mean, "lowest_accuracy": lowest}
    gain = {"value": 0.06, "standard_error": 0.01}
    told_of = {
        "source": {"pretrained_accuracy": 0.7569, "random_accuracy": 0.7018},
        "pretraining": {"english_tokens_seen": 15_000_000},
        "tables": {"arms": [arm], "runs": [{"arm": "pretrained", "seed": 1}]},
        "curves": {"pretrained.seed1": [[1, 0.5]], "pretrained.seed2": [[1, 0.6]]},
        "findings": [{"id": "pretrained_over_random", "ours": gain, "source": 0.0551}],
    }
    results(sst2=told_of)
    outcomes, numbers = by_claim("sst2")
    assert outcomes == {"beats_source": outcome, "pretrained_over_random": "yes"}
    assert numbers["beats_source"] == {
        "mean": 100 * mean,
        "lowest": 100 * lowest,
        "seeds": 2,
        "tokens": 15,
    }
    assert [series.name for series in read_experiment("sst2").drawings[1].series] == [
        "arm_pretrained"
    ]


def test_a_short_run_leaves_every_claim_open(results):
    results(depth=depth(short=True))
    assert by_claim("depth")[0] == {"deeper_nsp_equal_parameters": "open"}
    assert read_experiment("depth").short
