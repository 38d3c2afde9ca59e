"""The folder of a training: what is in it, the settings it was begun with, its curves and its snapshots.

    run.json                what is trained, with which settings
    checkpoint.safetensors  state after the last whole pass, of Word2Vec, fastText or GloVe (`embeddings.static.static_checkpoint`)
    checkpoints/step-N/     state after a step, of a network (`embeddings.training.checkpoints`)
    progress.jsonl          losses and scores of a network, a line for some steps
    snapshots/              vectors of chosen words after chosen passes, from which the animation of a map is made
        words.txt           names the rows
        PASSES.npy          float16, one row per word, after so many passes; 0 is the random start

A static checkpoint is one file: its few matrices describe themselves in the header, one rename replaces it, and pages read it while the
training runs. A network's is a folder, of which the last two are kept: the weights are in the form of Hugging Face, next to them lie the
moments of the optimiser and ``state.json``, and a run whose newest one is damaged resumes from the one before. Both carry their own
checksum (`embeddings.files.sealed`) and the sha256 of all that is restored. One writer for both would save nothing: it would need torch on
one side alone, and both readers would stay for the runs that are there.

A snapshot holds the commonest words of the vocabulary and those that were asked for. A training of many epochs leaves `FRAMES`
snapshots, evenly spread.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from embeddings.arrays import Float32s, Int64s
from embeddings.errors import CheckpointError, KlyuchError, MissingFileError, clause
from embeddings.files import atomic_file, parse_json, read_json, write_json
from embeddings.mapped_files import map_npy

RUN, CHECKPOINT, CHECKPOINTS = "run.json", "checkpoint.safetensors", "checkpoints"
CURVES = "progress.jsonl"
SNAPSHOTS, SNAPSHOT_WORDS = "snapshots", "words.txt"
FRAMES = 48
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LONGEST = 60  # letters of a value in a sentence
_EARLIER = {  # settings that an older run lacks or that are gone since, with what held then
    "heldout": 0.0,
    "training.optimizer": "adamw",
    "training.cooldown": 1.0,
    "training.sentence_share": 0.0,
    "training.pair_share": 0.0,
    "training.source_exponent": 1.0,
    "training.mask_repeats": False,
    "training.adapt_epochs": 0,
    "training.adapt_rate": 5e-4,
    "training.word_dropout": 0.0,
    "training.table_rate": 1.0,
    "training.freeze_layers": 0,
}

RowVectors = Callable[[Int64s], Float32s]
"""Vectors of the rows asked for, as they are at this moment."""
AfterPass = Callable[[int, RowVectors], None]
"""Called with the whole passes that are done and a `RowVectors`."""


def open_run(folder: Path, settings: Mapping[str, object]) -> None:
    """Write what is trained into a new folder; one that is there must have been begun with the same settings.

    Raises
    ------
    CheckpointError
        As `check_same_settings`.
    """
    plain = json.loads(json.dumps(settings, ensure_ascii=False))
    written = read_json(folder / RUN) if (folder / RUN).exists() else None
    if written is not None:
        check_same_settings(folder, written, plain)
    if written != plain:
        write_json(folder / RUN, plain)


def check_same_settings(
    path: Path, before: Mapping[str, object], now: Mapping[str, object]
) -> None:
    """Refuse to resume a run under other settings.

    A setting of `_EARLIER` that one side lacks has the value that held when it could not be chosen.

    Raises
    ------
    CheckpointError
        Naming the setting, as ``training.steps``, and both values; or the file that is another one.
    """
    flat = _flat(before), _flat(now)
    for key in {**flat[0], **flat[1]}:
        first, second = (side.get(key, _EARLIER.get(key)) for side in flat)
        if first != second:
            is_file = all(_SHA256.fullmatch(str(value)) for value in (first, second))
            code = "run_file" if is_file else "run_settings"
            key = re.sub(r"[._]sha256$", "", key)
            raise CheckpointError(
                code, path=path, key=key, before=_short(first), now=_short(second)
            )


def _flat(value: object, key: str = "") -> dict[str, object]:
    """Return settings by dotted names; what is null is left out, and of a list of named entries the names are listed too.

    Examples
    --------
    >>> _flat({"training": {"steps": 12}, "warm_start": None, "files": [{"name": "a", "size": 3}]})
    {'training.steps': 12, 'files': ['a'], 'files.a.name': 'a', 'files.a.size': 3}
    """
    flat: dict[str, object] = {}
    if (
        isinstance(value, list)
        and value
        and all(isinstance(e, dict) and "name" in e for e in value)
    ):
        flat[key] = [str(entry["name"]) for entry in value]
        value = {str(entry["name"]): entry for entry in value}
    if not isinstance(value, Mapping):
        return {} if value is None else {key: value}
    for name, entry in value.items():
        flat |= _flat(entry, f"{key}.{name}" if key else str(name))
    return flat


def _short(value: object) -> str:
    """Say a value in few letters."""
    if value is None:
        return "none"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    if _SHA256.fullmatch(text):
        return f"{text[:12]}…"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def append_line(path: Path, line: Mapping[str, object]) -> None:
    """Append a JSON object to a file of such lines."""
    with path.open("a", encoding="utf-8") as file:
        file.write(_as_line(line))


def _as_line(line: Mapping[str, object]) -> str:
    """Return a JSON object as a line of text."""
    return json.dumps(line, ensure_ascii=False) + "\n"


def read_json_lines(path: Path) -> list[dict[str, Any]]:
    """Return the JSON objects of a file, one per line; a line that is being written, or is damaged, is left out."""
    lines: list[dict[str, Any]] = []
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return lines
    for line in filter(None, text.split("\n")):
        with suppress(KlyuchError):
            lines.append(parse_json(line, path))
    return lines


def read_progress(run: Path) -> list[dict[str, object]]:
    """Return the lines of a run's curves."""
    return read_json_lines(run / CURVES)


def rewind(run: Path, step: int) -> None:
    """Drop the lines of a run's curves that were written after a step."""
    if (run / CURVES).exists():
        lines = read_progress(run)
        kept = [line for line in lines if isinstance(n := line.get("step"), int) and n <= step]
        with atomic_file(run / CURVES) as temporary:
            temporary.write_text("".join(map(_as_line, kept)), encoding="utf-8")


class Snapshots:
    """Writes the snapshots of one training.

    Parameters
    ----------
    run : Path
        The training's folder.
    words : sequence of str
        The vocabulary, by falling frequency.
    passes : int
        How many the training takes.
    common : int
        So many of the commonest words are kept.
    watched : sequence of str
        Further words, passed over where the vocabulary lacks them.
    is_word : callable, optional
        Tells words from what else is in the vocabulary (pieces of words), which is passed over.
    """

    def __init__(
        self,
        run: Path,
        words: Sequence[str],
        passes: int,
        common: int,
        watched: Sequence[str] = (),
        is_word: Callable[[str], bool] = bool,
    ) -> None:
        self.folder = run / SNAPSHOTS
        wanted = {*watched}
        known = [row for row, word in enumerate(words) if is_word(word)]
        rows = [row for at, row in enumerate(known) if at < common or words[row] in wanted]
        self.rows = np.array(rows, np.int64)
        self.passes = frames(passes)
        text = "\n".join(words[row] for row in rows)
        names = self.folder / SNAPSHOT_WORDS
        if names.exists() and names.read_text(encoding="utf-8") != text:
            shutil.rmtree(self.folder)
        if not names.exists():
            with atomic_file(names) as temporary:
                temporary.write_text(text, encoding="utf-8")

    def take(self, done: int, rows: RowVectors) -> None:
        """Write the vectors after ``done`` passes, if that is one of `passes`."""
        if done in self.passes:
            with atomic_file(self.folder / f"{done:06d}.npy") as path, path.open("wb") as file:
                np.save(file, rows(self.rows).astype(np.float16))


def frames(passes: int) -> frozenset[int]:
    """After which passes a snapshot is taken.

    Examples
    --------
    >>> sorted(frames(3)), len(frames(1000)), max(frames(1000))
    ([0, 1, 2, 3], 48, 1000)
    """
    return frozenset(np.linspace(0, passes, min(FRAMES, passes + 1)).round().astype(int).tolist())


def taken(run: Path) -> tuple[int, ...]:
    """Return the passes of which a run's folder has a snapshot, rising."""
    return tuple(sorted(int(path.stem) for path in (run / SNAPSHOTS).glob("[0-9]*.npy")))


def read_snapshot(run: Path, done: int) -> tuple[tuple[str, ...], Float32s]:
    """Return the words and their vectors after ``done`` passes.

    Raises
    ------
    MissingFileError, CheckpointError
        If there is no such snapshot, or its files do not agree.
    """
    path, names = run / SNAPSHOTS / f"{done:06d}.npy", run / SNAPSHOTS / SNAPSHOT_WORDS
    if not path.exists() or not names.exists():
        raise MissingFileError("file_missing", path=path, way_out=clause("train_again"))
    try:
        words = tuple(names.read_text(encoding="utf-8").split("\n"))
        matrix = map_npy(path)
    except (OSError, ValueError) as error:
        raise CheckpointError("run_damaged", path=path, reason=error) from error
    if matrix.shape[:1] != (len(words),) or matrix.ndim != 2:
        raise CheckpointError("snapshot_other", path=path, words=len(words), shape=matrix.shape)
    return words, matrix.astype(np.float32)
