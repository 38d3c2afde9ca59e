"""WordPiece keeps case and accents, drops what is typography, and finds words again by offsets."""

import json
import subprocess
import sys

import pytest

from embeddings.errors import CheckpointError, InputError, MissingFileError
from embeddings.text.wordpiece import SPECIAL, WordPiece
from embeddings.text.wordpiece_training import (
    WordPieceConfig,
    alphabet,
    balanced_sample,
    train_wordpiece,
)

TEXT = [
    "йод и ёж: ключ от замка, ключом бьёт ключ.",
    "Müssen wir schön müssen? Die Straße, der König.",
    "The key of the lock; playing and walking in spring.",
]


@pytest.fixture(scope="module")
def vocabulary():
    return train_wordpiece(TEXT * 5, WordPieceConfig(vocab_size=220, min_frequency=1))


def test_special_tokens_come_first(vocabulary):
    assert vocabulary.words[:5] == SPECIAL == ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    assert len(vocabulary) <= 220


@pytest.mark.parametrize("word", ["йод", "ёж", "Müssen", "schön", "Straße", "König", "ключ"])
def test_letters_and_case_survive(vocabulary, word):
    found = vocabulary.encode(word)
    assert "[UNK]" not in found.tokens
    assert "".join(t.removeprefix("##") for t in found.tokens[1:-1]) == word


def test_tails_are_marked_and_greedy_longest_match_holds():
    vocabulary = train_wordpiece(TEXT * 5, WordPieceConfig(vocab_size=220, min_frequency=1))
    known = set(vocabulary.words)
    found = vocabulary.encode("walkings").tokens[1:-1]
    rest, expected = "walkings", []
    while rest:
        mark = "##" if expected else ""
        size = next(n for n in range(len(rest), 0, -1) if mark + rest[:n] in known)
        expected.append(mark + rest[:size])
        rest = rest[size:]
    assert list(found) == expected
    assert len(expected) > 1


@pytest.mark.parametrize(
    ("typographic", "plain"),
    [
        ("за\u0301мок", "замок"),
        ("ключо\u0300м", "ключом"),
        ("клю\u00adчом", "ключом"),
        ("и\u0306од", "йод"),  # not NFC
        ("scho\u0308n", "schön"),
    ],
)
def test_typography_is_dropped_and_nfc_made(vocabulary, typographic, plain):
    assert vocabulary.encode(typographic).ids == vocabulary.encode(plain).ids


def test_accents_that_are_letters_stay(vocabulary):
    assert vocabulary.encode("cafe\u0301").ids == vocabulary.encode("café").ids
    assert vocabulary.encode("café").ids != vocabulary.encode("cafe").ids


def test_offsets_find_every_token_of_a_word(vocabulary):
    text = "От за\u0301мка ключом."
    found = vocabulary.encode(text)
    for word in ("за\u0301мка", "ключом"):
        start = text.index(word)
        positions = found.covering(start, start + len(word))
        joined = "".join(found.tokens[p].removeprefix("##") for p in positions)
        assert joined == word.replace("\u0301", "")
    assert found.covering(2, 3) == ()  # the space between


def test_a_pair_has_segments_and_one_cls(vocabulary):
    found = vocabulary.encode("ключ", "key")
    assert found.tokens == ("[CLS]", "ключ", "[SEP]", "key", "[SEP]")
    assert found.segments == (0, 0, 0, 1, 1)
    assert found.covering(0, 3, segment=1) == (3,)


def test_saved_and_loaded_gives_the_same_ids(vocabulary, tmp_path):
    vocabulary.save(tmp_path)
    again = WordPiece.load(tmp_path)
    assert again.encode(TEXT[0], TEXT[1]) == vocabulary.encode(TEXT[0], TEXT[1])
    assert again.ids(TEXT) == [list(vocabulary.encode(t).ids[1:-1]) for t in TEXT]
    assert again.decode(again.ids(["ключом бьёт"])[0]) == "ключом бьёт"
    listed = json.loads((tmp_path / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    assert tuple(sorted(listed, key=listed.get)) == vocabulary.words


def test_the_same_text_gives_the_same_tokens_in_the_same_order(small_wordpiece):
    """Many pairs of the examples are equally frequent, and the library numbers tails by chance."""
    script = (
        "import sys; from embeddings.text.wordpiece_training import WordPieceConfig, train_wordpiece\n"
        "texts = sys.stdin.read().split('|')\n"
        "print(*train_wordpiece(texts, WordPieceConfig(vocab_size=300, min_frequency=1)).words)"
    )
    text = "|".join(word for word in small_wordpiece.words if word.isalpha())
    command = [sys.executable, "-c", script]
    found = {
        subprocess.run(
            command, input=text, capture_output=True, text=True, check=True, encoding="utf-8"
        ).stdout
        for _ in range(3)
    }
    assert len(found) == 1
    assert len(found.pop().split()) == 300


def test_the_alphabet_keeps_frequent_letters_and_knows_which_stand_inside_words():
    letters, tails = alphabet(["ba ab, Caÿ", "e\u0301 d"], 5)
    assert letters == [",", "C", "a", "b", "d"]  # a 3, b 2, then , C d before é ÿ
    assert tails == ["a", "b"]


def test_the_sample_is_balanced_and_spread():
    long = [f"{i:04d}" for i in range(1000)]
    short = ["abcd"] * 50
    files = [("en", long, 4000), ("ru", short, 200)]
    sample = list(balanced_sample(files, 400))
    english = [p for p in sample if p != "abcd"]
    assert sample.count("abcd") == 50  # less than the quota: everything
    assert len(english) == pytest.approx(100, abs=1)
    assert int(english[-1]) > 980
    assert int(english[50]) == pytest.approx(500, abs=20)


def test_bad_input_is_a_sentence(tmp_path):
    with pytest.raises(InputError, match="no text to learn a WordPiece vocabulary from"):
        train_wordpiece([], WordPieceConfig())
    with pytest.raises(MissingFileError, match="klyuch wordpiece train"):
        WordPiece.load(tmp_path)
    with pytest.raises(InputError, match="vocab_size=3 is out of range"):
        WordPieceConfig(vocab_size=3)
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(CheckpointError, match=r"tokenizer.json cannot be read"):
        WordPiece.load(tmp_path)
    vocabulary = train_wordpiece(TEXT, WordPieceConfig(vocab_size=100, min_frequency=1))
    state = json.loads(vocabulary.tokenizer.to_str())
    state["added_tokens"] = [t for t in state["added_tokens"] if t["content"] != "[MASK]"]
    del state["model"]["vocab"]["[MASK]"]
    (tmp_path / "tokenizer.json").write_text(json.dumps(state))
    with pytest.raises(CheckpointError, match=r"has no \[MASK\]"):
        WordPiece.load(tmp_path)
    with pytest.raises(InputError, match="bytes that are not UTF-8"):
        vocabulary.encode("key \udcff")
