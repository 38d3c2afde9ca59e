"""Build the Russian analogy set from its pairs: data/analogies/ru_pairs.tsv to ru.txt.

    python benchmarks/build_analogies.py [--check]

The pairs are the source, written and checked by hand; the questions follow from them. In each
section a pair is the example for the pairs that follow it in the file, round the end, so that
every pair is asked as often as it is given. About ``QUESTIONS_PER_SECTION`` questions a section
keep the many grammatical sections from drowning the few of meaning. No chance is involved: the
same pairs give the same bytes.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "data" / "analogies"
QUESTIONS_PER_SECTION = 250

Pair = tuple[str, str]


def read_pairs(path: Path) -> dict[str, list[Pair]]:
    """Return the pairs of words by section, both in the order of the file."""
    sections: dict[str, list[Pair]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            sections.setdefault(row["section"], []).append((row["first"], row["second"]))
    return sections


def questions(pairs: list[Pair]) -> list[tuple[str, str, str, str]]:
    """Return ``a b c d`` for each pair (a, b) and each of the pairs (c, d) that follow it.

    The number that follow is the same for all pairs of the section: as many as keep the section
    within ``QUESTIONS_PER_SECTION``, at most all the others.
    """
    following = min(len(pairs) - 1, QUESTIONS_PER_SECTION // len(pairs))
    return [
        (*pair, *pairs[(at + step) % len(pairs)])
        for at, pair in enumerate(pairs)
        for step in range(1, following + 1)
    ]


def render(sections: dict[str, list[Pair]]) -> str:
    """Return the whole set in Google's format: ``: section`` lines, then four words a line."""
    lines = []
    for section, pairs in sections.items():
        lines.append(f": {section}")
        lines.extend(" ".join(question) for question in questions(pairs))
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write ru.txt, or with ``--check`` only say whether it is what the pairs give."""
    parser = argparse.ArgumentParser(description="Build data/analogies/ru.txt from ru_pairs.tsv.")
    parser.add_argument("--check", action="store_true", help="compare with the file, write nothing")
    arguments = parser.parse_args()
    target = FOLDER / "ru.txt"
    text = render(read_pairs(FOLDER / "ru_pairs.tsv")).encode()
    if arguments.check:
        same = target.read_bytes() == text
        print(f"{target.name} {'is' if same else 'is not'} what the pairs give")
        return 0 if same else 1
    target.write_bytes(text)
    print(
        f"{target.name}: {sum(not line.startswith(b':') for line in text.splitlines())} questions"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
