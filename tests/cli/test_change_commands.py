"""``klyuch words change`` and ``whatif``: a planted change comes first, shuffled documents show none, seeds beside what was left out."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from embeddings import __version__
from embeddings.corpora.document_selection import document_numbers, joined, without_sentences
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import InputError, UnknownWordError
from embeddings.results import Progress
from embeddings.shelf.change_reports import change_reports, read_report, report_origin
from embeddings.text_comparison import as_one, side_names

GROUPS = {name: [f"{name}{n}" for n in range(12)] for name in ("sea", "law", "farm", "song")}
TRAINING = ("--vector-size", 16, "--window", 4, "--epochs", 8, "--sample", 0, "--workers", 1)
MEASURED = ("--least", 10, "--retrainings", 3, "--topn", 5, "--min-count", 1)


def documents(number, seed, home):
    """Documents of one group each; «wave» stands among the words of the group ``home``."""
    generator = np.random.default_rng(seed)
    texts = []
    for _ in range(number):
        name = generator.choice(list(GROUPS))
        lines = []
        for _ in range(5):
            line = generator.choice(GROUPS[name], 9).tolist()
            if name == home:
                line[4] = "wave"
            lines.append(" ".join(line))
        texts.append("\n".join(lines))
    return texts


def write(path, texts):
    path.write_text("\n\n".join(texts) + "\n", encoding="utf-8")
    return path


def test_a_planted_change_comes_first_with_the_neighbours_it_lost_and_gained(run, tmp_path):
    before = write(tmp_path / "before.txt", documents(80, 1, "sea"))
    after = write(tmp_path / "after.txt", documents(80, 2, "law"))
    flags = ("--permutations", 40, "--output", "planted", *TRAINING, *MEASURED, "--json")
    answer = run("words", "change", before, after, *flags).json
    first = answer["words"][0]
    assert (first["word"], first["q"] <= 0.05) == ("wave", True)
    assert first["movement"] > 3 * first["retraining"]
    assert all(word.startswith("sea") for word in first["lost"])
    assert all(word.startswith("law") for word in first["gained"])
    assert answer["changed"] <= 4
    assert answer["documents"] == [80, 80]
    origin = report_origin(change_reports()["planted"])
    assert origin["versions"] == {"klyuch": __version__}
    assert origin["command"].startswith("klyuch ")
    assert {name: answer[name] for name in origin} == origin
    report, measured = read_report(change_reports()["planted"])
    assert report.words[0].word == "wave"
    assert measured == len(answer["words"]) == 49
    assert (report.first, report.second, report.kind) == ("before", "after", "change")


def test_two_texts_have_two_names_in_a_report(tmp_path):
    for name in ("news.v1", "news.v2"):
        (tmp_path / name).mkdir()
    assert side_names(tmp_path / "news.v1", tmp_path / "news.v2") == ("news.v1", "news.v2")
    assert side_names(Path("a/x.txt"), Path("b/x.txt.gz")) == ("a/x", "b/x")
    assert side_names(Path("a/x.txt"), Path("a/x.txt.gz")) == ("x.txt", "x.txt.gz")
    assert side_names(Path("a/x.csv"), Path("a/x.csv")) == ("x", "x")


def test_leaving_out_a_words_texts_moves_it_more_than_a_seed_does(run, tmp_path):
    """«wave» has two homes; without the documents of one it is at home in the other alone."""
    texts = documents(60, 4, "sea") + documents(60, 5, "law")
    whole = write(tmp_path / "whole.txt", texts)
    sea = [str(n) for n, text in enumerate(texts, 1) if text.startswith("sea") and "wave" in text]
    flags = ("--without", ",".join(sea), *TRAINING, *MEASURED, "--topn", 20, "--json")
    answer = run("words", "whatif", whole, *flags).json
    assert answer["kind"] == "whatif"
    assert answer["documents"] == [120, 120 - len(sea)]
    moved = {word["word"]: word for word in answer["words"]}
    assert moved["wave"]["movement"] > 2 * moved["wave"]["retraining"]
    assert any(word.startswith("sea") for word in moved["wave"]["lost"])


def test_lines_of_a_word_are_left_out(run, tmp_path):
    whole = write(tmp_path / "whole.txt", documents(60, 4, "sea"))
    out = run("words", "whatif", whole, "--without-word", "sea3", *TRAINING, *MEASURED).out
    assert "Only in whole without the change, and so not compared: sea3" in out


def test_a_text_that_takes_the_place_of_documents_keeps_the_words_that_the_corpus_has(
    run, tmp_path
):
    """Of three lines of words that come once each, a minimum count of their own would leave none."""
    whole = write(tmp_path / "whole.txt", documents(60, 4, "sea"))
    lines = [" ".join(GROUPS[name]) for name in ("sea", "law", "farm")]
    short = write(tmp_path / "short.txt", ["\n".join([*lines, "unheard of"])])
    asked = ("words", "whatif", whole, "--without", "1", *TRAINING, *MEASURED, "--min-count", 4)
    without = run(*asked, "--json").json["tokens"][1]
    swapped = run(*asked, "--swap", short, "--json").json
    assert swapped["tokens"][1] == without + 36
    assert (swapped["documents"], swapped["second"]) == ([60, 60], "1 → short")
    foreign = write(tmp_path / "foreign.txt", ["eins zwei"])
    assert "Of 2 words in the text" in run(*asked, "--swap", foreign).refusal


def test_bad_requests_are_sentences(run, tmp_path):
    whole = write(tmp_path / "whole.txt", documents(10, 4, "sea"))
    one = write(tmp_path / "one.txt", documents(1, 4, "sea"))
    for arguments, sentence in (
        (("whatif", whole), "--without"),
        (("whatif", whole, "--without", "1-10"), "in the corpus, none is left"),
        (("whatif", whole, "--without-word", "zebra"), "zebra"),
        (("change", whole, one), "10 and 1 document"),
        (("change", whole, whole, "--vector-size", 50), "at least 50 are needed"),
        (("change", whole, whole, "--least", 9_999), "9999"),
    ):
        assert sentence in run("words", *arguments, "--min-count", 1).refusal


@pytest.mark.parametrize(("text", "numbers"), [("3", [2]), ("1-3, 2,5", [0, 1, 2, 4])])
def test_documents_are_counted_from_one(text, numbers):
    assert document_numbers(text, 5).tolist() == numbers


@pytest.mark.parametrize("text", ["0", "6", "4-2", "x", "-1", "1-", "٣"])
def test_documents_that_there_are_not_are_refused(text):
    with pytest.raises(InputError, match="has 5"):
        document_numbers(text, 5)


def test_a_word_takes_its_sentences_with_it():
    corpus = EncodedCorpus.from_sentences([[["a", "b"], ["c"]], [["a"]], [["c", "c"], ["b", "a"]]])
    rest = without_sentences(corpus, "a")
    assert list(rest.sentences()) == [["c"], ["c", "c"]]
    assert rest.document_bounds.tolist() == [0, 1, 2]  # the second document is gone
    with pytest.raises(UnknownWordError):
        without_sentences(corpus, "z")


def test_corpora_in_different_cases_are_not_joined():
    lower = EncodedCorpus.from_sentences([["a"]])
    cased = replace(lower, config=replace(lower.config, lower=False))
    with pytest.raises(InputError, match="encoded in different ways"):
        joined(lower, cased)


def test_a_table_of_dated_texts_is_divided_at_a_year(run, tmp_path):
    rows = ["year\tpage"]
    rows += [f"17{n:02d}\t{text}" for n, text in enumerate(documents(60, 1, "sea"))]
    rows += [f"1850-0{1 + n % 9}-01\t{text}" for n, text in enumerate(documents(60, 2, "law"))]
    folder = tmp_path / "letters"  # as the shelf stores a table
    folder.mkdir()
    table = folder / "a.tsv"
    table.write_text("\n".join(row.replace("\n", " ") for row in [*rows, "undated\tx"]) + "\n")
    asked = ("words", "change", folder, "--at", 1850, "--date-column", "year")
    assert "no column text" in run(*asked, "--json").refusal
    columns = ("--date-column", "year", "--text-column", "page")
    flags = ("--permutations", 5, *TRAINING, *MEASURED, "--json")
    ended = run(*asked, *columns, *flags)
    answer = ended.json
    assert answer["documents"] == [60, 60]
    assert (answer["first"], answer["second"]) == ("letters < 1850", "letters ≥ 1850")
    assert "1 row" in ended.err
    earlier = run("words", "change", table, "--at", 1600, *columns).refusal
    assert "0 texts lie before 1600" in earlier
    assert "--at" in run("words", "change", table).err


def test_trainings_report_their_progress_as_one_work():
    """Two trainings of 2 epochs over 30 and 10 words: 80 words to pass over."""
    reports = []
    report = as_one(reports.append, 2, 40)
    for epoch, done, total in ((1, 30, 30), (2, 15, 30), (2, 30, 30), (1, 10, 10), (2, 10, 10)):
        report(Progress("train", epoch, done, total, 1.0, 1.0, 0.0))
    assert [(at.done, at.total) for at in reports] == [(n, 80) for n in (30, 45, 60, 70, 80)]
    assert {at.phase for at in reports} == {"compare"}
    assert reports[-1].seconds_left == 0
