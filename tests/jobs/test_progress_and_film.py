"""Curves that are true, vectors as they are learned, films on one basis, estimates."""

import json
import math

import numpy as np
import pytest

from embeddings.analysis.pca import PCA
from embeddings.corpora.corpus_answers import TextPreview
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import CheckpointError, FormatError, InputError, MissingFileError
from embeddings.jobs import job_folder, learned_vectors
from embeddings.jobs.estimate import estimate, pair_count, read_rates
from embeddings.jobs.job_folder import read_job
from embeddings.jobs.progress_log import ProgressLog, curve_of, read_lines
from embeddings.method_registry import METHODS
from embeddings.results import Progress
from embeddings.run_folder import Snapshots, frames, read_snapshot, taken
from embeddings.static.word2vec import Word2VecConfig, train_word2vec
from embeddings.training.settings import StaticSettings, defaults, named_by_language

SENTENCES = [["cat", "sees", "dog"], ["dog", "sees", "yard"], ["yard", "has", "cat"]] * 30


def report(epoch, done, loss, phase="train", total=10):
    return Progress(phase, epoch, done, total, loss, 5.0, 1.0)


def lines_of(tmp_path, reports):
    log = ProgressLog(tmp_path / "progress.jsonl")
    for progress in reports:
        log.add(progress)
    return read_lines(log.path)


def test_a_line_says_the_mean_of_all_reports_since_the_one_before(tmp_path):
    found = lines_of(tmp_path, [report(1, 2, 4.0), report(1, 4, 3.0), report(1, 10, 1.0)])
    assert [line.done for line in found] == [2, 10]
    assert found[1].loss == pytest.approx((2 * 3.0 + 6 * 1.0) / 8)


def test_what_a_resumed_training_repeats_replaces_what_it_said(tmp_path):
    said = [report(1, 10, 5.0), report(2, 10, 4.0), report(3, 5, 9.0), report(2, 10, 4.5)]
    curve = curve_of(lines_of(tmp_path, [*said, report(3, 10, 3.0)]), [5.0, 4.5, 3.0])
    assert curve.positions.tolist() == [1, 2, 3]
    assert curve.losses.tolist() == [5.0, 4.5, 3.0]
    assert curve.passes.tolist() == [1, 2, 3]


def test_gloves_means_are_taken_apart(tmp_path):
    said = [report(1, 4, 3.0, "glove"), report(1, 10, 2.0, "glove"), report(2, 10, 1.0, "glove")]
    curve = curve_of(lines_of(tmp_path, said))
    assert curve.losses.tolist() == pytest.approx([3.0, (2.0 * 10 - 3.0 * 4) / 6, 1.0])
    assert curve.unit == "iteration"


def test_a_line_that_is_being_written_and_other_phases_are_left_out(tmp_path):
    found = lines_of(tmp_path, [report(0, 10, math.nan, "encode"), report(1, 10, 2.0)])
    numbers = '"done": 1, "total": 2, "loss": 1, "per_second": 1, "seconds_left": 1'
    with (tmp_path / "progress.jsonl").open("a") as file:
        file.write(f'{{"epoch": 1, {numbers}}}\n{{"phase": "train", "epoch": 1e999, {numbers}}}\n')
        file.write('{"phase": "train", "ep')
    assert len(read_lines(tmp_path / "progress.jsonl")) == len(found)
    assert curve_of(read_lines(tmp_path / "progress.jsonl")).losses.tolist() == [2.0]
    assert len(curve_of([]).losses) == 0


@pytest.fixture
def trained(tmp_path):
    """A finished training with snapshots, in a job's folder that looks like one."""
    folder = tmp_path / "job"
    corpus = EncodedCorpus.from_sentences(SENTENCES)
    words = corpus.vocabulary.words
    config = Word2VecConfig(vector_size=8, window=2, epochs=5, workers=1, sample=0)
    snapshots = Snapshots(folder / "run", words, 5, 3, ["yard"])
    model = train_word2vec(corpus, config, run=folder / "run", after=snapshots.take)
    ids = folder / "farm.ids"
    ids.mkdir()
    (ids / "words.txt").write_text("".join(f"{word}\t9\n" for word in words))
    about = {"title": "farm", "call": {"method": "skipgram"}, "method": "skipgram", "passes": 5}
    (folder / "job.json").write_text(json.dumps(about))
    return read_job(folder), model


def test_what_is_learned_so_far_is_the_checkpoint(trained):
    job, model = trained
    vectors, passes = learned_vectors.learned(job)
    assert passes == 5
    assert vectors.words == model.vectors.words
    assert np.array_equal(vectors.matrix, model.vectors.matrix)
    assert job_folder.pass_means(job) == (list(model.losses), list(model.heldout_losses))


def test_snapshots_are_the_vectors_after_each_pass(trained):
    job, model = trained
    assert taken(job.run) == (0, 1, 2, 3, 4, 5)
    words, matrix = read_snapshot(job.run, 5)
    assert len(words) == 4
    assert "yard" in words
    rows = [model.vectors.words.index(word) for word in words]
    assert np.allclose(matrix, model.vectors.matrix[rows], atol=1e-3)


def test_all_frames_of_a_film_are_on_the_basis_of_the_last(trained):
    job, _ = trained
    film = learned_vectors.film(job, ["cat", "dog", "sees", "nowhere"])
    assert film.words == ("cat", "dog", "sees")
    assert film.passes == (0, 1, 2, 3, 4, 5)
    assert film.coordinates.shape == (6, 3, 2)
    unit = []
    for done in film.passes:
        words, matrix = read_snapshot(job.run, done)
        rows = matrix[[words.index(word) for word in film.words]].astype(np.float64)
        unit.append(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    pca = PCA(2).fit(unit[-1])
    for frame, rows in zip(film.coordinates, unit, strict=True):
        assert np.allclose(frame, pca.transform(rows), atol=1e-4)
    assert learned_vectors.film_words(job, ["cat"], near=1)[0] == "cat"


def test_films_and_snapshots_that_cannot_be_are_sentences(trained):
    job, _ = trained
    snapshots = job.run / "snapshots"
    with pytest.raises(InputError, match="needs at least three words"):
        learned_vectors.film(job, ["cat", "dog"])
    (snapshots / "000005.npy").write_bytes(b"nothing")
    with pytest.raises(CheckpointError, match="cannot be read"):
        read_snapshot(job.run, 5)
    (snapshots / "words.txt").write_text("one")
    with pytest.raises(CheckpointError, match="shape"):
        read_snapshot(job.run, 4)
    for path in snapshots.glob("[0-9]*"):
        path.unlink()
    with pytest.raises(InputError, match="fewer than two frames"):
        learned_vectors.film(job)
    assert learned_vectors.snapshot_words(job) == ()
    with pytest.raises(MissingFileError, match="Train again"):
        read_snapshot(job.run, 3)


def test_a_training_of_many_passes_keeps_few_frames():
    kept = frames(10_000)
    assert len(kept) == 48
    assert {0, 10_000} <= kept


def text_of(words, different):
    counts = np.sort(np.random.default_rng(0).zipf(1.5, different).clip(max=words // 10))[::-1]
    return TextPreview(words, counts, (), (), 100, 100)


@pytest.mark.parametrize("method", METHODS)
def test_estimates_grow_with_text_and_passes(method):
    small, large = text_of(50_000, 5_000), text_of(5_000_000, 200_000)
    few = defaults(method, 50_000)
    many = defaults(method, 5_000_000)
    assert estimate(method, few, small).seconds < estimate(method, many, large).seconds
    assert estimate(method, few, small).memory < estimate(method, many, large).memory


def test_estimates_follow_the_rates_of_the_file(monkeypatch, tmp_path):
    text, settings = text_of(50_000_000, 50_000), StaticSettings(100, 5, 5, 5, 2)
    before, rates = estimate("skipgram", settings, text).seconds, read_rates()
    assert rates.trained["cbow"] > rates.trained["skipgram"]
    slow = {name: rate / 10 for name, rate in rates.trained.items()}
    lines = [
        f"{name} = {getattr(rates, name)}" for name in ("encoded", "counted", "pairs", "tokens")
    ]
    lines += ["[trained]", *(f"{name} = {rate}" for name, rate in slow.items())]
    (tmp_path / "rates.toml").write_text("\n".join(lines))
    monkeypatch.setenv("KLYUCH_DATA", str(tmp_path))
    assert read_rates().trained == slow
    assert estimate("skipgram", settings, text).seconds > 4 * before


@pytest.mark.parametrize(
    ("method", "measured"), [("skipgram", 15.4), ("cbow", 9.7), ("glove", 22.0)]
)
def test_estimates_stand_by_what_was_measured(method, measured):
    counts = np.full(78_846, 15_642_002 // 78_846)
    text = TextPreview(int(counts.sum()), counts, (), (), 1, 1)
    window = 10 if method == "glove" else 5
    passes = 15 if method == "glove" else 5
    settings = StaticSettings(100, window, 5, passes, 2)
    assert measured < estimate(method, settings, text).seconds < 1.9 * measured + 8
    assert pair_count(15_642_002, 78_846, 10) == pytest.approx(49.1e6, rel=0.5)


def test_files_get_their_language_in_front(tmp_path):
    for name in ("ru_a.txt", "b.txt"):
        (tmp_path / name).write_text(name)
    files = (tmp_path / "ru_a.txt", tmp_path / "b.txt")
    named = named_by_language(files, "ru", tmp_path / "links")
    assert [path.name for path in named] == ["ru_a.txt", "ru_b.txt"]
    assert named[1].read_text() == "b.txt"
    assert named_by_language(files, "ru", tmp_path / "links") == named
    assert named_by_language(files, "", tmp_path / "links") == files


@pytest.mark.parametrize("content", ["encoded = 1", "encoded ="])
def test_rates_that_are_missing_or_damaged_are_an_error(content, monkeypatch, tmp_path):
    monkeypatch.setenv("KLYUCH_DATA", str(tmp_path))
    with pytest.raises(MissingFileError, match=r"rates\.toml does not exist"):
        read_rates()
    (tmp_path / "rates.toml").write_text(content)
    with pytest.raises(FormatError, match=r"rates\.toml cannot be read"):
        read_rates()
