"""``klyuch words weat``: the lists that ship, those of the paper behind a mirror, a file of one's own."""

import os
import tomllib

import numpy as np
import pytest

from embeddings.shelf import association_tests, data, find, load_vectors, open_spread

MIRROR = os.environ.get("KLYUCH_MIRROR", "")


@pytest.fixture(autouse=True)
def without_mirror(monkeypatch):
    monkeypatch.delenv("KLYUCH_MIRROR", raising=False)


@pytest.mark.parametrize("language", ["en", "ru", "de"])
def test_flowers_are_more_pleasant_than_insects_in_every_language(run, language):
    asked = ("words", "weat", "flowers-insects", "--model", f"{language}-skipgram")
    answer = run(*asked, "--json").json
    assert answer["effect_size"] > 0.8  # what Cohen calls large
    assert answer["one_sided"]["p"] < 0.05
    assert answer["two_sided"]["p"] >= answer["one_sided"]["p"]
    vectors = load_vectors(f"{language}-skipgram")
    for covered in answer["sets"]:
        assert all(word in vectors for word in covered["words"])
        assert not any(word in vectors for word in covered["missing"])
        total = len(covered["words"]) + len(covered["missing"])
        assert covered["coverage"] == pytest.approx(len(covered["words"]) / total)


def effect_sizes(spread, sets):
    """Caliskan et al. (2017), by numpy, from the vectors of every run."""
    sizes = []
    for run in spread.vectors:
        rows = {
            spread.words[kept]: row / np.linalg.norm(row)
            for kept, row in zip(spread.kept, run, strict=True)
        }
        x, y, a, b = ([rows[word] for word in covered["words"]] for covered in sets)
        near = [[np.mean(np.dot(a, w)) - np.mean(np.dot(b, w)) for w in side] for side in (x, y)]
        sizes.append((np.mean(near[0]) - np.mean(near[1])) / np.std(near[0] + near[1], ddof=1))
    return sizes


def test_a_model_with_a_spread_alone_has_a_range_of_effect_sizes(run):
    asked = ("words", "weat", "flowers-insects", "--model", "en-skipgram")
    answer = run(*asked, "--json").json
    sizes = effect_sizes(open_spread(find("en-skipgram")), answer["sets"])
    in_runs = answer["effect_size_in_runs"]
    assert in_runs["runs"] == len(sizes)
    assert in_runs["lowest"] == pytest.approx(min(sizes), abs=1e-5)
    assert in_runs["highest"] == pytest.approx(max(sizes), abs=1e-5)
    assert in_runs["deviation"] == pytest.approx(np.std(sizes, ddof=1), abs=1e-5)
    shown = run(*asked).out
    assert "(one-sided)" in shown
    assert f"d in {len(sizes)} trainings" in shown
    without = run("words", "weat", "flowers-insects", "--model", "en-cbow", "--json").json
    assert without["effect_size_in_runs"] is None


@pytest.mark.parametrize("language", ["en", "ru", "de"])
def test_shipped_lists_have_four_sets_of_distinct_words(language):
    tests = association_tests(language)
    assert list(tests) == ["flowers-insects", "instruments-weapons"]
    for sets in tests.values():
        assert all(len(words) >= 10 for words in sets.words)
        assert not set(sets.words[0]) & set(sets.words[1])


def test_lists_of_the_paper_come_from_files_with_the_checksum_of_the_catalogue(run, own_home):
    folder = own_home / "corpora" / "weat"
    folder.mkdir(parents=True)
    (folder / "vocab_en.txt").write_text("piano\n" * 395)
    asked = ("words", "weat", "weat-1", "--model", "en-cbow")
    assert "vocab_en.txt" in run(*asked).refusal
    (folder / "vocab_en.txt").unlink()
    assert "klyuch corpus get weat" in run(*asked).refusal


def test_line_numbers_of_the_paper_lie_within_the_lists():
    paper = tomllib.loads((data() / "associations.toml").read_text(encoding="utf-8"))["paper"]
    for table in paper.values():
        assert len(table) == 4
        for lines in table.values():
            assert len(set(lines)) == len(lines) in (6, 7, 8, 16, 25, 32)
            assert min(lines) >= 1
            assert max(lines) <= 395


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ru", "de"])
def test_a_mirror_brings_the_tests_of_the_paper(language, monkeypatch):
    assert MIRROR, "set KLYUCH_MIRROR to a folder with evaluation/bias"
    monkeypatch.setenv("KLYUCH_MIRROR", MIRROR)
    tests = association_tests(language)
    named = [number for number in (1, 2, 7, 8, 9) if f"weat-{number}" in tests]
    assert named == [1, 2, 7, 8, 9]
    assert ("weat-6" in tests) == (language == "en")  # translations have no names
    if language == "en":
        assert tests["weat-6"].words[0] == tuple(
            ["John", "Paul", "Mike", "Kevin", "Steve", "Greg", "Jeff", "Bill"]
        )
        assert [len(words) for words in tests["weat-3"].words] == [32, 32, 25, 25]
        assert tests["weat-5"].words[:2] == tests["weat-4"].words[:2]
    aster = {"en": "aster", "ru": "астра", "de": "Aster"}[language]
    assert aster in tests["weat-1"].words[0]


def test_a_file_of_ones_own_is_read_and_what_is_no_test_is_refused(run, tmp_path):
    own = tmp_path / "animals.toml"
    own.write_text(
        'cats = "cat, lion"\ndogs = ["dog", "wolf"]\nwar = "war, army"\npeace = "peace, love"\n'
    )
    asked = ("--model", "en-skipgram", "--json")
    assert run("words", "weat", own, *asked).json["name"] == "animals"
    for content in ('a = "x"\n', "a = 1\nb = 2\nc = 3\nd = 4\n", "not toml"):
        own.write_text(content)
        assert "four lists" in run("words", "weat", own, *asked).refusal
    assert "flowers-insects" in run("words", "weat", "colours", *asked).refusal
    assert "nowhere.toml" in run("words", "weat", "nowhere.toml", *asked).refusal
