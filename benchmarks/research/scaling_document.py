"""What notes/scaling.md says of growth, of large texts and of averages, from the files of results."""

from __future__ import annotations

import math
import statistics

from benchmarks.result_files import markdown_table as table
from benchmarks.research import scaling
from benchmarks.research.averaging import ARMS
from benchmarks.research.scaling_arithmetic import (
    CORES,
    DOLLARS_AN_HOUR,
    TEXTS,
    WORKS,
    Formulas,
    core_hours,
    deviations,
    formulas,
    matrices,
    measured_points,
)
from benchmarks.result_files import read_results

MEGABYTE = 1_000_000
NAMES = {  # of the exponents that are shown
    "corpus": {
        "encode": "tokenisation and encoding",
        "cooccurrence": "co-occurrences, window 10",
        "skipgram": "an epoch of skip-gram",
        "types": "words in the vocabulary (five uses or more)",
    },
    "vocabulary": {
        "exact_search": "exact search, 50 dimensions",
        "skipgram": "an epoch of skip-gram over a million words",
    },
    "vector_size": {"skipgram": "an epoch of skip-gram", "pca": "PCA of 100 000 words"},
    "threads": {"skipgram": "processor time of both together, skip-gram"},
}
LARGE = (
    "text",
    "ids",
    "vocabulary",
    "distinct words",
    "both matrices",
    "encode",
    "co-occurrences",
    "an epoch",
    "core hours",
    f"on {CORES} cores, at best",
    "dollars",
)


def growth() -> str:
    """The exponents of growth, by what grows."""
    measured = read_results("scaling")
    lines, largest = scaling.grown(measured), max(measured_points(measured["rows"]))
    heads = {
        "corpus": f"corpus, 5 to {largest * scaling.SMALLEST // MEGABYTE} MB",
        "vocabulary": "vocabulary, 10 thousand to 3 million",
        "vector_size": "dimensions, 50 to 600",
        "threads": "threads, 1 and 2",
    }
    rows = [
        (heads[axis] if not place else "", name, f"{scaling.exponent(*lines[axis, work]):.2f}")
        for axis, works in NAMES.items()
        for place, (work, name) in enumerate(works.items())
    ]
    return table(("grows", "task", "exponent"), rows)


def arithmetic() -> str:
    """The formulas held against what was measured, and what they say of three large texts."""
    measured = read_results("scaling")
    points, formula = measured_points(measured["rows"]), formulas(measured)
    base, far = formula.base, deviations(measured)
    checked = []
    for point in points.values():
        expected = formula.at(point.size)
        pairs = ((expected.seconds[work], point.seconds[work], 1) for work in WORKS)
        pairs = (*pairs, (expected.types, point.types, 1e-3))
        cells = (f"{times * a:.2f}, {times * b:.2f}" for a, b, times in pairs)
        checked.append((f"{point.size / MEGABYTE:.0f} MB", *cells))
    head = ("text", "encode, s", "co-occurrences, s", "skip-gram epoch, s", "thousand words")
    largest = max(points)
    worst = max(far, key=lambda key: abs(math.log(far[key])))
    rates = (
        f"encoding {base.size / base.seconds['encode'] / 1e6:.0f} MB/s, co-occurrences"
        f" {base.words / base.seconds['cooccurrence'] / 1e6:.1f} million words/s (window 10), skip-gram"
        f" {base.words / base.seconds['skipgram'] / 1e6:.1f} million words/s (100 dimensions);"
        f" {base.words / base.size:.3f} kept words a byte of text; the vocabulary as the power"
        f" {formula.types_power:.2f} of the text"
    )
    off = f"{100 * abs(far[worst] - 1):.0f} %, at {worst[0] * scaling.SMALLEST // MEGABYTE} MB"
    sentences = (
        f"From the {base.size / MEGABYTE:.0f} MB point, for one thread: {rates}. Seconds are bytes over rate, or words"
        " over rate. Formula, then measured:"
    )
    held = (
        f"The {base.size / MEGABYTE:.0f} MB row fits by construction; the largest difference elsewhere is {off}. No run"
        f" was larger than {largest * scaling.SMALLEST // MEGABYTE} MB: what follows is extrapolated."
    )
    return "\n\n".join([sentences, table(head, checked), held, _large_texts(formula)])


def _large_texts(formula: Formulas) -> str:
    """What three large texts would take."""
    rows = []
    for name, size in TEXTS.items():
        point = formula.at(size)
        epochs = (point.seconds["skipgram"], formula.slowest_epoch(point))
        hours = [core_hours(point, epoch) for epoch in epochs]
        rows.append(
            (
                name,
                in_bytes(4 * point.words),
                f"{spaced(point.types / 1e6, 2)} M",
                f"{spaced(point.distinct / 1e6, 1)} M" if point.distinct else "–",
                in_bytes(matrices(point)),
                in_time(point.seconds["encode"]),
                in_time(point.seconds["cooccurrence"]),
                f"{in_time(epochs[0])} to {in_time(epochs[1])}",
                f"{spaced(hours[0], 1)} to {spaced(hours[1], 1)}",
                in_time(3600 * hours[0] / CORES),
                " to ".join(spaced(DOLLARS_AN_HOUR * hour, 2) for hour in hours),
            )
        )
    return table(LARGE, rows)


def spaced(number: float, digits: int) -> str:
    """A number with its thousands apart."""
    return f"{number:,.{digits}f}".replace(",", " ")


def in_bytes(size: float) -> str:
    """Bytes in GB, or in TB from one on."""
    return f"{size / 1e12:.1f} TB" if size >= 1e12 else f"{size / 1e9:.1f} GB"


def in_time(seconds: float) -> str:
    """Seconds, or hours from one on."""
    return f"{spaced(seconds / 3600, 1)} h" if seconds >= 3600 else f"{seconds:.0f} s"


def averaging() -> str:
    """Word2Vec averaged over parts beside one machine's."""
    rows, lines = read_results("averaging")["rows"], []
    for arm in ARMS:
        sizes = (arm.averaging.parts, arm.averaging.rounds) if arm.averaging else (None, None)
        of_arm = [
            row
            for row in rows
            if (row["averaged"], row.get("parts"), row.get("rounds")) == (arm.name, *sizes)
        ]
        cells = []
        for key, times, digits in (
            ("analogies_accuracy", 100, 1),
            ("simlex", 1, 3),
            ("wordsim", 1, 3),
        ):
            values = [times * row[key] for row in of_arm]
            spread = f" ± {statistics.stdev(values):.{digits}f}" if len(values) > 1 else ""
            cells.append(f"{statistics.mean(values):.{digits}f}{spread}")
        name = "one machine" if arm.averaging is None else "{} parts, {} an epoch".format(*sizes)
        name += ", the rate not multiplied" if arm.name == "plain_rate" else ""
        lines.append((name, str(len(of_arm)), *cells))
    head = ("training", "seeds", "analogies, %", "SimLex-999", "WordSim-353")
    return table(head, lines)
