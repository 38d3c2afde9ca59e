"""The same in Python, of what networks do: code that runs when pasted and prints what the page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


def inside(model: str, text: str, layer: int, head: int) -> str:
    """Code for a sentence's way through a network."""
    return (
        "from embeddings.library import find\n"
        "from embeddings.probing.inside import walk\n"
        "from embeddings.probing.reader import open_reader\n\n"
        f"reader = open_reader(find({model!r}).path)\n"
        f"found = walk(reader, {text!r}, layer={layer}, head={head})\n"
        "print(found.tokens, found.ids)\n"
        "print(found.total.shape, found.states.shape)\n"
        "print(found.at_head.scaled.round(2))\n"
        "print(found.at_head.weights.round(2))\n"
        "print([[guess.token for guess in place] for place in found.guesses[-1]])\n"
    )


def decoder(model: str, text: str, layer: int, head: int) -> str:
    """Code for a sentence's way through a translator's decoder."""
    return (
        "from embeddings.library.translators import load_translator\n"
        "from embeddings.probing.decoder import walk_decoder\n\n"
        f"translator = load_translator({model!r})\n"
        f"found = walk_decoder(translator, {text!r}, layer={layer}, head={head})\n"
        "print(found.read, found.said)\n"
        "print(found.own.masked.round(2))\n"
        "print(found.own.weights.round(2))\n"
        "print(found.cross.weights.round(2))\n"
        "for step in found.following:\n"
        "    print([(one.token, round(one.probability, 4)) for one in step])\n"
    )


def attention(
    model: str, texts: tuple[str, str], chosen: tuple[str, str, str], at: tuple[int, str]
) -> str:
    """Code for the attention of a text, and the weights of one head."""
    level, special, sentences = chosen
    asked = ", ".join(repr(text) for text in texts if text)
    return (
        "from embeddings.library import find\n"
        "from embeddings.probing.attention import attention\n"
        "from embeddings.probing.attention_maps import prepare\n"
        "from embeddings.probing.reader import open_reader\n\n"
        f"found = attention(open_reader(find({model!r}).path), {asked})\n"
        f"shown = prepare(found, level={level!r}, special={special!r}, sentences={sentences!r})\n"
        "print(shown.from_side.labels, shown.to_side.labels)\n"
        f"print(shown.one({at[0]}, {at[1]!r}).round(4))\n"
    )


def fill(model: str, text: str, second: str, words: Sequence[str], only_words: bool) -> str:
    """Code for what a network puts at each [MASK], and for the probability of the hidden word."""
    given = f", second={second!r}" if second else ""
    given += f", words={list(words)!r}" if words else ""
    return (
        "from embeddings.library import find\n"
        "from embeddings.probing.fill import fill\n"
        "from embeddings.probing.reader import open_reader\n\n"
        f"reader = open_reader(find({model!r}).path)\n"
        f"for mask in fill(reader, {text!r}{given}, only_words={only_words}).masks:\n"
        "    for guess in mask.guesses:\n"
        '        print(f"{guess.probability:.4f}  {guess.token}")\n'
        "    for layer, guesses in enumerate(mask.by_layer):\n"
        "        print(layer, guesses[0].token)\n"
        "    for word in mask.asked:\n"
        "        print(word.word, word.probability, word.rank)\n"
    )


@dataclass(frozen=True)
class Attended:
    """The attention of a translation that the page draws first: whose, which kind, how, and where."""

    model: str
    kind: str
    level: str
    special: str
    layer: int
    head: str


def translate(text: str, beam: int, shown: Attended) -> str:
    """Code for a sentence translated: its steps, the beam's endings, one head of one attention."""
    options = f"level={shown.level!r}, special={shown.special!r}"
    return (
        "from embeddings.library.translators import load_translator\n"
        "from embeddings.models.hypotheses import DecodingConfig\n"
        "from embeddings.probing.attention_maps import prepare\n"
        "from embeddings.probing.translation_maps import attention_map, look_inside\n\n"
        f"translator = load_translator({shown.model!r})\n"
        f"found = look_inside(translator, {text!r}, DecodingConfig(beam={beam}))\n"
        "print(found.target, round(found.score, 4))\n"
        "for step in found.steps:\n"
        '    print(step.before, "|", [(c.token, round(c.probability, 4)) for c in step.candidates])\n'
        "for ending, score in found.tree.endings:\n"
        '    print(f"{score:.4f}  {ending}")\n'
        f"shown = prepare(attention_map(found.attention, {shown.kind!r}), {options})\n"
        f"print(shown.one({shown.layer}, {shown.head!r}).round(4))\n"
    )
