"""The same in Python: code that runs when pasted and prints what the page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

LOAD = """from embeddings.library import load_vectors
{imports}

vectors = load_vectors({model!r})
"""
PROJECT = "from embeddings.analysis.projection import project"


def neighbours(model: str, word: str, filters: Mapping[str, object], words: Sequence[str]) -> str:
    """Code for the neighbours of a word, and for the map of all words shown."""
    imports = "from embeddings.analysis.similarity import neighbours"
    arguments = "".join(f", {n}={v!r}" for n, v in filters.items() if v and n != "fold")
    if language := filters.get("fold"):
        imports += "\nfrom embeddings.text.forms import lemma"
        arguments += f", fold=lambda form: lemma(form, {language!r})"
    return (
        _load(model, imports + "\n" + PROJECT)
        + f"for near in neighbours(vectors, {word!r}{arguments}):\n"
        + '    print(f"{near.similarity:.4f}  {near.word}  {near.count}")\n'
        + _map(words)
    )


def listed(model: str, words: Sequence[str]) -> str:
    """Code for a list: each with each, and the map."""
    imports = "from embeddings.analysis.similarity import similarity_matrix"
    return (
        _load(model, PROJECT + "\n" + imports)
        + _map(words)
        + "print(similarity_matrix(vectors, words).round(4))\n"
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


def _map(words: Sequence[str]) -> str:
    """Return the lines that place words on the map."""
    return (
        f"words = {list(words)!r}\n"
        "projection = project(vectors, words)\n"
        "for word, place in zip(projection.words, projection.coordinates):\n"
        "    print(word, place.round(4))\n"
        "print(projection.explained_variance_ratio)\n"
    )
