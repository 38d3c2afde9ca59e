"""The same in Python, of networks, classifiers and translators: code that runs when pasted and prints what the page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from embeddings.corpora.sense_contexts import Context
from embeddings.results.ablations import Parts, Replacement, TranslatorHeads

IMPORT = "import embeddings\n\n"
PARTS = "\nfrom embeddings.results.ablations import Parts, Replacement\n\n"


def classify(model: str, text: str, label: str) -> str:
    """Code for a text classified, and for what each word adds to the log-odds of a label."""
    return (
        f"{IMPORT}classifier, text = embeddings.load({model!r}), {text!r}\n"
        f'print(classifier.predict(text), classifier.attribute(text, {label!r}), sep="\\n")\n'
    )


@dataclass(frozen=True)
class ShownContexts:
    """What the map shows: the network, the kind of vector, the layer, the static companion ("" for none)."""

    model: str
    vector: str
    layer: int
    static: str = ""


def contexts(
    language: str, drawn: Sequence[Context], shown: ShownContexts, fitted: Sequence[int]
) -> str:
    """Code that prints a map's coordinates, its axes ``fitted`` on some contexts, and the cosines of all."""
    rows = "" if len(fitted) == len(drawn) else f", rows={list(fitted)}"
    lines = "".join(f"    ({context.text!r}, {context.positions[0]!r}),\n" for context in drawn)
    asked = (
        f"{drawn[0].word!r}, sentences, language={language!r}, companion={shown.static or 'none'!r}"
    )
    at = f"layer={shown.layer}, vector={shown.vector!r}"
    return (
        f"{IMPORT}sentences = [\n{lines}]\n"
        f"contexts = embeddings.load({shown.model!r}).contexts({asked})\n"
        f"print(contexts.map({at}{rows}).coordinates.round(4))\n"
        f"print(contexts.similarity({at}))\n"
    )


def inside(model: str, text: str, layer: int, head: int) -> str:
    """Code for a sentence's way through a network."""
    return (
        f"{IMPORT}walk = embeddings.load({model!r}).walk({text!r}, layer={layer}, head={head})\n"
        "print(walk.tokens, walk.ids)\n"
        "print(walk.at_head.weights.round(2))\n"
        "print([[guess.token for guess in token] for token in walk.guesses[-1]])\n"
    )


def decoder(model: str, text: str, layer: int, head: int) -> str:
    """Code for a sentence's way through a translator's decoder."""
    return (
        f"{IMPORT}walk = embeddings.load({model!r}).walk({text!r}, layer={layer}, head={head})\n"
        "print(walk.input_tokens, walk.output_tokens)\n"
        "print(walk.self_attention.weights.round(2), walk.cross.weights.round(2))\n"
    )


def attention(
    model: str, texts: tuple[str, str], chosen: tuple[str, str, str, str], at: tuple[int, str]
) -> str:
    """Code for the attention of a text, and the weights of one head."""
    level, special, sentences, measure = chosen
    arguments = ", ".join(repr(text) for text in texts if text)
    arguments += f", measure={measure!r}" if measure != "weights" else ""
    options = f"level={level!r}, special={special!r}, sentences={sentences!r}"
    return (
        f"{IMPORT}attention = embeddings.load({model!r}).attention({arguments})\n"
        f"print(attention.prepare({options}).to_frame({at[0]}, {at[1]!r}).round(4))\n"
    )


def fill(model: str, text: str, second: str, words: Sequence[str], only_words: bool) -> str:
    """Code for what a network puts at each [MASK], and for the probability of the masked word."""
    optional = f", second={second!r}" if second else ""
    optional += f", words={list(words)!r}" if words else ""
    return (
        f"{IMPORT}network = embeddings.load({model!r})\n"
        f"print(network.fill({text!r}{optional}, only_words={only_words}))\n"
    )


def guess_attribution(text: str, second: str, blank: int, word: str, token: str) -> str:
    """Code, behind that of `fill`, for which words moved a guess at a blank."""
    chosen = f"word={word!r}" if word else f"token={token!r}"
    follows = f", second={second!r}" if second else ""
    return f"print(network.attribute({text!r}, {chosen}, blank={blank}{follows}))\n"


def grammar(model: str, texts: Sequence[str]) -> str:
    """Code for sentences scored by a network: sums, means, each token."""
    return (
        f'{IMPORT}print(*embeddings.load({model!r}).score_sentences({list(texts)!r}), sep="\\n")\n'
    )


@dataclass(frozen=True)
class HeadChoice:
    """The attention of a translation that the page draws first: whose, which kind, how, and where."""

    model: str
    kind: str
    level: str
    special: str
    layer: int
    head: str


def translate(text: str, beam: int, shown: HeadChoice) -> str:
    """Code for a sentence translated: its steps, and one head of one attention."""
    options = f"level={shown.level!r}, special={shown.special!r}"
    head = f"to_frame({shown.layer}, {shown.head!r})"
    return (
        f"{IMPORT}translation = embeddings.load({shown.model!r}).translate({text!r}, {beam})\n"
        "print(translation)\n"
        f"print(translation.attention.map({shown.kind!r}).prepare({options}).{head}.round(4))\n"
    )


def translation_attribution(model: str, text: str, beam: int) -> str:
    """Code, behind that of `translate`, for which words moved each word of a translation."""
    return (
        f"attribution = embeddings.load({model!r}).attribute({text!r}, {beam})\n"
        "print(attribution.target_words, attribution.source_words)\n"
        "print(attribution.source_gradients.round(3), attribution.target_gradients.round(3))\n"
    )


def ablation(
    model: str, texts: tuple[str, str], parts: Parts, replacement: Replacement, token: str
) -> str:
    """Code for what a network answers with parts of it off, and for how much each head matters."""
    second = f", second={texts[1]!r}" if texts[1] else ""
    followed = f", token={token!r}" if token else ""
    return (
        f"{PARTS}network, replacement = embeddings.load({model!r}), {replacement!r}\n"
        f"print(network.ablate({texts[0]!r}, {parts!r}, replacement{second}, only_words=True))\n"
        f"print(network.head_effects({texts[0]!r}, replacement{second}{followed}))\n"
    )


def class_ablation(model: str, text: str, parts: Parts, replacement: Replacement) -> str:
    """Code for what a classifier answers with parts of it off, and for how much each head matters."""
    return (
        f"{PARTS}classifier, replacement = embeddings.load({model!r}), {replacement!r}\n"
        f"print(classifier.ablate({text!r}, {parts!r}, replacement))\n"
        f"print(classifier.head_effects({text!r}, replacement))\n"
    )


def translation_ablation(model: str, text: str, beam: int, heads: TranslatorHeads) -> str:
    """Code for a translation with heads off, and for how much each head matters."""
    return (
        "\nfrom embeddings.results.ablations import TranslatorHeads\n\n"
        f"translator = embeddings.load({model!r})\n"
        f"print(translator.ablate({text!r}, {heads!r}, {beam}))\n"
        f"print(translator.head_effects({text!r}, {beam}))\n"
    )
