"""Mutated inputs read one after another, memory and time limited by the operating system.

``python -m tests.hostile.fuzzing`` imports the readers once. Each line on standard input asks for some inputs of a reader: a fork writes
and reads them in turn and says of each how that ended. An input that ends the fork is told by the answers that are missing, and the
next fork goes on behind it. An input is given by its reader, the generator's seed and its number, so that any can be made again.
"""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.hostile.mutations import Seed, mutated
from tests.hostile.readers import READERS, import_readers

ROOT = Path(__file__).resolve().parents[2]
PAGE = resource.getpagesize()
MEMORY = (
    256 << 20
)  # bytes beside those that the imported libraries have taken; no input has over 1 MB
SECONDS = 2.0  # of the processor for one input
WALL = 60.0  # seconds that one input may take on a busy machine
AT_ONCE = 250  # inputs of a fork
EXPECTED = ("read", "refused")


@dataclass
class Outcome:
    """How the inputs of a reader ended: ``failures`` are number, how it ended, and the end of the traceback."""

    reader: str
    inputs: int = 0
    ended: Counter = field(default_factory=Counter)
    codes: Counter = field(default_factory=Counter)
    slowest: float = 0.0
    failures: list[tuple[int, str, str]] = field(default_factory=list)


def input_of(seeds: dict[str, list[Seed]], reader: str, seed: int, number: int) -> Seed:
    """One input."""
    return mutated(seeds[reader], random.Random(f"{seed} {reader} {number}"))


def begin_input() -> None:
    """Give the next input its time; past it the system ends the process."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_REAL, WALL)


def read_in_turn(asked: dict, seeds: dict[str, list[Seed]]) -> None:
    """Write and read some inputs, and print a line for each."""
    from embeddings.errors import KlyuchError

    taken = int(Path("/proc/self/statm").read_text().split()[0]) * PAGE
    resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    reader, work = asked["reader"], Path(asked["work"])
    for number in range(asked["start"], asked["start"] + asked["count"]):
        shutil.rmtree(work, ignore_errors=True)
        os.environ["KLYUCH_HOME"], os.environ["KLYUCH_DATA"] = (
            str(work / "home"),
            str(work / "data"),
        )
        said = {}
        try:
            path = input_of(seeds, reader, asked["seed"], number).write(work / "input")
        except (OSError, ValueError):  # a name that the system does not have
            said = {"ended": "unwritten"}  # what is fuzzed is the reader
        begun = time.process_time()
        begin_input()
        try:
            said = said or {"ended": "read", "text": READERS[reader](path)[:40]}
        except KlyuchError as error:
            said = {"ended": "refused", "code": error.code}
            if not str(error).strip() or len(str(error)) > 4000:
                said |= {"ended": "a sentence that is none", "text": str(error)[:300]}
        except BaseException as error:
            import traceback

            said = {"ended": type(error).__name__, "text": traceback.format_exc()[-1500:]}
            del error
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        said |= {"number": number, "seconds": time.process_time() - begun}
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()


def main() -> None:
    """Answer until standard input ends."""
    from tests.hostile.seeds import all_seeds

    warnings.simplefilter("ignore")
    import_readers()
    with tempfile.TemporaryDirectory() as folder:
        seeds = all_seeds(Path(folder))
    sys.stdout.write(json.dumps({"readers": sorted(seeds)}) + "\n")
    sys.stdout.flush()
    for line in sys.stdin:
        child = os.fork()
        if not child:
            try:
                read_in_turn(json.loads(line), seeds)
            except BaseException:
                import traceback

                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(0)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(json.dumps({"fork": os.WTERMSIG(status)}) + "\n")
        sys.stdout.flush()


class Fuzzer:
    """The process, asked for inputs; a context."""

    def __enter__(self) -> "Fuzzer":
        fast = "/dev/shm"
        place = fast if Path(fast).is_dir() else None
        self.work = tempfile.mkdtemp(prefix="klyuch-fuzz-", dir=place)
        self.log = tempfile.TemporaryFile("w+")
        one = {"OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1", "TOKENIZERS_PARALLELISM": "false"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.hostile.fuzzing"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            cwd=ROOT,
            env={**os.environ, **one},
        )
        self.readers = json.loads(self.process.stdout.readline())["readers"]
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()
        self.log.close()
        shutil.rmtree(self.work, ignore_errors=True)

    def fuzz(self, reader: str, inputs: int, seed: int = 1, start: int = 0) -> Outcome:
        """Read so many inputs of a reader, from a number on."""
        outcome, number, end = Outcome(reader), start, start + inputs
        while number < end:
            count = min(AT_ONCE, end - number)
            number += self._fork(outcome, reader, seed, number, count)
        return outcome

    def _fork(self, outcome: Outcome, reader: str, seed: int, start: int, count: int) -> int:
        """Let one fork read inputs; return how many it has, the one that ended it among them."""
        asked = {"reader": reader, "seed": seed, "start": start, "count": count}
        asked["work"] = f"{self.work}/{reader}"
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        answered = 0
        while "fork" not in (said := json.loads(self.process.stdout.readline())):
            answered += 1
            outcome.inputs += 1
            outcome.ended[said["ended"]] += 1
            outcome.codes[said.get("code", "")] += 1
            outcome.slowest = max(outcome.slowest, said["seconds"])
            if said["ended"] not in (*EXPECTED, "unwritten"):
                outcome.failures.append((said["number"], said["ended"], said.get("text", "")))
        if answered < count:
            outcome.inputs += 1
            outcome.ended[f"signal {said['fork']}"] += 1
            outcome.failures.append((start + answered, f"signal {said['fork']}", ""))
            return answered + 1
        return answered


if __name__ == "__main__":
    main()
