"""Subwords give the text back; pairs of lines are pairs."""

import json
import unicodedata

import pytest

from embeddings.corpora.labelled import read_lines, read_sentence_pairs
from embeddings.errors import CheckpointError, FormatError, InputError, MissingFileError
from embeddings.text.subwords import SPECIAL, SubwordVocabulary, train_subwords
from embeddings.training.translation.translation_run import bleu

TEXTS = [
    "Ein Mann mit einem orangefarbenen Hut, der etwas anstarrt.",
    "Ein Boston-Terrier läuft (schnell) über saftig-grünes Gras: „so“, sagt er!",
    "A man's hat costs $3.50; it isn't 100% wool … or is it?",
    "Zwei Männer stehen am Herd und bereiten Essen zu.",
    "«Ключ», йод",
]


@pytest.fixture(scope="module")
def subwords():
    return train_subwords(TEXTS * 3, 300)


@pytest.mark.parametrize("text", [*TEXTS, "", "Mann.", "( Hut )", "an , der", "--", "tet'ns"])
def test_decoding_gives_the_text_back_to_the_letter(subwords, text):
    assert subwords.decode(subwords.encode(text).ids) == text
    assert subwords.decode(subwords.ids([text])[0]) == text


def test_white_space_becomes_single_letters_are_composed_and_punctuation_stands_alone(subwords):
    apart = unicodedata.normalize("NFD", "  Ein\t Männer\u00a0läuft, \n")
    found = subwords.encode(apart)
    assert subwords.decode(found.ids) == "Ein Männer läuft,"
    assert found.tokens[-1] == ","


def test_offsets_cover_the_letters_of_each_piece(subwords):
    found = subwords.encode(" Ein  Mann,  läuft")
    assert found.text == "Ein Mann, läuft"
    covered = [found.text[start:end] for start, end in found.offsets]
    assert covered == [token.replace("▁", "") for token in found.tokens]


def test_an_unknown_character_is_told(subwords):
    found = subwords.encode("Ein 😀 Mann 漢")
    assert found.unknown == ("😀", "漢")
    assert [found.tokens[i] for i, n in enumerate(found.ids) if n == 1] == ["<unk>", "<unk>"]


def test_a_vocabulary_survives_saving(subwords, tmp_path):
    subwords.save(tmp_path)
    again = SubwordVocabulary.load(tmp_path)
    assert again.ids(TEXTS) == subwords.ids(TEXTS)
    assert [again.token(i) for i in range(4)] == list(SPECIAL)


def test_what_is_no_vocabulary_of_a_translator_is_refused(tmp_path):
    with pytest.raises(MissingFileError, match="does not exist"):
        SubwordVocabulary.load(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(CheckpointError, match="cannot be read"):
        SubwordVocabulary.load(tmp_path)
    model = {"type": "BPE", "vocab": {"a": 0}, "merges": []}
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": model}), encoding="utf-8")
    with pytest.raises(CheckpointError, match="token 0 is not <pad>"):
        SubwordVocabulary.load(tmp_path)
    with pytest.raises(InputError, match="no text"):
        train_subwords([], 100)


def write(folder, name, *lines):
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_pairs_are_the_lines_side_by_side(tmp_path):
    first = write(tmp_path, "a.en", "One. ", "", "Two\u2028lines.", "Three.")
    second = write(tmp_path, "a.de", "Eins.", "Zwei.", "Zwei\u2028Zeilen.", "")
    found = read_sentence_pairs(first, second)
    assert found.source == ("One.", "Two\u2028lines.")
    assert found.target == ("Eins.", "Zwei\u2028Zeilen.")
    assert found.empty == 2


def test_blank_lines_are_kept_where_lines_are_read(tmp_path):
    assert read_lines(write(tmp_path, "x", "", "a", "", "b", "")) == ("", "a", "", "b", "")


def test_files_of_different_lengths_name_both_counts(tmp_path):
    first, second = write(tmp_path, "a.en", "One.", "Two."), write(tmp_path, "a.de", *"abcde")
    with pytest.raises(FormatError, match=r"a\.en has 2 lines, .*a\.de has 5"):
        read_sentence_pairs(first, second)


def test_files_without_a_pair_or_a_text_are_refused(tmp_path):
    blank = write(tmp_path, "blank", "", "")
    with pytest.raises(FormatError, match="no sentence pair"):
        read_sentence_pairs(blank, blank)
    with pytest.raises(MissingFileError, match="does not exist"):
        read_sentence_pairs(tmp_path / "none", blank)
    latin = tmp_path / "latin"
    latin.write_bytes("Männer\n".encode("latin-1"))
    with pytest.raises(FormatError, match="not UTF-8"):
        read_lines(latin)


def test_bleu_is_100_of_the_reference_itself_and_says_how_it_counts():
    texts = ["Ein Mann mit einem Hut.", "Zwei Hunde laufen im Gras."]
    found = bleu(texts, texts)
    assert found.score == pytest.approx(100)
    assert "case:mixed" in found.signature
    assert "tok:13a" in found.signature
    assert "case:lc" in found.lower_signature
    lowered = bleu([text.lower() for text in texts], texts)
    assert lowered.lower_score == pytest.approx(100)
    assert lowered.score < 70


def test_bleu_by_hand():
    """Precisions 4/5, 2/4, 1/3, 0/2 (smoothed to 1/4), no brevity: (0.8 x 0.5 x 0.3333 x 0.25)^(1/4)."""
    found = bleu(["the cat sat on mat"], ["the cat is on mat"])
    expected = 100 * (4 / 5 * 2 / 4 * (1 / 2 / 3) * (1 / 4 / 2)) ** 0.25
    assert found.score == pytest.approx(expected, abs=0.01)
