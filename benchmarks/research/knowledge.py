"""What do the networks know? Short and everyday sentences, minimal pairs of grammar, word in context: every network that ships, or others.

    KLYUCH_MIRROR=FOLDER OMP_NUM_THREADS=1 python -m benchmarks.research.knowledge --work WORK [--prepared PREPARED] [NETWORK ...]

NETWORK is a name on the shelf or a folder; without any, the networks in ``data/models`` are scored. Each part's result is kept under WORK
(`benchmarks.research.knowledge_parts`), so a command that was stopped resumes. PREPARED holds for each language what `klyuch bert prepare`
wrote (PREPARED/en/ids and so on); short sentences are drawn from the documents that are held out there. ``--cards`` writes the scores
into the networks' cards, by `write_scores`. A network of one language, 4 layers and 256 takes one to two and a half minutes of one core.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.research.grammar_accuracy import grammar_measurements, measured_grammar
from benchmarks.research.knowledge_parts import (
    LANGUAGES,
    PAIR_SETS,
    PAIRS,
    SHORT_EACH,
    WORD_SETS,
    Part,
    languages_of,
    parts_of,
    prepared_folders,
    score_network,
    short_files,
)
from benchmarks.result_files import RESULTS, Measurements, about, write_results
from benchmarks.source_tree import source_commit
from embeddings import shelf
from embeddings.files import read_json, write_json
from benchmarks.verdict_rules import below, difference, larger, make_claim
from embeddings.probing.word_in_context import VECTOR_KINDS
from embeddings.lab.experiment import Cell, Claim, Column, Drawing, Experiment, Measured, Series, Table
from embeddings.shelf import Entry
from embeddings.model_card import machine

QUESTION = "What do the networks know?"
COPIES_BOUND = 3.0  # percent of first guesses that may repeat a word of the sentence
PUBLISHED = {  # percent: who measured it, by set; a system is a code or a proper name
    "blimp_en": (
        ("system_5gram", 61.2),
        ("LSTM (Warstadt et al. 2020)", 69.8),
        ("GPT-2 (Warstadt et al. 2020)", 83.0),
        ("system_people", 88.6),
        ("LTG-BERT (Hu et al. 2024)", 60.6),
        ("BabyLlama (Hu et al. 2024)", 69.8),
    ),
    "clams_ru": (("LSTM (Mueller et al. 2020)", 85.0),),
    "clams_de": (("LSTM (Mueller et al. 2020)", 90.0),),
    "wic_en": (("mBERT (Martelli et al. 2021)", 84.0),),
    "wic_ru": (("mBERT (Martelli et al. 2021)", 74.5),),
}
WARSTADT, HU = "Warstadt et al. 2020", "Hu et al. 2024"
MUELLER, MARTELLI = "Mueller et al. 2020", "Martelli et al. 2021"
COMPARED = (  # claim, set, percent that are to be passed, who measured them
    ("blimp_over_ngrams", "blimp_en", 61.2, WARSTADT),
    ("blimp_over_small_bert", "blimp_en", 60.6, HU),
    ("clams_over_lstm", "clams_de", 90.0, MUELLER),
    ("clams_over_lstm", "clams_ru", 85.0, MUELLER),
    ("wic_above_chance", "wic_en", 50.0, MARTELLI),
    ("wic_above_chance", "wic_ru", 50.0, MARTELLI),
)
SETS = {**PAIR_SETS, **WORD_SETS}
Network = Mapping[str, Any]  # name, languages, passages, parts


def knowledge_experiment(measured: Measurements) -> Experiment:
    """Return claims, tables and drawings of what was measured."""
    networks = measured["networks"]
    tables = (
        _pairs_table(networks),
        _short_table(networks),
        _everyday_table(networks),
        _passages_table(networks),
        _word_table(networks),
        _layers_table(networks),
        *(_phenomena_table(name, networks) for name in PAIR_SETS),
    )
    drawings = (_pairs_drawing(networks), _short_drawing(networks), _layers_drawing(networks))
    return Experiment(
        "knowledge",
        QUESTION,
        tuple(_claims(networks)),
        tuple(table for table in tables if table.rows),
        tuple(drawing for drawing in drawings if drawing.series),
        **about(measured, "knowledge"),
    )


def _claims(networks: Sequence[Network]) -> Iterator[Claim]:
    """Yield what is claimed of each network, kind by kind."""
    for claim, name, bound, source in COMPARED:
        for network, scores in _with(networks, name):
            yield _gap(claim, network, SETS[name], scores, bound, source)
    for language in LANGUAGES:
        for network, scores in _with(networks, f"short_{language}"):
            yield _rarely_copies(network, language, scores)
            yield _short_is_harder(network, language, scores)


def _gap(
    claim: str,
    network: Network,
    language: str,
    scores: Mapping[str, Any],
    bound: float,
    source: str,
) -> Claim:
    """Return whether an accuracy is above a published one, or chance; nothing is known of the other's chance."""
    accuracy, error = 100 * scores["accuracy"], 100 * scores["standard_error"]
    return make_claim(
        claim,
        difference,
        {"gain": accuracy - bound, "standard_error": error}
        | ({"degrees": scores["paradigms"] - 1} if "paradigms" in scores else {}),
        {
            "network": network["name"],
            "language": language,
            "accuracy": Measured(accuracy, 1),
            "error": Measured(error, 1),
            "pairs": Measured(scores["total"]),
        },
        source=source,
        published=None if claim == "wic_above_chance" else bound,
        ours=accuracy,
    )


def _rarely_copies(network: Network, language: str, scores: Mapping[str, Any]) -> Claim:
    """Return whether few first guesses repeat a word of the sentence."""
    copies = None if scores["copies"] is None else 100 * scores["copies"]
    fields: dict[str, Measured | str] = {
        "network": network["name"],
        "language": language,
        "copies": Measured(copies, 1),
        "sentences": Measured(scores["covered"]),
    }
    numbers = {"value": copies, "bound": COPIES_BOUND}
    return make_claim("copies_rarely", below, numbers, fields, ours=copies)


def _short_is_harder(network: Network, language: str, scores: Mapping[str, Any]) -> Claim:
    """Return whether the loss on short sentences is larger than on passages."""
    short, passages = scores["loss"], network["passages"].get("heldout_mlm_loss")
    fields: dict[str, Measured | str] = {
        "network": network["name"],
        "language": language,
        "short": Measured(short, 2),
        "passages": Measured(passages, 2),
    }
    return make_claim("short_is_harder", larger, {"first": short, "second": passages}, fields)


def _with(networks: Sequence[Network], part: str) -> Iterator[tuple[Network, Mapping[str, Any]]]:
    """Yield the networks that were asked a part, with their scores."""
    for network in networks:
        if part in network["parts"]:
            yield network, network["parts"][part]


def _pairs_table(networks: Sequence[Network]) -> Table:
    """Minimal pairs: networks, then published systems, set by set."""
    return Table("pairs", _accuracy_columns("system"), tuple(_beside(networks, PAIR_SETS)))


def _word_table(networks: Sequence[Network]) -> Table:
    """Word in context: networks, then the published one."""
    return Table("wic", _accuracy_columns("system"), tuple(_beside(networks, WORD_SETS)))


def _accuracy_columns(who: str) -> tuple[Column, ...]:
    """Columns of `_beside`."""
    return (
        Column("test_set", "term"),
        Column(who, "term"),
        Column("accuracy", digits=1),
        Column("standard_error", digits=1),
        Column("pairs"),
    )


def _beside(networks: Sequence[Network], sets: Mapping[str, str]) -> Iterator[tuple[Cell, ...]]:
    """Yield set, system, accuracy, standard error, pairs; of sets that a network was asked."""
    for name in sets:
        rows = [
            (
                name,
                network["name"],
                100 * scores["accuracy"],
                100 * scores["standard_error"],
                scores["total"],
            )
            for network, scores in _with(networks, name)
        ]
        yield from rows
        if rows:
            yield from ((name, who, value, None, None) for who, value in PUBLISHED.get(name, ()))


def _phenomena_table(name: str, networks: Sequence[Network]) -> Table:
    """A set's phenomena: a row a phenomenon and network, all pairs first."""
    asked = list(_with(networks, name))
    rows: list[tuple[Cell, ...]] = [
        (
            "all_pairs",
            network["name"],
            100 * scores["accuracy"],
            100 * scores["standard_error"],
            scores["total"],
        )
        for network, scores in asked
    ]
    phenomena = asked[0][1]["phenomena"] if asked else {}
    for phenomenon in phenomena:
        for network, scores in asked:
            part = scores["phenomena"][phenomenon]
            called, error = phenomenon.replace("_", " "), _percent(part["standard_error"])
            rows.append((called, network["name"], 100 * part["accuracy"], error, part["total"]))
    columns = (Column("phenomenon", "term"), Column("network", "term"), *_accuracy_columns("")[2:])
    return Table(name, columns, tuple(rows))


def _short_table(networks: Sequence[Network]) -> Table:
    """Short sentences: a row a language and source of each network."""
    columns = (
        Column("language", "term"),
        Column("source", "term"),
        Column("network", "term"),
        Column("first_guess", digits=1),
        Column("among_five", digits=1),
        Column("answer_loss", digits=2),
        Column("copies", digits=1),
        Column("covered"),
        Column("sentences"),
    )
    rows = [
        (
            language,
            source.replace("_", " ") if source else "all_sources",
            network["name"],
            _percent(part["top1"]),
            _percent(part["top5"]),
            part["loss"],
            _percent(part["copies"]),
            part["covered"],
            part["total"],
        )
        for language in LANGUAGES
        for network, scores in _with(networks, f"short_{language}")
        for source, part in (("", scores), *scores["groups"].items())
    ]
    return Table("short", columns, tuple(rows))


def _everyday_table(networks: Sequence[Network]) -> Table:
    """Everyday sentences: a row a language and network."""
    columns = (
        Column("language", "term"),
        Column("network", "term"),
        Column("first_guess", digits=1),
        Column("among_three", digits=1),
        Column("copies", digits=1),
        Column("covered"),
        Column("sentences"),
    )
    rows = [
        (
            language,
            network["name"],
            _percent(part["top1"]),
            _percent(part["top3"]),
            _percent(part["copies"]),
            part["covered"],
            part["total"],
        )
        for language in LANGUAGES
        for network, scores in _with(networks, "everyday")
        if (part := scores["groups"].get(language))
    ]
    return Table("everyday", columns, tuple(rows))


def _passages_table(networks: Sequence[Network]) -> Table:
    """Held-out passages: what the networks' cards say."""
    columns = (
        Column("network", "term"),
        Column("tokens"),
        Column("loss", digits=2),
        Column("mlm_accuracy", digits=1),
        Column("sentence_accuracy", digits=1),
    )
    rows = [
        (
            network["name"],
            network.get("tokens"),
            passages.get("heldout_mlm_loss"),
            _percent(passages.get("heldout_mlm_accuracy")),
            _percent(passages.get("heldout_sentence_accuracy")),
        )
        for network in networks
        if (passages := network["passages"])
    ]
    return Table("passages", columns, tuple(rows))


def _layers_table(networks: Sequence[Network]) -> Table:
    """Word in context by layer, a column a kind of vector."""
    columns = (
        Column("test_set", "term"),
        Column("network", "term"),
        Column("layer"),
        *(Column(f"wic_{kind}", digits=1) for kind in VECTOR_KINDS),
    )
    rows: list[tuple[Cell, ...]] = []
    for name in WORD_SETS:
        for network, scores in _with(networks, name):
            curves = _by_kind(scores)
            rows += [
                (name, network["name"], layer, *(curves[kind][layer] for kind in VECTOR_KINDS))
                for layer in range(len(curves[VECTOR_KINDS[0]]))
            ]
    return Table("wic_layers", columns, tuple(rows))


def _pairs_drawing(networks: Sequence[Network]) -> Drawing:
    """Accuracy by set: a series a network, and the published LSTM."""
    lstm = {
        name: next((value for who, value in PUBLISHED.get(name, ()) if who[:4] == "LSTM"), None)
        for name in PAIR_SETS
    }
    series = [
        Series(network["name"], tuple(values), tuple(values.values()))
        for network in networks
        if (
            values := {
                name: 100 * network["parts"][name]["accuracy"]
                for name in PAIR_SETS
                if name in network["parts"]
            }
        )
    ]
    drawn = {name for one in series for name in one.x}
    known = {name: value for name, value in lstm.items() if name in drawn and value is not None}
    if known:
        series.append(Series("system_lstm", tuple(known), tuple(known.values())))
    return Drawing("pairs", "bars", "test_set", "accuracy", tuple(series), 50)


def _short_drawing(networks: Sequence[Network]) -> Drawing:
    """Share of first guesses that are right and that copy, by language."""
    series = []
    for measure in ("top1", "copies"):
        for network in networks:
            values = {
                language: _percent(network["parts"][f"short_{language}"][measure])
                for language in LANGUAGES
                if f"short_{language}" in network["parts"]
            }
            if values:
                name = f"{network['name']}|short_{measure}"
                series.append(Series(name, tuple(values), tuple(values.values())))
    return Drawing("short", "bars", "language", "share", tuple(series))


def _layers_drawing(networks: Sequence[Network]) -> Drawing:
    """Word in context by layer: a line a network, language and kind; the word's own state and the words around in front."""
    series = [
        Series(
            f"{network['name']}|{language}|vectors_{kind}",
            tuple(range(len(values))),
            tuple(values),
            main=kind in ("word_centred", "around"),
        )
        for name, language in WORD_SETS.items()
        for network, scores in _with(networks, name)
        for kind, values in _by_kind(scores).items()
    ]
    return Drawing("wic", "lines", "layer", "accuracy", tuple(series), 50)


def _by_kind(scores: Mapping[str, Any]) -> dict[str, list[float]]:
    """Percent by layer for each kind of vector."""
    curves: dict[str, list[float]] = {kind: [] for kind in VECTOR_KINDS}
    for layer in scores["layers"]:
        curves[layer["kind"]].append(100 * layer["accuracy"])
    return curves


def _percent(share: float | None) -> float | None:
    """A share in percent."""
    return None if share is None else 100 * share


CARD_NAMES = {
    "blimp_en": "BLiMP",
    "rublimp_ru": "RuBLiMP",
    "clams_ru": "CLAMS ru",
    "clams_de": "CLAMS de",
    "wic_en": "WiC en",
    "wic_ru": "WiC ru",
}


def card_scores(parts: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float | int | None]]:
    """Return the scores of a network as its card holds them: by test set, ``accuracy`` a share, with what it rests on.

    Parameters
    ----------
    parts : mapping
        Scores by part, as `benchmarks.research.knowledge_parts.score_network` returns them.
    """
    scores: dict[str, dict[str, float | int | None]] = {}
    for name, called in CARD_NAMES.items():
        if part := parts.get(name):
            measures = {key: part[key] for key in ("accuracy", "standard_error")}
            scores[called] = {**measures, "covered": part["total"], "total": part["total"]}
    blanks = [(f"short sentences {name}", parts.get(f"short_{name}")) for name in LANGUAGES]
    everyday = parts.get("everyday", {}).get("groups", {})
    blanks += [(f"everyday sentences {name}", everyday.get(name)) for name in LANGUAGES]
    for called, part in blanks:
        if part:
            kept = ("top3", "top5", "loss", "copies", "covered", "total")
            scores[called] = {"accuracy": part["top1"], **{key: part[key] for key in kept}}
    return scores


def write_scores(folder: Path, parts: Mapping[str, Mapping[str, Any]]) -> None:
    """Write scores into the card of a network's folder; those of the same test sets are replaced, the rest stays.

    `benchmarks.build_networks` and whoever ships a network call this after `score_network`.
    """
    card = read_json(folder / "card.json")
    before = card.get("scores")
    kept = before if isinstance(before, dict) else {}
    write_json(folder / "card.json", {**card, "scores": {**kept, **card_scores(parts)}})


class Remaining:
    """How long the rest takes: parts that were scored now, by what was expected of them."""

    def __init__(self, parts: Sequence[Part], clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.expected = sum(part.seconds for part in parts)
        self.asked, self.took, self.last = 0.0, 0.0, clock()

    def seconds(self, part: Part, is_new: bool) -> float:
        """Return the seconds left after a part."""
        now = self.clock()
        self.expected -= part.seconds
        if is_new:
            self.asked += part.seconds
            self.took += now - self.last
        self.last = now
        return self.expected * (self.took / self.asked if self.asked else 1.0)


def measure(
    entries: Sequence[Entry],
    mirror: Path,
    work: Path,
    short: Mapping[str, Path],
    pairs: Mapping[str, int],
    *,
    only_kept: bool = False,
) -> list[dict[str, Any]]:
    """Score networks part by part; one is open at a time. ``only_kept``: what is not kept under ``work`` is left out."""
    asked = [
        (entry, list(parts_of(languages_of(entry), mirror, short, pairs))) for entry in entries
    ]
    remaining = Remaining([part for _, parts in asked for part in parts])
    networks = []
    for entry, parts in asked:

        def say(part: Part, is_new: bool, name: str = entry.name) -> None:
            left = remaining.seconds(part, is_new)
            state = "scored" if is_new else "kept"
            print(f"{name} {part.name}: {state}, about {left / 60:.1f} minutes left", flush=True)

        scores = score_network(entry, parts, work, say, only_kept=only_kept)
        card = shelf.read_card(entry)
        passages = card.get("scores")
        networks.append(
            {
                "name": entry.name,
                "languages": list(languages_of(entry)),
                "tokens": card.get("tokens_seen"),
                "passages": {
                    key: value
                    for key, value in (passages if isinstance(passages, dict) else {}).items()
                    if key.startswith("heldout_")
                },
                "parts": scores,
            }
        )
    return networks


def main() -> None:
    """Score the networks and write knowledge.json, and beside it grammar.json for the page Grammar."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("networks", nargs="*", help="names or folders; those that ship")
    ask.add_argument("--mirror", type=Path, default=os.environ.get("KLYUCH_MIRROR"))
    ask.add_argument("--work", type=Path, required=True, help="kept between runs")
    ask.add_argument("--prepared", type=Path, help="LANGUAGE/ids of klyuch bert prepare")
    ask.add_argument("--kept", action="store_true", help="score nothing: what WORK keeps alone")
    ask.add_argument("--cards", action="store_true", help="write the scores into the cards")
    ask.add_argument(
        "--output",
        type=Path,
        default=RESULTS / "knowledge.json",
        help="the page Grammar's grammar.json is written beside it",
    )
    asked = ask.parse_args()
    if asked.mirror is None:
        raise SystemExit("Set KLYUCH_MIRROR to the folder that holds evaluation and corpora.")
    mirror, root = Path(asked.mirror), shelf.data() / "models"
    entries = [shelf.find(name) for name in asked.networks] or [
        e for e in shelf.list_models() if e.kind == "network" and e.path.parent == root
    ]
    short = short_files(asked.work, prepared_folders(asked.prepared), mirror / "corpora")
    networks = measure(entries, mirror, asked.work, short, PAIRS, only_kept=asked.kept)
    prepared = " --prepared PREPARED" if short else ""
    names = "".join(f" {entry.name}" for entry in entries) if asked.networks else ""
    measured: Measurements = {
        "command": f"KLYUCH_MIRROR=FOLDER python -m benchmarks.research.knowledge{names} --work WORK{prepared}",
        "commit": source_commit(),
        "machine": machine(),
        "created": time.strftime("%Y-%m-%d"),
        "seconds": round(sum(p["seconds"] for n in networks for p in n["parts"].values()), 1),
        "pairs_of_a_paradigm": PAIRS,
        "short_sentences_of_a_source": SHORT_EACH,
        "networks": networks,
    }
    write_results(asked.output, knowledge_experiment(measured), measured)
    head = {key: value for key, value in measured.items() if key != "networks"}
    grammar: Measurements = {**head, **grammar_measurements(networks, PAIR_SETS)}
    write_results(asked.output.with_name("grammar.json"), measured_grammar(grammar), grammar)
    if asked.cards:
        for entry, network in zip(entries, networks, strict=True):
            write_scores(entry.path, network["parts"])


if __name__ == "__main__":
    main()
