"""The same in Python, of networks, classifiers and translators: code that runs when pasted and prints what the page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from embeddings.corpora.sense_contexts import Context
from embeddings.results.ablations import Parts, Replacement, TranslatorHeads


def classify(model: str, text: str, label: str) -> str:
    """Code for a text classified, and for what each word adds to the log-odds of a label."""
    return (
        "from embeddings.shelf.loading import load_classifier\n"
        "from embeddings.probing.attribution import attribute\n"
        "from embeddings.probing.label_prediction import predict\n\n"
        f"classifier = load_classifier({model!r})\n"
        f"text = {text!r}\n"
        "print(predict(classifier, [text])[0])\n"
        f"attribution = attribute(classifier, text, {label!r})\n"
        "for word in attribution.words:\n"
        '    print(f"{word.attribution:+.4f}  {word.attention:.4f}  {word.word}")\n'
        "print(round(attribution.baseline, 4), round(attribution.residual, 6), round(attribution.log_odds, 4))\n"
    )


SOME_TEXTS = "texts[:: max(1, len(texts) // 80)]"


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
    rows = "" if len(fitted) == len(drawn) else f", {list(fitted)}"
    lines = "".join(f"    ({context.text!r}, {context.positions!r}),\n" for context in drawn)
    body = _around_vectors if shown.vector in ("both", "around") else _word_vectors
    imports, code = body(language, drawn[0].word, shown)
    imports += [
        "from embeddings.analysis.projection import context_maps",
        "from embeddings.shelf import data, find",
        "from embeddings.analysis.context_separation import likeness_matrix",
        "from embeddings.probing.network_with_tokenizer import open_reader",
    ]
    return (
        "\n".join(sorted(imports)) + "\n\n"
        f"reader = open_reader(find({shown.model!r}).path)\n"
        f'texts = [context.text for context in read_contexts(data() / "contexts" / "{language}.tsv")]\n'
        f"sentences = [\n{lines}]\n"
        f"{code}"
        f"print(context_maps(states.vectors{rows})[{shown.layer}].coordinates.round(4))\n"
        f"alike = likeness_matrix(states, {shown.layer}, base)\n"
        "print(alike.cosine.round(3), alike.baseline)\n"
        "print(alike.centred.round(3), alike.centred_baseline)\n"
    )


def _word_vectors(_language: str, _word: str, shown: ShownContexts) -> tuple[list[str], str]:
    """Imports and code for the word itself, or the blank in its place."""
    imports = [
        "from embeddings.probing.context_states import word_states",
        "from embeddings.corpora.sense_contexts import read_contexts",
    ]
    code = "contexts = [(text, spans[0]) for text, spans in sentences]\n"
    if shown.vector == "blank":
        imports.append("from embeddings.probing.anisotropy import blank_baseline, blanked")
        return imports, (
            f"{code}states = word_states(reader, blanked(reader, contexts))\n"
            "base = blank_baseline(reader, texts)\n"
        )
    imports.append("from embeddings.probing.anisotropy import random_baseline")
    return imports, (
        f"{code}states = word_states(reader, contexts)\n"
        f"base = random_baseline(reader, {SOME_TEXTS}, words=3)\n"
    )


def _around_vectors(language: str, word: str, shown: ShownContexts) -> tuple[list[str], str]:
    """Imports and code for the words around, by the network alone or next to the companion."""
    imports = [
        "from embeddings.probing.surrounding_states import context_baseline, context_states",
        "from embeddings.corpora.sense_contexts import Context, read_contexts",
    ]
    code, alone = "space = None\n", ", alone=True" if shown.vector == "around" else ""
    if shown.static:
        imports += [
            "from functools import partial",
            "from embeddings.analysis.sense_induction import word_space",
            "from embeddings.shelf import load_vectors",
            "from embeddings.text.lemmas import lemma_key",
        ]
        key = f"partial(lemma_key, language={language!r})"
        code = f"space = word_space(load_vectors({shown.static!r}), {key})\n"
    return imports, (
        f'{code}contexts = [Context("", {word!r}, "", "", spans, text) for text, spans in sentences]\n'
        f"states = context_states(reader, contexts, {language!r}, space{alone})\n"
        f"base = context_baseline(reader, {SOME_TEXTS}, {language!r}, space{alone})\n"
    )


def inside(model: str, text: str, layer: int, head: int) -> str:
    """Code for a sentence's way through a network."""
    return (
        "from embeddings.shelf import find\n"
        "from embeddings.probing.encoder_walk import walk\n"
        "from embeddings.probing.network_with_tokenizer import open_reader\n\n"
        f"reader = open_reader(find({model!r}).path)\n"
        f"encoder_walk = walk(reader, {text!r}, layer={layer}, head={head})\n"
        "print(encoder_walk.tokens, encoder_walk.ids)\n"
        "print(encoder_walk.total.shape, encoder_walk.states.shape)\n"
        "print(encoder_walk.at_head.scaled.round(2))\n"
        "print(encoder_walk.at_head.weights.round(2))\n"
        "print([[guess.token for guess in token] for token in encoder_walk.guesses[-1]])\n"
    )


def decoder(model: str, text: str, layer: int, head: int) -> str:
    """Code for a sentence's way through a translator's decoder."""
    return (
        "from embeddings.shelf.loading import load_translator\n"
        "from embeddings.probing.decoder_walk import walk_decoder\n\n"
        f"translator = load_translator({model!r})\n"
        f"decoder_walk = walk_decoder(translator, {text!r}, layer={layer}, head={head})\n"
        "print(decoder_walk.input_tokens, decoder_walk.output_tokens)\n"
        "print(decoder_walk.self_attention.masked.round(2))\n"
        "print(decoder_walk.self_attention.weights.round(2))\n"
        "print(decoder_walk.cross.weights.round(2))\n"
        "for step in decoder_walk.following:\n"
        "    print([(guess.token, round(guess.probability, 4)) for guess in step])\n"
    )


def attention(
    model: str, texts: tuple[str, str], chosen: tuple[str, str, str, str], at: tuple[int, str]
) -> str:
    """Code for the attention of a text, and the weights of one head."""
    level, special, sentences, measure = chosen
    arguments = ", ".join(repr(text) for text in texts if text)
    arguments += f", measure={measure!r}" if measure != "weights" else ""
    return (
        "from embeddings.shelf import find\n"
        "from embeddings.probing.attention_weights import attention\n"
        "from embeddings.probing.attention_maps import prepare\n"
        "from embeddings.probing.network_with_tokenizer import open_reader\n\n"
        f"weights = attention(open_reader(find({model!r}).path), {arguments})\n"
        f"shown = prepare(weights, level={level!r}, special={special!r}, sentences={sentences!r})\n"
        "print(shown.from_side.labels, shown.to_side.labels)\n"
        f"print(shown.head_weights({at[0]}, {at[1]!r}).round(4))\n"
    )


def fill(model: str, text: str, second: str, words: Sequence[str], only_words: bool) -> str:
    """Code for what a network puts at each [MASK], and for the probability of the masked word."""
    optional = f", second={second!r}" if second else ""
    optional += f", words={list(words)!r}" if words else ""
    return (
        "from embeddings.shelf import find\n"
        "from embeddings.probing.fill_mask import fill\n"
        "from embeddings.probing.network_with_tokenizer import open_reader\n\n"
        f"reader = open_reader(find({model!r}).path)\n"
        f"for mask in fill(reader, {text!r}{optional}, only_words={only_words}).masks:\n"
        "    for guess in mask.guesses:\n"
        '        print(f"{guess.probability:.4f}  {guess.token}")\n'
        "    for layer, guesses in enumerate(mask.by_layer):\n"
        "        print(layer, guesses[0].token)\n"
        "    for word in mask.requested:\n"
        "        print(word.word, word.probability, word.rank)\n"
    )


def guess_attribution(text: str, second: str, blank: int, word: str, token: str) -> str:
    """Code, behind that of `fill`, for which words moved a guess at a blank."""
    chosen = f"word={word!r}" if word else f"token={token!r}"
    follows = f", second={second!r}" if second else ""
    return (
        "\nfrom embeddings.probing.guess_attribution import attribute_guess\n\n"
        f"attribution = attribute_guess(reader, {text!r}, {chosen}, blank={blank}{follows})\n"
        "for word in attribution.words:\n"
        '    print(f"{word.attribution:+.4f}  {word.occlusion:+.4f}  {word.word}")\n'
        "print(attribution.baseline, attribution.residual, attribution.log_probability)\n"
    )


def grammar(model: str, texts: Sequence[str]) -> str:
    """Code for sentences scored by a network: sums, means, each token, the sums of each layer."""
    return (
        "from embeddings.shelf import find\n"
        "from embeddings.probing.network_with_tokenizer import open_reader\n"
        "from embeddings.probing.sentence_scoring import score_sentences\n\n"
        f"reader = open_reader(find({model!r}).path)\n"
        f"for score in score_sentences(reader, {list(texts)!r}):\n"
        '    print(f"{score.total:.4f}  {score.per_token:.4f}  {score.text}")\n'
        "    for token, nats in zip(score.tokens, score.log_probabilities[-1]):\n"
        '        print(f"{nats:.4f}  {token}")\n'
        "    print(score.log_probabilities.sum(1).round(3))\n"
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
    """Code for a sentence translated: its steps, the beam's endings, one head of one attention."""
    options = f"level={shown.level!r}, special={shown.special!r}"
    return (
        "from embeddings.shelf.loading import load_translator\n"
        "from embeddings.models.hypotheses import DecodingConfig\n"
        "from embeddings.probing.attention_maps import prepare\n"
        "from embeddings.probing.translation_steps import attention_map, look_inside\n\n"
        f"translator = load_translator({shown.model!r})\n"
        f"translation = look_inside(translator, {text!r}, DecodingConfig(beam={beam}))\n"
        "print(translation.target, round(translation.score, 4))\n"
        "for step in translation.steps:\n"
        '    print(step.before, "|", [(c.token, round(c.probability, 4)) for c in step.candidates])\n'
        "for ending, score in translation.tree.endings:\n"
        '    print(f"{score:.4f}  {ending}")\n'
        f"shown = prepare(attention_map(translation.attention, {shown.kind!r}), {options})\n"
        f"print(shown.head_weights({shown.layer}, {shown.head!r}).round(4))\n"
    )


def translation_attribution(model: str, text: str, beam: int) -> str:
    """Code, behind that of `translate`, for which words moved each word of a translation."""
    return (
        "\nfrom embeddings.probing.translation_attribution import attribute_translation\n\n"
        f"translator = load_translator({model!r})\n"
        f"attribution = attribute_translation(translator, {text!r}, DecodingConfig(beam={beam}))\n"
        "print(attribution.target_words, attribution.source_words)\n"
        "print(attribution.source_gradients.round(3), attribution.target_gradients.round(3))\n"
        "print(attribution.baselines.round(3), attribution.residuals.round(3))\n"
        "print(attribution.log_probabilities.round(3))\n"
    )


def ablation(
    model: str, texts: tuple[str, str], parts: Parts, replacement: Replacement, token: str
) -> str:
    """Code for what a network answers with parts of it off, and for how much each head matters."""
    second = f", second={texts[1]!r}" if texts[1] else ""
    followed = f", token={token!r}" if token else ""
    return (
        "\nfrom embeddings.shelf import find\n"
        "from embeddings.probing.ablated_answers import ablate, head_effects\n"
        "from embeddings.probing.network_with_tokenizer import open_reader\n"
        "from embeddings.results.ablations import Parts, Replacement\n\n"
        f"reader = open_reader(find({model!r}).path)\n"
        f"parts = {parts!r}\n"
        f"replacement = {replacement!r}\n"
        f"answer = ablate(reader, {texts[0]!r}, parts, replacement{second}, only_words=True)\n"
        "for mask in answer.masks:\n"
        "    for before, now, after in zip(mask.before, mask.before_again, mask.after):\n"
        '        print(f"{before.token} {before.probability:.4f} {now:.4f}  {after.token} {after.probability:.4f}")\n'
        "print(round(answer.cosine, 4))\n"
        f"effects = head_effects(reader, {texts[0]!r}, replacement{second}{followed})\n"
        "print(effects.answer, effects.effects.round(3))\n"
    )


def class_ablation(model: str, text: str, parts: Parts, replacement: Replacement) -> str:
    """Code for what a classifier answers with parts of it off, and for how much each head matters."""
    return (
        "\nfrom embeddings.probing.ablated_answers import ablate_class, class_head_effects\n"
        "from embeddings.results.ablations import Parts, Replacement\n"
        "from embeddings.shelf.loading import load_classifier\n\n"
        f"classifier = load_classifier({model!r})\n"
        f"parts = {parts!r}\n"
        f"replacement = {replacement!r}\n"
        f"answer = ablate_class(classifier, {text!r}, parts, replacement)\n"
        "print(answer.before.probabilities, answer.after.probabilities)\n"
        "print(answer.label, round(answer.before_log_odds, 4), round(answer.after_log_odds, 4))\n"
        f"effects = class_head_effects(classifier, {text!r}, replacement)\n"
        "print(effects.answer, effects.effects.round(3))\n"
    )


def translation_ablation(model: str, text: str, beam: int, heads: TranslatorHeads) -> str:
    """Code for a translation with heads off, and for how much each head matters."""
    return (
        "\nfrom embeddings.models.hypotheses import DecodingConfig\n"
        "from embeddings.probing.ablated_translation import ablate_translation, translation_head_effects\n"
        "from embeddings.results.ablations import TranslatorHeads\n"
        "from embeddings.shelf.loading import load_translator\n\n"
        f"translator = load_translator({model!r})\n"
        f"heads = {heads!r}\n"
        f"answer = ablate_translation(translator, {text!r}, heads, DecodingConfig({beam}))\n"
        "print(answer.before, round(answer.before_score, 4))\n"
        "print(answer.after, round(answer.after_score, 4))\n"
        f"effects = translation_head_effects(translator, {text!r}, DecodingConfig({beam}))\n"
        "print({kind: each.effects.round(3) for kind, each in effects.items()})\n"
    )
