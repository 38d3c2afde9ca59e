"""Files that are never half-written (a temporary sibling, synced, renamed), checksums paid for once, JSON within bounds.

What a killed process left is removed by the next one that writes there, once it is a week old.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

from embeddings.errors import (
    CheckpointError,
    Clause,
    FormatError,
    InputError,
    KlyuchError,
    MissingFileError,
    clause,
    refusals,
)

# in a model's folder: the settings of any model, the weights of a network
CONFIG, WEIGHTS = ("config.json", "model.safetensors")
TOKENIZER = "tokenizer.json"
OLDER_VOCABULARIES = ("vocab.txt", "spiece.model", "vocab.json", "sentencepiece.bpe.model")
VOCABULARIES = (TOKENIZER, *OLDER_VOCABULARIES)  # of networks: one of them, and what lies beside
BESIDE_VOCABULARY = ("merges.txt", "tokenizer_config.json", "special_tokens_map.json")
MAX_SHARDS = 1_000
CHUNK_BYTES = 1 << 20  # of a file that is read in pieces
LARGEST_JSON = 1 << 22  # bytes; a card has some 20 000
DEEPEST_JSON = 64  # values within each other
SEAL = "self_sha256"  # key of a JSON object that guards itself
OLD = 7 * 24 * 3600  # seconds after which what was not written to any more is removed
CHECKSUMS = "checksums.json"
REMEMBERED_PAST = 1 << 24  # bytes; smaller files are hashed in milliseconds
MOST_REMEMBERED = 1000  # files
HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")  # a surrogate as JSON writes it
_RANDOM = "[a-z0-9_]{8}"  # what `tempfile` puts behind a name
_DISK = re.compile(r"\b(?:os error |code: )(\d+)")  # how safetensors names what the system refused


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Yield a temporary sibling to write; it takes ``path``'s place only when the block ends without an error.

    Raises
    ------
    OSError
        Naming ``path``, if the system refuses; also where safetensors met it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep(path.parent, path.name)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        with _named_refusals(path, temporary):
            yield temporary
            temporary.chmod(0o644)
            _sync(temporary)
            temporary.replace(path)
            _sync(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: Path, *, replace: bool = True) -> Iterator[Path]:
    """Yield a temporary sibling folder; it takes ``path``'s place (an old one is replaced) when the block ends well.

    All files get mode 0644 and all folders 0755. If the places cannot be swapped, the old folder stays.
    Without ``replace`` an old one, be it made in the meantime, is a `FileExistsError` and stays.

    Raises
    ------
    InputError
        If ``path`` is the current folder or one above it.
    OSError
        If ``path`` is a file, or its place cannot be written to; also where safetensors met it.
    """
    path = path.resolve()
    _check_elsewhere(path)
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep(path.parent, path.name)
    with temporary_folder(path.parent, path.name) as temporary, _named_refusals(path, temporary):
        yield temporary
        temporary.chmod(0o755)
        for file in temporary.rglob("*"):
            file.chmod(0o755 if file.is_dir() else 0o644)
            _sync(file)
        if path.exists() and replace:
            _swap(temporary, path)
        else:
            _first(temporary, path)
        _sync(path.parent)


@contextmanager
def temporary_folder(parent: Path, name: str) -> Iterator[Path]:
    """Yield a new hidden folder ``.NAME.*`` in ``parent``, removed after the block if it is still there."""
    temporary = Path(tempfile.mkdtemp(prefix=f".{name}.", dir=parent))
    try:
        yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def sweep(parent: Path, name: str = "") -> None:
    """Remove what killed processes left of writing ``name`` in ``parent`` (of anything, if it is ""): a week old.

    An old folder that was moved aside stays as long as no new one has taken its place.
    """
    stem = re.escape(name) if name else ".+?"
    pattern = re.compile(rf"\.({stem})(\.old|\.deleted)?\.{_RANDOM}")
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            match = pattern.fullmatch(entry.name)
            if match and not (match[2] == ".old" and not (parent / match[1]).exists()):
                remove_if_old(Path(entry.path))


def remove_if_old(path: Path) -> None:
    """Remove a temporary file, or a folder with all that is in it, to which nothing was written for `OLD` seconds."""
    with suppress(OSError):
        if path.is_symlink():
            return
        newest = max(each.lstat().st_mtime for each in (path, *path.rglob("*")))
        if time.time() - newest < OLD:
            return
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


@contextmanager
def _named_refusals(path: Path, temporary: Path) -> Iterator[None]:
    """Let what the system refuses while ``temporary`` is written name ``path``, and be an `OSError` where safetensors met it."""
    try:
        yield
    except OSError as error:
        if error.errno is None and "requested and" in str(error):  # numpy's tofile on a full disk
            raise _refused_by_system(errno.ENOSPC, path) from error
        name = error.filename
        is_inside = isinstance(name, str) and Path(name).is_relative_to(temporary)
        if error.errno is not None and (name is None or (is_inside and error.filename2 is None)):
            error.filename = str(path)
        raise
    except Exception as error:
        code = _DISK.search(str(error)) if type(error).__name__ == "SafetensorError" else None
        if code is None:
            raise
        raise _refused_by_system(int(code[1]), path) from error


@contextmanager
def renamed_in_refusals(folder: Path, shown: str | Path) -> Iterator[None]:
    """Let refusals speak of ``shown`` where they would name ``folder`` or a file in it: a folder of the moment."""
    try:
        yield
    except KlyuchError as error:
        path = Path(str(error.fields.get("path", "")))
        if path.is_relative_to(folder):
            error.fields["path"] = Path(shown) / path.relative_to(folder)
        raise


def check_file_target(path: Path) -> None:
    """Raise what writing the file ``path`` would raise; nothing is made on the way.

    Raises
    ------
    OSError
        If a folder is there, something above it is no folder, or the folder may not be written to.
    """
    if path.is_dir():
        raise _refused_by_system(errno.EISDIR, path)
    above = next(folder for folder in path.absolute().parents if os.path.lexists(folder))
    if not above.is_dir():
        raise _refused_by_system(errno.ENOTDIR, path)
    if not os.access(above, os.W_OK | os.X_OK):
        raise _refused_by_system(errno.EACCES, path)


def _refused_by_system(number: int, path: Path) -> OSError:
    """Return the error that the system would have raised itself."""
    return OSError(number, os.strerror(number), str(path))


def _first(new: Path, path: Path) -> None:
    """Put ``new`` where nothing stands yet; the system says so if a folder has come there."""
    try:
        new.rename(path)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from error


def _swap(new: Path, path: Path) -> None:
    """Put ``new`` in the place of ``path`` and delete what was there; if that fails, all is as before."""
    aside = Path(tempfile.mkdtemp(prefix=f".{path.name}.old.", dir=path.parent))
    old = aside / path.name
    try:
        path.rename(old)
        try:
            new.rename(path)
        except BaseException:
            old.rename(path)
            raise
    except BaseException:
        with suppress(OSError):
            aside.rmdir()  # only if empty: where the old folder could not go back, it stays in it
        raise
    shutil.rmtree(aside, ignore_errors=True)


def check_replaceable(folder: Path, mark: str, expected: Collection[str]) -> None:
    """Raise unless ``folder`` can be written: not there yet, empty, or one of its own kind.

    Writing replaces a folder whole: it must not be one that holds anything else.

    Parameters
    ----------
    folder : Path
        Where is to be written.
    mark : str
        The file that a folder of this kind always holds; "" if none is ever replaced.
    expected : collection of str
        All names that such a folder can hold, * for any letters; one more is refused.

    Raises
    ------
    FormatError
        If something else is there; the sentence names it.
    InputError
        If it is the current folder or one above it.
    """
    _check_elsewhere(folder.resolve())
    if not folder.exists():
        return
    is_folder = folder.is_dir()
    names = {file.name for file in folder.iterdir()} if is_folder else {folder.name}
    foreign = {
        name for name in names if not any(fnmatchcase(name, pattern) for pattern in expected)
    }
    if not is_folder or mark not in names:
        foreign = names
    if foreign:
        listed = ", ".join(sorted(foreign)[:5])
        raise FormatError("vectors_target", path=folder, found=listed)


def check_apart(folder: Path, sources: Iterable[Path]) -> None:
    """Refuse a ``folder`` that is a source, holds one or lies in one: writing could delete text."""
    target = folder.resolve()
    for source in sources:
        path = source.resolve()
        if target.is_relative_to(path) or path.is_relative_to(target):
            raise InputError("corpus_output_source", path=folder, source=source)


def _check_elsewhere(path: Path) -> None:
    """Refuse the current folder and those above it, which cannot be replaced under one's feet."""
    if Path.cwd().is_relative_to(path):
        raise InputError("output_here", path=path)


def _sync(path: Path) -> None:
    """Flush a file or folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def check_file(path: Path, way_out: Clause) -> None:
    """Refuse a ``path`` that is no file: a folder by that name, and what is not there with the way out."""
    if path.is_dir():
        raise InputError("file_folder", path=path)
    if not path.is_file():
        raise MissingFileError("file_missing", path=path, way_out=way_out)


def home() -> Path:
    """Folder of the user's own data: ``KLYUCH_HOME``, else ``~/.klyuch``."""
    return Path(os.environ.get("KLYUCH_HOME") or "~/.klyuch").expanduser()


def sha256(path: Path) -> str:
    """Hexadecimal sha256 of a file's bytes, remembered by path, size, times of change and inode.

    That of a large file is remembered from one process to the next, in ``checksums.json`` of `home`.
    """
    return _sha256(path, _state(path.name, path.stat()))


@lru_cache(maxsize=1024)
def _sha256(path: Path, state: tuple[str, int, int, int, int]) -> str:
    """Hash a file once a state."""
    if state[1] < REMEMBERED_PAST:
        return hash_file(path)
    key, marks = str(path.resolve()), list(state[1:])
    entry = _checksums().get(key)
    if isinstance(entry, list) and entry[:-1] == marks and isinstance(entry[-1], str):
        return entry[-1]
    digest = hash_file(path)
    _remember(key, [*marks, digest])
    return digest


def _checksums() -> dict[str, object]:
    """Return what is remembered; nothing where that cannot be read."""
    files = read_if_whole(home() / CHECKSUMS).get("files")
    return files if isinstance(files, dict) else {}


def _remember(key: str, entry: list[int | str]) -> None:
    """Add an entry as the newest; a home that is not there or cannot be written to remembers nothing."""
    if home().is_dir():
        kept = {name: other for name, other in _checksums().items() if name != key}
        files = dict([*kept.items(), (key, entry)][-MOST_REMEMBERED:])
        with suppress(OSError, UnicodeEncodeError):  # names that are no text are not remembered
            write_json(home() / CHECKSUMS, {"files": files})


def hash_file(path: Path) -> str:
    """Hexadecimal sha256 of a file's bytes as they are now."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def stamp(path: Path) -> str:
    """Hexadecimal digest of a path and of the files there: another one once a file is rewritten, replaced, renamed or gone.

    ``path`` is a folder, a file, or nothing. Each file counts by its name, size, times of change and inode; nothing is read, so that
    a folder of five files costs some 20 microseconds. Files on their way (hidden ones) do not count.
    """
    states = []
    with suppress(OSError):  # not there, or gone in this moment
        if path.is_dir():
            with os.scandir(path) as entries:
                states = sorted(_entry_state(entry) for entry in entries if entry.name[0] != ".")
        else:
            states = [_state(path.name, path.stat())]
    return hashlib.blake2b(repr((str(path), states)).encode(), digest_size=16).hexdigest()


def _entry_state(entry: os.DirEntry[str]) -> tuple[str, int, int, int, int]:
    """Return the state of a file in a folder; of a link that leads nowhere, its own."""
    try:
        return _state(entry.name, entry.stat())
    except OSError:
        return _state(entry.name, entry.stat(follow_symlinks=False))


def _state(name: str, status: os.stat_result) -> tuple[str, int, int, int, int]:
    """Return what tells a file from another one of its name."""
    times = (status.st_mtime_ns, status.st_ctime_ns)
    return (name, status.st_size, *times, status.st_ino)


def verify(folder: Path, checksums: Mapping[str, str]) -> None:
    """Raise `CheckpointError` unless each named file of ``folder`` has its sha256."""
    for name, expected in checksums.items():
        path = folder / name
        if not path.exists():
            raise MissingFileError("file_missing", path=path, way_out=clause("get_model_again"))
        digest = sha256(path)
        if digest != expected:
            raise CheckpointError("file_checksum", path=path, found=digest, expected=expected)


def read_json(path: Path, largest: int = LARGEST_JSON) -> dict[str, object]:
    """Read a JSON object of at most ``largest`` bytes, with a sentence for a file that is missing, broken or out of bounds.

    Raises
    ------
    MissingFileError, FormatError, InputError
        As `parse_json`; or if the system refuses.
    """
    with refusals():
        try:
            with path.open("rb") as file:
                data = file.read(largest + 1)
        except (FileNotFoundError, NotADirectoryError):
            raise MissingFileError(
                "file_missing", path=path, way_out=clause("is_model_folder")
            ) from None
    return parse_json(data, path, largest)


def read_if_whole(path: Path) -> dict[str, object]:
    """Return a JSON object as `read_json`; an empty one where the file is missing or broken."""
    try:
        return read_json(path)
    except KlyuchError:
        return {}


def shard_names(index: Mapping[str, object], path: object) -> list[str]:
    """Return the files of safetensors that an index of weights in several files names, sorted.

    Raises
    ------
    CheckpointError
        If it names none, over `MAX_SHARDS`, or one that is not next to it.
    """
    placed = index.get("weight_map")
    names = sorted({str(name) for name in placed.values()}) if isinstance(placed, dict) else []
    if not 0 < len(names) <= MAX_SHARDS or any(
        Path(name).name != name or not name.endswith(".safetensors") or ":" in name
        for name in names
    ):
        raise CheckpointError("checkpoint_shards", path=path, bound=MAX_SHARDS)
    return names


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file, without its byte order mark and with one kind of line end."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError("file_unreadable", path=path, reason=error) from error


def parse_json(data: bytes | str, path: object, largest: int = LARGEST_JSON) -> dict[str, Any]:
    """Return the JSON object that ``data`` from ``path`` holds; nothing in it can break what reads it later.

    Raises
    ------
    FormatError
        If it is longer than ``largest``, is no JSON object, nests over `DEEPEST_JSON` values, or holds text that no UTF-8 can write.
    """
    if len(data) > largest:
        raise FormatError("json_large", path=path, bound=largest)
    try:
        text = data.decode("utf-8-sig") if isinstance(data, bytes) else data
        value = json.loads(text, parse_int=_whole_number)
    except RecursionError:
        raise FormatError("json_deep", path=path, bound=DEEPEST_JSON) from None
    except UnicodeDecodeError as error:
        raise FormatError("file_unreadable", path=path, reason=error) from error
    except json.JSONDecodeError as error:
        place = clause("not_json", line=error.lineno, column=error.colno)
        raise FormatError("file_unreadable", path=path, reason=place) from error
    if not isinstance(value, dict):
        raise FormatError("file_unreadable", path=path, reason=clause("not_object"))
    _check_depth(value, path)
    if HALF_CHARACTER.search(text):
        _check_text(value, path)
    return value


def _whole_number(digits: str) -> int | float:
    """Return a whole number of JSON; one past 64 bits, as Hugging Face writes "no bound", is a fraction."""
    if len(digits) <= 20 and -(1 << 63) <= (number := int(digits)) < 1 << 64:
        return number
    return float(digits)


def _check_depth(value: object, path: object) -> None:
    """Refuse values that nest too deep, level by level."""
    level: list[object] = [value]
    for _ in range(DEEPEST_JSON):
        below: list[object] = []
        for item in level:
            if isinstance(item, dict | list):
                below += item.values() if isinstance(item, dict) else item
        if not (level := below):
            return
    raise FormatError("json_deep", path=path, bound=DEEPEST_JSON)


def _check_text(value: object, path: object) -> None:
    """Refuse a surrogate that stands alone."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = clause("half_character", sign=f"\\u{ord(error.object[error.start]):04x}")
        raise FormatError("file_unreadable", path=path, reason=half) from error


def sealed(value: Mapping[str, object]) -> dict[str, object]:
    """Return a JSON object with the sha256 of itself, without that entry, under `SEAL`; `check_seal` holds it to that."""
    rest = {key: part for key, part in value.items() if key != SEAL}
    text = json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return {**rest, SEAL: hashlib.sha256(text.encode()).hexdigest()}


def check_seal(value: Mapping[str, object], path: Path) -> None:
    """Raise `CheckpointError` if a JSON object from ``path`` is not what it was when it was sealed; one without a seal passes."""
    if SEAL in value and (digest := sealed(value)[SEAL]) != value[SEAL]:
        raise CheckpointError("file_checksum", path=path, found=digest, expected=value[SEAL])


def read_sealed(path: Path) -> dict[str, Any]:
    """Read a JSON object after a check of its own checksum, if it has one; raises as `read_json` and `check_seal`."""
    value = read_json(path)
    check_seal(value, path)
    return value


def write_json(path: Path, value: Mapping[str, object]) -> None:
    """Write a JSON object, whole or not at all, keys in the order given, readable in any script; one that is sealed is sealed again."""
    value = sealed(value) if SEAL in value else value
    with atomic_file(path) as temporary:
        text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
        temporary.write_text(text, encoding="utf-8")
