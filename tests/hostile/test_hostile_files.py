"""Whatever a file claims, reading it takes memory and time by its size and ends well or in a sentence; limits are the system's."""

import os
import random
import shutil

import pytest

from tests.hostile.hostile_inputs import CASES
from tests.hostile.mutations import mutated
from tests.hostile.seeds import FOUND, all_seeds, kept
from tests.hostile.sound_inputs import put, sound_network, tokenizer

MAY_BE_READ = {"quotes", "long-words.parquet"}
INPUTS = int(os.environ.get("KLYUCH_FUZZ", "1000"))  # mutated ones, of all readers together
SEEDS = all_seeds()
SECONDS = 2.0  # of the processor for one mutated input


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name][0] != "shelf"])
def test_a_hostile_input_is_read_or_refused_by_a_sentence_within_its_memory_and_time(
    name, ended, tmp_path
):
    reader, write = CASES[name]
    folder = tmp_path / "input"
    folder.mkdir()
    said = ended(reader, write(folder))
    if said["outcome"] == "read":
        assert name in MAY_BE_READ
        return
    assert said["outcome"] == "refused", said
    assert "\n" not in said["text"].strip()
    assert len(said["text"]) < 1500


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name][0] == "shelf"])
def test_a_damaged_card_is_shown_as_damaged_and_no_model(name, ended, tmp_path):
    said = ended("shelf", CASES[name][1](tmp_path / "input"))
    is_listed = name in ("card_types", "card_large_number")  # as far as it can be understood
    shown = f"{int(is_listed)} models, {int(name != 'card_large_number')} damaged"
    assert said["outcome"] == "read"
    assert said["text"].startswith(shown), said


def test_a_sound_tokenizer_and_network_pass(ended, tmp_path):
    put(tmp_path / "tokenizer.json", tokenizer())
    assert ended("wordpiece", tmp_path)["outcome"] == "read"
    assert ended("network", sound_network(tmp_path / "net"))["text"] == "302 tokens"


@pytest.mark.bookkeeping
@pytest.mark.parametrize("path", sorted(FOUND.glob("*/*")), ids=lambda path: path.stem)
def test_an_input_that_once_broke_a_reader_is_read_or_refused(path, ended, tmp_path):
    source = kept(path).write(tmp_path / "input")
    said = ended(path.parent.name, source, seconds=10)
    assert said["outcome"] in ("read", "refused"), said


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
