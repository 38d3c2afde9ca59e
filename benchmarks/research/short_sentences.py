"""Short sentences of held-out documents with one content word masked, for `klyuch fill evaluate`.

    python -m benchmarks.research.short_sentences PREPARED CORPUS... --output blanks.tsv

The documents are those that no pretraining over PREPARED reads (`PreparedCorpus.split`), so a network trained on it is not flattered. From
each source: sentences of 7 to 20 words, in each one word masked that is not the first, has three letters or more, and is not among the
200 most frequent words of the text. A line: sentence, answer, source.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from embeddings.corpora.text_files import documents
from embeddings.files import atomic_file
from embeddings.pretraining.prepared_corpus import PreparedCorpus
from embeddings.text.word_positions import sentences

WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
SHORTEST, LONGEST = 7, 20  # words of a sentence
LONGEST_TEXT = 200  # characters
COMMON = 200  # words that are too frequent to be asked for
COUNTED = 20  # every so-many-th document is counted for the frequent words


def held_out(corpus: PreparedCorpus, share: float) -> dict[str, set[int]]:
    """Return the numbers of the held-out documents of each source, from 0 in its own file."""
    _, rows = corpus.split(share)
    first, numbers = 0, {}
    for source in corpus.sources:
        in_source = rows[(rows >= first) & (rows < first + source.documents)]
        numbers[source.name] = set((in_source - first).tolist())
        first += source.documents
    return numbers


def blanks_of(
    texts: Iterator[str], common: set[str], chance: random.Random
) -> Iterator[tuple[str, str]]:
    """Yield (sentence with [MASK], answer) of the sentences that have a word to ask for."""
    for text in texts:
        words = list(WORD.finditer(text))
        if not SHORTEST <= len(words) <= LONGEST or len(text) > LONGEST_TEXT or "\t" in text:
            continue
        content = [
            word
            for word in words[1:]
            if len(word.group()) >= 3
            and word.group().isalpha()
            and word.group().lower() not in common
        ]
        if content:
            word = chance.choice(content)
            yield f"{text[: word.start()]}[MASK]{text[word.end() :]}", word.group()


def make(
    prepared: Path, files: list[Path], each: int, share: float, frequent: int = COMMON
) -> list[tuple[str, str, str]]:
    """Return ``each`` blanks of every source, the same every time."""
    numbers = held_out(PreparedCorpus.open(prepared), share)
    counts: Counter[str] = Counter()
    heldout_documents: dict[str, list[list[str]]] = {}
    for file in files:
        name = file.name.split(".txt")[0]
        heldout_documents[name] = []
        for number, document in enumerate(documents(file)):
            if number in numbers[name]:
                heldout_documents[name].append(document)
            elif number % COUNTED == 0:
                counts.update(word.lower() for line in document for word in WORD.findall(line))
    common = {word for word, _ in counts.most_common(frequent)}
    chance = random.Random(1)
    rows = []
    for name, texts in heldout_documents.items():
        every = [text for document in texts for line in document for text in sentences(line)]
        chance.shuffle(every)
        drawn = blanks_of(iter(every), common, chance)
        rows += [
            (text, answer, name) for (text, answer), _ in zip(drawn, range(each), strict=False)
        ]
    return rows


def main() -> None:
    """Write the file."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("prepared", type=Path)
    ask.add_argument("corpora", type=Path, nargs="+")
    ask.add_argument("--output", type=Path, required=True)
    ask.add_argument("--each", type=int, default=300, help="sentences of each source")
    ask.add_argument("--heldout", type=float, default=0.005, help="as in the pretraining")
    options = ask.parse_args()
    rows = make(options.prepared, options.corpora, options.each, options.heldout)
    with atomic_file(options.output) as temporary:
        temporary.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    print(Counter(source for _, _, source in rows))


if __name__ == "__main__":
    main()
