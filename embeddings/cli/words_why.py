"""``klyuch words why``: the contexts that make two words near, and sentences that have them."""

from __future__ import annotations

import sys

from rich.table import Table

from embeddings.cli.nouns import verb
from embeddings.cli.output import counted, emit, grid
from embeddings.results.display import plain
from embeddings.results.sentence_answers import OTHER, TRAINED, UNKNOWN
from embeddings.results.vector_answers import SharedContexts
from embeddings.shelf import Entry, find
from embeddings.shelf.loading import text_of_concordance
from embeddings.shelf.locations import (
    find_concordance,
    sample_concordance,
    sample_name,
)

NOTES = {  # on sentences
    TRAINED: "Sentences: {corpus}, text that {model} was trained on.",
    OTHER: "Sentences: {corpus}, another text than that of {model}.",
    UNKNOWN: "Sentences: {corpus}; whether {model} was trained on them is not recorded.",
}


@verb("words", "why")
def why_command(
    first: str,
    second: str,
    *,
    model: str,
    topn: int = 15,
    corpus: str = "",
    sentences: int = 3,
    as_json: bool = False,
) -> None:
    """Print the contexts that make two words near, and what each adds to the cosine of their PPMI rows."""
    from embeddings.analysis.shared_contexts import shared_contexts
    from embeddings.shelf import load_vectors, open_contexts

    entry = find(model)
    vectors = load_vectors(entry.path)
    answer = shared_contexts(open_contexts(entry), first, second, topn, vectors)
    source, lines = _sentences(entry, answer, corpus, sentences)
    value = {
        name: getattr(answer, name)
        for name in ("cosine", "ppmi_cosine", "first_order", "shared", "others")
    }
    value |= {
        "others_contribution": answer.others_contribution,
        "kept": answer.kept,
        "window": answer.window,
        "sentences_from": source,
        "sentences": lines,
    }
    emit(value, as_json, lambda: _why_table(answer))
    for line in () if as_json else lines:
        print(f"{', '.join(filter(None, (line['word'], line['context'])))}: {line['text']}")
    if lines and not as_json:
        print(NOTES[source["text"]].format(**source), file=sys.stderr)


def _sentences(
    entry: Entry, answer: SharedContexts, corpus: str, limit: int
) -> tuple[dict[str, str], list[dict[str, str]]]:
    """Return whose sentences they are, and some of each word near a shared context, the strongest first."""
    name = corpus or sample_name(entry.language)
    if not limit or not (corpus or sample_concordance(name)):
        return {}, []
    from embeddings.analysis.shared_contexts import context_sentences
    from embeddings.corpora.concordance import Concordance

    concordance = Concordance.open(find_concordance(name))
    source = {
        "corpus": name,
        "model": entry.name,
        "text": text_of_concordance(entry, concordance),
    }
    described = []
    for word in (answer.first, answer.second):
        for sentence in context_sentences(concordance, answer, word, limit, entry.language):
            about = {"word": word, "context": sentence.context}
            described.append({**about, **plain(sentence.line)})
    return source, described


def _why_table(answer: SharedContexts) -> Table:
    """Return the shared contexts, with what they add up to and how the two words stand together below."""
    rows: list[tuple[object, ...]] = [
        (shared.context, f"{shared.contribution:.4f}", shared.count_first, shared.count_second)
        for shared in answer.shared
    ]
    if answer.others:
        rows.append((counted(answer.others, "other"), f"{answer.others_contribution:.4f}", "", ""))
    table = grid("context", "contribution", answer.first, answer.second, rows=rows)
    together = answer.first_order
    table.caption = (
        f"cosine of the vectors {answer.cosine:.4f}, of the contexts {answer.ppmi_cosine:.4f} "
        f"(kept: {answer.kept[0]:.0%} and {answer.kept[1]:.0%} of the rows' squared length); "
        f"together within {counted(answer.window, 'word')} {counted(together.count, 'time')}, by chance {together.expected:.1f}"
    )
    return table
