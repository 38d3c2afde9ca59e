"""Tiny networks with fresh weights, made from the project's own sentences; `klyuch`, run in this process."""

import hashlib
import json
import os
import sys
import tomllib
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import settings

from tests.servers import serving

# Several processes test on two cores: with two threads each, small products wait for one another (`embeddings.runtime.one_thread`).
os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when torch is imported
os.environ.setdefault("KLYUCH_WARM", "0")  # servers that tests start open no pages by themselves

# The same examples in each run, however slow the machine.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


def pytest_sessionfinish(session):
    """Where all that tests need is installed, a skipped test fails the run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")  # not in workers
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if skipped and os.environ.get("KLYUCH_PROXIES"):
        reporter.write_line("".join(f"\nskipped: {report.longrepr}" for report in skipped))
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


MAIN = sys.modules["__main__"]


@pytest.fixture(autouse=True)
def _own_main():
    """Pages that ran in a test have put their script in the place of the main module, which a process that starts would run again."""
    sys.modules["__main__"] = MAIN
    yield
    sys.modules["__main__"] = MAIN


DATA = Path(__file__).resolve().parents[1] / "data" / "contexts"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder whose ``home`` and ``data`` are an empty shelf."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KLYUCH_DATA", str(tmp_path / "data"))
    return tmp_path


@pytest.fixture
def catalogue(tmp_path, monkeypatch):
    """A function that makes a catalogue of one entry and a mirror with its files, given as path -> text; returns its path."""

    def write(name, files, **about):
        rows = []
        for place, text in files.items():
            path = tmp_path / "mirror" / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content := text.encode())
            digest = hashlib.sha256(content).hexdigest()
            row = f'address = "", mirror = "{place}", size = {len(content)}, sha256 = "{digest}"'
            rows.append(f"{{ {row} }}")
        entry = {"name": name, "title": "A title", "kind": "corpus", "language": ["en"]}
        entry |= {"licence": "MIT", "source": "https://example.org", "commit": "", **about}
        lines = [f"{key} = {json.dumps(value)}" for key, value in entry.items()]
        lines.append(f"files = [{', '.join(rows)}]")
        target = tmp_path / "data" / "catalogue.toml"
        target.parent.mkdir()
        target.write_text("\n".join(["[[entry]]", *lines]), encoding="utf-8")
        monkeypatch.setenv("KLYUCH_DATA", str(target.parent))
        monkeypatch.setenv("KLYUCH_MIRROR", str(tmp_path / "mirror"))
        return target

    return write


@pytest.fixture
def no_job_left(monkeypatch):
    """Jobs of the home of a test that still run at its end are killed."""
    from embeddings.jobs import control
    from embeddings.jobs.job_folder import jobs

    yield
    for job in jobs():
        if job.is_alive:
            control.cancel(job.job_id, kill=True)
            control.wait(job.job_id, 20)


@pytest.fixture(scope="session")
def small_wordpiece():
    """A vocabulary of 700 tokens over the example sentences: most words are parted."""
    from embeddings.text.wordpiece_training import WordPieceConfig, train_wordpiece

    examples = tomllib.loads((DATA / "examples.toml").read_text(encoding="utf-8"))
    texts = [pair[name] for pair in examples["pair"] for name in ("first", "second")]
    for language in ("en", "ru", "de"):
        lines = (DATA / f"{language}.tsv").read_text(encoding="utf-8").splitlines()[1:]
        texts += [line.split("\t")[-1] for line in lines]
    return train_wordpiece(texts, WordPieceConfig(vocab_size=700))


@pytest.fixture(scope="session")
def network_folder(tmp_path_factory, small_wordpiece):
    """A function that writes a network under a name and returns its folder; settings as in config.json."""
    from embeddings.model_card import write_card
    from embeddings.networks.bert import new_network
    from embeddings.networks.bert_config import NetworkConfig
    from embeddings.networks.huggingface_folder import save_network

    home = tmp_path_factory.mktemp("networks")
    small = {
        "vocab_size": len(small_wordpiece),
        "hidden_size": 24,
        "num_hidden_layers": 2,
        "num_attention_heads": 3,
        "intermediate_size": 48,
        "max_position_embeddings": 64,
        "initializer_range": 0.3,  # wide, so that heads and sentences differ
    }

    def write(name, **settings):
        folder = home / "models" / name
        if not folder.exists():
            config = NetworkConfig(**(small | settings))
            folder.mkdir(parents=True)
            save_network(new_network(config), folder)
            small_wordpiece.save(folder, config.max_position_embeddings)
            about = {"kind": "network", "method": config.model_type, "language": "de+en+ru"}
            write_card(folder, about | {"settings": {"seed": 1}})
        return folder

    return write


@pytest.fixture(scope="session")
def tiny_bert(network_folder):
    """Folder of a BERT of 2 layers and 3 heads that takes 64 tokens."""
    return network_folder("tiny-bert")


@pytest.fixture(scope="session")
def tiny_albert(network_folder):
    """Folder of an ALBERT of the same size with shared layers."""
    return network_folder("tiny-albert", model_type="albert", share_layers="all", embedding_size=16)


def planted_sentences(count, seed):
    """Sentences of eight words with one that decides: «snow» is cold, «sun» is warm."""
    import random

    chance = random.Random(seed)
    fillers = ("the", "dog", "man", "walks", "house", "river", "garden", "slowly", "over", "old")
    lines = []
    for number in range(count):
        words = [chance.choice(fillers) for _ in range(7)]
        label, word = (("cold", "snow"), ("warm", "sun"))[number % 2]
        words.insert(chance.randrange(8), word)
        lines.append(f"{label} {' '.join(words)}")
    return lines


@pytest.fixture(scope="session")
def planted_files(tmp_path_factory):
    """200 sentences to learn the rule from, and 100 others to hold it to."""
    folder = tmp_path_factory.mktemp("planted")
    for name, count, seed in (("train.txt", 200, 1), ("dev.txt", 100, 2)):
        text = "\n".join(planted_sentences(count, seed)) + "\n"
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "train.txt", folder / "dev.txt"


@pytest.fixture(scope="session")
def planted_classifier(tmp_path_factory, tiny_bert, planted_files):
    """What a training on them leaves; the folder lies on a shelf beside its BERT."""
    import shutil

    import torch

    from embeddings.runtime import Machine
    from embeddings.training.classification.fine_tuning_run import (
        ClassificationTraining,
        LabelledFiles,
        train_classifier,
    )
    from embeddings.training.tasks import Limits

    home = tmp_path_factory.mktemp("classifiers")
    shutil.copytree(tiny_bert, home / "models" / tiny_bert.name)
    torch.set_num_threads(1)
    return train_classifier(
        LabelledFiles(tiny_bert, *planted_files, "en", ("frost", "heat")),
        home / "models" / "weather",
        ClassificationTraining(
            learning_rate=5e-3, epochs=12, batch_size=8, evaluations=1, freeze_table=True
        ),
        Limits(),
        run=home / "run",
        machine=Machine("cpu", "float32"),
    )


@pytest.fixture
def indexed_model(tmp_path, monkeypatch):
    """A model of 1200 words on an empty shelf that counts as large, with what was measured of its index, which misses the nearest word.

    The words are ``w0`` to ``w1199``; the rows of ``shelf.load_vectors`` say which neighbours are the true ones.
    """
    import numpy as np

    from embeddings import shelf
    from embeddings.model_card import build_card
    from embeddings.shelf import neighbour_indexes
    from embeddings.vectors.formats import write_native
    from embeddings.vectors.hnsw_index import NearIndex
    from tests.tables import drawn

    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(neighbour_indexes, "INDEXED_PAST", 1000)
    whole = NearIndex.nearest

    def miss_the_second(self, query, topn):
        """Leave out what follows the word itself."""
        rows, cosines = whole(self, query, topn + 1)
        return np.delete(rows, 1), np.delete(cosines, 1)

    monkeypatch.setattr(NearIndex, "nearest", miss_the_second)
    vectors = drawn(1200, 16, seed=4)
    vectors.language, vectors.name = "en", "large"
    card = build_card(vectors, corpus={"name": "planted"}, settings={})
    write_native(vectors, tmp_path / "home" / "models" / "large", card=card)
    entry = shelf.find("large")
    return entry, shelf.build_index(entry)


@pytest.fixture
def served(tmp_path):
    """A folder of this machine and the address at which its files are."""
    folder = tmp_path / "served"
    folder.mkdir()

    class Files(SimpleHTTPRequestHandler):
        def __init__(self, *request):
            super().__init__(*request, directory=folder)

    with serving(Files, folder=folder) as server:
        yield server


class Said(NamedTuple):
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What a command that ended well printed as JSON."""
        assert self.code == 0, self.err
        return json.loads(self.out)

    @property
    def refusal(self) -> str:
        """The one sentence of a command that was refused, as one line."""
        assert (self.code, self.out) == (2, "")
        return self.err.replace("\n", " ")


@pytest.fixture
def run(monkeypatch, capsys):
    """Return a function that runs ``klyuch`` with arguments in this process, as a shell would."""
    from embeddings.cli import main

    def klyuch(*arguments):
        monkeypatch.setattr("sys.argv", ["klyuch", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return Said(ended.value.code, printed.out, printed.err)

    return klyuch
