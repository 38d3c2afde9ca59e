"""The same in Python, of vectors, networks, classifiers and translators: code that runs when pasted and prints what the page shows."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app import access
from embeddings.corpora.concordance_search import ConcordanceQuery
from embeddings.corpora.sense_contexts import Context
from embeddings.results.network_answers import Parts, Replacement, TranslatorHeads
from embeddings.results.vector_answers import AssociationSets

IMPORT = "import embeddings\n\n"
PARTS = "\nfrom embeddings.results.network_answers import Parts, Replacement\n\n"


def commands(steps: Sequence[Sequence[str]]) -> str:
    """Code for the commands of a job, which write where it runs; on a shared server without its folders."""
    lines = [
        access.without_folders(
            shlex.join(["klyuch", *(word.replace("{job}/", "") for word in step)])
        )
        for step in steps
    ]
    listed = "\n".join(f"    {line!r}," for line in lines)
    return (
        "import shlex, subprocess\n\n"
        f"for command in [\n{listed}\n]:\n"
        "    subprocess.run(shlex.split(command), check=True)\n"
    )


def training(call: Mapping[str, object], name: str = "") -> str:
    """Code that trains a model with the arguments of `embeddings.train`, and saves it under a name if it has one."""
    arguments = access.without_folders(", ".join(f"{key}={value!r}" for key, value in call.items()))
    code = f"{IMPORT}model = embeddings.train({arguments})\n"
    return f"{code}model.save({name!r})\n" if name else code


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


def fill(
    model: str,
    text: str,
    second: str,
    words: Sequence[str],
    only_words: bool,
    by_lens: bool = False,
) -> str:
    """Code for what a network puts at each [MASK], and for the probability of the masked word; layers read by its lens or not."""
    optional = f", second={second!r}" if second else ""
    optional += f", words={list(words)!r}" if words else ""
    optional += ", lens=network.lens()" if by_lens else ""
    return (
        f"{IMPORT}network = embeddings.load({model!r})\n"
        f"print(network.fill({text!r}{optional}, only_words={only_words}))\n"
    )


def guess_attribution(text: str, second: str, blank: int, word: str, token: str) -> str:
    """Code, behind that of `fill`, for which words moved a guess at a blank."""
    chosen = f"word={word!r}" if word else f"token={token!r}"
    follows = f", second={second!r}" if second else ""
    return f"print(network.attribute({text!r}, {chosen}, blank={blank}{follows}))\n"


def grammar(model: str, texts: Sequence[str], by_lens: bool = False) -> str:
    """Code for sentences scored by a network: sums, means, each token; layers read by its lens or not."""
    lens = ", lens=network.lens()" if by_lens else ""
    return (
        f"{IMPORT}network = embeddings.load({model!r})\n"
        f'print(*network.score_sentences({list(texts)!r}{lens}), sep="\\n")\n'
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
        "\nfrom embeddings.results.network_answers import TranslatorHeads\n\n"
        f"translator = embeddings.load({model!r})\n"
        f"print(translator.ablate({text!r}, {heads!r}, {beam}))\n"
        f"print(translator.head_effects({text!r}, {beam}))\n"
    )


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
        arguments = f"{list(self.words)!r}, method={self.method!r}, dimensions={self.dimensions}"
        if self.method == "pca":
            fitted = ", fit_on=vectors.words" if self.fit == "all" else ""
            arguments += f", standardize={self.standardize}{fitted}"
        placed = f"vectors.map({arguments}).to_frame().round(4).to_string()"
        return f"\nvectors = embeddings.load({self.model!r})\nprint({placed})\n"

    def cited(self) -> str:
        """Return the settings for a citation, named as in the code."""
        if len(self.words) <= self.dimensions:
            return ""
        fitted = f"fit {self.fit}, standardize {self.standardize}"
        rest = fitted if self.method == "pca" else "seed 1"
        return f"map of {self.model}: {self.method}, dimensions {self.dimensions}, {rest}"


def vocabulary(model: str, sample: int | None) -> str:
    """Code for the map of all words of a model, of very many of a random sample of so many."""
    words = "vectors.words"
    if sample is not None:
        words = f"[vectors.words[row] for row in sorted(np.random.default_rng(1).permutation(len(vectors))[:{sample}])]"
    numpy = "import numpy as np\n\n" if sample is not None else ""
    return (
        f"{numpy}{IMPORT}vectors = embeddings.load({model!r})\n"
        f"print(vectors.map({words}).to_frame())\n"
    )


def neighbours(models: Sequence[str], word: str, filters: Mapping[str, object], drawn: Map) -> str:
    """Code for the neighbours of a word in every model, and for the map of all words shown."""
    named = {name: bool(value) if name == "fold" else value for name, value in filters.items()}
    arguments = "".join(f", {name}={value!r}" for name, value in named.items() if value)
    return _each(models, f"neighbours({word!r}{arguments})") + drawn.code()


def listed(models: Sequence[str], words: Sequence[str], drawn: Map) -> str:
    """Code for a list: what is nearest to its words in every model, and the map."""
    return _each(models, f"neighbour_table({list(words)!r}, topn=3)") + drawn.code()


def senses(models: Sequence[str], word: str, topn: int) -> str:
    """Code for the senses that models keep of a word, with their neighbours."""
    return (
        f"{IMPORT}for name in {list(models)!r}:\n"
        "    vectors = embeddings.load(name)\n"
        f"    for sense in vectors.senses_of({word!r}):\n"
        f'        print(sense.word, sense.share, vectors.neighbours(sense.word, {topn}), sep="\\n")\n'
    )


def shared_contexts(model: str, first: str, second: str) -> str:
    """Code for the contexts that two words share."""
    return (
        "from embeddings.analysis.shared_contexts import shared_contexts\n"
        "from embeddings.shelf import contexts_entry, find, load_vectors, open_contexts\n\n"
        f"contexts = open_contexts(contexts_entry(find({model!r})))\n"
        f"vectors = load_vectors({model!r})\n"
        f"for shared in shared_contexts(contexts, {first!r}, {second!r}, vectors=vectors).shared:\n"
        "    print(shared.context, shared.contribution, shared.count_first, shared.count_second)\n"
    )


def neighbour_spread(model: str, word: str, near: Sequence[str]) -> str:
    """Code for the ranges of a word's neighbours over several trainings."""
    return (
        "from embeddings.analysis.stability import neighbour_spreads\n"
        "from embeddings.shelf import find, find_spread\n"
        "from embeddings.vectors.run_spread import load_spread\n\n"
        f"spread = load_spread(find_spread(find({model!r})))\n"
        f"for near in neighbour_spreads(spread, {word!r}, {list(near)!r}):\n"
        "    print(near.word, near.cosine.mean, near.cosine.lowest, near.cosine.highest)\n"
    )


def sentences(name: str, query: ConcordanceQuery) -> str:
    """Code for the lines that a query finds in a concordance, and for the collocates of its word."""
    return (
        "from embeddings.corpora.concordance import Concordance\n"
        "from embeddings.corpora.concordance_search import ConcordanceQuery, collocates, search\n"
        "from embeddings.shelf.locations import find_concordance\n\n"
        f"concordance = Concordance.open(find_concordance({name!r}))\n"
        f"for line in search(concordance, {query!r}).lines:\n"
        "    print(line.file, line.document, line.text)\n"
        f"for near in collocates(concordance, {query.word!r}, {query.language!r}, {query.window}):\n"
        "    print(near.word, near.together, near.log_likelihood, near.log_dice)\n"
    )


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


def matrix(model: str, words: Sequence[str]) -> str:
    """Code for the cosines of words, each with each."""
    cosines = f"embeddings.load({model!r}).similarity_matrix({list(words)!r})"
    return f"{IMPORT}print({cosines}.round(4))\n"


def association(models: Sequence[str], sets: AssociationSets) -> str:
    """Code for an association test, one that ships or lists of one's own."""
    if sets.name != "own":
        return _each(models, f"association({sets.name!r})")
    imported = "from embeddings.results.vector_answers import AssociationSets\n\n"
    code = _each(models, f"association({sets!r})")
    return code.replace(IMPORT, IMPORT.rstrip() + "\n" + imported, 1)


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


def analogy_set(models: Sequence[str], files: Sequence[str]) -> str:
    """Code for the accuracy of models on the questions of files taken together."""
    return (
        f"{IMPORT}from embeddings.analysis.evaluation import combine\n\n"
        f"for name in {list(models)!r}:\n"
        f"    scores = [embeddings.evaluate_analogies(name, path) for path in {list(files)!r}]\n"
        "    print(name, combine(scores))\n"
    )


def scores(models: Sequence[str] = ()) -> str:
    """Code for the scores on the cards of models, of all where none is named."""
    listed = f"[find(name) for name in {list(models)!r}]" if models else ""
    return (
        f"from embeddings.shelf import {'find, ' if models else ''}model_scores\n\n"
        f"for score in model_scores({listed}):\n    print(score)\n"
    )


def ratios(model: str, two: Sequence[str], probes: Sequence[str]) -> str:
    """Code for co-occurrence ratios."""
    arguments = f"{two[0]!r}, {two[1]!r}, {list(probes)!r}"
    return (
        "from embeddings.analysis.cooccurrence_ratios import load_cooccurrence, ratios\n"
        "from embeddings.shelf import find\n\n"
        f"print(ratios(load_cooccurrence(find({model!r}).path), {arguments}))\n"
    )


def compare(two: Sequence[str], words: Sequence[str], topn: int) -> str:
    """Code for two models compared: all words, the words that differ most, and the map of both."""
    return (
        f"{IMPORT}first, second = embeddings.load({two[0]!r}), embeddings.load({two[1]!r})\n"
        f"print(first.compare(second, {list(words)!r}, topn={topn}))\n"
        "print(first.most_different(second))\n"
        f"print(first.joint_map(second, {list(words)!r}))\n"
    )


def _each(models: Sequence[str], *questions: str) -> str:
    """Return code that asks one model after the other."""
    asked = ", ".join(f"vectors.{question}" for question in questions)
    if len(questions) == 1:
        return (
            f"{IMPORT}for name in {list(models)!r}:\n"
            f'    print(name, embeddings.load(name).{questions[0]}, sep="\\n")\n'
        )
    return (
        f"{IMPORT}for name in {list(models)!r}:\n"
        f"    vectors = embeddings.load(name)\n"
        f'    print(name, {asked}, sep="\\n")\n'
    )
