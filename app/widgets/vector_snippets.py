"""The same in Python: code that runs when pasted and prints what the page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from embeddings.results.association import AssociationSets

LOAD = "from embeddings.shelf import load_vectors"
PROJECT = "from embeddings.analysis.projection import project"


@dataclass(frozen=True)
class Map:
    """The map as the page draws it: whose vectors, which words, and how.

    ``fit`` is "shown" or "all"; it and ``standardize`` concern PCA alone.
    """

    model: str
    words: Sequence[str]
    method: str = "pca"
    dimensions: int = 2
    fit: str = "shown"
    standardize: bool = True

    def code(self) -> str:
        """Return the lines that place the words; nothing where they are too few to be drawn."""
        if len(self.words) <= self.dimensions:
            return ""
        shares = "print(projection.explained_variance_ratio)\n" if self.method == "pca" else ""
        return (
            f"\nvectors = load_vectors({self.model!r})\n"
            f"words = {list(self.words)!r}\n"
            f"projection = project(vectors, words{self._arguments()})\n"
            "for word, coordinates in zip(projection.words, projection.coordinates):\n"
            "    print(word, coordinates.round(4))\n" + shares
        )

    def cited(self) -> str:
        """Return the settings for a citation, named as in the code."""
        if len(self.words) <= self.dimensions:
            return ""
        fitted = f"fit {self.fit}, standardize {self.standardize}"
        rest = fitted if self.method == "pca" else "seed 1"
        return f"map of {self.model}: {self.method}, dimensions {self.dimensions}, {rest}"

    def _arguments(self) -> str:
        """Return the arguments of `project` after the words."""
        chosen = f", method={self.method!r}, dimensions={self.dimensions}"
        if self.method != "pca":
            return chosen
        fitted = ", fit_on=vectors.words" if self.fit == "all" else ""
        return f"{chosen}, standardize={self.standardize}{fitted}"


def neighbours(models: Sequence[str], word: str, filters: Mapping[str, object], drawn: Map) -> str:
    """Code for the neighbours of a word in every model, and for the map of all words shown."""
    imports = [PROJECT] if drawn.code() else []
    imports.append("from embeddings.analysis.similarity import neighbours")
    arguments = "".join(f", {n}={v!r}" for n, v in filters.items() if v and n != "fold")
    if language := filters.get("fold"):
        imports.append("from embeddings.text.lemmas import lemma")
        arguments += f", fold=lambda form: lemma(form, {language!r})"
    return (
        _each(models, *imports)
        + f"    for near in neighbours(vectors, {word!r}{arguments}):\n"
        + '        print(f"{near.similarity:.4f}  {near.word}  {near.count}")\n'
        + drawn.code()
    )


def listed(models: Sequence[str], words: Sequence[str], drawn: Map) -> str:
    """Code for a list: what is nearest to its words in every model, and the map."""
    imports = [PROJECT] if drawn.code() else []
    imports.append("from embeddings.analysis.similarity import neighbours")
    return (
        _each(models, *imports)
        + f"    for word in {list(words)!r}:\n"
        + "        if word in vectors:\n"
        + "            print(word, [near.word for near in neighbours(vectors, word, topn=3)])\n"
        + drawn.code()
    )


def pairs(
    models: Sequence[str],
    pair: Sequence[str],
    odd: Sequence[str],
    ends: Sequence[str],
    between: Sequence[str],
) -> str:
    """Code for the similarity of two words, the odd one out, and words between two poles; questions without words are left out."""
    lines = {
        "similarity": f"print(similarity(vectors, {', '.join(map(repr, pair))}))" if pair else "",
        "odd_one_out": f"print(odd_one_out(vectors, {list(odd)!r}))" if odd else "",
        "axis": f"print(axis(vectors, {', '.join(map(repr, ends))}, words={list(between)!r}))"
        if ends
        else "",
    }
    asked = {name: line for name, line in lines.items() if line}
    if not asked:
        return ""
    imported = f"from embeddings.analysis.similarity import {', '.join(sorted(asked))}"
    return _each(models, imported) + "".join(f"    {line}\n" for line in asked.values())


def matrix(model: str, words: Sequence[str]) -> str:
    """Code for the cosines of words, each with each."""
    return (
        f"from embeddings.analysis.similarity import similarity_matrix\n{LOAD}\n\n"
        f"print(similarity_matrix(load_vectors({model!r}), {list(words)!r}).round(4))\n"
    )


def association(models: Sequence[str], language: str, sets: AssociationSets) -> str:
    """Code for an association test, one that ships or lists of one's own."""
    imports = ["from embeddings.analysis.association import association_test"]
    if sets.name == "own":
        imports.append("from embeddings.results.association import AssociationSets")
        test = repr(sets)
    else:
        imports.append("from embeddings.shelf import association_tests")
        test = f"association_tests({language!r})[{sets.name!r}]"
    return (
        _each(models, *imports)
        + f"    test = association_test(vectors, {test})\n"
        + "    print(test.effect_size, test.one_sided, test.two_sided)\n"
    )


def analogy(
    models: Sequence[str],
    drawn: str,
    formula: str,
    method: str,
    include_inputs: bool,
    fold: str = "",
) -> str:
    """Code for a formula in every model, and for its steps, by cosine, in the one drawn.

    ``fold`` is the language of the lemmas under which forms are one answer, "" where they are not.
    """
    imports = ["from embeddings.analysis.analogies import solve"]
    inputs = f"include_inputs={include_inputs}"
    if fold:
        imports.append("from embeddings.text.lemmas import lemma")
        inputs += f", fold=lambda form: lemma(form, {fold!r})"
    return (
        _each(models, *imports)
        + f"    analogy = solve(vectors, {formula!r}, method={method!r}, {inputs})\n"
        + "    for near in analogy.answers:\n"
        + '        print(f"{near.similarity:.4f}  {near.word}  {near.count}")\n'
        + f"\nvectors = load_vectors({drawn!r})\n"
        + f'for step in solve(vectors, {formula!r}, method="add", {inputs}).steps:\n'
        + "    print(step.expression, [near.word for near in step.neighbours])\n"
    )


def ratios(model: str, two: Sequence[str], probes: Sequence[str]) -> str:
    """Code for co-occurrence ratios."""
    return (
        "from embeddings.analysis.cooccurrence_ratios import load_cooccurrence, ratios\n"
        "from embeddings.shelf import find\n\n"
        f"table = load_cooccurrence(find({model!r}).path)\n"
        f"for row in ratios(table, {two[0]!r}, {two[1]!r}, {list(probes)!r}).rows:\n"
        "    print(row.probe, row.p_first, row.p_second, row.ratio, row.predicted_ratio)\n"
    )


def compare(two: Sequence[str], words: Sequence[str], topn: int) -> str:
    """Code for two models compared: all words, each word, and the map of both."""
    return (
        "from embeddings.analysis.model_comparison import align, common_map\n"
        "from embeddings.analysis.model_comparison import compare, most_moved\n"
        f"{LOAD}\n\n"
        f"first, second = load_vectors({two[0]!r}), load_vectors({two[1]!r})\n"
        "alignment = align(first, second)\n"
        f"words = {list(words)!r}\n"
        f"comparison = compare(alignment, words, topn={topn})\n"
        "print(comparison.overlap, comparison.procrustes_error, comparison.spearman, comparison.common)\n"
        "for word in comparison.words:\n"
        "    print(word.word, word.overlap, word.movement, word.shared)\n"
        "print([word.word for word in most_moved(alignment)])\n"
        "print(common_map(alignment, words))\n"
    )


def _each(models: Sequence[str], *imports: str) -> str:
    """Return the lines that load one model after the other, as the head of a loop."""
    return (
        "\n".join(sorted([LOAD, *imports]))
        + f"\n\nfor name in {list(models)!r}:\n"
        + "    print(name)\n"
        + "    vectors = load_vectors(name)\n"
    )
