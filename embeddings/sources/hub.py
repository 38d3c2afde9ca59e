"""Repositories of the Hugging Face Hub: names, the files that a network consists of, and their download.

The library huggingface_hub makes every request. One call of `HfApi.model_info` returns commit, sizes, checksums, licence, languages and
the number of weights. The bytes come by `http_get`, on which its `hf_hub_download` is built. In version 2.4 `hf_hub_download` deletes a
partial file when a download breaks off, and compares sizes only. Therefore the partial file, its bound and its checksum are ours.
``HF_ENDPOINT`` names another Hub. A mirror is a folder with the layout of the library's cache, or with ``OWNER/NAME`` subfolders.

The token comes from the person's environment (``HF_TOKEN``, ``hf auth login``). It is sent to the Hub only, not to the server of a
redirect, and is not stored.
"""

from __future__ import annotations

import io
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self, cast

from embeddings.errors import FormatError, InputError, KlyuchError, clause
from embeddings.files import (
    BESIDE_VOCABULARY,
    CONFIG,
    LARGEST_JSON,
    VOCABULARIES,
    WEIGHTS,
    hash_file,
    parse_json,
    shard_names,
)
from embeddings.optional import optional
from embeddings.results import Report, Value, progress_of
from embeddings.sources.downloads import check_address

SCHEME, PUBLIC = "hf:", "https://huggingface.co"
README = "README.md"
SHARDS, PICKLE, SAFE = "model.safetensors.index.json", "pytorch_model.bin", ".safetensors"
LARGEST_WEIGHTS = 16 << 30  # bytes
MAX_OTHER_BYTES = 1 << 26  # bytes of any other file, as of `embeddings.text.tokenizer`
LARGEST_CARD = 1 << 20  # bytes of a README
SECONDS = 20.0  # without an answer
_PART = r"(?!.*(?:--|\.\.))[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9_])?"
_NAME = re.compile(rf"(?P<name>{_PART}/{_PART})(?:@(?P<revision>(?!.*\.\.)\w[\w./-]{{0,199}}))?")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_CODE = re.compile(r"[a-z]{2,3}")


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
    ``origin`` is the address of the Hub, or the mirror's folder of these files: then ``is_local``.
    """

    name: str
    revision: str
    commit: str
    origin: str
    files: tuple[HubFile, ...]
    is_local: bool = False

    @property
    def label(self) -> str:
        """The name as a person writes it: hf:OWNER/NAME, with the revision that was asked for."""
        return HubName(self.name, self.revision).label

    @property
    def size(self) -> int:
        """Bytes to fetch."""
        return sum(file.size for file in self.files)


class CardFacts(NamedTuple):
    """Licence, language codes and number of weights of a repository; "", () and 0 where they are not known."""

    licence: str
    languages: tuple[str, ...]
    parameters: int = 0


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


def look_up(name: HubName, token: str = "") -> tuple[HubRepository, CardFacts]:
    """Ask the Hub which files of a network a repository holds, at the commit that the revision is now, and for licence and languages.

    Raises
    ------
    InputError
        If the repository or the revision is not there or may not be read, holds no network that can be fetched, or if the Hub cannot
        be reached or answers as no Hub does.
    """
    with optional():
        from huggingface_hub import HfApi, constants, hf_hub_url

    base = endpoint()
    constants.HF_HUB_DISABLE_TELEMETRY = True  # nothing is told of this machine
    with _hub_refusals(name):
        info = HfApi(base, token=token or False).model_info(
            name.name, revision=name.revision or None, files_metadata=True, timeout=SECONDS
        )
        if not _COMMIT.fullmatch(commit := info.sha or ""):
            raise ValueError(clause("commit_other", commit=repr(commit[:60])))
        files = {}
        for sibling in info.siblings or ():
            if not isinstance(sibling.size, int) or sibling.size < 0:
                raise ValueError(clause("size_none", name=sibling.rfilename[:60]))
            address = hf_hub_url(name.name, sibling.rfilename, revision=commit, endpoint=base)
            sha256, blob = (sibling.lfs.sha256, "") if sibling.lfs else ("", sibling.blob_id or "")
            files[sibling.rfilename] = HubFile(
                sibling.rfilename, sibling.size, address, sha256, blob
            )
        weights = info.safetensors.total if info.safetensors else 0
        facts = _card_facts(info.card_data)._replace(parameters=int(weights))
    return HubRepository(name.name, name.revision, commit, base, _needed(name, files, token)), facts


def look_up_local(name: HubName, mirror: Path) -> tuple[HubRepository, CardFacts] | None:
    """Return a repository as a mirror folder holds it; None if it does not hold it, or not in that revision.

    Raises
    ------
    InputError
        If what it holds is no network that can be taken.
    """
    with optional():
        from huggingface_hub import ModelCard, try_to_load_from_cache

    revision = name.revision or None
    cached = try_to_load_from_cache(name.name, CONFIG, cache_dir=mirror, revision=revision)
    folder = Path(cached).parent if isinstance(cached, str) else mirror / name.name
    commit = folder.name if isinstance(cached, str) else ""
    if not (folder / CONFIG).is_file() or (name.revision and not commit):
        return None
    files = {
        path.name: HubFile(path.name, path.stat().st_size, str(path))
        for path in folder.iterdir()
        if path.is_file()
    }
    needed, facts = _needed(name, files), CardFacts("", ())
    # The model card is not needed to open a network. It is YAML that anybody may have written, so whatever the library raises is ignored.
    with suppress(Exception):
        if files[README].size <= LARGEST_CARD:
            text = (folder / README).read_text("utf-8", "replace")
            facts = _card_facts(ModelCard(text, ignore_metadata_errors=True).data)
    return HubRepository(name.name, name.revision, commit, str(folder), needed, True), facts


def _card_facts(card: object) -> CardFacts:
    """Return licence and languages from the metadata of a model card."""
    licence, own, listed = (
        getattr(card, key, None) for key in ("license", "license_name", "language")
    )
    licence = own if licence == "other" and own else licence
    line = "".join(filter(str.isprintable, licence)) if isinstance(licence, str) else ""
    codes = [listed] if isinstance(listed, str) else listed if isinstance(listed, list) else []
    known = [code for code in codes if isinstance(code, str) and _CODE.fullmatch(code)]
    return CardFacts(line[:100].strip(), tuple(dict.fromkeys(known)))


def _needed(name: HubName, files: Mapping[str, HubFile], token: str = "") -> tuple[HubFile, ...]:
    """Return the files that a network consists of; raise `InputError` if one is missing or too large."""
    if PICKLE in files and not files.keys() & {WEIGHTS, SHARDS}:
        folder = name.name.partition("/")[2]
        raise InputError("hub_pickle", name=name.label, command=conversion(name), folder=folder)
    weights = [WEIGHTS]
    if SHARDS in files and WEIGHTS not in files:
        index = _settings(name, files[SHARDS], token)
        weights = [SHARDS, *shard_names(index, f"{name.label}/{SHARDS}")]
    vocabularies = files.keys() & {*VOCABULARIES} or VOCABULARIES[:1]
    beside = files.keys() & {*BESIDE_VOCABULARY}
    needed = []
    for file in (CONFIG, *weights, *sorted(vocabularies), *sorted(beside)):
        if file not in files:
            raise InputError("hub_no_network", name=name.label, file=file)
        size, bound = files[file].size, LARGEST_WEIGHTS if file.endswith(SAFE) else MAX_OTHER_BYTES
        if size > bound:
            raise InputError("hub_large", name=name.label, file=file, size=size, bound=bound)
        needed.append(files[file])
    return tuple(needed)


def conversion(name: HubName) -> str:
    """Return the command that writes a network as one safetensors file, on a machine where transformers may open the pickle."""
    folder = name.name.partition("/")[2]
    revision = f", revision='{name.revision}'" if name.revision else ""
    return (
        'python -c "from transformers import AutoModelForMaskedLM as M, AutoTokenizer as T; '
        f"M.from_pretrained('{name.name}'{revision}).save_pretrained('{folder}', max_shard_size='50GB'); "
        f"T.from_pretrained('{name.name}'{revision}).save_pretrained('{folder}')\""
    )


def read_settings(repository: HubRepository, name: str, token: str = "") -> dict[str, Any]:
    """Return a JSON file of a repository; empty where it holds none of that name. Raises as `look_up`."""
    file = next((file for file in repository.files if file.name == name), None)
    return _settings(HubName(repository.name, repository.revision), file, token) if file else {}


def _settings(name: HubName, file: HubFile, token: str) -> dict[str, Any]:
    """Read a JSON file after a check of its size."""
    path, buffer = f"{name.label}/{file.name}", io.BytesIO()
    if file.size > LARGEST_JSON:
        raise FormatError("json_large", path=path, bound=LARGEST_JSON)
    if "://" not in file.location:
        return parse_json(Path(file.location).read_bytes(), path)
    _get(name, file, buffer, token)
    return parse_json(buffer.getvalue(), path)


def download_files(
    repository: HubRepository, folder: Path, token: str = "", report: Report | None = None
) -> None:
    """Download the files of a repository into ``folder``, each verified before it gets its name; a partial download is resumed.

    Raises
    ------
    InputError
        If a download breaks off, is of another size or checksum, or cannot be written.
    """
    from huggingface_hub.utils.sha import git_hash

    name = HubName(repository.name, repository.revision)
    needed = repository.size - sum(path.stat().st_size for path in folder.iterdir())
    if (free := shutil.disk_usage(folder).free) < needed:
        raise InputError("download_room", path=folder, needed=needed, free=free)
    for file in repository.files:
        target, part = folder / file.name, folder / f".{file.name}.part"
        if target.is_file():
            continue
        try:
            with part.open("ab") as opened:
                _get(name, file, opened, token, report)
        except InputError as error:
            done = part.stat().st_size
            if error.code == "download_large":
                part.unlink()
            elif done and error.code in ("hub_unreachable", "hub_status"):
                places = {"address": file.location, "done": done, "total": file.size}
                raise InputError("download_broken", **places) from error
            raise
        actual = hash_file(part) if file.sha256 else git_hash(part.read_bytes())
        if actual != (expected := file.sha256 or file.blob):
            part.unlink()
            places = {"address": file.location, "found": actual, "expected": expected}
            raise InputError("download_checksum", **places)
        part.replace(target)


class _Bar:
    """The progress bar that `http_get` expects (as of tqdm): reports bytes, and stops a file that is longer than the Hub said."""

    def __init__(
        self, file: HubFile, report: Report | None, *, initial: int = 0, **_: object
    ) -> None:
        self._file, self._done = file, initial
        self._advance = progress_of(report, file.name, file.size, initial)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self, count: int) -> None:
        """Count received bytes, before they are written."""
        self._done += count
        if self._done > self._file.size:
            raise InputError("download_large", address=self._file.location, bound=self._file.size)
        self._advance(self._done)


def _get(
    name: HubName, file: HubFile, target: BinaryIO, token: str, report: Report | None = None
) -> None:
    """Append a file of the Hub to ``target``, from the position of ``target`` on."""
    from huggingface_hub.file_download import http_get

    with _hub_refusals(name):
        http_get(
            file.location,
            target,
            resume_size=target.tell(),
            headers={"authorization": f"Bearer {token}"} if token else {},
            expected_size=file.size,
            tqdm_class=cast("Any", partial(_Bar, file, report)),
        )


@contextmanager
def _hub_refusals(name: HubName) -> Iterator[None]:
    """Turn what huggingface_hub raises into a refusal; none of the server's own text is shown."""
    from huggingface_hub import errors

    codes = (  # the first kind that an error has
        (errors.RevisionNotFoundError, "hub_revision"),
        (errors.GatedRepoError, "hub_gated"),
        (errors.RepositoryNotFoundError, "hub_unknown"),
        (errors.HfHubHTTPError, "hub_status"),
        (errors.OfflineModeIsEnabled, "hub_offline"),
        (errors.HfHubHTTPError.__bases__[0], "hub_unreachable"),  # lost connections
        (Exception, "hub_answer"),
    )
    try:
        yield
    except Exception as error:
        is_of_disk = getattr(error, "errno", None) is not None
        if isinstance(error, KlyuchError) or (is_of_disk and isinstance(error, OSError)):
            raise
        status = error.response.status_code if isinstance(error, errors.HfHubHTTPError) else 0
        code = next(code for kind, code in codes if isinstance(error, kind))
        base = endpoint()
        raise InputError(
            "hub_token" if status == 401 and code == "hub_status" else code,
            name=name.label,
            revision=name.revision,
            endpoint=base,
            status=status,
            address=f"{base}/{name.name}",
            reason=error,
        ) from error
