"""``klyuch contexts senses``: what `embeddings.cli.contexts` does not hold itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from rich.table import Table

from embeddings.cli.output import grid

if TYPE_CHECKING:
    from embeddings.analysis.sense_files import Induce
    from embeddings.results.senses import SenseInduction, SensesOfFile
    from embeddings.text.contexts import Context


def inducer(model: str, language: str) -> Induce:
    """Return what finds the senses of one word's contexts by a static model or a network."""
    from embeddings.library import find, load_vectors

    entry = find(model)
    if entry.kind == "network":
        from embeddings.probing.reader import open_reader
        from embeddings.probing.senses import induce_with

        return partial(induce_with, open_reader(entry.path, entry.name), language=language)
    from embeddings.analysis.senses import induce, word_space
    from embeddings.text.forms import lemma_key
    from embeddings.text.surroundings import surroundings

    space = word_space(load_vectors(model), partial(lemma_key, language=language))

    def by_words(contexts: Sequence[Context]) -> SenseInduction:
        around = [surroundings(one, language, strict=False) for one in contexts]
        return induce(around, space, contexts[0].word)

    return by_words


def drawn(report: SensesOfFile) -> Table:
    """Return one line a word, and the mean."""
    rows: list[tuple[object, ...]] = [
        (
            one.word,
            one.contexts,
            one.number,
            one.ari,
            " | ".join(", ".join(names[:3]) for names in one.names),
        )
        for one in report.words
    ]
    if report.ari is not None:
        total = sum(one.contexts for one in report.words)
        rows.append(("mean by contexts", total, None, report.ari, ""))
    return grid("word", "contexts", "senses", "ARI", "names", rows=rows)
