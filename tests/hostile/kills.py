"""Work killed at random moments: what is left is whole or nothing, and the same work done again ends as if it had not been killed.

``python -m tests.hostile.kills NUMBER SEED`` imports what the work needs once and forks a process a kill (SIGKILL, by which a full
memory ends a process too). Jobs that are killed: tests/jobs/test_jobs_run.py.
"""

import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from embeddings import shelf
from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from embeddings.files import sha256
from embeddings.static.word2vec import Word2VecConfig, train_word2vec
from embeddings.vectors.formats import write
from embeddings.vectors.table import Vectors

LINES = ("the cat sees the dog in the yard", "a dog sees a cat and runs", "the yard has a cat")


@dataclass(frozen=True)
class Work:
    """Something that is killed.

    ``begin`` prepares a home, ``act`` does the work, also when it was killed before; ``check`` holds what is left to what may be left,
    and returns a digest of the finished work, "" before it is finished.
    """

    begin: Callable[[Path], None]
    act: Callable[[Path], None]
    check: Callable[[Path], str]


def table() -> Vectors:
    rows = np.random.default_rng(1).normal(size=(3000, 50)).astype(np.float32)
    return Vectors([f"word{number}" for number in range(3000)], rows, np.arange(3000, 0, -1))


def whole_models(home: Path) -> dict[str, str]:
    """Digests of the weights of the models on the shelf, each of which must be whole and called as its folder is."""
    assert not shelf.damaged(), shelf.damaged()
    digests = {}
    for entry in shelf.list_models():
        states = shelf.verify_model(entry)
        assert {state.state for state in states} == {"sound"}, states
        assert shelf.read_card(entry).get("name", entry.name) == entry.name
        digests[entry.name] = sha256(entry.path / "vectors.safetensors")
    assert not [path for path in (home / "models").glob("[!.]*") if path.name not in digests]
    return digests


def begin_import(home: Path) -> None:
    write(table(), home / "brought.txt", format="word2vec")


def act_import(home: Path) -> None:
    if "mine" not in whole_models(home):
        shelf.import_model(home / "brought.txt", "mine")


def check_import(home: Path) -> str:
    return whole_models(home).get("mine", "")


def begin_training(home: Path) -> None:
    (home / "farm.txt").write_text("\n".join(LINES * 300) + "\n")
    encode([home / "farm.txt"], home / "farm.ids", EncodingConfig(min_count=1), workers=1)


def act_train(home: Path) -> None:
    config = Word2VecConfig(vector_size=16, window=3, epochs=20, workers=1, seed=3)
    corpus = EncodedCorpus.open(home / "farm.ids")
    run, target = home / "run", home / "models" / "trained"
    if not target.exists():
        model = train_word2vec(corpus, config, run=run, resume=True)
        write(model.vectors, target, format="native")


def check_train(home: Path) -> str:
    return whole_models(home).get("trained", "")


WORKS = {
    "import": Work(begin_import, act_import, check_import),
    "train": Work(begin_training, act_train, check_train),
}


def forked(act: Callable[[Path], None], home: Path, seconds: float | None) -> bool:
    """Do work in a process of its own, killed after so many seconds; whether it ended by itself."""
    child = os.fork()
    if not child:
        code = 1
        try:
            act(home)
            code = 0
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert not os.WIFEXITED(status) or os.WEXITSTATUS(status) == 0, "the work failed"
    return os.WIFEXITED(status)


def begun(name: str, folder: Path) -> tuple[Work, Path]:
    """A work whose home is made anew."""
    work, home = WORKS[name], folder / "home"
    os.environ |= {"KLYUCH_HOME": str(home), "KLYUCH_DATA": str(folder / "data")}
    shutil.rmtree(folder, ignore_errors=True)
    (home / "models").mkdir(parents=True)
    work.begin(home)
    return work, home


def killed_work(name: str, moment: float, folder: Path) -> tuple[str, bool]:
    """Kill a work at a share of the time that it takes, check, do it again, check; its digest, and whether it was killed in time."""
    work, home = begun(name, folder)
    ended = forked(work.act, home, moment)
    work.check(home)
    assert forked(work.act, home, None)
    digest = work.check(home)
    assert digest, f"{name} did not end"
    return digest, not ended


def duration(name: str, folder: Path) -> tuple[str, float]:
    """The digest of a work that nobody kills, and how long it takes the second time, when its loops have been compiled."""
    for _ in range(2):
        work, home = begun(name, folder)
        start = time.monotonic()
        assert forked(work.act, home, None)
    return work.check(home), time.monotonic() - start


def main() -> None:
    """Kill so many times and print what was found."""
    warnings.simplefilter("ignore")
    number, seed = int(sys.argv[1]), int(sys.argv[2])
    generator = random.Random(seed)
    counts: Counter = Counter()
    in_time: Counter = Counter()
    failures = []
    with tempfile.TemporaryDirectory(prefix="klyuch-kills-") as name:
        folder = Path(name)
        unbroken = {work: duration(work, folder / work) for work in WORKS}
        for count in range(number):
            work = generator.choice(sorted(WORKS))
            counts[work] += 1
            try:
                digest, seconds = unbroken[work]
                again, was_in_time = killed_work(work, generator.uniform(0, 0.7) * seconds, folder / work)  # fmt: skip
                in_time[work] += was_in_time
                assert again == digest, f"{work} ended otherwise than without a kill"
            except Exception as error:
                failures.append([count, work, f"{type(error).__name__}: {error}"])
    found = {"kills": dict(counts), "in_time": dict(in_time), "failures": failures}
    sys.stdout.write(json.dumps(found | {"seed": seed}) + "\n")


if __name__ == "__main__":
    main()
