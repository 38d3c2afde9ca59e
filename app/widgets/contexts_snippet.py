"""Contexts, the same in Python: vectors of one kind, their map at a layer, cosines beside random ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from embeddings.text.contexts import Context

SOME = "texts[:: max(1, len(texts) // 80)]"


@dataclass(frozen=True)
class Shown:
    """What the map shows: the network, the kind of vector, the layer, the static companion ("" for none)."""

    model: str
    vector: str
    layer: int
    static: str = ""


def contexts(language: str, asked: Sequence[Context], shown: Shown, fitted: Sequence[int]) -> str:
    """Code that prints a map's coordinates, its axes ``fitted`` on some contexts, and the cosines of all."""
    rows = "" if len(fitted) == len(asked) else f", {list(fitted)}"
    lines = "".join(f"    ({one.text!r}, {one.positions!r}),\n" for one in asked)
    body = _around if shown.vector in ("both", "around") else _inside
    imports, code = body(language, asked[0].word, shown)
    imports += [
        "from embeddings.analysis.contextual import context_maps",
        "from embeddings.library import data, find",
        "from embeddings.probing.baseline import likeness_matrix",
        "from embeddings.probing.reader import open_reader",
    ]
    return (
        "\n".join(sorted(imports)) + "\n\n"
        f"reader = open_reader(find({shown.model!r}).path)\n"
        f'texts = [one.text for one in read_contexts(data() / "contexts" / "{language}.tsv")]\n'
        f"sentences = [\n{lines}]\n"
        f"{code}"
        f"print(context_maps(states.vectors{rows})[{shown.layer}].coordinates.round(4))\n"
        f"alike = likeness_matrix(states, {shown.layer}, base)\n"
        "print(alike.cosine.round(3), alike.baseline)\n"
        "print(alike.centred.round(3), alike.centred_baseline)\n"
    )


def _inside(_language: str, _word: str, shown: Shown) -> tuple[list[str], str]:
    """Imports and code for the word itself, or the blank in its place."""
    imports = [
        "from embeddings.probing.states import word_states",
        "from embeddings.text.contexts import read_contexts",
    ]
    code = "contexts = [(text, spans[0]) for text, spans in sentences]\n"
    if shown.vector == "blank":
        imports.append("from embeddings.probing.blanks import blank_baseline, blanked")
        return imports, (
            f"{code}states = word_states(reader, blanked(reader, contexts))\n"
            "base = blank_baseline(reader, texts)\n"
        )
    imports.append("from embeddings.probing.baseline import random_baseline")
    return imports, (
        f"{code}states = word_states(reader, contexts)\n"
        f"base = random_baseline(reader, {SOME}, words=3)\n"
    )


def _around(language: str, word: str, shown: Shown) -> tuple[list[str], str]:
    """Imports and code for the words around, by the network alone or beside the companion."""
    imports = [
        "from embeddings.probing.around import context_baseline, context_states",
        "from embeddings.text.contexts import Context, read_contexts",
    ]
    code, alone = "space = None\n", ", alone=True" if shown.vector == "around" else ""
    if shown.static:
        imports += [
            "from functools import partial",
            "from embeddings.analysis.senses import word_space",
            "from embeddings.library import load_vectors",
            "from embeddings.text.forms import lemma_key",
        ]
        key = f"partial(lemma_key, language={language!r})"
        code = f"space = word_space(load_vectors({shown.static!r}), {key})\n"
    return imports, (
        f'{code}contexts = [Context("", {word!r}, "", "", spans, text) for text, spans in sentences]\n'
        f"states = context_states(reader, contexts, {language!r}, space{alone})\n"
        f"base = context_baseline(reader, {SOME}, {language!r}, space{alone})\n"
    )
