"""Whatever a file claims, reading it takes memory and time by its size and ends well or in a sentence; limits are the system's."""

import pytest

from tests.hostile.cases import CASES
from tests.hostile.hostile_inputs import put
from tests.hostile.sound_inputs import SOUND, sound_network, tokenizer

MAY_BE_READ = {"quotes", "long-words.parquet"}


@pytest.mark.parametrize("name", CASES)
def test_a_hostile_input_is_read_or_refused_by_a_sentence_within_its_memory_and_time(
    name, ended, tmp_path
):
    reader, write = CASES[name]
    folder = tmp_path / "input"
    folder.mkdir()
    said = ended(reader, write(folder))
    expected = "read" if reader == "shelf" else "refused"  # a damaged card is shown as such
    assert said["outcome"] == expected or (name in MAY_BE_READ and said["outcome"] == "read"), said
    if said["outcome"] == "refused":
        assert "\n" not in said["text"].strip()
        assert len(said["text"]) < 1500


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("card_")])
def test_a_damaged_card_is_shown_as_damaged_and_no_model(name, ended, tmp_path):
    folder = tmp_path / "input"
    said = ended("shelf", CASES[name][1](folder))
    is_listed = name in ("card_types", "card_large_number")  # as far as it can be understood
    shown = f"{int(is_listed)} models, {int(name != 'card_large_number')} damaged"
    assert said["text"].startswith(shown), said


def test_a_sound_tokenizer_and_network_pass(ended, tmp_path):
    put(tmp_path / "tokenizer.json", tokenizer())
    assert ended("wordpiece", tmp_path)["outcome"] == "read"
    assert ended("network", sound_network(tmp_path / "net"))["text"] == "302 tokens"
    assert tokenizer() == SOUND
