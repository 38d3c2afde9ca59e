"""Rules that give a verdict on a claim from numbers: "yes", "no", "partly" or "open".

A file of results names the rule and the numbers of each claim beside the verdict, and whoever reads it computes the verdict again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from embeddings.results.experiment import Claim, Measured, Numbers

SURE = 2.0  # standard errors that a difference must be away from 0
Optional = float | None


def difference(gain: Optional, standard_error: Optional) -> str:
    """Whether a difference is above 0; "open" within two standard errors, or without one.

    Raises
    ------
    ValueError
        If the standard error is negative.

    Examples
    --------
    >>> difference(0.3, 0.1), difference(-0.3, 0.1), difference(0.2, 0.1)
    ('yes', 'no', 'open')
    """
    _check_not_negative(standard_error)
    if gain is None or standard_error is None or abs(gain) <= SURE * standard_error:
        return "open"
    return "yes" if gain > 0 else "no"


def larger(first: Optional, second: Optional, least: float = 0.0) -> str:
    """Whether ``first`` is larger; "open" where they differ by less than ``least``."""
    if first is None or second is None or abs(first - second) < least:
        return "open"
    return "yes" if first > second else "no"


def larger_in_all(
    first: Sequence[Optional], second: Sequence[Optional], chance: Sequence[Optional] = ()
) -> str:
    """Whether ``first`` is larger in all cases that have both numbers; "partly" where it is in some.

    A difference up to the case's ``chance`` (0 where none is given) counts for neither.

    Raises
    ------
    ValueError
        If a chance is negative, or there are not as many of each.
    """
    _check_not_negative(*chance)
    bounds = chance or [0.0] * len(first)
    gaps = [
        (a - b, bound or 0.0)
        for a, b, bound in zip(first, second, bounds, strict=True)
        if a is not None and b is not None
    ]
    ahead = sum(gap > bound for gap, bound in gaps)
    behind = sum(-gap > bound for gap, bound in gaps)
    if ahead and (behind or ahead < len(gaps)):
        return "partly"
    return "yes" if ahead else "no" if behind else "open"


def all_at_least(values: Sequence[Optional], bound: float) -> str:
    """Whether all values reach a bound; "partly" where some are above it."""
    known = [value for value in values if value is not None]
    if not known:
        return "open"
    if min(known) >= bound:
        return "yes"
    return "partly" if max(known) > bound else "no"


def mean_at_least(lowest: Optional, mean: Optional, bound: float) -> str:
    """Whether the lowest of several runs reaches a bound; "partly" where their mean does."""
    if lowest is None or mean is None:
        return "open"
    return "yes" if lowest >= bound else "partly" if mean >= bound else "no"


def at_least(value: Optional, bound: float) -> str:
    """Whether a value reaches a bound."""
    return "open" if value is None else "yes" if value >= bound else "no"


def above(value: Optional, bound: float) -> str:
    """Whether a value is above a bound."""
    return "open" if value is None else "yes" if value > bound else "no"


def below(value: Optional, bound: float) -> str:
    """Whether a value is below a bound."""
    return "open" if value is None else "yes" if value < bound else "no"


def rising(values: Sequence[float]) -> str:
    """Whether each value is larger than the one before it; "open" of fewer than two."""
    if len(values) < 2:
        return "open"
    return "yes" if all(a < b for a, b in pairwise(values)) else "no"


def quartiles_apart(first: Sequence[float], second: Sequence[float]) -> str:
    """Whether the lower quartile of ``first`` is above the upper quartile of ``second``; "open" where they overlap."""
    if first[0] > second[1]:
        return "yes"
    return "no" if first[1] < second[0] else "open"


def _check_not_negative(*bounds: Optional) -> None:
    """What may be chance has no sign."""
    if any(bound is not None and bound < 0 for bound in bounds):
        raise ValueError("a bound of chance is negative")


RULES: dict[str, Callable[..., str]] = {
    rule.__name__: rule
    for rule in (
        difference,
        larger,
        larger_in_all,
        all_at_least,
        mean_at_least,
        at_least,
        above,
        below,
        rising,
        quartiles_apart,
    )
}


def apply_rule(rule: str, numbers: Numbers) -> str:
    """Return the verdict that a named rule gives.

    Raises
    ------
    KeyError
        If there is no such rule.
    TypeError, ValueError
        If the numbers are not those that it reads.
    """
    return RULES[rule](**dict(numbers))


def make_claim(
    name: str,
    rule: Callable[..., str],
    numbers: Mapping[str, float | Sequence[float | None] | None],
    fields: Mapping[str, Measured | str] | None = None,
    **about: str | float | None,
) -> Claim:
    """Return a claim with the verdict that its rule gives.

    Parameters
    ----------
    name : str
    rule : callable
        One of `RULES`.
    numbers : mapping
        What the rule reads.
    fields : mapping, optional
        What the sentence on the outcome needs.
    **about
        ``source``, ``published``, ``ours``, ``sentence`` of `embeddings.results.experiment.Claim`.
    """
    kept: Numbers = tuple(
        (key, value if value is None or isinstance(value, int | float) else tuple(value))
        for key, value in numbers.items()
    )
    verdict = apply_rule(rule.__name__, kept)
    return Claim(name, rule.__name__, kept, verdict, fields=tuple((fields or {}).items()), **about)  # type: ignore[arg-type]
