"""How far the shipped classifier's percentages can be taken at their word, and which texts lie outside what it knows.

Run: KLYUCH_MIRROR=FOLDER OMP_NUM_THREADS=1 python -m benchmarks.research.calibration [--record]
The temperature is fitted on every second sentence of SST-2's validation set and measured on the others; the edge of the domain is that of
the whole set. Writes benchmarks/results/calibration.json; with --record the temperature and the domain are noted with the classifier,
and with each translator the mean log-probability a token of its translations of held-out captions.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np

from benchmarks.result_files import RESULTS, Measurements, about, head_of_run, write_results
from embeddings.corpora.labelled import read_labelled
from embeddings.corpora.sense_contexts import read_contexts
from benchmarks.verdict_rules import larger, make_claim
from embeddings.networks.decoding import DecodingConfig
from embeddings.probing.label_prediction import (
    Classifier,
    calibrate_classifier,
    domain_of,
    predict,
)
from embeddings.probing.translator import Translator, translate
from embeddings.probing.translation_answers import LogProbabilityRange
from embeddings.lab.experiment import Claim, Column, Drawing, Experiment, Measured, Series, Table
from embeddings.shelf import data, find
from embeddings.shelf.companions import record_calibration, record_log_probabilities
from embeddings.shelf.loading import load_classifier, load_translator

QUESTION = "How far can a classifier's percentages be taken at their word?"
CLASSIFIER = "en-sst2"
TRANSLATORS = ("en-de-transformer", "en-de-bert-fused")
READ = 400  # sentences of each kind
TRANSLATED = 200  # captions
LOW = 0.05  # share of the domain's sentences below which a translation is called outside


def kinds(mirror: Path) -> dict[str, list[str]]:
    """Return texts of other kinds than film reviews."""
    wiki = (mirror / "wikisplit" / "validation.tsv").read_text(encoding="utf-8").splitlines()
    captions = (mirror / "multi30k" / "test_2016_flickr.en").read_text(encoding="utf-8")
    texts = {
        f"contexts_{language}": [
            context.text for context in read_contexts(data() / "contexts" / f"{language}.tsv")
        ]
        for language in ("en", "de", "ru")
    }
    texts["captions"] = captions.splitlines()
    texts["wikipedia"] = [line.split("\t")[0] for line in wiki]
    return {kind: lines[:READ] for kind, lines in texts.items()}


def measure(mirror: Path, *, record: bool) -> Measurements:
    """Calibrate, count what lies outside, and note it if asked to."""
    began = time.perf_counter()
    held_out = read_labelled(mirror / "sst2" / "stsa.binary.dev")
    training = read_labelled(mirror / "sst2" / "stsa.binary.train")
    classifier = load_classifier(CLASSIFIER)
    calibration = calibrate_classifier(classifier, held_out)
    domain = domain_of(classifier, training.texts, held_out.texts)
    if record:
        record_calibration(find(CLASSIFIER), calibration, held_out.path.name, domain)
    known = Classifier(classifier.name, classifier.network, classifier.reader, 1.0, domain)
    outside = []
    for kind, texts in {"reviews": list(held_out.texts), **kinds(mirror)}.items():
        far = sum((prediction.distance or 0) > 1 for prediction in predict(known, texts))
        outside.append({"kind": kind, "sentences": len(texts), "outside": far / len(texts)})
    if record:
        _record_translators(mirror)
    return {
        **head_of_run("KLYUCH_MIRROR=FOLDER OMP_NUM_THREADS=1 python -m benchmarks.research.calibration"),
        "seconds": round(time.perf_counter() - began, 1),
        "classifier": CLASSIFIER,
        "calibration": asdict(calibration),
        "outside": outside,
    }


def _record_translators(mirror: Path) -> None:
    """Note with each translator how sure it is of captions that it has not read."""
    captions = (mirror / "multi30k" / "val.en").read_text(encoding="utf-8").splitlines()
    for name in TRANSLATORS:
        spread = log_probability_range(load_translator(name), captions[:TRANSLATED])
        record_log_probabilities(find(name), spread, "multi30k val.en")


def log_probability_range(translator: Translator, texts: list[str]) -> LogProbabilityRange:
    """Translate sentences of the domain and return where their mean log-probabilities a token, in nats, lie."""
    means = [translator.translate(text).attention.log_probabilities.mean() for text in texts]
    return LogProbabilityRange(float(np.median(means)), float(np.quantile(means, LOW)), len(means))


def calibration_experiment(measured: Measurements) -> Experiment:
    """Return the claim that a temperature lowers the error, both reliabilities, and what lies outside."""
    calibration = measured["calibration"]
    before, after = (100 * calibration[key] for key in ("error_before", "error"))
    return Experiment(
        "calibration",
        QUESTION,
        (_claim(before, after, calibration),),
        (
            Table(
                "reliability",
                (
                    Column("confidence", digits=1),
                    Column("accuracy", digits=1),
                    Column("sentences"),
                ),
                tuple(
                    (100 * part["confidence"], 100 * part["accuracy"], part["texts"])
                    for part in calibration["bins"]
                ),
            ),
            Table(
                "outside",
                (Column("kind", "term"), Column("outside", digits=1), Column("sentences")),
                tuple(
                    (f"kind_{row['kind']}", 100 * row["outside"], row["sentences"])
                    for row in measured["outside"]
                ),
            ),
        ),
        (
            Drawing(
                "reliability",
                "lines",
                "confidence",
                "accuracy",
                (
                    _series("calibrated", calibration["bins"]),
                    _series("uncalibrated", calibration["bins_before"]),
                    Series("as_sure_as_right", (50, 100), (50.0, 100.0)),
                ),
            ),
        ),
        **about(measured, "calibration"),
    )


def _claim(before: float, after: float, calibration: Measurements) -> Claim:
    """Return the claim on the temperature; under half a point of percent is no difference."""
    return make_claim(
        "temperature_calibrates",
        larger,
        {"first": before, "second": after, "least": 0.5},
        {
            "before": Measured(before, 1),
            "after": Measured(after, 1),
            "temperature": Measured(calibration["temperature"], 2),
            "measured": Measured(calibration["measured"]),
            "fitted": Measured(calibration["fitted"]),
        },
        source="Guo et al. 2017",
    )


def _series(name: str, bins: list[Measurements]) -> Series:
    """Return confidence and accuracy of bins, in percent."""
    return Series(
        name,
        tuple(round(100 * part["confidence"], 2) for part in bins),
        tuple(100 * part["accuracy"] for part in bins),
    )


def main() -> None:
    """Read the arguments, measure, write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="Note it on the shipped models.")
    options = parser.parse_args()
    mirror = os.environ.get("KLYUCH_MIRROR")
    if not mirror:
        raise SystemExit("Set KLYUCH_MIRROR to the folder that holds evaluation/sst2.")
    measured = measure(Path(mirror) / "evaluation", record=options.record)
    write_results(RESULTS / "calibration.json", calibration_experiment(measured), measured)
    print(measured["calibration"]["temperature"], measured["outside"])


if __name__ == "__main__":
    main()
