"""Blanks come from held-out documents alone, and ask for content words of short sentences."""

from benchmarks.short_sentences import make
from embeddings.corpora.evaluation_sets import MASK, read_blanks
from embeddings.pretraining.prepared_corpus import PreparedCorpus, prepare_corpus
from embeddings.text.wordpiece_training import WordPieceConfig, train_wordpiece


def test_blanks_are_of_held_out_documents_and_ask_for_content_words(tmp_path):
    lines = [
        f"Behold the old captain{number} of the ship who opened the heavy door{number}."
        for number in range(40)
    ]
    documents = [f"{line}\nToo short here." for line in lines]
    file = tmp_path / "en_ships.txt"
    file.write_text("\n\n".join(documents), encoding="utf-8")
    prepare_corpus(
        [file], train_wordpiece(lines, WordPieceConfig(vocab_size=200)), tmp_path / "ids"
    )
    _, rows = PreparedCorpus.open(tmp_path / "ids").split(0.1)
    expected = {lines[row] for row in rows.tolist()}
    blanks = make(tmp_path / "ids", [file], each=10, share=0.1, frequent=3)
    assert {text.replace(MASK, answer) for text, answer, _ in blanks} <= expected
    assert len(blanks) == len(expected)
    for text, answer, source in blanks:
        assert text.count(MASK) == 1
        assert len(answer) >= 3
        assert not text.startswith(MASK)
        assert source == "en_ships"
    assert make(tmp_path / "ids", [file], each=10, share=0.1, frequent=3) == blanks
    table = tmp_path / "blanks.tsv"
    table.write_text("".join("\t".join(row) + "\n" for row in blanks), encoding="utf-8")
    assert len(read_blanks(table)) == len(blanks)
