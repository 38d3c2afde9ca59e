"""States of texts on disk, so that a large network reads a text once: by network, layer and token ids.

One SQLite file, a row a layer. The network counts by the sha256 of its weights and of config.json, and by the number format that it was
run in; a text by the digest of its ids, so that no text is stored; since states tell much of their text, the file is its owner's alone.
Past a bound the rows that were not asked for longest go first. A row
carries the checksum of its numbers: one that does not fit is dropped and computed again, and so is the whole file where SQLite cannot
read it. A cache that cannot be written (a full disk, no permission) is ignored.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from threading import Lock
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from embeddings.files import sha256

BOUND = 2 << 30  # bytes of states
KEPT_SHARE = 0.9  # of the bound, once it was passed
NAME = "states.sqlite"
FILES = ("model.safetensors", "config.json")
PATIENCE = 3.0  # seconds for another process that writes
REST = 30.0  # seconds without the file once it could not be used
PAGES_BACK = 1_000_000  # of the file, given back to the disk in one go
VERSION = 1
_TABLE = """CREATE TABLE IF NOT EXISTS states(
    network TEXT NOT NULL, text BLOB NOT NULL, layer INTEGER NOT NULL,
    used REAL NOT NULL, size INTEGER NOT NULL, checksum INTEGER NOT NULL, numbers BLOB NOT NULL,
    PRIMARY KEY(network, text, layer))"""
_INDEX = "CREATE INDEX IF NOT EXISTS by_use ON states(used, size)"
_LAYERS = "SELECT layer FROM states WHERE network = ? AND text = ?"
Key = tuple[bytes, int]  # digest of a text, layer
States = NDArray[np.float32]
R = TypeVar("R")
log = logging.getLogger(__name__)


def network_key(folder: Path, form: str) -> str:
    """Return what states of the network in a folder are kept under: its weights, settings, and the number format ``form``."""
    digests = [sha256(folder / name) for name in FILES]
    return hashlib.blake2b("\n".join((*digests, form)).encode(), digest_size=16).hexdigest()


def text_key(ids: Sequence[int], segments: Sequence[int]) -> bytes:
    """Return what the states of a text are kept under."""
    numbers = np.array([ids, segments], np.int64)
    return hashlib.blake2b(numbers.tobytes(), digest_size=16).digest()


def _is_written(base: sqlite3.Connection) -> bool:
    """Write into the file."""
    base.execute(f"PRAGMA user_version = {VERSION}")
    return True


class StateCache:
    """The states of one network in a file that other networks, threads and processes use too.

    Parameters
    ----------
    path : Path
        The file; made when something is kept.
    network : str
        As `network_key` makes it.
    columns : int
        hidden_size.
    bound : int, default `BOUND`
        Bytes of states of all networks together.
    """

    def __init__(self, path: Path, network: str, columns: int, bound: int = BOUND) -> None:
        self.path, self.network, self.columns, self.bound = path, network, columns, bound
        self._lock, self._resting_until = Lock(), 0.0

    def is_usable(self) -> bool:
        """Whether the file can be written now; it is made if it is not there."""
        return self._ask(_is_written) is True

    def read(self, texts: Sequence[bytes], layers: Sequence[int]) -> dict[bytes, States]:
        """Return the states of those texts of which every layer asked for is there, each (layers, tokens, hidden_size)."""
        if not self.path.exists():
            return {}
        return self._ask(lambda base: self._read(base, texts, layers)) or {}

    def has(self, text: bytes, layers: Sequence[int]) -> bool:
        """Whether every layer asked for of a text is there."""
        if not self.path.exists():
            return False
        kept = self._ask(lambda base: base.execute(_LAYERS, (self.network, text)).fetchall())
        return set(layers) <= {layer for (layer,) in kept or ()}

    def write(self, states: Mapping[bytes, States], layers: Sequence[int]) -> None:
        """Keep states of some texts, each (layers, tokens, hidden_size); the rows least asked for go where it gets too much."""
        self._ask(lambda base: self._write(base, states, layers))

    def _ask(self, question: Callable[[sqlite3.Connection], R]) -> R | None:
        """Ask the file; None where it is held by others, cannot be written, or was damaged, in which case it is removed."""
        with self._lock:
            if time.monotonic() < self._resting_until:
                return None
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
                with closing(sqlite3.connect(self.path, timeout=PATIENCE)) as base, base:
                    base.execute("PRAGMA page_size = 32768")
                    base.execute("PRAGMA auto_vacuum = INCREMENTAL")
                    base.execute("PRAGMA synchronous = OFF")
                    if base.execute("PRAGMA user_version").fetchone()[0] != VERSION:
                        base.execute("DROP TABLE IF EXISTS states")
                        base.execute(f"PRAGMA user_version = {VERSION}")
                    base.execute(_TABLE)
                    base.execute(_INDEX)
                    return question(base)
            except (OSError, sqlite3.OperationalError) as error:  # held, full, no right
                self._resting_until = time.monotonic() + REST
                log.warning("%s: %s; states are not kept", self.path, error)
            except sqlite3.DatabaseError as error:
                log.warning("%s is damaged (%s) and begun anew", self.path, error)
                with suppress(OSError):
                    self.path.unlink(missing_ok=True)
                    self.path.with_name(f"{self.path.name}-journal").unlink(missing_ok=True)
        return None

    def _read(
        self, base: sqlite3.Connection, texts: Sequence[bytes], layers: Sequence[int]
    ) -> dict[bytes, States]:
        """Read what is whole, and note that it was asked for."""
        kept: dict[bytes, States] = {}
        sound: list[Key] = []
        for text in dict.fromkeys(texts):
            rows = [self._row(base, (text, layer)) for layer in layers]
            whole = [row for row in rows if row is not None]
            if len(whole) == len(rows) and len({len(row) for row in whole}) == 1:
                kept[text] = np.stack(whole)
                sound += [(text, layer) for layer in layers]
        now = time.time()
        base.executemany(
            "UPDATE states SET used = ? WHERE network = ? AND text = ? AND layer = ?",
            [(now, self.network, *key) for key in sound],
        )
        return kept

    def _row(self, base: sqlite3.Connection, key: Key) -> States | None:
        """Return a layer of a text, (tokens, hidden_size); a damaged one is dropped."""
        place = (self.network, *key)
        row = base.execute(
            "SELECT checksum, numbers FROM states WHERE network = ? AND text = ? AND layer = ?",
            place,
        ).fetchone()
        if row is None:
            return None
        checksum, numbers = row
        if (
            not isinstance(numbers, bytes)
            or len(numbers) % (4 * self.columns)
            or zlib.crc32(numbers) != checksum
        ):
            log.warning("%s: states of a text are damaged and computed anew", self.path)
            base.execute("DELETE FROM states WHERE network = ? AND text = ? AND layer = ?", place)
            return None
        return np.frombuffer(numbers, np.float32).reshape(-1, self.columns)

    def _write(
        self, base: sqlite3.Connection, states: Mapping[bytes, States], layers: Sequence[int]
    ) -> None:
        """Write rows, then remove those that are too many."""
        now = time.time()
        rows = (
            (self.network, text, layer, now, len(numbers), zlib.crc32(numbers), numbers)
            for text, of_text in states.items()
            for layer, numbers in zip(
                layers, (np.float32(part).tobytes() for part in of_text), strict=True
            )
        )
        base.executemany("INSERT OR REPLACE INTO states VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        self._sweep(base)

    def _sweep(self, base: sqlite3.Connection) -> None:
        """Remove rows from the one that was not asked for longest, and give their room back to the disk."""
        total = base.execute("SELECT COALESCE(SUM(size), 0) FROM states").fetchone()[0]
        if total <= self.bound:
            return
        gone: list[tuple[int]] = []
        for row, size in base.execute("SELECT rowid, size FROM states ORDER BY used, rowid"):
            if total <= KEPT_SHARE * self.bound:
                break
            gone.append((row,))
            total -= size
        base.executemany("DELETE FROM states WHERE rowid = ?", gone)
        base.execute(f"PRAGMA incremental_vacuum({PAGES_BACK})").fetchall()
