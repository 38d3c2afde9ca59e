"""WordPiece keeps case and accents, drops what is typography, and finds words again by offsets."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from embeddings.corpora.word_counts import Block, count_block
from embeddings.corpora.word_table import WordTable
from embeddings.errors import CheckpointError, InputError, MissingFileError
from embeddings.text.characters import character_table
from embeddings.text.tokenizer import SPECIAL, Tokenizer
from embeddings.text.tokenizer_kernel import DOCUMENT_END, FINE, INVALID, SENTENCE_END, check
from embeddings.text.wordpiece_training import (
    WordPieceConfig,
    alphabet,
    balanced_sample,
    train_wordpiece,
)
from embeddings.text.words import split_words

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


def test_tails_are_marked_and_greedy_longest_match_holds(vocabulary):
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
    again = Tokenizer.load(tmp_path)
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
        for _ in range(2)
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


def test_bad_input_is_a_sentence(vocabulary, tmp_path):
    with pytest.raises(InputError, match="no text to learn a WordPiece vocabulary from"):
        train_wordpiece([], WordPieceConfig())
    with pytest.raises(MissingFileError, match="klyuch wordpiece train"):
        Tokenizer.load(tmp_path)
    with pytest.raises(InputError, match="vocab_size=3 is out of range"):
        WordPieceConfig(vocab_size=3)
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(CheckpointError, match=r"tokenizer.json cannot be read"):
        Tokenizer.load(tmp_path)
    state = json.loads(vocabulary.tokenizer.to_str())
    state["added_tokens"] = [t for t in state["added_tokens"] if t["content"] != "[MASK]"]
    del state["model"]["vocab"]["[MASK]"]
    (tmp_path / "tokenizer.json").write_text(json.dumps(state))
    with pytest.raises(CheckpointError, match=r"has no \[MASK\]"):
        Tokenizer.load(tmp_path)
    with pytest.raises(InputError, match="bytes that are not UTF-8"):
        vocabulary.encode("key \udcff")


# The compiled tokenizer against the readable `split_words`, on random Unicode and by hand

TRICKY = (
    "aZé1٣²-‐'’ʼ.,_ \t\r\n\u0301\u0300\u0308\u0306\u0323"
    "аеиЕИёйЙгßẞİΣσςlLdDcqQuUhHyYéœ·ŀ`ǅ\u00ad\ufeff\u200d\u2060\u2028\x85ѐѝ\u1161\u1100가각𝐀😀\u0958\u0387"
)
texts = st.text(st.sampled_from(TRICKY), max_size=60) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=60
)


def tokens(text, lower, table=None):
    """Entries of a text: words as str, None at a sentence's end, "¶" at a document's."""
    table = WordTable() if table is None else table
    block = Block(Path("text"), 0, text.encode(), len(text), ends_file=False)
    ids = count_block(block, lower, table)
    words = [word.decode() for word in table.words()]
    marks = {SENTENCE_END: None, DOCUMENT_END: "¶"}
    return [marks[i] if i < 0 else words[i] for i in ids.tolist()], table


@settings(max_examples=600, deadline=None)
@given(texts, st.booleans())
@example("е\u0301\u0308", True)
@example("L'É jusqu'à DELL’amore un'h d'Y c'H aujourd'hui x'l'a", False)
@example("COL·LEGI coŀlegi ΣΊΣΥΦΟΣ-ΝΈΟΣ Σ'Α ΜΑΣ'ΤΟ", True)
@example("\u0450\u0308\u0300", False)
@example("е\u0301\u0308\u0300", False)
@example("а\u00ad\u0301", True)
@example("и\u0300-\u0301и", False)
@example("\r\r\n\n\r", True)
def test_compiled_and_readable_tokenizers_agree_on_any_text(text, lower):
    found, _ = tokens(text, lower)
    assert [word for word in found if word not in (None, "¶")] == split_words(text, lower=lower)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=40) | texts.map(lambda text: text.encode()[1:]))
def test_invalid_utf8_is_found_where_python_finds_it(data):
    try:
        data.decode("utf-8")
        expected = None
    except UnicodeDecodeError as error:
        expected = error.start
    status, at = FINE, 0
    characters = character_table(True)
    array = np.frombuffer(data, np.uint8)
    while True:
        status, at = check(array, at, characters)
        if status in (FINE, INVALID):
            break
        at += len(data[at:].decode("utf-8", "ignore")[:1].encode())  # step over one character
    assert (None if status == FINE else at) == expected


def test_lines_end_sentences_and_blank_lines_end_documents():
    found, _ = tokens("a b\nc\n\n \u00ad\t\n***\nd", True)
    assert found == ["a", "b", None, "c", None, "¶", "¶", "d", None]


def test_all_line_ends_mean_the_same():
    expected, _ = tokens("a\nb\n\nc\n", True)
    for end in ("\r\n", "\r"):
        assert tokens("a\nb\n\nc\n".replace("\n", end), True)[0] == expected


def test_a_table_that_grows_keeps_ids_and_counts():
    words = [f"w{number}" for number in range(5000)]
    table = WordTable(capacity=4)
    found, _ = tokens(" ".join(words + words[:10]) + "\n" + "long" * 40_000, True, table)
    assert table.words()[:5000] == [word.encode() for word in words]
    assert table.counts.tolist() == [2] * 10 + [1] * 4991
    assert found[5000:5010] == words[:10]


def test_merged_tables_count_together():
    _, first = tokens("a b b", True)
    _, second = tokens("c b", True)
    assert first.merge(second).tolist() == [2, 1]
    assert (first.words(), first.counts.tolist()) == ([b"a", b"b", b"c"], [1, 3, 1])
