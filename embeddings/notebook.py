"""What a notebook begins with: opening a model by its name, downloading a text, and from text to vectors in one call."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embeddings.configuration import check_choice, from_json, to_json
from embeddings.corpora.encoded_corpus import EncodingConfig
from embeddings.method_registry import DEFAULT_METHOD, METHODS
from embeddings.results import Report
from embeddings.shelf import add_model, check_name, data, find, home, open_model, read_card
from embeddings.sources.catalogue import find_entry, read_catalogue
from embeddings.sources.fetching import FetchedFile, fetch
from embeddings.training.recipes import train_network, train_static
from embeddings.vectors.table import Vectors

if TYPE_CHECKING:
    from embeddings.probing.label_prediction import Classifier
    from embeddings.probing.network import Network
    from embeddings.probing.translator import Translator


def load(name: str | Path) -> Vectors | Network | Classifier | Translator:
    """Open a model of the shelf, or a file or folder of any readable format.

    Parameters
    ----------
    name : str or Path
        As `shelf` lists it, or a path.

    Returns
    -------
    Vectors, Network, Classifier or Translator
        `Vectors` for one vector a word; a `Network` (weights and tokenizer) for BERT and ALBERT; the other two as
        `klyuch classify` and `klyuch translate` have them.

    Raises
    ------
    InputError
        If there is no such model; the sentence lists the shelf.
    KlyuchError
        If it is damaged.

    Examples
    --------
    >>> load("en-skipgram")
    <Vectors en-skipgram: 30000 words, 200 dimensions>
    """
    model: Vectors | Network | Classifier | Translator = open_model(find(name))
    return model


def card(name: str | Path) -> dict[str, object]:
    """Return where a model comes from: corpus, licence, command, seed, commit, settings, scores, checksums."""
    return read_card(find(name))


def train(
    text: str | Path | Sequence[str | Path] | Iterable[Sequence[str]],
    method: str = DEFAULT_METHOD,
    name: str = "",
    *,
    min_count: int = 5,
    language: str = "",
    encoding: str = "",
    **settings: Any,
) -> Vectors | Network:
    """Train word vectors or a network on a text, in this process, and put the model on the shelf if it gets a name.

    Parameters
    ----------
    text : path, sequence of paths, or iterable of sentences
        Text files (.txt, .gz, .xz) and folders of them: UTF-8, one paragraph per line. Or sentences
        that are words already, as gensim takes them: ``[["a", "key"], ["the", "door"]]``; for a network an empty
        sentence begins a new document.
    method : {"skipgram", "cbow", "glove", "fasttext", "bert", "albert"}
        What is trained; fastText also composes vectors of words that the text lacks.
    name : str
        Name on the shelf; "" keeps the model in memory only.
    min_count : int, default 5
        Words seen less often are left out; a network has pieces of words instead.
    language : str
        For the card: "en", "ru", "de" or another code.
    encoding : str
        Of text files, as "windows-1251"; "detect" finds each file's, "" is UTF-8.
    **settings
        Fields of `Word2VecConfig` (``vector_size``, ``window``, ``negative``, ``sample``,
        ``epochs``, ``seed``, ...), `GloveConfig` (``vector_size``, ``iterations``, ``x_max``, ...) or
        `FastTextConfig` (those of Word2Vec, ``sg``, ``min_n``, ``max_n``, ``bucket``). For a network those of
        `NetworkSettings` (``steps``, ``hidden_size``, ``layers``, ``vocab_size``, ``rows``, ``row_length``, ``begin``;
        ``model`` names one to resume from), which otherwise suit the size of the text, as on the Train page.

    Returns
    -------
    Vectors or Network
        Vectors by falling frequency, with counts; a network with its tokenizer for "bert" and "albert".

    Raises
    ------
    InputError
        For a name that is taken, a setting out of range or not known, or too little text.
    KlyuchError
        For a text that is missing, damaged or not UTF-8.

    Examples
    --------
    >>> train([["a", "key"], ["a", "door"]] * 9, vector_size=4, epochs=1, sample=0)
    <Vectors skipgram: 3 words, 4 dimensions>
    """
    check_choice("method", method, tuple(METHODS))
    if name:
        name = check_name(name)
    with tempfile.TemporaryDirectory(prefix="klyuch-train-") as room:
        if encoding:
            from embeddings.corpora.text_conversion import convert_texts

            folder, files = Path(room) / "utf8", _listed(text)
            text = [folder / written for written in convert_texts(files, folder, encoding)]
        if METHODS[method].is_network:
            return _train_network(text, method, name, language, settings, Path(room))
        model = Path(room) / name if name else None
        wanted, call = EncodingConfig(min_count=min_count), f"train(method={method!r})"
        training = (_listed(text), method, settings, Path(room) / "ids", model, wanted)
        trained = train_static(*training, call=call, language=language)
        if model:
            add_model(model, name, move=True)
    return trained.vectors


def get_corpus(
    name: str, report: Report | None = None, folder: str = ""
) -> tuple[FetchedFile, ...]:
    """Download a text or test set into ``KLYUCH_HOME/corpora``, and return its files.

    Parameters
    ----------
    name : str
        A name that ``klyuch corpus list`` prints, or the http(s) address of a text.
    report : callable, optional
        Called with the `Progress`.
    folder : str, default ""
        What a text at an address is called; "" takes the name of its file.

    Raises
    ------
    InputError
        If there is no such text, or it cannot be downloaded or written.
    """
    entry = find_entry(read_catalogue(data() / "catalogue.toml"), name, folder)
    mirror = os.environ.get("KLYUCH_MIRROR", "")
    return fetch(entry, home() / "corpora", mirror=mirror, report=report)


def _train_network(
    text: object, method: str, name: str, language: str, settings: dict[str, Any], room: Path
) -> Network:
    """Pretrain a BERT or ALBERT in an empty folder; it begins with a model's weights where ``settings`` name one."""
    from embeddings.corpora.text_files import paragraphs, text_files
    from embeddings.training.settings import NetworkSettings, defaults, settings_of_model

    listed = _listed(text)
    if not all(isinstance(item, Path) for item in listed):
        path = room / "sentences.txt"
        path.write_text("\n".join(" ".join(words) for words in listed), encoding="utf-8")
        listed = [path]
    files = text_files(listed)
    words = sum(len(line.split()) for path in files for line in paragraphs(path))
    asked = {**to_json(defaults(method, words)), **settings}
    chosen = from_json(NetworkSettings, asked, f"train(method={method!r})")
    initial = find(chosen.model).path if chosen.model else None
    if initial:
        chosen = settings_of_model(chosen, chosen.model, initial)
    run = room / "run"
    folder = train_network(files, method, chosen, run, initial=initial, language=language).folder
    reader: Network = open_model(add_model(folder, name, move=True) if name else find(folder))
    return reader


def _listed(text: object) -> list[Any]:
    """Return paths or sentences as a list."""
    listed = [text] if isinstance(text, str | Path) else list(text)  # type: ignore[call-overload]
    if not all(isinstance(item, str | Path) for item in listed):
        return listed
    return [Path(item).expanduser() for item in listed]
