"""Thousands of mutated inputs of every reader: read, or refused by a sentence; no other exception, no hang, no memory past a bound."""

import os
import random

import pytest

from tests.hostile.fuzzing import Fuzzer, Outcome
from tests.hostile.mutations import Seed, mutated
from tests.hostile.readers import READERS
from tests.hostile.seeds import FOUND, keep, kept

INPUTS = int(os.environ.get("KLYUCH_FUZZ", "20000"))  # of all readers together
SEED = 1


@pytest.fixture(scope="module")
def fuzzer():
    with Fuzzer() as process:
        yield process


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_a_mutated_input_is_read_or_refused_by_a_sentence(reader, fuzzer):
    number = -(-INPUTS // len(READERS))
    outcome: Outcome = fuzzer.fuzz(reader, number, SEED)
    assert outcome.failures == []
    assert outcome.inputs == number
    assert outcome.ended["read"] + outcome.ended["refused"] > 0.9 * number


@pytest.mark.slow
def test_every_reader_has_seeds(fuzzer):
    assert set(fuzzer.readers) == set(READERS)


@pytest.mark.bookkeeping
@pytest.mark.parametrize("path", sorted(FOUND.glob("*/*")), ids=lambda path: path.stem)
def test_an_input_that_once_broke_a_reader_is_read_or_refused(path, ended, tmp_path):
    source = kept(path).write(tmp_path / "input")
    said = ended(path.parent.name, source, seconds=10)
    assert said["outcome"] in ("read", "refused"), said


def test_an_input_is_the_same_again_from_the_same_numbers_and_its_kept_form(tmp_path):
    seeds = [
        Seed({"a.json": b'{"a": [1, 2, {"b": "x"}]}', "b.txt": b"a 1 2\nb 3 4\n"}),
        Seed({"c.bin": bytes(range(99))}, "c.bin"),
    ]
    made = [mutated(seeds, random.Random(number)) for number in range(50)]
    assert made == [mutated(seeds, random.Random(number)) for number in range(50)]
    assert len({str(seed.files) for seed in made}) > 40
    for number, seed in enumerate(made):
        keep(seed, tmp_path / f"{number}.zip")
        assert kept(tmp_path / f"{number}.zip") == seed


def test_what_a_mutation_makes_of_json_is_mostly_json_and_of_a_zip_mostly_a_zip():
    import io
    import json
    import zipfile

    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("a.json", b'{"a": 1}')
    seeds = {"json": Seed({"a": b'{"a": [1, 2], "b": {"c": "x"}}'}), "zip": Seed({"a": made.getvalue()})}  # fmt: skip

    def is_sound(kind, content):
        try:
            json.loads(content) if kind == "json" else zipfile.ZipFile(
                io.BytesIO(content)
            ).testzip()
        except (ValueError, RecursionError, zipfile.BadZipFile, OSError, EOFError):
            return False
        return True

    for kind, seed in seeds.items():
        contents = [mutated([seed], random.Random(n)).files["a"] for n in range(200)]
        assert 60 < sum(is_sound(kind, content) for content in contents) < 190
