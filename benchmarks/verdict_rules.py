"""Rules that give a verdict on a claim from numbers: "yes", "no", "partly" or "open".

A benchmark computes verdicts when it writes its result; the file names the rule and the numbers of each claim next to the verdict.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from embeddings.lab.experiment import Claim, Measured, Numbers

LEVEL = 0.05  # p values from which on a difference may be chance
Optional = float | None


def p_value(gain: Optional, standard_error: Optional, degrees: Optional = None) -> float:
    """Return how probable a difference at least as large is by chance, two-sided; 1 where nothing was measured.

    Parameters
    ----------
    gain, standard_error : float or None
        The difference and its standard error, in the same unit.
    degrees : float, optional
        Degrees of freedom of the error where few runs gave it: Student's t. Without them the normal distribution.

    Raises
    ------
    ValueError
        If the standard error is negative.
    """
    _check_not_negative(standard_error)
    if gain is None or standard_error is None or gain == 0:
        return 1.0
    if standard_error == 0:
        return 0.0
    distance = abs(gain) / standard_error
    if degrees is None:
        return math.erfc(distance / math.sqrt(2))
    from scipy.stats import t

    return float(2 * t.sf(distance, degrees))


def difference(gain: Optional, standard_error: Optional, degrees: Optional = None) -> str:
    """Whether a difference is above 0; "open" where its `p_value` is at least `LEVEL`.

    Examples
    --------
    >>> difference(0.3, 0.1), difference(-0.3, 0.1), difference(0.19, 0.1)
    ('yes', 'no', 'open')
    >>> difference(0.3, 0.1, degrees=2)
    'open'
    """
    if gain is None or p_value(gain, standard_error, degrees) >= LEVEL:
        return "open"
    return "yes" if gain > 0 else "no"


def corrected(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Return claims of one experiment with the verdicts of its differences corrected for their number (Holm 1979).

    The smallest of n p values is multiplied by n, the next by n - 1 and so on; from the first one on that is then no longer below
    `LEVEL`, verdicts are "open".
    """
    tested = [number for number, claim in enumerate(claims) if claim.rule == difference.__name__]
    p_of = {number: p_value(**dict(claims[number].numbers)) for number in tested}  # type: ignore[arg-type]
    verdicts, is_sure = {}, True
    for rank, number in enumerate(sorted(tested, key=p_of.__getitem__)):
        is_sure = is_sure and p_of[number] * (len(tested) - rank) < LEVEL
        claim = claims[number]
        verdicts[number] = apply_rule(claim.rule, claim.numbers) if is_sure else "open"
    return tuple(
        replace(claim, verdict=verdicts.get(number, claim.verdict))
        for number, claim in enumerate(claims)
    )


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
        ``source``, ``published``, ``ours``, ``sentence`` of `embeddings.lab.experiment.Claim`.
    """
    kept: Numbers = tuple(
        (key, value if value is None or isinstance(value, int | float) else tuple(value))
        for key, value in numbers.items()
    )
    verdict = apply_rule(rule.__name__, kept)
    return Claim(name, rule.__name__, kept, verdict, fields=tuple((fields or {}).items()), **about)  # type: ignore[arg-type]
