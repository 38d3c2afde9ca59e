"""``klyuch contexts agreement``, ``senses --number`` and ``concordance find --output``: files that lead on to each other."""

import pytest

from embeddings.corpora.sense_files import read_senses

HEADER = "context_id\tword\tgold_sense_id\tpredict_sense_id\tpositions\tcontext\n"
TEXTS = [
    "The bank was closed.",
    "A bank lends money.",
    "On the bank of a river.",
    "The bank by the sea.",
]


def contexts(path, golds=("",) * 4, predicted=("",) * 4):
    rows = [
        f"{n}\tbank\t{gold}\t{sense}\t{text.index('bank')}-{text.index('bank') + 4}\t{text}\n"
        for n, (text, gold, sense) in enumerate(zip(TEXTS, golds, predicted, strict=True))
    ]
    path.write_text(HEADER + "".join(rows), encoding="utf-8")
    return path


def test_agreement_is_printed_for_each_word(run, tmp_path):
    senses = contexts(tmp_path / "senses.tsv", predicted=("1", "1", "2", "2"))
    mine = contexts(tmp_path / "mine.tsv", golds=("m", "m", "r", "m"))
    result = run("contexts", "agreement", senses, mine, "--json").json["bank"]
    assert (result["contexts"], result["lacking"]) == (4, 0)
    assert result["kappa"] == pytest.approx(0.5)  # 3 of 4 agree, by chance 0.5 x 0.75 + 0.5 x 0.25
    assert result["ari"] == pytest.approx((1 - 1) / (2.5 - 1))  # pairs: 1 in both, 2 and 3 of 6


def test_senses_are_counted_by_a_column_for_each_word(run, tmp_path):
    senses = contexts(tmp_path / "senses.tsv", predicted=("1", "1", "2", "2"))
    first, *lines = senses.read_text(encoding="utf-8").splitlines()
    further = ("1870\t500\tmoney", "1999\t4000\tmoney", *["1999\t4000\tshore"] * 2)
    rows = [f"{first}\tyear\tyear_words\tsense_name"]
    rows += [f"{line}\t{fields}" for line, fields in zip(lines, further, strict=True)]
    senses.write_text("\n".join(rows), encoding="utf-8")
    assert run("contexts", "frequencies", senses, "--column", "year", "--json").json == {
        "bank": {
            "senses": ["money", "shore"],
            "values": ["1870", "1999"],
            "counts": [[1, 0], [1, 2]],
            "shares": [[1, 0], [1 / 3, 2 / 3]],
            "words": [500, 4000],
            "per_10_000": [[20, 0], [2.5, 5]],
        }
    }
    assert "shore" in run("contexts", "frequencies", senses, "--column", "year").out


def test_lines_of_a_concordance_become_contexts_with_so_many_senses(run, tmp_path):
    text = tmp_path / "novel.txt"
    text.write_text("\n".join(TEXTS), encoding="utf-8")
    run("concordance", "build", text, "--output", "novel")
    asked = ("concordance", "find", "bank", "--corpus", "novel", "--language", "en")
    assert run(*asked, "--output", tmp_path / "bank.csv").code == 0
    found = read_senses(tmp_path / "bank.csv")
    assert [context.text for context in found] == TEXTS
    (further,) = {context.further for context in found}
    sizes = {"file_words": "19", "document_words": "19"}  # 4 + 4 + 6 + 5 words
    assert dict(further) == {"file": "novel.txt", "document": "1"} | sizes
    two = ("--model", "en-skipgram", "--number", 2, "--output", tmp_path / "senses.json", "--json")
    assert run("contexts", "senses", tmp_path / "bank.csv", *two).json
    assert {context.predicted for context in read_senses(tmp_path / "senses.json")} == {"1", "2"}
