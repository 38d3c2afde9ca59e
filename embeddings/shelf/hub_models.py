"""Models from the network: those of the Hugging Face Hub (suggestions, looking up, fetching), and a file at an address."""

from __future__ import annotations

import os
import shutil
import tempfile
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from embeddings.configuration import decode
from embeddings.errors import CheckpointError, FormatError, InputError, MissingFileError, refusals
from embeddings.files import CONFIG, WEIGHTS, remove_if_old, renamed_in_refusals
from embeddings.machine_memory import free_memory
from embeddings.optional import require
from embeddings.results import Report, Value
from embeddings.shelf.entries import Entry
from embeddings.shelf.importing import About, import_model
from embeddings.shelf.locations import home
from embeddings.shelf.own_models import check_name, free_name
from embeddings.sources import hub
from embeddings.sources.downloads import Wanted, check_address, download
from embeddings.sources.fetching import alone
from embeddings.sources.hub import HubRepository

BYTES_A_WEIGHT = 9  # at the peak of opening: 951 MB for the 110 million of a BERT base in float32
BYTES_OF_FLOAT32 = 4
MOST_CODES = 5  # languages that the shelf lists
OURS = ("en", "ru", "de")


class HubNetwork(Value):
    """A network that can be fetched: of a kind that opens here, and small enough for the memory.

    ``licence`` and ``languages`` as its model card tells them; ``language`` is what the shelf will say ("" is not known).
    ``memory``: bytes that opening takes, about; ``free``: bytes that are free now, None where the system does not say.
    """

    repository: HubRepository
    model_type: str
    layers: int
    hidden_size: int
    parameters: int
    memory: int
    free: int | None
    licence: str
    language: str
    languages: tuple[str, ...]


class SuggestedNetwork(Value):
    """A network by name that is known to fit; ``languages`` are codes, "multilingual" of about a hundred."""

    name: str
    languages: tuple[str, ...]
    family: str
    layers: int
    hidden_size: int


def look_up_network(text: str, *, with_token: bool = True) -> HubNetwork:
    """Ask what a network by name is, how large, under which licence, and whether it can be opened here; only settings are read.

    Parameters
    ----------
    text : str
        ``hf:OWNER/NAME``, with ``@REVISION`` for another one than the main branch. A folder that ``KLYUCH_MIRROR`` names is
        asked first, then the Hub.
    with_token : bool
        Whether the token of this machine's environment is sent to the Hub.

    Raises
    ------
    KlyuchError
        If it cannot be had, is no network that opens here, needs code of its own, or would not fit into memory.
    """
    name = hub.parse_name(text)
    require("huggingface_hub", "torch", "tokenizers")  # the extra of the first brings all
    mirror = Path(os.environ.get("KLYUCH_MIRROR", "") or os.devnull).expanduser()
    with refusals():
        local = hub.look_up_local(name, mirror) if mirror.is_dir() else None
        token = hub.own_token() if with_token and local is None else ""
        return check_network(*(local or hub.look_up(name, token)), token)


def get_network(
    network: HubNetwork,
    name: str = "",
    about: About | None = None,
    report: Report | None = None,
    *,
    with_token: bool = True,
) -> Entry:
    """Fetch a network that was looked up, at the commit of then, and put it on the shelf, whole or not at all.

    Parameters
    ----------
    name : str
        What the shelf calls it; "" takes the repository's.
    about : About, optional
        What goes into the card in place of what the model card says.
    report : callable, optional
        Called with the bytes done of a file.

    Raises
    ------
    InputError
        If a download breaks off (what came is kept, and the next call resumes), or a file is not what the Hub said.
    KlyuchError
        If what came cannot be opened: nothing is kept.
    """
    repository = network.repository
    name = check_name(name) if name else free_name(repository.name.partition("/")[2])
    about = _about(network, about or About())
    if repository.is_local:
        folder = Path(repository.origin)
        with renamed_in_refusals(folder, repository.label):
            return import_model(folder, name, about)
    downloads = home() / "downloads"
    own = downloads / repository.name.replace("/", "--")
    folder = own / repository.commit
    with refusals():
        for other in {*downloads.glob("[!.]*--*")} - {own}:
            remove_if_old(other)  # what came of a download that broke off and was not resumed
        with alone(own):
            folder.mkdir(parents=True, exist_ok=True)
            hub.download_files(repository, folder, hub.own_token() if with_token else "", report)
            try:
                with renamed_in_refusals(folder, repository.label):
                    entry = import_model(folder, name, about)
            except (CheckpointError, FormatError, MissingFileError):
                shutil.rmtree(own, ignore_errors=True)
                raise
            shutil.rmtree(own, ignore_errors=True)
            return entry


def _about(network: HubNetwork, given: About) -> About:
    """Return what the card will say: what is given, else what the model card tells; and where the files come from."""
    repository = network.repository
    origin: dict[str, object] = {
        "source": f"{hub.SCHEME}{repository.name}",
        "revision": repository.commit or repository.revision,
        "hub": "" if repository.is_local else repository.origin,
        "licence": network.licence,
        "languages": list(network.languages),
    }
    return replace(
        given,
        language=given.language or network.language,
        licence=given.licence or network.licence,
        origin={key: value for key, value in origin.items() if value},
    )


def check_network(repository: HubRepository, facts: hub.CardFacts, token: str = "") -> HubNetwork:
    """Read the settings and estimate the memory; raises as `look_up_network` for what cannot be opened."""
    from embeddings.networks.huggingface_folder import count_weights
    from embeddings.networks.huggingface_settings import from_their_config  # torch: seconds

    for file in (CONFIG, "tokenizer_config.json"):  # code of its own does not run
        if hub.read_settings(repository, file, token).get("auto_map"):
            raise InputError("hub_code", name=repository.label, file=file)
    settings = hub.read_settings(repository, CONFIG, token)
    try:
        config = from_their_config(settings, f"{repository.label}/{CONFIG}")
    except CheckpointError as error:
        if error.code != "checkpoint_model_type":
            raise
        raise CheckpointError("hub_kind", name=repository.label, **error.fields) from error
    if repository.is_local:
        with renamed_in_refusals(Path(repository.origin), repository.label):
            parameters = count_weights(Path(repository.origin) / WEIGHTS)
    else:
        sizes = (file.size for file in repository.files if file.name.endswith(hub.SAFE))
        parameters = facts.parameters or sum(sizes) // BYTES_OF_FLOAT32
    memory, free = BYTES_A_WEIGHT * parameters, free_memory()
    if free is not None and memory > free:
        needed, mega = round(memory / 1e6), round(free / 1e6)
        raise InputError("hub_memory", name=repository.label, needed=needed, free=mega)
    return HubNetwork(
        repository,
        str(settings["model_type"]),
        config.num_hidden_layers,
        config.hidden_size,
        parameters,
        memory,
        free,
        facts.licence,
        shelf_language(facts.languages),
        facts.languages,
    )


def shelf_language(codes: tuple[str, ...]) -> str:
    """Return what the shelf says of a network's languages; "" where there are too many to list, and none of the pages' among them.

    Examples
    --------
    >>> shelf_language(("ru", "en")), shelf_language(("af", "de", "en", "fr", "ru", "zh")), shelf_language(())
    ('ru+en', 'en+ru+de', '')
    """
    chosen = codes if len(codes) <= MOST_CODES else tuple(code for code in OURS if code in codes)
    return "+".join(chosen)


MULTILINGUAL = "multilingual"  # some hundred languages, those of the pages among them


@cache
def suggested_networks() -> tuple[SuggestedNetwork, ...]:
    """Return the networks of hub_networks.toml."""
    path = Path(__file__).with_name("hub_networks.toml")
    listed = tomllib.loads(path.read_text(encoding="utf-8"))["networks"]
    return tuple(decode(SuggestedNetwork, network) for network in listed)


def import_from_address(
    address: str, name: str = "", about: About | None = None, report: Report | None = None
) -> Entry:
    """Download a model file or a zip of a model's folder and put it on the shelf.

    Parameters
    ----------
    address : str
        http or https; its last part names the file, by whose suffix the format is recognised.
    name, about
        As `import_model` takes them.
    report : callable, optional
        Called with the bytes done of all.

    Raises
    ------
    InputError
        If the address is not an address, names no file, or cannot be downloaded (`embeddings.sources.downloads.download`).
    KlyuchError
        If the file cannot be imported.
    """
    check_address(address)
    file = PurePosixPath(unquote(urlsplit(address).path)).name
    if not file or file in (".", "..") or "\0" in file:
        raise InputError("catalogue_no_file", address=address)
    with refusals(), tempfile.TemporaryDirectory(prefix="klyuch-download-") as folder:
        target = Path(folder) / file
        download(Wanted(address, file), target, report)
        with renamed_in_refusals(Path(folder), ""):
            return import_model(target, name, about or About())
