"""Claims on pruned heads by hand, on made-up scores."""

from benchmarks.pruning import pruning_experiment
from benchmarks.result_files import read_results


def claims(**changed):
    """Claims by name where some of the measurements are others."""
    measured = read_results("pruning")
    for part, values in changed.items():
        measured[part] = measured[part] | values
    return {claim.name: claim for claim in pruning_experiment(measured).claims}


def fields(claim):
    return {name: value.value for name, value in claim.fields}


def test_heads_count_up_to_the_first_fall_of_bleu_not_to_a_later_rise():
    encoder = {
        "order": [["encoder", 1, head] for head in range(1, 5)],
        "removed": [0, 1, 2, 3, 4],
        "bleu": [30.0, 29.9, 29.8, 30.5, 2.0],  # 29.8 is 0.2 lower, 30.5 is higher again
    }
    claim = claims(encoder=encoder)["heads_for_little_bleu"]
    values = fields(claim)
    assert (values["removed"], values["share"], values["fallen"]) == (1, 25.0, 29.8)
    assert (values["most"], values["most_removed"]) == (30.5, 3)
    assert (claim.published, claim.ours) == (100 * 38 / 48, 25.0)
    assert claim.verdict == "no"


def test_the_share_of_the_source_is_reached_by_as_large_a_share_of_fewer_heads():
    order = [["encoder", 1, head] for head in range(1, 6)]
    scores = [30.0, 30.0, 30.0, 29.9, 29.9, 1.0]  # four of five: 80 %, the source has 79.2 %
    claim = claims(encoder={"order": order, "removed": [*range(6)], "bleu": scores})[
        "heads_for_little_bleu"
    ]
    assert claim.verdict == "yes"


def test_the_heads_of_the_source_are_compared_with_heads_of_the_encoder_alone():
    assert {kind for kind, _, _ in read_results("pruning")["encoder"]["order"]} == {"encoder"}


def test_the_gap_to_random_pruning_is_named_where_it_is_widest():
    translator = {"removed": [0, 4, 8, 12], "bleu": [30, 28, 20, 0], "random_bleu": [[30, 27, 9, 0], [30, 27, 11, 0]]}  # fmt: skip
    values = fields(claims(translator=translator)["translator_order"])
    assert (values["removed"], values["ours"], values["random"]) == (8, 20, 10)
