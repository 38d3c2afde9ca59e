"""Rules of verdicts by hand."""

import pytest

from embeddings.lab.verdict_rules import (
    RULES,
    above,
    all_at_least,
    apply_rule,
    at_least,
    below,
    difference,
    larger,
    larger_in_all,
    make_claim,
    mean_at_least,
    quartiles_apart,
    rising,
)


@pytest.mark.parametrize(
    ("value", "error", "outcome"),
    [(0.3, 0.1, "yes"), (0.2, 0.1, "open"), (-0.3, 0.1, "no"), (0.1, None, "open"), (0, 0, "open")],
)
def test_two_standard_errors_are_chance(value, error, outcome):
    assert difference(value, error) == outcome


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
