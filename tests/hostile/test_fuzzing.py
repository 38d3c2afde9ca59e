"""A thousand mutated inputs of what a visitor can bring: read, or refused by a sentence, within bounds of memory and time."""

import os
import random
import shutil

import pytest

from tests.hostile.mutations import mutated
from tests.hostile.seeds import FOUND, all_seeds, kept

INPUTS = int(os.environ.get("KLYUCH_FUZZ", "1000"))  # of all readers together
SEEDS = all_seeds()
SECONDS = 2.0  # of the processor for one input


@pytest.mark.slow
@pytest.mark.parametrize("reader", SEEDS)
def test_a_mutated_input_is_read_or_refused_by_a_sentence(reader, ended, tmp_path):
    failures = {}
    for number in range(INPUTS // len(SEEDS)):
        seed = mutated(SEEDS[reader], random.Random(f"{reader} {number}"))
        try:
            path = seed.write(tmp_path / "input")
        except (OSError, ValueError):  # a name that the system does not have
            continue
        said = ended(reader, path)
        is_sentence = said["outcome"] == "read" or 0 < len(said["text"].strip()) < 4000
        ends_well = said["outcome"] in ("read", "refused") and is_sentence
        if not ends_well or said["seconds"] > SECONDS:
            failures[number] = said
        shutil.rmtree(tmp_path / "input")
    assert failures == {}


@pytest.mark.bookkeeping
@pytest.mark.parametrize("path", sorted(FOUND.glob("*/*")), ids=lambda path: path.stem)
def test_an_input_that_once_broke_a_reader_is_read_or_refused(path, ended, tmp_path):
    source = kept(path).write(tmp_path / "input")
    said = ended(path.parent.name, source, seconds=10)
    assert said["outcome"] in ("read", "refused"), said
