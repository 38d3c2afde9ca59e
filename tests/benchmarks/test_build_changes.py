"""Texts of the reports of change that ship: passages of like length, drawn at random, as many tokens as asked for."""

from benchmarks.build_changes import passages, write_sample
from embeddings.corpora.text_files import documents


def test_passages_hold_whole_paragraphs_in_order_and_as_many_tokens_as_asked_for():
    paragraphs = ["one two", "three", "four five six", "seven"]
    assert list(passages(paragraphs, 3)) == [["one two", "three"], ["four five six"], ["seven"]]
    assert list(passages([], 3)) == []


def test_a_sample_is_drawn_from_all_texts_without_paragraphs_as_long_as_chapters(tmp_path):
    first, second, sample = (tmp_path / name for name in ("a.txt", "b.txt", "sample.txt"))
    first.write_text("\n".join(f"a{n} word" for n in range(100)), encoding="utf-8")
    second.write_text("\n\n".join(f"b{n} word" for n in range(100)), encoding="utf-8")
    with second.open("a", encoding="utf-8") as file:
        file.write("\n\n" + "long " * 60)
    recipe = {"tokens": 200, "passage": 10}
    write_sample([first, second], recipe, sample)
    drawn = list(documents(sample))
    words = [word for document in drawn for paragraph in document for word in paragraph.split()]
    assert 200 <= len(words) < 210
    assert "long" not in words
    assert {word[0] for word in words} == {"a", "b", "w"}
    assert len({tuple(document) for document in drawn}) == len(drawn)
    again = tmp_path / "again.txt"
    write_sample([first, second], recipe, again)
    assert again.read_bytes() == sample.read_bytes()
