"""Repositories of the Hugging Face Hub: what their names are, which files of a network they hold, and these files brought.

The library huggingface_hub asks for each file by HEAD, an answer without a body, which therefore needs no bound: revision, size, checksum.
The bytes come by `embeddings.sources.downloads`, which is bounded and resumes after hours (huggingface_hub 2 deletes what came when a
download breaks off). ``HF_ENDPOINT`` names another Hub; a mirror is a folder, laid out as the library's own cache
(``models--OWNER--NAME/snapshots/COMMIT``) or plainly (``OWNER/NAME``).

The token is the one of the person's own environment (``HF_TOKEN``, ``hf auth login``). It is sent to the Hub alone, not behind a
redirect to another server, and is written nowhere.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import re
import urllib.error
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import quote

from embeddings.errors import InputError, KlyuchError
from embeddings.files import CONFIG, LARGEST_JSON, WEIGHTS, hash_file, parse_json, shard_names
from embeddings.optional import optional
from embeddings.results import Report, Value
from embeddings.sources.downloads import (
    Wanted,
    check_address,
    discard,
    download,
    open_address,
    part_of,
)

if TYPE_CHECKING:
    from huggingface_hub.errors import HfHubHTTPError
    from huggingface_hub.file_download import HfFileMetadata

SCHEME, PUBLIC, MAIN = "hf:", "https://huggingface.co", "main"
README = "README.md"
VOCABULARIES = (
    "tokenizer.json",
    "vocab.txt",
    "spiece.model",
    "vocab.json",
    "sentencepiece.bpe.model",
)
BESIDE = ("merges.txt", "tokenizer_config.json", "special_tokens_map.json")
SHARDS, PICKLE, SAFE = "model.safetensors.index.json", "pytorch_model.bin", ".safetensors"
LARGEST_WEIGHTS = 16 << 30  # bytes
MAX_OTHER_BYTES = 1 << 26  # bytes of any other file, as of `embeddings.text.tokenizer`
SECONDS = 20.0  # without an answer
_PART = r"(?!.*(?:--|\.\.))[A-Za-z0-9][A-Za-z0-9._-]{0,95}"
_NAME = re.compile(rf"(?P<name>{_PART}/{_PART})(?:@(?P<revision>(?!.*\.\.)\w[\w./-]{{0,199}}))?")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


class HubFile(Value):
    """A file of a repository; ``location`` is its address, or its path in a mirror folder.

    ``sha256`` or ``blob`` (git's sha1 of a small file) as the Hub tells them; "" where it does not.
    """

    name: str
    size: int
    location: str
    sha256: str = ""
    blob: str = ""


class HubRepository(Value):
    """The files of a repository that a network consists of, at one commit.

    ``revision`` is what was asked for ("" is the main branch), ``commit`` what that was then ("" in a mirror that does not say).
    ``origin`` is the address of the Hub, or the mirror's folder of these files: then ``is_local``. ``card`` is the README.
    """

    name: str
    revision: str
    commit: str
    origin: str
    files: tuple[HubFile, ...]
    is_local: bool = False
    card: HubFile | None = None

    @property
    def label(self) -> str:
        """The name as a person writes it: hf:OWNER/NAME, with the revision that was asked for."""
        return f"hf:{self.name}@{self.revision}" if self.revision else f"hf:{self.name}"

    @property
    def size(self) -> int:
        """Bytes to fetch."""
        return sum(file.size for file in self.files)

    def file(self, name: str) -> HubFile | None:
        """Return the file of that name; None if there is none."""
        return next((file for file in self.files if file.name == name), None)


@dataclass(frozen=True, slots=True)
class HubName:
    """OWNER/NAME on the Hub and a branch, tag or commit; "" is the main branch."""

    name: str
    revision: str = ""

    @property
    def label(self) -> str:
        """The name as a person writes it."""
        return f"{SCHEME}{self.name}@{self.revision}" if self.revision else f"{SCHEME}{self.name}"


def parse_name(text: str) -> HubName:
    """Read ``hf:OWNER/NAME@REVISION``; ``hf:`` and the revision may be left out, and the page's address serves too.

    Raises
    ------
    InputError
        If it is no such name.

    Examples
    --------
    >>> parse_name("hf:FacebookAI/roberta-base@main")
    HubName(name='FacebookAI/roberta-base', revision='main')
    >>> parse_name("https://huggingface.co/albert/albert-base-v2/tree/main").revision
    'main'
    """
    plain = text.strip().removeprefix(SCHEME)
    if plain.startswith(f"{PUBLIC}/"):
        plain = plain.removeprefix(f"{PUBLIC}/").rstrip("/").replace("/tree/", "@", 1)
    match = _NAME.fullmatch(plain)
    if match is None:
        raise InputError("hub_name", name=text)
    return HubName(match["name"], match["revision"] or "")


def endpoint() -> str:
    """Return the address of the Hub: ``HF_ENDPOINT``, else the public one.

    Raises
    ------
    InputError
        If ``HF_ENDPOINT`` is no http or https address.
    """
    address = (os.environ.get("HF_ENDPOINT") or PUBLIC).rstrip("/")
    check_address(address)
    return address


def own_token() -> str:
    """Return the token of the person's own environment, as huggingface_hub finds it; "" without one."""
    with optional():
        from huggingface_hub import get_token
    return get_token() or ""


def look_up(name: HubName, token: str = "") -> HubRepository:
    """Ask the Hub which files of a network a repository holds, at the commit that the revision is now.

    Raises
    ------
    InputError
        If the repository or the revision is not there or may not be read, holds no network that can be fetched, or if the Hub cannot
        be reached or answers as no Hub does.
    """
    first = _ask(name, name.revision or MAIN, CONFIG, token)
    if first is None:
        raise InputError("hub_no_network", name=name.label, file=CONFIG)
    commit, config = first
    if not _COMMIT.fullmatch(commit):
        raise InputError("hub_answer", endpoint=endpoint(), reason=f"X-Repo-Commit: {commit[:60]}")

    def find(file: str) -> HubFile | None:
        answer = (commit, config) if file == CONFIG else _ask(name, commit, file, token)
        return answer[1] if answer is not None else None

    return _repository(name, commit, endpoint(), find, token)


def _repository(
    name: HubName,
    commit: str,
    origin: str,
    find: Callable[[str], HubFile | None],
    token: str = "",
    *,
    is_local: bool = False,
) -> HubRepository:
    """Return a repository whose files ``find`` knows; one that holds no network that can be fetched is refused."""
    files: dict[str, HubFile] = {}

    def take(*names: str) -> None:
        files.update({file: found for file in names if (found := find(file)) is not None})

    take(CONFIG, WEIGHTS, *VOCABULARIES, *BESIDE, README)
    if WEIGHTS not in files:
        take(SHARDS, PICKLE)
    if SHARDS in files:
        take(*(shards := _shards(name, files[SHARDS], token, local=is_local)))
        _check_shards(name, shards, files)
    _check_complete(name, set(files))
    files.pop(PICKLE, None)
    card = files.pop(README, None)
    _check_sizes(name, files.values())
    return HubRepository(
        name.name, name.revision, commit, origin, tuple(files.values()), is_local, card
    )


def look_up_local(name: HubName, mirror: Path) -> HubRepository | None:
    """Return a repository as a mirror folder holds it; None if it does not hold it, or not in that revision.

    Raises
    ------
    InputError
        If what it holds is no network that can be taken.
    """
    snapshot = _snapshot(name, mirror) or _plain(name, mirror)
    if snapshot is None:
        return None
    folder, commit = snapshot

    def find(file: str) -> HubFile | None:
        path = folder / file
        return HubFile(file, path.stat().st_size, str(path)) if path.is_file() else None

    return _repository(name, commit, str(folder), find, is_local=True)


def read_start(file: HubFile, size: int, token: str = "", *, local: bool = False) -> bytes:
    """Return the first ``size`` bytes of a file; fewer where it is shorter."""
    if local:
        with Path(file.location).open("rb") as opened:
            return opened.read(size)
    headers = {
        "User-Agent": "klyuch",
        "Accept-Encoding": "identity",
        "Range": f"bytes=0-{size - 1}",
    }
    try:
        with open_address(file.location, headers, token) as answer:
            return answer.read(size)
    except urllib.error.HTTPError as error:
        error.close()
        raise InputError("hub_status", endpoint=endpoint(), status=error.code) from error
    except (OSError, http.client.HTTPException) as error:
        if isinstance(error, KlyuchError):
            raise
        reason = getattr(error, "reason", None) or error
        raise InputError("hub_unreachable", endpoint=endpoint(), reason=reason) from error


def download_files(
    repository: HubRepository,
    folder: Path,
    token: str = "",
    report: Report | None = None,
    *,
    pause: float = 1.0,
) -> None:
    """Download the files of a repository into ``folder``, each verified before it gets its name; a partial download is resumed.

    Raises
    ------
    InputError
        If a download breaks off, is of another size or checksum, or cannot be written.
    """
    for file in repository.files:
        target = folder / file.name
        if target.is_file() and _fault(target, file) is None:
            continue
        part = part_of(target)
        wanted = Wanted(
            file.location,
            file.name,
            file.size,
            bool(file.sha256),
            largest=max(
                file.size, 1
            ),  # an empty file too: a size of 0 would mean that it is not known
            pause=pause,
            token=token,
        )
        for is_last in (not part.exists(), True):
            download(wanted, part, report)
            fault = _fault(part, file)
            if fault is None:
                part.replace(target)
                discard(part)
                break
            discard(part)
            if is_last:
                raise InputError(
                    "download_checksum", address=file.location, found=fault[0], expected=fault[1]
                )


def _fault(path: Path, file: HubFile) -> tuple[str, str] | None:
    """Return the checksum that a file has and the one it should have, if they differ."""
    if path.stat().st_size != file.size:
        return f"{path.stat().st_size} B", f"{file.size} B"
    if file.sha256:
        actual, expected = hash_file(path), file.sha256
    elif file.blob:
        actual, expected = _git_sha1(path), file.blob
    else:
        return None
    return None if actual == expected else (actual, expected)


def _git_sha1(path: Path) -> str:
    """Return the sha1 by which git names a file's content."""
    begun = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as file:
        return hashlib.file_digest(file, begun.copy).hexdigest()


def _ask(name: HubName, revision: str, file: str, token: str) -> tuple[str, HubFile] | None:
    """Ask by HEAD for a file; return commit and file, None if the repository does not hold it."""
    with optional():
        from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError

    base = endpoint()
    address = f"{base}/{name.name}/resolve/{quote(revision, safe='')}/{file}"
    with _hub_refusals(name, base):
        try:
            answer = _head(address, base, token)
        except HfHubHTTPError as error:
            # a plain mirror says 404 and nothing more
            is_absent = file != CONFIG and error.response.status_code == 404
            if is_absent or isinstance(error, EntryNotFoundError):
                return None
            raise
    commit = answer.commit_hash or ""
    if _COMMIT.fullmatch(revision):
        if commit not in ("", revision):
            raise InputError("hub_answer", endpoint=base, reason=f"X-Repo-Commit: {commit[:60]}")
        commit = revision
    return commit, _described(answer, file, f"{base}/{name.name}/resolve/{quote(commit, safe='')}")


def _head(address: str, base: str, token: str) -> HfFileMetadata:
    """Ask for an address by HEAD, once more where the connection is lost (the Hub closes those that wait)."""
    from huggingface_hub import constants, get_hf_file_metadata
    from huggingface_hub.errors import HfHubHTTPError

    constants.HF_HUB_DISABLE_TELEMETRY = True  # nothing is told of this machine
    for is_last in (False, True):
        try:
            return get_hf_file_metadata(
                address, token=token or False, timeout=SECONDS, endpoint=base
            )
        except HfHubHTTPError:
            raise
        except _client_error():
            if is_last:
                raise
    raise AssertionError


def _client_error() -> type[Exception]:
    """Return the class of the errors of huggingface_hub's HTTP client: lost connections, endless redirects."""
    from huggingface_hub.errors import HfHubHTTPError

    return cast("type[Exception]", HfHubHTTPError.__bases__[0])


def _described(answer: HfFileMetadata, file: str, folder: str) -> HubFile:
    """Return a file as an answer of the Hub describes it; ``folder`` is the address of its commit."""
    if answer.size is None or answer.size < 0:
        raise InputError("hub_answer", endpoint=endpoint(), reason=f"no size of {file}")
    tag = answer.etag or ""
    sha256, blob = (tag if pattern.fullmatch(tag) else "" for pattern in (_SHA256, _COMMIT))
    return HubFile(file, answer.size, f"{folder}/{file}", sha256, blob)


@contextmanager
def _hub_refusals(name: HubName, base: str) -> Iterator[None]:
    """Turn what huggingface_hub raises into a refusal; none of the server's own text is shown."""
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    try:
        yield
    except HfHubHTTPError as error:
        raise _refused(name, base, error) from error
    except OfflineModeIsEnabled as error:
        raise InputError("hub_offline", name=name.label) from error
    except (_client_error(), OSError) as error:
        reason = str(error)[:200].rstrip(".") or type(error).__name__
        raise InputError("hub_unreachable", endpoint=base, reason=reason) from error
    except ValueError as error:
        raise InputError("hub_answer", endpoint=base, reason=str(error)[:200]) from error


def _refused(name: HubName, base: str, error: HfHubHTTPError) -> InputError:
    """Return the refusal that an answer of the Hub means: by the library's class, else by the status."""
    from huggingface_hub.errors import (
        GatedRepoError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    status = error.response.status_code
    codes = {401: "hub_token", 403: "hub_gated", 404: "hub_unknown"}
    code = codes.get(status, "hub_status")
    if isinstance(error, GatedRepoError):  # a RepositoryNotFoundError too
        code = "hub_gated"
    elif isinstance(error, RepositoryNotFoundError):
        code = "hub_unknown"
    elif isinstance(error, RevisionNotFoundError):
        return InputError("hub_revision", name=name.name, revision=name.revision)
    address = f"{base}/{name.name}"
    return InputError(code, name=name.label, endpoint=base, status=status, address=address)


def _check_complete(name: HubName, files: set[str]) -> None:
    """Refuse a repository that lacks settings, safe weights, or a tokenizer."""
    if CONFIG not in files:
        raise InputError("hub_no_network", name=name.label, file=CONFIG)
    if not files & {WEIGHTS, SHARDS}:
        if PICKLE in files:
            folder = name.name.partition("/")[2]
            raise InputError("hub_pickle", name=name.label, command=conversion(name), folder=folder)
        raise InputError("hub_no_network", name=name.label, file=WEIGHTS)
    if not files & set(VOCABULARIES):
        raise InputError("hub_no_network", name=name.label, file="tokenizer.json")


def conversion(name: HubName) -> str:
    """Return the command that writes a network as one safetensors file, on a machine where transformers may open the pickle."""
    folder = name.name.partition("/")[2]
    revision = f", revision='{name.revision}'" if name.revision else ""
    return (
        'python -c "from transformers import AutoModelForMaskedLM as M, AutoTokenizer as T; '
        f"M.from_pretrained('{name.name}'{revision}).save_pretrained('{folder}', max_shard_size='50GB'); "
        f"T.from_pretrained('{name.name}'{revision}).save_pretrained('{folder}')\""
    )


def _shards(name: HubName, index: HubFile, token: str = "", *, local: bool = False) -> list[str]:
    """Return the files that hold the weights, as their index names them."""
    path = f"{name.label}/{SHARDS}"
    return shard_names(
        parse_json(read_start(index, LARGEST_JSON + 1, token, local=local), path), path
    )


def _check_shards(name: HubName, shards: Iterable[str], files: Collection[str]) -> None:
    """Refuse a repository that lacks a file of weights which its index names."""
    for shard in shards:
        if shard not in files:
            raise InputError("hub_no_network", name=name.label, file=shard)


def _check_sizes(name: HubName, files: Iterable[HubFile]) -> None:
    """Refuse a file larger than such a one may be, and weights that are too large together."""
    weights = 0
    for file in files:
        is_weights = file.name.endswith(SAFE)
        weights += file.size if is_weights else 0
        size, bound = (weights, LARGEST_WEIGHTS) if is_weights else (file.size, MAX_OTHER_BYTES)
        if size > bound:
            raise InputError("hub_large", name=name.label, file=file.name, size=size, bound=bound)


def _snapshot(name: HubName, mirror: Path) -> tuple[Path, str] | None:
    """Return the folder and commit of a repository in a cache of huggingface_hub."""
    cache = mirror / f"models--{name.name.replace('/', '--')}"
    commit = name.revision
    if not _COMMIT.fullmatch(commit):
        commit = _first_line(cache / "refs" / (name.revision or MAIN))
    folder = cache / "snapshots" / commit
    is_there = _COMMIT.fullmatch(commit) and (folder / CONFIG).is_file()
    return (folder, commit) if is_there else None


def _plain(name: HubName, mirror: Path) -> tuple[Path, str] | None:
    """Return the folder of a repository whose files lie plainly, and its commit if ``hf download --local-dir`` noted one."""
    folder = mirror / name.name
    if not (folder / CONFIG).is_file():
        return None
    commit = _first_line(folder / ".cache/huggingface/download" / f"{CONFIG}.metadata")
    commit = commit if _COMMIT.fullmatch(commit) else ""
    is_asked = not name.revision or (commit and commit.startswith(name.revision))
    return (folder, commit) if is_asked else None


def _first_line(path: Path) -> str:
    """Return the first line of a small file; "" where there is none."""
    try:
        with path.open("rb") as file:
            return file.read(200).partition(b"\n")[0].decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
