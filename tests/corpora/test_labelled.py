"""Labelled sentences: SST-2's form and tables, line ends and marks, every refusal; both sets held to each other."""

import os
from pathlib import Path

import pytest

from embeddings.corpora.labelled import check_labels, overlap, read_labelled, text_ids
from embeddings.errors import FormatError, InputError
from tests.corpora.small_texts import write

PAIRS = (("1", "a fine film"), ("0", "a bore , really"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "1 a fine film\n0 a bore , really\n"),
        ("a.txt", "1\ta fine film\n\n0\ta bore , really"),
        ("a.txt", b"\xef\xbb\xbf1 a fine film\n0 a bore , really\n"),
        ("a.txt", "1 a fine film\r0 a bore , really\r"),
        ("a.txt", "1 a fine film\r\n0 a bore , really\r\n"),
        ("a.tsv", "sentence\tlabel\na fine film\t1\na bore , really\t0\n"),
        ("a.tsv", b"\xef\xbb\xbflabel\ttext\r1\ta fine film\r0\ta bore , really\r"),
        ("a.txt", "id\tLabel\tSentence\n7\t1\ta fine film\n8\t0\ta  bore , really\n"),
        ("a.csv", 'label,text\n1,a fine film\n0,"a bore , really"\n'),
        ("a.csv", '"text","label"\r\n"a fine film","1"\r\n"a bore , really","0"\r\n'),
        ("a.csv", 'label,text \n1,a fine film \n\n0,"a bore\n, really" \n'),
        ("a.tsv", "label\ttext\t\n1\ta fine film\t\n\t\n0 \ta bore , really\n"),
        ("a.dev", 'label,sentence\n1,a fine film\n0,"a bore , really"\n'),
        ("a.csv", "label;text\n1;a fine film\n0;a bore , really\n"),
        ("a.dev", "sentence;label\na fine film;1\na bore , really;0\n"),
    ],
)
def test_both_forms_are_read(tmp_path, name, content):
    found = read_labelled(write(tmp_path / name, content))
    assert tuple(zip(found.labels, found.texts, strict=True)) == PAIRS


def test_quotes_in_a_tab_separated_table_are_letters(tmp_path):
    found = read_labelled(write(tmp_path / "a.tsv", 'sentence\tlabel\n"so\t0\nthey say"\t1\n'))
    assert found.texts == ('"so', 'they say"')


def test_a_sentence_that_speaks_of_a_label_is_no_header(tmp_path):
    found = read_labelled(write(tmp_path / "a.txt", "1 the label , it says , text\n0 no\n"))
    assert found.labels == ("1", "0")


@pytest.mark.parametrize(
    ("name", "content", "match"),
    [
        ("a.txt", "", "no labelled sentence"),
        ("a.txt", "\n \n", "no labelled sentence"),
        ("a.tsv", "label\ttext\n", "no labelled sentence"),
        (
            "a.tsv",
            "sentence\tscore\nfine\t1\n",
            "no column of this name: label. Its first line names: sentence, score",
        ),
        ("a.txt", "text\tscore\nfine\t1\n", "no column of this name: label"),
        ("a.csv", "label,words\n1,fine\n", "no column of this name: sentence, text"),
        ("a.csv", "", "no labelled sentence"),
        ("a.txt", "1 fine\n0\n", "line 2: “0” is not a label and a sentence"),
        ("a.tsv", "label\ttext\n1\tfine\n1\n", "line 3: fields found: 1; the first line names 2"),
        ("a.csv", "label,text\n1,fine, really\n", "line 2: fields found: 3; .* quotes"),
        ("a.csv", 'label,text\n1," "\n', "line 2: the label or the sentence is empty"),
        ("a.tsv", "label\ttext\n1\tfine\n1\t\n", "line 3: the label or the sentence is empty"),
        ("a.tsv", "label\ttext\n\tfine\n", "line 2: the label or the sentence is empty"),
        ("a.tsv", "label\tid\ttext\n1\t\t\n", "line 2: the label or the sentence is empty"),
        (
            "a.csv",
            'label,text\n1,fine\n0,"bad\n1,good\n',
            "line 3: a quote that opens .* never closed",
        ),
        ("a.csv", 'label,text\n1,fine\n0,"bad\n1,"good"\n', "line 3: .* Close its quotes"),
        ("a.csv", 'label,text\n0,"bad\n\nreally",2\n1,fine\n', "line 2: fields found: 3"),
        ("a.txt", b"1 caf\xe9\n0 b\n", "not UTF-8"),
        ("a.txt", b"1 a\x00\n", "NUL"),
    ],
)
def test_bad_files_are_refused_in_a_sentence(tmp_path, name, content, match):
    with pytest.raises(FormatError, match=match):
        read_labelled(write(tmp_path / name, content))


def test_one_class_only_is_refused(tmp_path):
    one = read_labelled(write(tmp_path / "a.txt", "1 fine\n1 good\n"))
    with pytest.raises(FormatError, match="one label only, “1”"):
        check_labels(one, one)


def test_a_label_that_training_lacks_is_named_with_both_files(tmp_path):
    training = read_labelled(write(tmp_path / "train.txt", "1 fine\n0 bad\n"))
    validation = read_labelled(write(tmp_path / "dev.txt", "1 fine\n2 so so\n"))
    with pytest.raises(FormatError, match=r"dev\.txt has the label “2”.*train\.txt.*knows 0, 1"):
        check_labels(training, validation)


def test_labels_are_in_order_and_counted(tmp_path):
    training = read_labelled(write(tmp_path / "a.txt", "b x\na y\nb z\n"))
    assert training.counts == {"a": 1, "b": 2}
    assert check_labels(training, training) == ("a", "b")


def test_sentences_of_both_sets_are_counted_whatever_their_case(tmp_path):
    training = read_labelled(write(tmp_path / "a.txt", "1 A  fine film\n0 bad\n"))
    validation = read_labelled(write(tmp_path / "b.txt", "1 a fine Film\n0 BAD\n0 other\n"))
    assert overlap(training, validation) == 2


def test_ids_begin_with_cls_end_with_sep_and_are_cut(small_wordpiece):
    whole = text_ids(small_wordpiece, ["The dog sees a Man ."], 64, lower=False)
    assert whole.ids[0] == small_wordpiece.encode("The dog sees a Man .").ids
    assert whole.truncated == (0,)
    cut = text_ids(small_wordpiece, ["The dog sees a Man ."], 5, lower=False)
    assert cut.ids[0] == (*whole.ids[0][:4], small_wordpiece.sep_id)
    assert cut.truncated == (len(whole.ids[0]) - 5,)
    lower = text_ids(small_wordpiece, ["The DOG"], 64, lower=True)
    assert lower.ids[0] == small_wordpiece.encode("the dog").ids


def test_bytes_that_are_no_text_are_refused(small_wordpiece):
    with pytest.raises(InputError, match="UTF-8"):
        text_ids(small_wordpiece, ["caf\udce9"], 64, lower=False)


@pytest.mark.mirror
def test_sst2_has_its_sentences():
    folder = Path(os.environ["KLYUCH_MIRROR"]) / "evaluation" / "sst2"
    training, validation = (
        read_labelled(folder / f"stsa.binary.{part}") for part in ("train", "dev")
    )
    assert training.counts == {"0": 3310, "1": 3610}
    assert validation.counts == {"0": 428, "1": 444}
    assert overlap(training, validation) == 0
