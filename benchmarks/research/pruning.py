"""How many attention heads a translator and a classifier can lose: pruned one by one, the least needed first, with random pruning beside.

Run: KLYUCH_MIRROR=FOLDER OMP_NUM_THREADS=1 python -m benchmarks.research.pruning [--encoder-alone | --classifier-alone]
No weight is trained again. At each step that head goes whose absence raises the loss least, measured on sentences apart from those
that are scored: the first `CHOSEN_BY` pairs of Multi30k's validation set, `READ` of every second sentence of SST-2's. Scored are the
first `SCORED` pairs of test_2016_flickr (BLEU, beam 1) and the other half of SST-2's validation set.
Voita et al. (2019) count heads of the encoder: beside the order over all heads of the translator there is one over its encoder's alone,
scored after each head; ``--encoder-alone`` measures that one, ``--classifier-alone`` the classifier's, and the rest of the file stays.
Writes benchmarks/results/pruning.json.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path

import torch

from benchmarks.result_files import (
    RESULTS,
    Measurements,
    about,
    head_of_run,
    read_results,
    table_of,
    write_results,
)
from benchmarks.source_tree import source_commit
from embeddings.corpora.labelled import read_labelled, text_ids
from benchmarks.verdict_rules import at_least, larger_in_all, make_claim
from embeddings.networks.classifier import batch_of
from embeddings.networks.decoding import next_log_probabilities, to_batch
from embeddings.networks.encoder_decoder import END, PAD, START
from embeddings.networks.decoding import DecodingConfig
from embeddings.probing.ablated_networks import without_heads
from embeddings.probing.ablation import encoder_sites, separate_modules, turn_heads_off
from embeddings.probing.label_prediction import Classifier
from embeddings.probing.translator import Translator, encode, translate
from embeddings.probing.ablation_answers import TRANSLATOR_KINDS, TranslatorHeads
from embeddings.lab.experiment import Claim, Drawing, Experiment, Measured, Series
from embeddings.runtime import one_thread
from embeddings.shelf.loading import load_classifier, load_translator
from embeddings.training.translation.translation_run import bleu

QUESTION = "How many attention heads does a network need?"
VOITA, MICHEL = "Voita et al. 2019", "Michel et al. 2019"
TRANSLATOR, CLASSIFIER = "en-de-transformer", "en-sst2"
CHOSEN_BY, SCORED = 40, 200  # sentence pairs
READ = 200  # film reviews by which the classifier's heads are chosen
EVERY = 4  # heads of the translator between two scores
SEEDS = (1, 2, 3)
ALLOWED = 0.15  # BLEU that Voita et al. lose with 38 of 48 encoder heads
VOITA_SHARE = 100 * 38 / 48
COMMAND = "KLYUCH_MIRROR=FOLDER OMP_NUM_THREADS=1 python -m benchmarks.research.pruning"
Head = tuple[str, int, int]  # kind, layer, head


def pruning_order(
    heads: Sequence[Head], loss: Callable[[Sequence[Head]], float]
) -> tuple[list[Head], list[float]]:
    """Return heads in the order in which they go, and the loss after each: always the one that raises it least."""
    gone: list[Head] = []
    losses: list[float] = []
    while len(gone) < len(heads):
        left = [head for head in heads if head not in gone]
        values = [loss([*gone, head]) for head in left]
        best = min(range(len(left)), key=values.__getitem__)
        gone.append(left[best])
        losses.append(values[best])
    return gone, losses


def random_orders(heads: Sequence[Head]) -> list[list[Head]]:
    """Return the heads in the order of each seed."""
    orders = []
    for seed in SEEDS:
        order = list(heads)
        random.Random(seed).shuffle(order)
        orders.append(order)
    return orders


def translator_heads(gone: Sequence[Head]) -> TranslatorHeads:
    """Return heads by kind."""
    by_kind = {k: tuple((n, h) for kind, n, h in gone if kind == k) for k in TRANSLATOR_KINDS}
    return TranslatorHeads(**by_kind)


def translation_loss(translator: Translator, pairs: tuple[list[str], list[str]]) -> float:
    """Return nats a token of the reference translations."""
    sources, references = pairs
    targets = [list(translator.vocabulary.encode(line).ids) for line in references]
    wanted = to_batch(targets)
    start = torch.full((len(targets), 1), START)
    with torch.inference_mode():
        _, encoded = encode(translator, sources)
        network = translator.network
        inputs = torch.cat((start, wanted[:, :-1].masked_fill(wanted[:, :-1] == END, PAD)), 1)
        logs = next_log_probabilities(network, network.decode(inputs, network.open(encoded)).hidden)
        picked = logs.gather(-1, wanted[:, :, None])[:, :, 0]
    return -float(picked[wanted != PAD].double().mean())


@dataclass(frozen=True)
class _Translations:
    """The shipped translator, with sentence pairs to choose heads by and others to score."""

    evaluation: Path

    @cached_property
    def translator(self) -> Translator:
        """The translator, all heads on."""
        return load_translator(TRANSLATOR)

    def pairs(self, name: str, count: int) -> tuple[list[str], list[str]]:
        """English and German lines of a part of Multi30k."""
        paths = (self.evaluation / "multi30k" / f"{name}.{language}" for language in ("en", "de"))
        english, german = (path.read_text(encoding="utf-8").splitlines()[:count] for path in paths)
        return english, german

    @cached_property
    def choosing(self) -> tuple[list[str], list[str]]:
        """The pairs that the loss is of."""
        return self.pairs("val", CHOSEN_BY)

    @cached_property
    def scoring(self) -> tuple[list[str], list[str]]:
        """The pairs that BLEU is of."""
        return self.pairs("test_2016_flickr", SCORED)

    def heads(self, kinds: Sequence[str]) -> list[Head]:
        """All heads of some kinds of attention."""
        config = self.translator.network.config
        layers, heads = config.num_hidden_layers, config.num_attention_heads
        return [
            (kind, n, h)
            for kind in kinds
            for n in range(1, layers + 1)
            for h in range(1, heads + 1)
        ]

    def loss(self, gone: Sequence[Head]) -> float:
        """Nats a token without some heads."""
        pruned = without_heads(self.translator, translator_heads(gone))
        return translation_loss(pruned, self.choosing)

    def score(self, gone: Sequence[Head]) -> float:
        """BLEU without some heads."""
        pruned = without_heads(self.translator, translator_heads(gone))
        lines = translate(pruned, self.scoring[0], DecodingConfig(beam=1))
        return bleu([line.target for line in lines], self.scoring[1]).score


def measure_translator(evaluation: Path) -> Measurements:
    """Prune all of the translator's heads and score it on the way."""
    translations = _Translations(evaluation)
    heads = translations.heads(TRANSLATOR_KINDS)
    alone = [translations.loss([head]) for head in heads]
    whole = translations.loss([])
    order, losses = pruning_order(heads, translations.loss)
    places = list(range(0, len(heads) + 1, EVERY))
    ends = {0: translations.score([]), len(heads): translations.score(heads)}

    def scores(of: Sequence[Head]) -> list[float]:
        return [
            ends[count] if count in ends else translations.score(of[:count]) for count in places
        ]

    return {
        "model": TRANSLATOR,
        "loss": whole,
        "alone": [
            {"kind": kind, "layer": n, "head": h, "rise": value - whole}
            for (kind, n, h), value in zip(heads, alone, strict=True)
        ],
        "order": [list(head) for head in order],
        "losses": losses,
        "removed": places,
        "bleu": scores(order),
        "random_bleu": [scores(each) for each in random_orders(heads)],
    }


def measure_encoder(evaluation: Path) -> Measurements:
    """Prune the heads of the translator's encoder alone and score it after each, until none is left."""
    translations = _Translations(evaluation)
    order, losses = pruning_order(translations.heads(["encoder"]), translations.loss)
    counts = list(range(len(order) + 1))
    return {
        "order": [list(head) for head in order],
        "losses": losses,
        "removed": counts,
        "bleu": [translations.score(order[:count]) for count in counts],
    }


def measure_classifier(evaluation: Path) -> Measurements:
    """Prune the classifier's heads and score it after each."""
    texts = read_labelled(evaluation / "sst2" / "stsa.binary.dev")
    classifier = load_classifier(CLASSIFIER)
    config = classifier.network.encoder.config
    numbers = range(1, config.num_hidden_layers + 1), range(1, config.num_attention_heads + 1)
    heads = [("encoder", n, h) for n in numbers[0] for h in numbers[1]]
    rows = _Batches(classifier, texts.texts, texts.labels)
    order, losses = pruning_order(heads, lambda gone: rows.losses(gone, 0).mean().item())

    def right(gone: Sequence[Head]) -> torch.Tensor:
        return rows.right(gone, 1)

    whole = right([])
    by_importance = [right(order[:count]) for count in range(len(heads) + 1)]
    errors = [float((each - whole).std(correction=1) / len(whole) ** 0.5) for each in by_importance]
    return {
        "model": CLASSIFIER,
        "sentences": len(whole),
        "order": [list(head) for head in order],
        "losses": losses,
        "accuracy": [float(each.mean()) for each in by_importance],
        "standard_error": errors,
        "random_accuracy": [
            [float(right(each[:count]).mean()) for count in range(len(heads) + 1)]
            for each in random_orders(heads)
        ],
    }


class _Batches:
    """A labelled set in two halves, every second sentence in each, in batches: the first to choose by, the second to score."""

    def __init__(self, classifier: Classifier, texts: Sequence[str], labels: Sequence[str]) -> None:
        settings = classifier.network.config
        self.classifier = classifier
        read = text_ids(classifier.wordpiece, texts, settings.longest, settings.lower)
        numbers = [classifier.labels.index(label) for label in labels]
        pad = classifier.reader.config.pad_token_id
        self.halves = []
        for half in (0, 1):
            numbered = range(half, len(numbers), 2)
            rows = sorted(numbered if half else numbered[:READ], key=lambda row: len(read.ids[row]))
            parts = [rows[first : first + 64] for first in range(0, len(rows), 64)]
            self.halves.append(
                [
                    (
                        *batch_of([read.ids[row] for row in part], pad, torch.device("cpu")),
                        torch.tensor([numbers[row] for row in part]),
                    )
                    for part in parts
                ]
            )

    def losses(self, gone: Sequence[Head], half: int) -> torch.Tensor:
        """Cross entropies without some heads, nats (sentences,)."""
        return torch.cat(
            [
                torch.nn.functional.cross_entropy(logits, labels, reduction="none")
                for logits, labels in self._logits(gone, half)
            ]
        )

    def right(self, gone: Sequence[Head], half: int) -> torch.Tensor:
        """1 where a sentence gets its label without some heads, else 0."""
        pairs = self._logits(gone, half)
        return torch.cat([(logits.argmax(-1) == labels).double() for logits, labels in pairs])

    def _logits(self, gone: Sequence[Head], half: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Logits and labels of the batches of a half."""
        network = self.classifier.network
        encoder = separate_modules(network.encoder)
        sites = encoder_sites(encoder)
        turn_heads_off(sites, [[(layer, head) for _, layer, head in gone]])
        with torch.inference_mode():
            return [
                (network.output(network.pool(encoder(ids, None, real).last, real)), labels)
                for ids, real, labels in self.halves[half]
            ]


def measure(evaluation: Path) -> Measurements:
    """Prune both networks."""
    began, commit = time.perf_counter(), source_commit()
    with one_thread():
        translator, classifier = measure_translator(evaluation), measure_classifier(evaluation)
        encoder = measure_encoder(evaluation)
    return {
        **head_of_run(COMMAND, commit=commit),
        "seconds": round(time.perf_counter() - began, 1),
        "translator": translator,
        "encoder": encoder,
        "classifier": classifier,
        "chosen_by": CHOSEN_BY,
        "scored": SCORED,
    }


def with_part(evaluation: Path, part: str) -> Measurements:
    """Return what the file of results holds, with the encoder's heads or the classifier's measured anew."""
    measured, began = read_results("pruning"), time.perf_counter()
    commit = source_commit()
    with one_thread():
        again = {"encoder": measure_encoder, "classifier": measure_classifier}[part](evaluation)
    again |= {"commit": commit, "seconds": round(time.perf_counter() - began, 1)}
    commands = list(dict.fromkeys([*measured["commands"], f"{COMMAND} --{part}-alone"]))
    return measured | {part: again, "commands": commands}


def pruning_experiment(measured: Measurements) -> Experiment:
    """Return the claims on both networks, curves of both, and what each head of the translator is worth alone."""
    translator, classifier = measured["translator"], measured["classifier"]
    removed, counts = translator["removed"], list(range(len(classifier["accuracy"])))
    accuracy = [100 * value for value in classifier["accuracy"]]
    chance_bleu = _random(translator["random_bleu"])
    chance_accuracy = _random(classifier["random_accuracy"], 100)
    return Experiment(
        "pruning",
        QUESTION,
        (
            _voita(measured["encoder"], measured["scored"]),
            _beyond_chance("translator_order", removed, translator["bleu"], chance_bleu, VOITA),
            _michel(classifier),
            _beyond_chance("classifier_order", counts, accuracy, chance_accuracy, MICHEL),
        ),
        (
            table_of(
                "heads",
                sorted(translator["alone"], key=lambda row: -row["rise"]),
                {"kind": 0, "layer": 0, "head": 0, "rise": 4},
                {"kind": "kind_"},
            ),
        ),
        (
            _drawing("translator", "bleu", removed, translator["bleu"], chance_bleu),
            _encoder_drawing(measured["encoder"]),
            _drawing("classifier", "accuracy", counts, accuracy, chance_accuracy),
        ),
        **about(measured, "pruning"),
    )


Spread = tuple[list[float], list[float]]  # means and standard deviations


def _random(orders: Sequence[Sequence[float]], times: float = 1) -> Spread:
    """Return mean and standard deviation over the random orders at each place."""
    places = [[times * value for value in place] for place in zip(*orders, strict=True)]
    return [statistics.mean(p) for p in places], [statistics.stdev(p) for p in places]


def _spared(removed: Sequence[int], holds: Sequence[bool]) -> int:
    """Return how many heads are gone before a score first no longer holds; later places do not count."""
    kept = takewhile(lambda place: place[1], zip(removed, holds, strict=True))
    return max((count for count, _ in kept), default=0)


def _voita(encoder: Measurements, sentences: int) -> Claim:
    """Return the claim that 38 of 48 of the encoder's heads go for 0.15 BLEU, as a share of them; without training."""
    removed, scores = encoder["removed"], encoder["bleu"]
    heads, full = len(encoder["order"]), scores[0]
    spared = _spared(removed, [score >= full - ALLOWED for score in scores])
    share = 100 * spared / heads
    highest = max(range(1, len(scores)), key=scores.__getitem__)
    return make_claim(
        "heads_for_little_bleu",
        at_least,
        {"value": share, "bound": VOITA_SHARE},
        {
            "removed": Measured(spared),
            "heads": Measured(heads),
            "share": Measured(share),
            "full": Measured(full, 1),
            "fallen": Measured(scores[min(removed.index(spared) + 1, len(removed) - 1)], 1),
            "most": Measured(scores[highest], 1),
            "most_removed": Measured(removed[highest]),
            "sentences": Measured(sentences),
        },
        source=VOITA,
        published=VOITA_SHARE,
        ours=share,
    )


def _michel(classifier: Measurements) -> Claim:
    """Return the claim that 40 % of the heads go without a loss beyond two standard errors."""
    scores, errors = classifier["accuracy"], classifier["standard_error"]
    full, heads = scores[0], len(classifier["order"])
    holds = [full - share <= 2 * error for share, error in zip(scores, errors, strict=True)]
    spared = _spared(range(len(scores)), holds)
    return make_claim(
        "heads_for_no_accuracy",
        at_least,
        {"value": 100 * spared / heads, "bound": 40},
        {
            "removed": Measured(spared),
            "heads": Measured(heads),
            "full": Measured(100 * full, 1),
            "after": Measured(100 * scores[spared], 1),
            "sentences": Measured(classifier["sentences"]),
        },
        source=MICHEL,
        published=40,
        ours=100 * spared / heads,
    )


def _beyond_chance(
    name: str, places: Sequence[int], ours: Sequence[float], chance: Spread, source: str
) -> Claim:
    """Return the claim that heads pruned by importance cost less than random ones, wherever some and not all are gone."""
    inner = slice(1, -1)
    means, deviations = chance
    widest = max(range(1, len(places) - 1), key=lambda at: ours[at] - means[at])
    return make_claim(
        name,
        larger_in_all,
        {"first": ours[inner], "second": means[inner], "chance": deviations[inner]},
        {
            "removed": Measured(places[widest]),
            "ours": Measured(ours[widest], 1),
            "random": Measured(means[widest], 1),
        },
        source=source,
    )


def _drawing(
    name: str, axis: str, places: Sequence[int], ours: Sequence[float], chance: Spread
) -> Drawing:
    """Return both curves over the number of heads that are gone."""
    return Drawing(
        name,
        "lines",
        "heads_removed",
        axis,
        (
            Series("least_needed_first", tuple(places), tuple(ours)),
            Series("random_order", tuple(places), tuple(chance[0]), tuple(chance[1])),
        ),
    )


def _encoder_drawing(encoder: Measurements) -> Drawing:
    """Return the curve over the heads of the encoder alone."""
    series = Series("least_needed_first", tuple(encoder["removed"]), tuple(encoder["bleu"]))
    return Drawing("encoder", "lines", "heads_removed", "bleu", (series,))


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for part in ("encoder", "classifier"):
        help_text = f"measure the {part}'s heads alone"
        parser.add_argument(
            f"--{part}-alone", dest="part", action="store_const", const=part, help=help_text
        )
    options = parser.parse_args()
    mirror = os.environ.get("KLYUCH_MIRROR")
    if not mirror:
        raise SystemExit("Set KLYUCH_MIRROR to the folder that holds evaluation/multi30k and sst2.")
    evaluation = Path(mirror) / "evaluation"
    measured = with_part(evaluation, options.part) if options.part else measure(evaluation)
    write_results(RESULTS / "pruning.json", pruning_experiment(measured), measured)
    print(measured["encoder"]["bleu"])
    print(measured["translator"]["bleu"], measured["classifier"]["accuracy"])


if __name__ == "__main__":
    main()
