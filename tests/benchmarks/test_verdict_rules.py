"""Rules of verdicts by hand."""

import pytest

from benchmarks.verdict_rules import (
    RULES,
    above,
    all_at_least,
    apply_rule,
    at_least,
    below,
    corrected,
    difference,
    larger,
    larger_in_all,
    make_claim,
    mean_at_least,
    quartiles_apart,
    rising,
)


@pytest.mark.parametrize(
    ("value", "error", "degrees", "outcome"),
    [
        (0.3, 0.1, None, "yes"),
        (0.195, 0.1, None, "open"),
        (-0.3, 0.1, None, "no"),
        (0.1, None, None, "open"),
        (0, 0, None, "open"),
        (0.31, 0.1, 3, "open"),  # Student's t at 3 degrees of freedom: 3.18
        (0.32, 0.1, 3, "yes"),
    ],
)
def test_a_difference_is_sure_from_the_quantile_of_its_distribution(value, error, degrees, outcome):
    assert difference(value, error, degrees) == outcome


def test_differences_of_one_experiment_are_corrected_by_holm():
    """Of p = 0.012, 0.02, 0.03 and 0.2 Holm makes 0.048, 0.06, 0.06 and 0.2: one stays."""
    distances = {"b": 2.3263, "a": 2.5121, "d": 1.2816, "c": 2.1701}
    numbers = {name: {"gain": z, "standard_error": 1.0} for name, z in distances.items()}
    claims = [make_claim(name, difference, given) for name, given in numbers.items()]
    claims.append(make_claim("e", larger, {"first": 2.0, "second": 1.0}))
    assert [claim.verdict for claim in claims] == ["yes", "yes", "open", "yes", "yes"]
    outcomes = {claim.name: claim.verdict for claim in corrected(claims)}
    assert outcomes == {"b": "open", "a": "yes", "d": "open", "c": "open", "e": "yes"}


@pytest.mark.parametrize(
    ("first", "second", "chance", "outcome"),
    [
        ((3, 3), (1, 2), (), "yes"),
        ((3, 3), (1, 3), (), "partly"),
        ((3, 3), (1, 4), (), "partly"),
        ((3, 3), (3, 4), (), "no"),
        ((3, 3), (3, 3), (), "open"),
        ((3, None), (1, 4), (), "yes"),
        ((None,), (4,), (), "open"),
        ((3, 3), (2, 1), (1, 1), "partly"),
        ((3, 3), (2, 4), (1, 1), "open"),
    ],
)
def test_cases_are_counted_beyond_chance(first, second, chance, outcome):
    assert larger_in_all(first, second, chance) == outcome


@pytest.mark.parametrize(
    ("values", "outcome"), [((1, 2), "yes"), ((0.5, 2), "partly"), ((0.5, 1), "no"), ((), "open")]
)
def test_all_values_reach_a_bound_or_some_pass_it(values, outcome):
    assert all_at_least(values, 1.0) == outcome


def test_what_may_be_chance_is_not_negative():
    with pytest.raises(ValueError, match="negative"):
        difference(0.1, -1)
    with pytest.raises(ValueError, match="negative"):
        larger_in_all((3, 3), (1, 2), (1, -1))


def test_single_numbers_against_bounds():
    assert (larger(2, 1), larger(1, 1), larger(1.2, 1, 0.5), larger(None, 1)) == (
        "yes", "no", "open", "open",
    )  # fmt: skip
    assert (at_least(1, 1), at_least(0.9, 1), at_least(None, 1)) == ("yes", "no", "open")
    assert (above(1, 1), above(1.1, 1), below(1, 1), below(0.9, 1)) == ("no", "yes", "no", "yes")
    assert (mean_at_least(2, 3, 2), mean_at_least(1, 3, 2), mean_at_least(1, 1.5, 2)) == (
        "yes", "partly", "no",
    )  # fmt: skip


def test_orders_and_quartiles():
    assert (rising((1, 2, 3)), rising((1, 1, 3))) == ("yes", "no")
    assert (rising(()), rising((1,))) == ("open", "open")
    assert quartiles_apart((21, 40), (10, 20)) == "yes"
    assert quartiles_apart((20, 40), (10, 20)) == "open"
    assert quartiles_apart((1, 9), (10, 20)) == "no"


def test_a_claim_carries_what_its_verdict_rests_on():
    claim = make_claim("c", larger, {"first": 2.0, "second": 1.0})
    assert (claim.rule, claim.numbers) == ("larger", (("first", 2.0), ("second", 1.0)))
    assert claim.verdict == apply_rule(claim.rule, claim.numbers) == "yes"
    assert RULES["larger"] is larger
