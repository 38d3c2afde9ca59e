"""``klyuch contexts``, ``senses`` and ``wic``: words in contexts: their vectors in a network, their senses, their neighbours."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from embeddings.cli.nouns import (
    CARD_LANGUAGE,
    open_entry,
    open_named,
    verb,
)
from embeddings.cli.output import (
    columns_of,
    command_line,
    counted,
    emit,
    grid,
    note,
    progress_bar,
    some,
)
from embeddings.configuration import check_choice, check_range, to_json
from embeddings.corpora.evaluation_sets import read_word_in_context
from embeddings.corpora.sense_contexts import guess_language, surroundings
from embeddings.corpora.sentence_sampling import TableConfig
from embeddings.errors import FormatError, InputError
from embeddings.files import atomic_file, check_apart, check_file_target, sha256
from embeddings.results import plain
from embeddings.shelf import find, load_vectors
from embeddings.static.sense_building import build_senses
from embeddings.static.settings import SensesConfig
from embeddings.text.lemmas import LEMMA_LANGUAGES, foreign
from embeddings.vectors.formats.native_folder import check_native_target
from embeddings.vectors.sense_table import SENSE_NEIGHBOURS

if TYPE_CHECKING:
    from embeddings.analysis.context_answers import SenseInduction, SensesOfFile
    from embeddings.analysis.sense_induction import Induce, WordSpace
    from embeddings.corpora.sense_contexts import Context


MOST_SENSES = 50  # that can be asked for


@verb("contexts", "vectors")
def vectors(file: Path, *, model: str, layer: int = -1, output: Path, language: str = "") -> None:
    """Write the vector of each context's word: arrays context_id, word, vectors, truncated.

    A word that occurs several times in its context gets the mean; a context without its word is left out.
    """
    from embeddings.corpora.sense_contexts import read_contexts, spans_of
    from embeddings.probing.context_states import check_layer, mean_states

    check_apart(output, [file])
    check_file_target(output)
    if output.suffix.lower() != ".npz":
        raise InputError("contexts_output", path=output)
    everything = read_contexts(file)
    language = _language(language, [context.text for context in everything])
    located = [(context, spans_of(context, language)) for context in everything]
    absent = [context.context_id for context, spans in located if not spans]
    contexts = [context for context, spans in located if spans]
    if not contexts:
        raise InputError("contexts_without_words", path=file, contexts=len(absent))
    groups = [[(context.text, span) for span in spans] for context, spans in located if spans]
    reader = open_named(model)
    layer = check_layer(reader, layer)
    with progress_bar() as report:
        states = mean_states(reader, groups, report=report)
    with atomic_file(output) as temporary, temporary.open("wb") as target:
        np.savez(
            target,
            context_id=np.array([context.context_id for context in contexts]),
            word=np.array([context.word for context in contexts]),
            vectors=states.vectors[:, layer],
            truncated=states.truncated,
        )
    emit(
        {
            "output": str(output),
            "contexts": len(contexts),
            "occurrences": sum(map(len, groups)),
            "layer": layer,
            "vector_size": reader.config.hidden_size,
            "truncated": int(states.truncated.sum()),
            "unknown": int(states.unknown.sum()),
            "absent": absent,
        }
    )


@verb("contexts", "table")
def table(
    sources: list[Path],
    *,
    model: str,
    output: Path,
    language: str = CARD_LANGUAGE,
    word: list[str],
    config: TableConfig,
) -> None:
    """Average each frequent word's vectors over many sentences: a table that opens like any static model."""
    from embeddings.corpora.sentence_sampling import sample_sentences
    from embeddings.corpora.text_files import text_files
    from embeddings.files import WEIGHTS
    from embeddings.probing.contextual_neighbours import build_table, table_card, write_table

    check_native_target(output)
    check_apart(output, sources)
    entry, reader = open_entry(model)
    with progress_bar() as report:
        sample = sample_sentences(sources, config, word, report)
        digest = sha256(entry.path / WEIGHTS)
        averaged, reduction = build_table(reader, sample, config, digest, report)
    averaged.vectors.name, averaged.vectors.language = output.name, language
    about = {"name": ", ".join(path.name for path in text_files(sources))}
    card = table_card(averaged, reduction, sample, config, about)
    write_table(averaged, output, to_json(config), card)
    sizes = {"words": len(averaged.vectors), "layers": averaged.layers}
    emit({"output": str(output), **sizes, "reduction": reduction})


@verb("contexts", "neighbours")
def neighbours(
    text: str, *, word: str, model: str, table: str, topn: int = 10, language: str = ""
) -> None:
    """Print the words nearest to a word in its sentence, at its first place; its own forms are left out.

    By the cosine with the mean vector of the table subtracted (centred); next to it the plain cosine, and both cosines of
    a random word in a sentence and of a random word of the table.
    """
    from embeddings.corpora.sense_contexts import Context
    from embeddings.probing.contextual_neighbours import check_network, open_table
    from embeddings.shelf.companions import NO_COMPANION, context_reader
    from embeddings.text.word_positions import occurrences

    language = _language(language, [text])
    spans = occurrences(text, word, language)
    if not spans:
        raise InputError("contexts_word_nowhere", word=word, text=text[:80])
    averaged = open_table(find(table).path)
    entry, reader = open_entry(model)
    check_network(averaged, entry.path)
    read = context_reader(reader, language, NO_COMPANION)
    in_context = read.read([Context("1", word, "", "", spans, text)])
    emit(in_context.neighbours(0, averaged, topn))
    if in_context.itself.truncated.any():
        note(
            f"The sentence is cut around the word to {reader.longest} tokens, all that the network takes."
        )
    if in_context.itself.unknown.any():
        note(f"The vocabulary cannot spell “{word}”: [UNK] stands for it.")


@verb("contexts", "senses")
def senses(
    file: Path,
    *,
    model: str,
    output: Path,
    number: int = 0,
    companion: str = "",
    language: str = "",
) -> None:
    """Find the senses of each word in its contexts, how many there are, and name them; one sense where the contexts do not separate.

    Where gold senses are given, prints the adjusted Rand index and B-cubed F1 next to those of one sense for all contexts, with their
    means weighted by contexts.
    """
    from embeddings.analysis.sense_induction import label
    from embeddings.corpora.sense_files import check_form, read_senses, write_senses

    check_apart(output, [file])
    check_file_target(output)
    check_form(output)
    check_range("number", number, 0, MOST_SENSES)
    contexts = read_senses(file)
    language = _language(language, [context.text for context in contexts])
    labelled, report = label(contexts, language, inducer(model, language, companion, number))
    write_senses(output, labelled)
    columns = ("word", "contexts", "senses=number", "separates", "ARI=ari", "B-cubed F1=b_cubed")
    table = columns_of(report.words, *columns, "F1 of one sense=one_sense_b_cubed", "names")
    means = {"ARI": report.ari, "B-cubed F1": report.b_cubed}
    means["F1 of one sense"] = report.one_sense_b_cubed
    emit(report, table, means if report.ari is not None else ())
    note(*notes(report))


@verb("contexts", "layers")
def layers(
    file: Path, *, model: str, companion: str = "", language: str = "", without: list[str]
) -> None:
    """Print how far the senses of each word lie apart at every layer; as JSON also the map and the cosines of all contexts at the best.

    The senses are the annotated ones; of a word with a context that has none, those found. The JSON always has the
    separation of the senses found as well.
    """
    from embeddings.corpora.sense_contexts import by_word
    from embeddings.corpora.sense_files import read_senses
    from embeddings.shelf.companions import context_reader

    contexts = read_senses(file)
    language = _language(language, [context.text for context in contexts])
    reader = context_reader(open_named(model), language, companion)
    value: dict[str, dict[str, Any]] = {}
    for word, rows in by_word(contexts).items():
        read = reader.read([contexts[row] for row in rows])
        counted = tuple(row for row, c in enumerate(read.contexts) if c.gold not in without)
        apart = read.separation(rows=counted)
        found = read.separation(read.induction().division()[0].tolist())
        drawn, cosines = read.map(apart.best, rows=counted), read.similarity(apart.best)
        value[word] = {"separation": apart, "found": found, "map": drawn, "similarity": cosines}
    emit(value, *(part for word, parts in value.items() for part in (word, parts["separation"])))


@verb("contexts", "agreement")
def agreement(
    file: Path, annotation: Path, *, same_names: bool = False, language: str = ""
) -> None:
    """Compare the senses of some contexts with a second annotation: ARI, V-measure, Cohen's kappa and B-cubed F1 for each word."""
    from embeddings.analysis import sense_agreement
    from embeddings.corpora.sense_contexts import by_word, locate
    from embeddings.corpora.sense_files import read_senses

    contexts, annotated = read_senses(file), read_senses(annotation)
    language = _language(language, [context.text for context in contexts])
    located = [replace(context, positions=locate(context, language)) for context in contexts]
    labels = sense_agreement.annotated_labels(located, annotated, language, annotation.name)
    predicted = sense_agreement.predicted_first(contexts)
    senses = sense_agreement.annotated_labels(located, predicted, language, file.name)
    results = {}
    for word, rows in by_word(contexts).items():
        rows_with_sense = [row for row in rows if senses[row]]
        results[word] = sense_agreement.compare_annotations(
            [senses[row] for row in rows_with_sense],
            [labels[row] for row in rows_with_sense],
            same_names=same_names,
        )
    columns = ("word", "contexts", "not annotated=lacking", "ARI=ari", "V-measure=v_measure")
    scores = ("kappa", "B-cubed F1=b_cubed", "F1 of one sense=one_sense_b_cubed")
    emit(results, columns_of(results, *columns, *scores))


@verb("contexts", "frequencies")
def frequencies(file: Path, *, column: str = "file") -> None:
    """Count the senses of each word by document, date or another column: contexts, share, and uses in 10 000 words of the text.

    The numbers of words are in a column of the same name with _words, as klyuch concordance find --output writes them.
    """
    from embeddings.analysis.sense_grouping import frequencies_by
    from embeddings.corpora.sense_contexts import by_word
    from embeddings.corpora.sense_files import grouping_of, read_senses

    results, lines = {}, []
    contexts = read_senses(file)
    for word, rows in by_word(contexts).items():
        of_word = [contexts[row] for row in rows]
        labelled = [context for context in of_word if context.predicted]
        labelled = labelled or [replace(c, predicted=c.gold) for c in of_word if c.gold]
        if grouping := grouping_of(labelled):
            counted_senses = frequencies_by(labelled, grouping.labels, column)
            names = [name or str(number) for number, name in enumerate(grouping.names, 1)]
            results[word] = {"senses": names, **plain(counted_senses)}
            lines += [
                (word, group, names[sense - 1], *numbers)
                for group, sense, *numbers in counted_senses.table()[1]
            ]
    if not results:
        raise FormatError("annotation_unlabelled", path=file)
    columns = ("word", column, "sense", "contexts", "share", "per 10 000 words", "words")
    emit(results, grid(*columns, rows=lines))


def _language(language: str, texts: Sequence[str]) -> str:
    """Return the language asked for, or the one that the texts are in."""
    if language:
        check_choice("language", language, LEMMA_LANGUAGES)
    return language or guess_language(texts)


def inducer(model: str, language: str, companion: str = "", number: int = 0) -> Induce:
    """Return what finds the senses of one word's contexts, ``number`` of them if that is not 0.

    ``model`` is a static model, or a network: then ``companion`` is the static model next to it, "none", or "" for the
    one of the language that is best for senses.
    """
    from embeddings.shelf.companions import companion_space, context_reader

    entry = find(model)
    if entry.kind == "network":
        read = context_reader(open_entry(model)[1], language, companion)
        return lambda contexts: read.read(contexts).senses(number=number)
    if companion:
        raise InputError("senses_companion", name=entry.name, companion=companion)
    space = companion_space(load_vectors(model), language)
    return partial(_induce_by_words, space, language, number)


def _induce_by_words(
    space: WordSpace, language: str, number: int, contexts: Sequence[Context]
) -> SenseInduction:
    """Return the senses of one word's contexts by the words around."""
    from embeddings.analysis.sense_grouping import cut_into
    from embeddings.analysis.sense_induction import induce, telling_words

    surrounding = [surroundings(context, language, strict=False) for context in contexts]
    found = induce(surrounding, space, contexts[0].word)
    number = number or (0 if found.separates else 1)
    if not number:
        return found
    labels = cut_into(found.agreement, number)
    names = telling_words(surrounding, labels, space)
    return replace(found, labels=labels, number=number, names=names)


def notes(report: SensesOfFile) -> Iterator[str]:
    """Yield what the table does not show: what was given one sense, cut, not there, or not understood."""
    from embeddings.analysis.sense_induction import MIN_CONTEXTS

    if few := [word.word for word in report.words if word.contexts < MIN_CONTEXTS]:
        yield f"Words with fewer than {MIN_CONTEXTS} contexts were given one sense: {', '.join(few)}."
    absent, cut, unknown = (
        sum(getattr(word, field) for word in report.words)
        for field in ("absent", "truncated", "unknown")
    )
    yield some(absent, "context", " without the word: all words there count alike.")
    yield some(cut, "context", " longer than the network takes, cut around the word.")
    words = ", ".join(word.word for word in report.words if word.unknown)
    nothing = " not understood: the model has no word to go by around the word in question"
    yield some(unknown, "context", f"{nothing}: {words}.")
    if strange := foreign((word.word for word in report.words), report.language):
        yield f"Not in the letters of language={report.language}, so their forms are not known: {', '.join(strange)}."


@verb("senses", "build")
def build_command(
    corpus: Path, *, model: str, output: Path, companion: str = "", config: SensesConfig
) -> None:
    """Find the senses of every frequent word, and write the model again together with their vectors."""
    from embeddings.corpora.encoded_corpus import EncodedCorpus
    from embeddings.shelf.loading import check_senses_target, write_with_senses

    entry = find(model)
    check_senses_target(entry, output)
    vectors, text = load_vectors(entry.path), EncodedCorpus.open(corpus)
    beside = load_vectors(companion) if companion else None
    begun = time.perf_counter()
    with progress_bar() as report:
        table = build_senses(text, vectors, config, report, beside)
    seconds = round(time.perf_counter() - begun, 1)
    sizes = {"words": len(table), "senses": len(table.vectors)}
    about = {
        "corpus": {"name": corpus.name, "words": len(text.ids)},
        "companion": companion,
        "settings": to_json(config),
        **sizes,
        "command": command_line(),
    }
    write_with_senses(entry, vectors, table, output, about)
    emit({"folder": str(output), **sizes, "seconds": seconds})


@verb("senses", "show")
def show_command(word: str, *, model: str, topn: int = SENSE_NEIGHBOURS) -> None:
    """Print the senses of a word: name, share of its uses, nearest words, examples where the model keeps some."""
    vectors = load_vectors(model)
    senses = vectors.senses_of(word)
    if vectors.senses is None:
        raise InputError("senses_none", model=vectors.name)
    vectors.rows_of([word])  # a word that the model lacks is refused
    nearest = [tuple(n.word for n in vectors.neighbours(sense.word, topn)) for sense in senses]
    value = [
        {**plain(sense), "neighbours": near} for sense, near in zip(senses, nearest, strict=True)
    ]
    rows = [
        (sense.word, sense.name, f"{100 * sense.share:.0f} %", near, "\n".join(sense.examples))
        for sense, near in zip(senses, nearest, strict=True)
    ]
    names = ("sense", "name", "share", "nearest", "examples")
    emit(value, grid(*names, rows=rows) if rows else f"“{word}”: one sense")


@verb("wic", "evaluate")
def evaluate(file: Path, *, model: str, language: str = "") -> None:
    """Score a network, not tuned, on word in context: a word means the same in two sentences if the cosine reaches a threshold.

    Kinds of vectors: the word's own state (word), less its mean over the file (word_centred), the weighted mean of the words around
    (around), and a [MASK] in the word's place (blank); each at every layer. The words are divided into two halves. The threshold is
    chosen on one half and scored on the other, and so are the best kind and layer in the last line. Guessing gives 50 % if half of the
    pairs are the same.
    """
    from embeddings.probing.word_in_context import evaluate_word_in_context

    pairs = read_word_in_context(file)
    language = _language(language, [pair.first.text for pair in pairs])
    reader = open_named(model)
    with progress_bar() as report:
        scores = evaluate_word_in_context(reader, pairs, language, report)
    best = " and ".join(dict.fromkeys(f"{c.kind}, layer {c.layer}" for c in scores.chosen))
    sentence = (
        f"{100 * scores.accuracy:.1f} % of {counted(scores.total, 'pair')} of {counted(scores.words, 'word')}"
        f" (standard error {100 * scores.standard_error:.1f}), kind, layer and threshold chosen on the other half: {best}."
    )
    emit(scores, scores.layers, sentence)
    unknown = " in which the vocabulary cannot spell the word: read as [UNK]."
    note(some(scores.truncated, "pair", " cut around the word."))
    note(some(scores.unknown, "pair", unknown))
