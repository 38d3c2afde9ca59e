"""What 1 GB, 1 TB and 100 TB of text would take, by formulas over the points that `benchmarks.research.scaling` measured, and how far these are off.

Rates are those of one point, the 40 MB of `BASE`; the formulas are then held against all other sizes that were measured. Of a larger
text seconds are bytes or words over a rate, and words of the vocabulary a power of the text (Heaps' law).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.research.scaling import SMALLEST, exponent, grown

BASE = 8  # multiples of `SMALLEST` at which the rates are taken
VECTOR_SIZE, EPOCHS = 100, 5
DOLLARS_AN_HOUR = 0.05  # of one core, assumed
CORES = 100
WORKS = ("encode", "cooccurrence", "skipgram")
TEXTS = {"1 GB": 1e9, "1 TB": 1e12, "100 TB": 1e14}
# of memory where tables are merged (`embeddings.corpora.word_table`)
BYTES_A_DISTINCT_WORD = (40, 80)


@dataclass(frozen=True, slots=True)
class Point:
    """A text: its bytes, the words that are kept, those of the vocabulary, all distinct ones (0: not counted), seconds by work."""

    size: float
    words: float
    types: float
    distinct: float
    seconds: Mapping[str, float]


def measured_points(rows: Sequence[Mapping[str, Any]]) -> dict[int, Point]:
    """Return the texts that were measured, by their size in multiples of `SMALLEST`."""
    points = {}
    for times in dict.fromkeys(row["size"] for row in rows if row["axis"] == "corpus"):
        of_text = [row for row in rows if row["axis"] == "corpus" and row["size"] == times]
        seconds = {row["work"]: row["cpu_s"] for row in of_text if row["cpu_s"] is not None}
        types = next(row for row in of_text if row["work"] == "types")
        distinct = types.get("distinct", 0)
        points[times] = Point(times * SMALLEST, types["words"], types["types"], distinct, seconds)
    return points


@dataclass(frozen=True, slots=True)
class Formulas:
    """Where they begin, and the powers that the vocabulary grows with, and an epoch with the vocabulary."""

    base: Point
    types_power: float
    distinct_power: float
    vocabulary_power: float

    def at(self, size: float) -> Point:
        """Return what a text of so many bytes would be and take, an epoch at the rate of the base."""
        times, base = size / self.base.size, self.base
        return Point(
            size,
            base.words * times,
            base.types * times**self.types_power,
            base.distinct * times**self.distinct_power,
            {work: seconds * times for work, seconds in base.seconds.items()},
        )

    def slowest_epoch(self, point: Point) -> float:
        """Return the seconds of an epoch if all of it slows as the vocabulary grows, as it does over words drawn by Zipf's law."""
        return point.seconds["skipgram"] * (point.types / self.base.types) ** self.vocabulary_power


def formulas(measured: Mapping[str, Any]) -> Formulas:
    """Return the formulas of a file of results."""
    points, lines = measured_points(measured["rows"]), grown(dict(measured))
    counted = {times: point.distinct for times, point in points.items() if point.distinct}
    distinct = exponent([*counted], [*counted.values()]) if len(counted) > 1 else 0.0
    powers = (exponent(*lines[key]) for key in (("corpus", "types"), ("vocabulary", "skipgram")))
    types, vocabulary = powers
    return Formulas(points[BASE], types, distinct, vocabulary)


def core_hours(point: Point, epoch: float) -> float:
    """Hours of one core for encoding, co-occurrences and `EPOCHS` epochs of so many seconds."""
    return (point.seconds["encode"] + point.seconds["cooccurrence"] + EPOCHS * epoch) / 3600


def matrices(point: Point) -> float:
    """Bytes of both matrices of Word2Vec in float32."""
    return 2 * 4 * VECTOR_SIZE * point.types


def deviations(measured: Mapping[str, Any]) -> dict[tuple[int, str], float]:
    """Return, for each size but the base's and each work, the measured value over that of the formula."""
    by_formula = formulas(measured)
    ratios = {}
    for times, point in measured_points(measured["rows"]).items():
        if times != BASE:
            expected = by_formula.at(point.size)
            ratios |= {(times, w): point.seconds[w] / expected.seconds[w] for w in WORKS}
            ratios[times, "types"] = point.types / expected.types
    return ratios
