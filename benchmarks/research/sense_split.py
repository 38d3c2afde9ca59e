"""Whether to split a word into senses: precision of "several senses", ARI and B-cubed F1 with the test and without, on all open sets.

    KLYUCH_MIRROR=FOLDER python -m benchmarks.research.sense_split

The sets are those of `benchmarks.research.sense_sets`, this project's sentences, and sentences of sixty everyday words of one meaning
from the training texts (`ONE_MEANING`). A word has several senses if its commonest one has less than `DOMINANT` of the contexts. The
least clarity of a word that is split is chosen for each set on all others: the lowest at which the precision is `PRECISION`, on all of
them and on those with natural sense frequencies. Prints a Markdown table, and the precision on the sets left out.
"""

from __future__ import annotations

import lzma
import os
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.research.sense_sets import DOMINANT, MOST, SETS, drawn
from embeddings import load
from embeddings.analysis.sense_induction import adjusted_rand_index, b_cubed
from embeddings.corpora.sense_contexts import Context, by_word, read_contexts
from embeddings.analysis.context_answers import MIN_CLARITY
from embeddings.shelf.companions import context_reader, shipped_sentences
from embeddings.text.word_positions import occurrences

PRECISION = 0.8
NATURAL = ("active-rnc", "active-rutenten", "bts-rutenten")  # frequencies as in running text
BOUNDS = np.arange(-0.6, -0.3, 0.005)
SENTENCES, READ = 60, 60_000_000  # of a word; characters of a text file
TEXTS = {
    "en": ("en_simplewiki", "en_fiction", "en_wikipedia.1"),
    "de": ("de_klexikon", "de_literature", "de_wikipedia"),
    "ru": ("ru_newsru", "ru_literature", "ru_news", "ru_fiction"),
}
ONE_MEANING = {
    "en": "elephant guitar bread winter butter piano coffee sugar snow dog sheep violin tobacco hospital kitchen February umbrella wolf "
    "music king",
    "de": "Elefant Gitarre Brot Winter Butter Klavier Kaffee Zucker Schnee Hund Violine Tabak Krankenhaus Februar Regenschirm Musik König "
    "Milch Wolf Garten",
    "ru": "слон гитара хлеб зима масло кофе сахар снег собака скрипка табак больница кухня февраль зонтик волк музыка молоко река лошадь",
}


@dataclass(frozen=True)
class Tested:
    """A word: how clearly it separates, and (ARI, F1) of the division and of one sense."""

    is_several: bool
    clarity: float
    split: tuple[float, float]
    one: tuple[float, float]

    def scores(self, bound: float) -> tuple[float, float]:
        """Return what the test leaves: of the division, or of one sense."""
        return self.one if self.clarity < bound else self.split


def sets(mirror: Path) -> Iterator[tuple[str, str, list[Context]]]:
    """Yield set, language and contexts of each word."""
    for language in TEXTS:
        contexts = read_contexts(shipped_sentences(language))
        for rows in by_word(contexts).values():
            yield f"own {language}", language, [contexts[row] for row in rows]
    for name, file in SETS.items():
        contexts = read_contexts(mirror / "evaluation" / "senses_ru" / file)
        for rows in by_word(contexts).values():
            yield name, "ru", drawn([contexts[row] for row in rows], MOST)
    for language, words in ONE_MEANING.items():
        lines = sentences([mirror / "corpora" / f"{name}.txt.xz" for name in TEXTS[language]])
        for word in words.split():
            yield "one meaning", language, contexts_of(word, lines, language)


def sentences(files: Sequence[Path]) -> list[str]:
    """Return the sentences at the beginning of some texts in random order."""
    lines: list[str] = []
    for file in files:
        with lzma.open(file, "rt", encoding="utf-8") as text:
            lines += re.split(r"(?<=[.!?])\s+|\n", text.read(READ))
    lines = [line for line in lines if 30 < len(line) < 300]
    random.Random(1).shuffle(lines)
    return lines


def contexts_of(word: str, lines: Sequence[str], language: str) -> list[Context]:
    """Return the first sentences that hold a word."""
    stem, found = word.lower()[: max(3, len(word) - 1)], []
    for line in lines:
        if len(found) < SENTENCES and stem in line.lower():
            if spans := occurrences(line, word, language):
                found.append(Context(str(len(found)), word, "1", "", spans[:1], line))
    return found


def precision(words: Sequence[Tested], bound: float) -> float:
    """Return the share of words with several senses among those that are split; 0 of none."""
    return float(np.mean([word.is_several for word in words if word.clarity >= bound] or [0]))


def main() -> None:
    """Test all words and print what comes of it."""
    readers = {name: context_reader(load(f"bert-{name}"), name) for name in TEXTS}
    tested: dict[str, list[Tested]] = {}
    for name, language, contexts in sets(Path(os.environ["KLYUCH_MIRROR"])):
        found = readers[language].read(contexts).induction()
        golds, labels = [c.gold for c in contexts], [str(label) for label in found.labels]
        one = [""] * len(golds)
        split, together = (
            (adjusted_rand_index(golds, given), b_cubed(golds, given)) for given in (labels, one)
        )
        is_several = max(Counter(golds).values()) < DOMINANT * len(golds)
        tested.setdefault(name, []).append(Tested(is_several, found.clarity, split, together))
    print("| set | words | ARI split | tested | F1 split | tested | one | called several | are |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, words in tested.items():
        means = np.mean([(*w.split, *w.scores(MIN_CLARITY), *w.one) for w in words], axis=0)
        called = [word.is_several for word in words if word.clarity >= MIN_CLARITY]
        cells = (*means[[0, 2, 1, 3, 5]].round(3), len(called), sum(called))
        print(f"| {name} | {len(words)} |", " | ".join(map(str, cells)), "|")
    left_out: list[Tested] = []
    for name in NATURAL:
        others = [word for other in tested if other != name for word in tested[other]]
        natural = [word for other in NATURAL if other != name for word in tested[other]]
        bound = next(
            b for b in BOUNDS if min(precision(others, b), precision(natural, b)) >= PRECISION
        )
        left_out += [word for word in tested[name] if word.clarity >= bound]
        print(f"{name}: bound {bound:.3f} from the other sets")
    print("precision on the sets left out", round(precision(left_out, -2), 3))
    print("at", MIN_CLARITY, precision([w for n in NATURAL for w in tested[n]], MIN_CLARITY))


if __name__ == "__main__":
    main()
