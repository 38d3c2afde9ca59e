"""``klyuch classify``, ``translation`` and ``translate``: train classifiers and translators, ask them, score them."""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path
from typing import Annotated

from embeddings.cli.nouns import AS_JSON, CARD_LANGUAGE, network_entry, verb
from embeddings.cli.output import (
    command_line,
    counted,
    emit,
    grid,
    note,
    progress_bar,
    run_summary,
    some_fields,
)
from embeddings.configuration import check_language
from embeddings.corpora.labelled import read_labelled, read_lines, read_sentence_pairs
from embeddings.errors import InputError
from embeddings.networks.decoding import DecodingConfig
from embeddings.networks.encoder_decoder import TranslationConfig
from embeddings.results import plain
from embeddings.runtime import Machine
from embeddings.shelf import find
from embeddings.shelf.loading import find_of_kind, load_classifier, load_translator
from embeddings.training.classification import fine_tuning_run
from embeddings.training.tasks import Limits
from embeddings.training.translation import translation_run


@verb("classify", "train")
def train(
    *,
    config: Annotated[fine_tuning_run.ClassificationTraining, "steps", "evaluate_every"],
    machine: Annotated[Machine, "compile"],
    model: str,
    training: Path,
    validation: Path,
    output: Path,
    run: Path | None = None,
    language: str = CARD_LANGUAGE,
    names: str = "",
    random: bool = False,
    minutes: float = 0.0,
) -> None:
    """Fine-tune a network on labelled sentences; the weights that are best on validation are kept."""
    called = tuple(name.strip() for name in names.split(",")) if names else ()
    network = network_entry(model).path
    files = fine_tuning_run.LabelledFiles(network, training, validation, language, called, random)
    with progress_bar() as report:
        result = fine_tuning_run.train_classifier(
            files,
            output,
            config,
            Limits(minutes, report=report),
            run=run,
            machine=machine,
            command=command_line(),
        )
    if result.overlap:
        both = f"{result.overlap} of the {counted(result.confusion.total, 'validation sentence')}"
        note(f"Warning: the training file has {both} too: the accuracy says less of new sentences.")
    emit(_summary(result), result.confusion, _sentence(result))


@verb("classify", "predict")
def predict(file: Path | None = None, *, model: str) -> None:
    """Print the label of each line; of an empty line an empty one."""
    classifier = load_classifier(model)
    lines = input_lines(file)
    predictions = iter(classifier.predict([line for line in lines if line]))
    for number, line in enumerate(lines, 1):
        if not line:
            emit({}, "")
            continue
        prediction = next(predictions)
        emit(prediction, prediction.label)
        if prediction.truncated:
            note(f"Line {number}: its end was not read: {counted(prediction.truncated, 'token')}.")


@verb("classify", "attribute")
def attribute(text: str, *, model: str, label: str = "") -> None:
    """Print which words of a sentence moved the answer, in nats of the label's log-odds.

    Two methods: integrated gradients, which add up to the log-odds together with the baseline (all words masked) and the residual; and
    occlusion (each word masked alone). Next to them is the share of the last layer's attention.
    """
    emit(load_classifier(model).attribute(text, label))


@verb("classify", "evaluate")
def evaluate(file: Path, *, model: str) -> None:
    """Score a classifier on labelled sentences: accuracy and the confusion matrix."""
    texts = read_labelled(file)
    confusion = load_classifier(model).evaluate(texts)
    emit({"accuracy": confusion.accuracy, **plain(confusion)}, confusion)
    if confusion.truncated:
        whole = counted(confusion.total, "sentence")
        note(f"Of {confusion.truncated} of the {whole} the end was not read, for its length.")


@verb("classify", "calibrate")
def calibrate(file: Path, *, model: str, training: Path | None = None) -> None:
    """Fit a temperature to held-out sentences, so that 90 % means right in 9 of 10, and note it on the classifier's card.

    The temperature is fitted on every second sentence, the expected calibration error measured on the others.
    """
    from embeddings.probing.label_prediction import domain_of
    from embeddings.shelf.companions import record_calibration

    entry, held_out = find(model), read_labelled(file)
    classifier = load_classifier(model)
    calibration = classifier.calibrate(held_out)
    domain = None
    if training is not None:
        domain = domain_of(classifier, read_labelled(training).texts, held_out.texts)
    record_calibration(entry, calibration, file.name, domain)
    emit(calibration)


def _summary(result: fine_tuning_run.TrainedClassifier) -> dict[str, object]:
    """What ``--json`` prints."""
    finished, accuracy = result.finished, result.confusion.accuracy
    about = {"model": str(result.folder), "steps": finished.step, "complete": finished.complete}
    names = [field.name for field in fields(result) if field.name not in ("folder", "finished")]
    return about | {"accuracy": accuracy} | some_fields(result, *names)


def _sentence(result: fine_tuning_run.TrainedClassifier) -> str:
    """What a person reads below the table."""
    end = "complete" if result.finished.complete else "stopped; the same command continues"
    cut = f" Cut: {counted(result.truncated, 'sentence')}." if result.truncated else ""
    steps = counted(result.finished.step, "step")
    return f"{steps}, {end}.{cut} To put it on the shelf: klyuch models import {result.folder}"


@verb("translation", "train")
def translation_train(
    source: Path,
    target: Path,
    heldout_source: Path,
    heldout_target: Path,
    *,
    network: Annotated[TranslationConfig, "model_type", "bert_size"],
    training: translation_run.TranslationTraining,
    machine: Annotated[Machine, "compile"],
    run: Path,
    languages: str = "en-de",
    bert: str = "",
    warm_start: str = "",
    minutes: float = 0.0,
    checkpoint_minutes: float = 10.0,
) -> None:
    """Train a translator on sentence pairs; an existing run is resumed."""
    files = translation_run.PairFiles(
        source, target, heldout_source, heldout_target, _pair(languages)
    )
    with progress_bar() as report:
        result = translation_run.train_translation(
            files,
            run,
            network,
            training,
            Limits(minutes, checkpoint_minutes, report),
            warm=_warm(bert, warm_start),
            machine=machine,
            command=command_line(),
        )
    emit(run_summary(result, left_out=result.left_out))


@verb("translation", "evaluate")
def translation_evaluate(
    source: Path, target: Path, *, config: DecodingConfig, model: str, output: Path | None = None
) -> None:
    """Translate a file and score it by BLEU, cased and lower-cased, with sacrebleu's signatures."""
    from embeddings.files import atomic_file
    from embeddings.training.translation.translation_run import bleu

    pairs = read_sentence_pairs(source, target)
    with progress_bar() as report:
        translations = load_translator(model).translate_lines(pairs.source, config, report=report)
    if output is not None:
        with atomic_file(output) as temporary:
            text = "".join(f"{translation.target}\n" for translation in translations)
            temporary.write_text(text, encoding="utf-8")
    score = bleu([translation.target for translation in translations], pairs.target)
    rows = [(score.score, score.signature), (score.lower_score, score.lower_signature)]
    emit(score, grid("BLEU", "signature", rows=rows))


@verb("translation", "attribute")
def translation_attribute(
    text: str, *, model: str, config: DecodingConfig, occlusion: bool = False
) -> None:
    """Translate a sentence and print which of its words, and which earlier words, moved each word of the translation.

    The unit is nats of each word's log-probability. With integrated gradients, a row, its baseline (no words) and its residual add up to
    log p. With occlusion, a cell gives the fall of log p without the word.
    """
    attribution = load_translator(model).attribute(text, config)
    names, lines = attribution.table(occlusion=occlusion)
    rows = [[word, *(f"{value:.2f}" for value in values)] for word, *values in lines]
    emit(attribution, grid(*names, rows=rows))


@verb("translation", "inspect")
def translation_inspect(text: str, *, model: str, config: DecodingConfig) -> None:
    """Translate a sentence and print what each step chose from, all hypotheses of the beam, and the attention of every head."""
    emit(load_translator(model).translate(text, config))


def _pair(languages: str) -> tuple[str, str]:
    """Return the codes of the two sides."""
    first, _, second = languages.partition("-")
    try:
        check_language(first)
        check_language(second)
    except InputError as error:
        raise InputError("argument_languages", value=languages) from error
    return first, second


def _warm(bert: str, plain: str) -> translation_run.PlainStart | None:
    """Return what to start from; BERT without a plain model, and models of other kinds, are refused."""
    if bert and not plain:
        raise InputError("translation_fusion")
    if not plain:
        return None
    return translation_run.PlainStart(
        find_of_kind(plain, "translation", "translation_kind").path,
        network_entry(bert).path if bert else None,
    )


@verb("translate")
def translate(file: Path | None = None, *, model: str, config: DecodingConfig) -> None:
    """Translate line by line; an empty line stays empty."""
    translator = load_translator(model)
    lines = input_lines(file)
    translations = translator.translate_lines(lines, config, align=AS_JSON.get())
    for number, translation in enumerate(translations, 1):
        emit(translation, translation.target)
        if translation.unknown:
            letters = " ".join(dict.fromkeys(translation.unknown))
            note(f"Line {number}: not in the vocabulary: {letters}")
        if not translation.finished:
            note(f"Line {number}: no end was found; the translation is cut.")


def input_lines(file: Path | None) -> tuple[str, ...]:
    """Return the lines of a file, or of standard input; a BOM and every kind of line end are read."""
    if file is not None:
        return read_lines(file)
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("file_unreadable", path="-", reason=error) from error
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return tuple(line.strip() for line in text.removesuffix("\n").split("\n")) if text else ()
