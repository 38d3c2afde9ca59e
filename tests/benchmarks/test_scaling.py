"""Exponents of growth."""

import pytest

from benchmarks.scaling import exponent


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_a_power_of_the_size_is_recovered(power):
    sizes = [1, 2, 4, 8]
    assert exponent(sizes, [3 * size**power for size in sizes]) == pytest.approx(power)
