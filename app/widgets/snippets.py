"""The same in Python: code that runs when pasted and prints what the page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

LOAD = """from embeddings.library import load_vectors
{imports}

vectors = load_vectors({model!r})
"""


def neighbours(model: str, word: str, filters: Mapping[str, object]) -> str:
    """Code for the neighbours of a word."""
    arguments = "".join(f", {name}={value!r}" for name, value in filters.items() if value)
    return _load(model, "from embeddings.analysis.similarity import neighbours") + (
        f"for near in neighbours(vectors, {word!r}{arguments}):\n"
        '    print(f"{near.similarity:.4f}  {near.word}  {near.count}")\n'
    )


def listed(model: str, words: Sequence[str]) -> str:
    """Code for the map of a list."""
    return _load(model, "from embeddings.analysis.projection import project") + (
        f"words = {list(words)!r}\n"
        'projection = project(vectors, words, method="pca", dimensions=2)\n'
        "for word, place in zip(projection.words, projection.coordinates):\n"
        "    print(word, place.round(4))\n"
        "print(projection.explained_variance_ratio)\n"
    )


def analogy(model: str, formula: str, method: str, include_inputs: bool) -> str:
    """Code for a formula."""
    return _load(model, "from embeddings.analysis.analogies import solve") + (
        f"analogy = solve(vectors, {formula!r}, method={method!r},"
        f" include_inputs={include_inputs})\n"
        "for near in analogy.answers:\n"
        '    print(f"{near.similarity:.4f}  {near.word}  {near.count}")\n'
        "for step in analogy.steps:\n"
        "    print(step.expression, [near.word for near in step.neighbours])\n"
    )


def ratios(model: str, two: Sequence[str], probes: Sequence[str]) -> str:
    """Code for co-occurrence ratios."""
    return (
        "from embeddings.analysis.cooccurrence_ratios import load_cooccurrence, ratios\n"
        "from embeddings.library import find\n\n"
        f"table = load_cooccurrence(find({model!r}).path)\n"
        f"for row in ratios(table, {two[0]!r}, {two[1]!r}, {list(probes)!r}).rows:\n"
        "    print(row.probe, row.p_first, row.p_second, row.ratio, row.predicted_ratio)\n"
    )


def _load(model: str, imports: str) -> str:
    """Return the lines that load a model."""
    return LOAD.format(model=model, imports=imports)
