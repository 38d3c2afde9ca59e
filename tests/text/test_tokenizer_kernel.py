"""The compiled tokenizer against the readable `split_words`, on random Unicode and by hand."""

from pathlib import Path

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from embeddings.corpora.word_counts import Block, count_block
from embeddings.corpora.word_table import WordTable
from embeddings.text.characters import character_table
from embeddings.text.tokenizer_kernel import DOCUMENT_END, FINE, INVALID, SENTENCE_END, check
from embeddings.text.words import split_words

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
    assert dict(zip(first.words(), first.counts.tolist(), strict=True)) == {
        b"a": 1,
        b"b": 3,
        b"c": 1,
    }
