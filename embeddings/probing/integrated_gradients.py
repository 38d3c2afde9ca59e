"""What groups of input rows add to an answer of a network: integrated gradients, and occlusion beside them.

An answer F is a function of rows of embedding matrices, x, and is compared with the answer to a baseline, x'. Integrated
gradients (Sundararajan et al. 2017) average the gradient of F on the straight path from x' to x, by Gauss and Legendre's
points, and multiply it by x - x': the sum over all rows is F(x) - F(x'), up to the residual of the numerical integration. What F
gains on a part of the path is known, so each part has a residual of its own: the part with the largest is halved until all of them
are small. Occlusion puts the baseline's rows in the place of one
group and says by how much F falls (Zeiler and Fergus 2014); these differences do not add up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from embeddings.runtime import one_thread

TOLERANCE = 0.01  # nats that may be missing of the difference
PART, MOST = 16, 1024  # points of a part of the path, and at most of all parts together
TOGETHER = 2048  # rows that run at once

Rows = tuple[Tensor, ...]
Answer = Callable[[Rows], Tensor]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows that belong together, such as the tokens of a word: ``rows[i]`` are indices into input ``i``."""

    rows: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Path:
    """From the baseline to the input: pairs of tensors of shape (rows, width), one pair an input of the network.

    Rows that are equal at both ends are given nothing.
    """

    start: Rows
    end: Rows


@dataclass(frozen=True, slots=True, eq=False)
class GroupAttributions:
    """What each group adds to each answer.

    ``baselines + gradients.sum(1) + residuals`` is ``answers`` where the groups hold every row that differs.

    Attributes
    ----------
    answers, baselines, residuals : ndarray, shape (answers,)
        Of the input, of the baseline, and what the numerical integration misses.
    gradients, occlusions : ndarray, shape (answers, groups)
        Integrated gradients; and by how much the answer falls when the group alone is put back to the baseline.
    steps : int
        Points of the path at which gradients were taken.
    """

    answers: Floats
    baselines: Floats
    residuals: Floats
    gradients: Floats
    occlusions: Floats
    steps: int


def attribute_groups(
    answer: Answer,
    path: Path,
    groups: Sequence[RowGroup],
    tolerance: float = TOLERANCE,
    most: int = MOST,
) -> GroupAttributions:
    """Return what each group of rows adds to each answer.

    Parameters
    ----------
    answer : callable
        Takes one tensor an input, (batch, rows, width), and returns (batch, answers), nats.
    path : Path
    groups : sequence of RowGroup
    tolerance : float, default 0.01
        Nats that the residuals of an answer may have, the sum of their sizes over the parts of the path; they are what they are at
        ``most`` points.
    most : int, default 1024
        Points that all parts of the path may have together.

    References
    ----------
    Sundararajan et al. (2017), "Axiomatic Attribution for Deep Networks", section 3; Zeiler and Fergus (2014),
    "Visualizing and Understanding Convolutional Networks", section 4.2.
    """
    with one_thread():  # small batches, one after the other
        parts = [_integrate(answer, path, 0.0, 1.0)]
        while np.abs([part.residuals for part in parts]).sum(0).max() > tolerance:
            if PART * (len(parts) + 1) > most:
                break
            worst = max(range(len(parts)), key=lambda i: float(np.abs(parts[i].residuals).max()))
            low, high = parts[worst].low, parts[worst].high
            middle = (low + high) / 2
            halves = [_integrate(answer, path, *ends) for ends in ((low, middle), (middle, high))]
            parts[worst : worst + 1] = halves
        occlusions = _occlude(answer, path, groups)
    answers, baselines = parts[-1].after, parts[0].before
    residuals = np.sum([part.residuals for part in parts], 0)
    shares = [np.sum(of_input, 0) for of_input in zip(*(p.shares for p in parts), strict=True)]
    gradients = np.zeros((len(answers), len(groups)))
    for column, group in enumerate(groups):
        for share, rows in zip(shares, group.rows, strict=True):
            gradients[:, column] += share[:, list(rows)].sum(1)
    return GroupAttributions(
        answers,
        baselines,
        residuals,
        gradients,
        answers[:, None] - occlusions,
        PART * len(parts),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _PathPart:
    """A part of the path: from where to where in [0, 1], the answers there, and what each row adds, (answers, rows) an input."""

    low: float
    high: float
    before: Floats
    after: Floats
    shares: list[Floats]

    @property
    def residuals(self) -> Floats:
        """What the shares miss of what each answer gains."""
        gained: Floats = self.after - self.before - np.sum([s.sum(1) for s in self.shares], 0)
        return gained


def _values(answer: Answer, batches: Sequence[Rows]) -> Floats:
    """Return the answers to batches of inputs, shape (inputs, answers)."""
    with torch.no_grad():
        values: Floats = torch.cat([answer(batch) for batch in batches]).double().cpu().numpy()
    return values


def _batch_size(path: Path) -> int:
    """Return how many inputs run at once."""
    return max(1, TOGETHER // sum(len(rows) for rows in path.end))


def _between(path: Path, at: NDArray[np.float64]) -> Rows:
    """Return the inputs at some points of the path, from 0 to 1, (points, rows, width) an input."""
    points = torch.from_numpy(at).to(path.end[0])[:, None, None]
    return tuple(
        start + points * (end - start) for start, end in zip(path.start, path.end, strict=True)
    )


def _integrate(answer: Answer, path: Path, low: float, high: float) -> _PathPart:
    """Return what each row adds on a part of the path."""
    nodes, weights = np.polynomial.legendre.leggauss(PART)
    nodes, weights = low + (high - low) * (nodes + 1) / 2, (high - low) * weights / 2
    totals: list[list[Tensor]] = []  # by answer, by input
    size = _batch_size(path)
    for first in range(0, PART, size):
        rows = tuple(r.requires_grad_() for r in _between(path, nodes[first : first + size]))
        weight = torch.from_numpy(weights[first : first + size]).to(rows[0].device)[:, None, None]
        summed = answer(rows).sum(0)
        for number, value in enumerate(summed):
            slopes = torch.autograd.grad(value, rows, retain_graph=number + 1 < len(summed))
            parts = [(weight * slope).sum(0) for slope in slopes]
            if number == len(totals):
                totals.append(parts)
            else:
                totals[number] = [a + b for a, b in zip(totals[number], parts, strict=True)]
    shares = [
        np.stack([(parts[i] * (end - start)).sum(-1).cpu().numpy() for parts in totals])
        for i, (start, end) in enumerate(zip(path.start, path.end, strict=True))
    ]
    before, after = _values(answer, [_between(path, np.array([low, high]))])
    return _PathPart(low, high, before, after, shares)


def _occlude(answer: Answer, path: Path, groups: Sequence[RowGroup]) -> Floats:
    """Return the answers with one group at a time put back to the baseline, shape (answers, groups)."""
    size = _batch_size(path)
    batches = []
    for first in range(0, len(groups), size):
        some = groups[first : first + size]
        batch = tuple(rows.repeat(len(some), 1, 1) for rows in path.end)
        for number, group in enumerate(some):
            for rows, start, indices in zip(batch, path.start, group.rows, strict=True):
                rows[number, list(indices)] = start[list(indices)]
        batches.append(batch)
    return _values(answer, batches).T
