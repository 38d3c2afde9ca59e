"""The table of senses: what it answers, its file, and files that lie."""

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from embeddings.analysis.analogies import answer_rank, solve
from embeddings.analysis.projection import project
from embeddings.analysis.sense_grouping import assign_senses
from embeddings.analysis.similarity import neighbours, similarity
from embeddings.corpora.sense_contexts import Context
from embeddings.errors import CheckpointError, FormatError, InputError
from embeddings.vectors import sense_table
from embeddings.vectors.formats import read_native, write_native
from embeddings.vectors.packed_arrays import deflate
from embeddings.vectors.sense_table import SENSES_FILE, SenseTable, load_senses, save_senses
from embeddings.vectors.table import Vectors

WORDS = ["bank", "banks", "river", "shore", "money", "loan", "water", "gold"]
ROWS = np.array(
    [
        [1, 1, 0],
        [1, 1, 0.1],
        [1, 0, 0],
        [1, 0.1, 0],
        [0, 1, 0],
        [0.1, 1, 0],
        [1, 0, 0.5],
        [0, 1, 0.5],
    ],
    np.float32,
)


def senses():
    unit = np.array([[0, 1, 0], [1, 0, 0]], np.float32)
    return SenseTable(
        ("bank",),
        (("bank", "banks"),),
        np.array([0, 2]),
        unit,
        np.array([0.75, 0.25], np.float32),
        (("money", "loan"), ("river", "shore")),
        (("the bank lends",), ()),
        np.eye(4, 3, dtype=np.float32),
    )


@pytest.fixture
def vectors():
    table = Vectors(WORDS, ROWS, np.arange(800, 0, -100), name="toy", language="en")
    table.senses = senses()
    return table


def test_each_sense_has_neighbours_without_forms_of_its_word(vectors):
    assert [n.word for n in neighbours(vectors, "bank#2", 3)] == ["river", "shore", "water"]
    assert [n.word for n in neighbours(vectors, "Banks#1", 3)] == ["money", "loan", "gold"]
    assert [word for word, _ in vectors.most_similar("bank#2", topn=2)] == ["river", "shore"]
    assert "banks" in [n.word for n in neighbours(vectors, "bank", 3)]
    assert similarity(vectors, "bank#1", "bank#2") == 0
    assert vectors["bank#2"].tolist() == [1, 0, 0]


def test_senses_are_told_with_name_share_and_examples(vectors):
    first, second = vectors.senses_of("banks")
    assert (first.word, first.number, first.name, first.share) == (
        "bank#1",
        1,
        ("money", "loan"),
        0.75,
    )
    assert (second.word, second.examples) == ("bank#2", ())
    assert vectors.senses_of("river") == ()
    assert "bank" in vectors.senses
    assert list(vectors.senses) == ["bank"]


@pytest.mark.parametrize("number", [0, 3, 999_999_999])
def test_a_number_that_does_not_exist_is_refused_with_those_that_do(vectors, number):
    with pytest.raises(InputError) as refusal:
        neighbours(vectors, f"bank#{number}")
    assert refusal.value.code == "sense_number"
    assert "bank#1, bank#2" in str(refusal.value)


def test_a_formula_takes_a_sense_and_leaves_its_word_out(vectors):
    analogy = solve(vectors, "bank#2 - river + money", topn=8)
    # (1, 0, 0) - (1, 0, 0) + (0, 1, 0)
    assert analogy.vector.tolist() == pytest.approx([0, 1, 0])
    assert analogy.expression == "bank#2 - river + money"
    words = [near.word for near in analogy.answers]
    assert words[0] == "loan"
    assert not {"bank", "banks", "bank#2"} & set(words)
    assert answer_rank(vectors, analogy, "gold") == 2


def test_senses_are_points_beside_the_words(vectors):
    placed = project(vectors, ["bank", "bank#1", "bank#2", "river"])
    assert placed.words == ("bank", "bank#1", "bank#2", "river")
    extended = vectors.with_senses(["bank#1", "river", "bank#1"])
    assert extended.words == (*WORDS, "bank#1")
    assert extended.counts[-1] == round(0.75 * (800 + 700))
    assert vectors.with_senses(["river"]) is vectors


def test_contexts_get_the_sense_that_they_stand_nearest_to(vectors):
    texts = ["The river bank was near the water.", "The bank gave gold as a loan."]
    contexts = [Context(str(i), "bank", "", "", (), text) for i, text in enumerate(texts)]
    contexts.append(Context("3", "river", "", "", (), "A river."))
    assert assign_senses(vectors, contexts, "en") == ("bank#2", "bank#1", None)
    both = Context("4", "bank", "", "", (), "The river bank gave gold as a loan.")
    assert assign_senses(vectors, [contexts[0], both], "en", ahead=0.9) == ("bank#2", None)
    assert assign_senses(vectors, contexts[:2], "en", near=1.01) == (None, None)
    plain = Vectors(WORDS, ROWS)
    with pytest.raises(InputError) as refusal:
        assign_senses(plain, contexts, "en")
    assert refusal.value.code == "senses_none"


def test_a_model_keeps_its_senses_and_their_checksum(vectors, tmp_path):
    write_native(vectors, tmp_path / "toy", extra=lambda new: save_senses(senses(), new))
    again = read_native(tmp_path / "toy").senses
    assert again["banks"] == senses()["bank"]
    assert np.array_equal(again.vectors, senses().vectors)
    data = bytearray((tmp_path / "toy" / SENSES_FILE).read_bytes())
    data[-1] ^= 1
    (tmp_path / "toy" / SENSES_FILE).write_bytes(data)
    with pytest.raises(CheckpointError):
        read_native(tmp_path / "toy")


def text_of(**changed):
    listed = {
        "words": ["bank"],
        "forms": [["bank"]],
        "names": [["a"], ["b"]],
        "examples": [[], []],
    }
    raw = json.dumps({**listed, **changed}).encode()
    return {"text": deflate(np.frombuffer(raw, np.uint8))}


LIES = {
    "sizes without end": {"sizes": np.array([2**31], np.uint32)},
    "one sense": {"sizes": np.array([1, 1], np.uint32)},
    "other sizes": {"sizes": np.array([3], np.uint32)},
    "other dimensions": {"vectors": np.zeros((2, 4), np.int8)},
    "another map": {"transform": np.zeros((3, 3), np.float16)},
    "no such text": {"text": np.zeros(9, np.uint8)},
    "a name too few": text_of(names=[["a"]]),
    "deep text": text_of(forms=[json.loads("[" * 200 + "]" * 200)]),
}


@pytest.mark.parametrize("name", LIES)
def test_a_file_that_contradicts_itself_is_refused(tmp_path, name):
    save_senses(senses(), tmp_path)
    tensors = load_file(tmp_path / SENSES_FILE) | LIES[name]
    save_file(
        tensors,
        tmp_path / SENSES_FILE,
        metadata={"about": json.dumps({"format": sense_table.SENSES_FORMAT})},
    )
    with pytest.raises(FormatError):
        load_senses(tmp_path, 3)


def test_text_that_unpacks_past_its_bound_is_not_unpacked(tmp_path, monkeypatch):
    save_senses(senses(), tmp_path)
    monkeypatch.setattr(sense_table, "LARGEST_TEXT", 20)
    with pytest.raises(FormatError, match="20 bytes"):
        load_senses(tmp_path, 3)
