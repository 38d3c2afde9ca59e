"""The same in Python, of vectors, networks, classifiers and translators: code that runs when pasted and prints what the page shows."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from app import access
from embeddings.analysis.vector_answers import AssociationSets
from embeddings.method_registry import METHODS, call_text

IMPORT = "import embeddings\n\n"


@cache
def _templates() -> dict[str, str]:
    """Return snippets.toml."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


class Code(str):
    """An argument that is code already."""

    __slots__ = ()
    __repr__ = str.__str__


LENS = Code("network.lens()")


def options(**given: object) -> Code:
    """Return named arguments as they follow others in a call, those that are empty left out."""
    return Code("".join(f", {name}={value!r}" for name, value in given.items() if value))


def code(name: str, /, **values: object) -> str:
    """Return the code of a name in snippets.toml with its values; ``options`` are left out where there are none."""
    return _templates()[name].format(**{"options": "", **values})


def calling(function: str, call: Mapping[str, object], name: str = "") -> str:
    """Code that calls a function of `embeddings`, without the folders of a shared server; trained vectors are saved under a name."""
    written = access.without_folders(call_text(function, call))
    if function != "train":
        return f"{IMPORT}print({written})\n"
    is_saved = name and not METHODS[str(call["method"])].is_network
    return f"{IMPORT}model = {written}\n" + (f"model.save({name!r})\n" if is_saved else "")


@dataclass(frozen=True)
class Map:
    """The map as the page draws it: whose vectors, which words, and how.

    ``standardize`` concerns PCA alone.
    """

    model: str
    words: Sequence[str]
    method: str = "pca"
    dimensions: int = 2
    standardize: bool = True

    def code(self) -> str:
        """Return the line that places the words; nothing where they are too few to be drawn."""
        if len(self.words) <= self.dimensions:
            return ""
        arguments = f"{list(self.words)!r}, method={self.method!r}, dimensions={self.dimensions}"
        if self.method == "pca":
            arguments += f", standardize={self.standardize}"
        placed = f"embeddings.load({self.model!r}).map({arguments})"
        return f"\nprint({placed}.to_frame().round(4).to_string())\n"

    def cited(self) -> str:
        """Return the settings for a citation, named as in the code."""
        if len(self.words) <= self.dimensions:
            return ""
        rest = f"standardize {self.standardize}" if self.method == "pca" else "seed 1"
        return f"map of {self.model}: {self.method}, dimensions {self.dimensions}, {rest}"


def neighbours(models: Sequence[str], word: str, filters: Mapping[str, object], drawn: Map) -> str:
    """Code for the neighbours of a word in every model, and for the map of all words shown."""
    named = {name: bool(value) if name == "fold" else value for name, value in filters.items()}
    arguments = "".join(
        f", {name}={value!r}" for name, value in named.items() if value or name == "fold"
    )
    return _each(models, f"neighbours({word!r}{arguments})") + drawn.code()


def listed(models: Sequence[str], words: Sequence[str], drawn: Map) -> str:
    """Code for a list: what is nearest to its words in every model, and the map."""
    return _each(models, f"neighbour_table({list(words)!r}, topn=3)") + drawn.code()


def pairs(
    models: Sequence[str],
    pair: Sequence[str],
    odd: Sequence[str],
    ends: Sequence[str],
    between: Sequence[str],
) -> str:
    """Code for the similarity of two words, the odd one out, and words between two poles; questions without words are left out."""
    asked = [f"similarity({', '.join(map(repr, pair))})"] if pair else []
    asked += [f"odd_one_out({list(odd)!r})"] if odd else []
    asked += [f"axis({', '.join(map(repr, ends))}, words={list(between)!r})"] if ends else []
    return _each(models, *asked) if asked else ""


def association(models: Sequence[str], sets: AssociationSets) -> str:
    """Code for an association test, one that ships or lists of one's own."""
    if sets.name != "own":
        return _each(models, f"association({sets.name!r})")
    return code("own_association", models=list(models), sets=sets)


def analogy_set(models: Sequence[str], files: Sequence[str]) -> str:
    """Code for test sets of analogies that count as one."""
    return _each(models, f"evaluate_analogies({list(files)!r})")


def analogy(
    models: Sequence[str], drawn: str, formula: str, method: str, include_inputs: bool, fold: str
) -> str:
    """Code for a formula in every model, and for its steps, by cosine, in the one drawn.

    ``fold`` is the language of the lemmas under which forms are one answer, "" where they are not.
    """
    options = f"include_inputs={include_inputs}, fold={bool(fold)}"
    steps = f"embeddings.load({drawn!r}).analogy({formula!r}, {options}).steps"
    answers = _each(models, f"analogy({formula!r}, method={method!r}, {options})")
    return f"{answers}print({steps})\n"


def _each(models: Sequence[str], *questions: str) -> str:
    """Return code that asks one model after the other."""
    if len(questions) == 1:
        return code("each", models=list(models), question=questions[0])
    asked = ", ".join(f"vectors.{question}" for question in questions)
    return code("each_several", models=list(models), questions=asked)
