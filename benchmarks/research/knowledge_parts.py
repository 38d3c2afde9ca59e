"""What is asked of each network in `benchmarks.research.knowledge`, part by part; a part that was scored is kept and not scored again.

Parts: short sentences of held-out documents with a content word masked (one a language), the everyday sentences of ``data/sentences``,
minimal pairs (BLiMP, RuBLiMP, CLAMS), and word in context (MCL-WiC). What is kept is named by the weights and by what was asked: other
weights, another file or another sample are scored anew.
"""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.research import short_sentences
from embeddings import shelf
from embeddings.results import plain
from embeddings.corpora.evaluation_sets import (
    MinimalPair,
    read_blanks,
    read_minimal_pairs,
    read_word_in_context,
)
from embeddings.files import read_json, sha256, atomic_file, write_json
from embeddings.pretraining.prepared_corpus import PreparedCorpus
from embeddings.probing.fill_mask import evaluate_blanks
from embeddings.probing.network import Network, open_reader
from embeddings.probing.sentence_scoring import evaluate_pairs
from embeddings.probing.word_in_context import evaluate_word_in_context
from embeddings.analysis.score_answers import clustered_standard_error
from embeddings.shelf import Entry

LANGUAGES = ("en", "ru", "de")
PAIR_SETS = {"blimp_en": "en", "rublimp_ru": "ru", "clams_ru": "ru", "clams_de": "de"}
PAIRS = {"blimp_en": 30, "rublimp_ru": 30, "clams_ru": 100, "clams_de": 100}  # of a paradigm
WORD_SETS = {"wic_en": "en", "wic_ru": "ru"}
SHORT_EACH = 300  # short sentences of a source
SEED = 1
SECONDS = {"blimp_en": 40, "rublimp_ru": 65, "clams_ru": 25, "clams_de": 25}  # one core, 4 x 256
SECONDS |= {"wic_en": 15, "wic_ru": 20, "everyday": 1}
SHORT_SECONDS = 6


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the questions: ``key`` names file and sample, ``ask`` scores a network by it."""

    name: str
    key: str
    ask: Callable[[Network], dict[str, Any]]

    @property
    def seconds(self) -> float:
        """What it took on one core, roughly, for the time that is left."""
        return SECONDS.get(self.name, SHORT_SECONDS)


def sample_pairs(pairs: Sequence[MinimalPair], limit: int, seed: int = SEED) -> list[MinimalPair]:
    """Return ``limit`` pairs of each paradigm, drawn without replacement, in their order; all for 0.

    A paradigm's draw does not depend on which others the file holds.
    """
    paradigms: dict[str, list[MinimalPair]] = defaultdict(list)
    for pair in pairs:
        paradigms[pair.paradigm].append(pair)
    drawn: list[MinimalPair] = []
    for name, members in paradigms.items():
        size = min(limit or len(members), len(members))
        rows = random.Random(f"{seed} {name}").sample(range(len(members)), size)
        drawn += [members[row] for row in sorted(rows)]
    return drawn


def languages_of(entry: Entry) -> tuple[str, ...]:
    """Return the languages of a network, as its card tells them; all three where it does not."""
    listed = shelf.read_card(entry).get("languages") or entry.language.split("+")
    return tuple(name for name in LANGUAGES if name in listed) or LANGUAGES  # type: ignore[operator]


def parts_of(
    languages: Sequence[str], mirror: Path, short: Mapping[str, Path], pairs: Mapping[str, int]
) -> Iterator[Part]:
    """Yield what is asked of a network of some languages, the short parts first.

    Parameters
    ----------
    languages : sequence of str
    mirror : Path
        Holds ``evaluation/grammar`` and ``evaluation/wic``; sets that are not there are left out.
    short : mapping of str to Path
        Short sentences by language, those that there are.
    pairs : mapping of str to int
        Pairs of a paradigm by set.
    """
    yield _blanks("everyday", shelf.data() / "sentences" / "everyday.tsv", languages)
    for language in languages:
        if language in short:
            yield _blanks(f"short_{language}", short[language])
    for name, language in PAIR_SETS.items():
        file = mirror / "evaluation" / "grammar" / f"{name}.tsv"
        if language in languages and file.is_file():
            yield _grammar(name, file, pairs[name])
    for name, language in WORD_SETS.items():
        file = mirror / "evaluation" / "wic" / f"dev_{language}.tsv"
        if language in languages and file.is_file():
            yield _word_in_context(name, file, language)


def _blanks(name: str, file: Path, groups: Sequence[str] = ()) -> Part:
    """Blanks of a file, or of some groups of it."""

    def ask(reader: Network) -> dict[str, Any]:
        blanks = [blank for blank in read_blanks(file) if not groups or blank.group in groups]
        return asdict(evaluate_blanks(reader, blanks))

    return Part(name, f"{sha256(file)} {' '.join(groups)}", ask)


def _grammar(name: str, file: Path, limit: int) -> Part:
    """Minimal pairs: accuracy, and accuracy and pairs of each phenomenon, with standard errors over paradigms."""

    def ask(reader: Network) -> dict[str, Any]:
        pairs = sample_pairs(read_minimal_pairs(file), limit)
        scores = evaluate_pairs(reader, pairs)
        sizes = Counter((pair.phenomenon, pair.paradigm) for pair in pairs)
        return {
            "accuracy": scores.accuracy,
            "per_token": scores.per_token,
            "standard_error": scores.standard_error,
            "paradigms": len(scores.paradigms),
            "total": scores.total,
            "of_a_paradigm": limit,
            "unknown": scores.unknown,
            "phenomena": {
                phenomenon: {
                    "accuracy": share,
                    **over_paradigms(
                        {
                            paradigm: size
                            for (named, paradigm), size in sizes.items()
                            if named == phenomenon
                        },
                        scores.paradigms,
                    ),
                }
                for phenomenon, share in sorted(scores.phenomena.items())
            },
        }

    return Part(name, f"{sha256(file)} {limit} {SEED}", ask)


def over_paradigms(sizes: Mapping[str, int], shares: Mapping[str, float]) -> dict[str, Any]:
    """Return the pairs of some paradigms, by the size of each, and the standard error of their accuracy; None of a single one."""
    error = clustered_standard_error([shares[name] for name in sizes], [*sizes.values()])
    return {"total": sum(sizes.values()), "standard_error": error if len(sizes) > 1 else None}


def _word_in_context(name: str, file: Path, language: str) -> Part:
    """Word in context, all pairs."""

    def ask(reader: Network) -> dict[str, Any]:
        return asdict(evaluate_word_in_context(reader, read_word_in_context(file), language))

    return Part(name, sha256(file), ask)


def score_network(
    entry: Entry,
    parts: Sequence[Part],
    work: Path,
    say: Callable[[Part, bool], None],
    *,
    only_kept: bool = False,
) -> dict[str, dict[str, Any]]:
    """Return the scores of every part, those that are kept under ``work`` and those that are missing there.

    Parameters
    ----------
    entry : Entry
    parts : sequence of Part
    work : Path
        ``work/NAME-WEIGHTS/PART.json`` holds a part's result.
    say : callable
        Called after each part, with whether it was scored now.
    only_kept : bool, default False
        Score nothing: parts that are not kept are left out.
    """
    weights = sha256(entry.path / "model.safetensors")
    kept = work / f"{entry.name}-{weights[:12]}"
    reader: Network | None = None
    scores: dict[str, dict[str, Any]] = {}
    for part in parts:
        file, key = kept / f"{part.name}.json", f"{weights} {part.key}"
        known = read_json(file) if file.exists() else {}
        is_new = known.get("key") != key
        if is_new and only_kept:
            continue
        if is_new:
            reader = reader or open_reader(entry.path, entry.name)
            begun = time.process_time()
            asked = plain(part.ask(reader))
            known = {
                "key": key,
                "seconds": round(time.process_time() - begun, 2),
                "scores": asked,
            }
            write_json(file, known)
        scores[part.name] = {**known["scores"], "seconds": known["seconds"]}  # type: ignore[dict-item]
        say(part, is_new)
    return scores


def short_files(
    work: Path, prepared: Mapping[str, Path], corpora: Path, each: int = SHORT_EACH
) -> dict[str, Path]:
    """Return the files of short sentences by language: those under ``work``, and those that can be made.

    Parameters
    ----------
    work : Path
        ``work/short-LANGUAGE.tsv``; one whose prepared corpus or number changed is made anew.
    prepared : mapping of str to Path
        Folders of `klyuch bert prepare` by language, those that there are.
    corpora : Path
        The texts that were prepared.
    each : int
        Sentences of a source.
    """
    files: dict[str, Path] = {}
    for language in LANGUAGES:
        file = work / f"short-{language}.tsv"
        if language in prepared:
            _make_short(file, prepared[language], corpora, each)
        if file.exists():
            files[language] = file
    return files


def prepared_folders(folder: Path | None) -> dict[str, Path]:
    """Return the prepared corpora of a folder by language: ``folder/LANGUAGE/ids`` or ``folder/LANGUAGE``."""
    places = {name: (folder / name / "ids", folder / name) for name in LANGUAGES} if folder else {}
    return {
        name: place
        for name, both in places.items()
        for place in both
        if (place / "prepared.json").exists()
    }


def _make_short(file: Path, folder: Path, corpora: Path, each: int) -> None:
    """Draw the short sentences of a prepared corpus, unless they are there."""
    drawn_from = hashlib.sha256((folder / "prepared.json").read_bytes()).hexdigest()
    note, wanted = file.with_suffix(".json"), {"prepared": drawn_from, "each": each}
    if file.exists() and note.exists() and read_json(note) == wanted:
        return
    texts = []
    for source in PreparedCorpus.open(folder).sources:
        named = sorted(corpora.glob(f"{source.name}.txt*"))
        if not named:
            raise SystemExit(f"{corpora} lacks {source.name}, which {folder} was prepared from.")
        texts.append(named[0])
    rows = short_sentences.make(folder, texts, each, 0.005)
    with atomic_file(file) as temporary:
        temporary.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    note.write_text(json.dumps(wanted), encoding="utf-8")
