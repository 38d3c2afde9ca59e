"""What ``klyuch word2vec train`` and ``klyuch glove train`` refuse, when they do, and what they leave."""

import json
from contextlib import nullcontext

import numpy as np
import pytest

from embeddings.analysis.cooccurrence_ratios import load_cooccurrence
from embeddings.cli import main
from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import EncodingConfig
from embeddings.vectors.table import Vectors

PASSES = {"word2vec": "epochs", "glove": "iterations"}
MEASURE = {"word2vec": "losses", "glove": "costs"}
BOTH = pytest.mark.parametrize("noun", PASSES)


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("the cat sees the dog\nthe dog sees a cat\n" * 200, encoding="utf-8")
    return path


@pytest.fixture
def train(monkeypatch, capsys):
    """Run a command; return what it printed as JSON, or its sentence if it refused. It is interrupted behind a pass on request."""

    def run(noun, *arguments, passes=3, interrupt=None):
        def report(at):
            if at.epoch > interrupt and at.phase in ("train", "glove"):
                raise KeyboardInterrupt

        given = [*arguments, "--vector-size", 8, f"--{PASSES[noun]}", passes, "--workers", 1]
        words = ["klyuch", noun, "train", *map(str, given), "--json"]
        with monkeypatch.context() as patched:
            patched.setattr("sys.argv", words)
            if interrupt:
                bar = "embeddings.cli.static_training.progress_bar"
                patched.setattr(bar, lambda: nullcontext(report))
            with pytest.raises(SystemExit) as stopped:
                main()
        printed = capsys.readouterr()
        assert stopped.value.code == (130 if interrupt else 0 if printed.out else 2)
        return json.loads(printed.out) if printed.out else printed.err

    return run


@pytest.fixture
def no_work(monkeypatch):
    """Make reading the corpus an error: what is refused must be refused before."""

    def fail(*_, **__):
        raise AssertionError("work began")

    monkeypatch.setattr("embeddings.corpora.corpus_encoding.encode", fail)
    monkeypatch.setattr("embeddings.corpora.encoded_corpus.EncodedCorpus.open", fail)


ONE_FOLDER = "are one folder, or one lies in the other"
HERE = "is the folder that you are in, or one above"
UNDER_A_FILE = "a file stands where a folder is needed"


@BOTH
@pytest.mark.parametrize(
    ("output", "run", "sentence"),
    [
        ("x", "x", ONE_FOLDER),
        ("nest", "nest/run", ONE_FOLDER),
        ("nest/model", "nest", ONE_FOLDER),
        ("x/../x", "x", ONE_FOLDER),
        *((here, "y", HERE) for here in (".", "..", "/", "")),
        ("a.txt/deep/x", "y", UNDER_A_FILE),
        ("x", "a.txt/deep/x", UNDER_A_FILE),
    ],
)
def test_folders_that_cannot_be_written_are_refused_before_any_work(
    noun, output, run, sentence, text, tmp_path, train, no_work, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert sentence in train(noun, text, "--output", output, "--run", run)
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]


@BOTH
def test_a_model_is_not_replaced_that_holds_the_corpus(noun, text, tmp_path, train, no_work):
    model = tmp_path / "model"
    model.mkdir()
    for name in ("vectors.safetensors", "words.txt"):
        (model / name).write_bytes(b"")
    assert "lies in the other" in train(noun, model / "words.txt", "--output", model)
    (model / "ids").mkdir()
    assert "holds ids, which" in train(noun, model / "ids", "--output", model)
    assert {file.name for file in model.iterdir()} == {"vectors.safetensors", "words.txt", "ids"}


@BOTH
@pytest.mark.parametrize("what", ["a diary", "a network's folder", "a file"])
def test_what_is_no_static_model_is_kept_and_refused_before_any_work(
    noun, what, text, tmp_path, train, no_work
):
    output = tmp_path / "taken"
    if what == "a file":
        output.write_text("diary")
    else:
        output.mkdir()
        (output / ("card.json" if "network" in what else "dear.txt")).write_text("{}")
    assert "which writing would delete" in train(noun, text, "--output", output)
    assert output.exists()


@BOTH
def test_an_unfinished_run_is_lost_only_by_restart(noun, text, tmp_path, train, monkeypatch):
    places = (text, "--output", tmp_path / "x")
    whole = train(noun, text, "--output", tmp_path / "whole")[MEASURE[noun]]
    train(noun, *places, interrupt=2)
    before = (tmp_path / "x.run" / "checkpoint.safetensors").read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr("embeddings.corpora.corpus_encoding.encode", None)
        sentence = train(noun, *places)
        assert (
            f"stopped after 2 of 3 {PASSES[noun]}. Add --resume to continue, or --rest" in sentence
        )
        assert "give one of the two" in train(noun, *places, "--resume", "--restart")
    assert "b.txt" in train(noun, tmp_path / "b.txt", *places[1:], "--restart")  # is not there
    assert (tmp_path / "x.run" / "checkpoint.safetensors").read_bytes() == before
    assert train(noun, *places, "--resume")[MEASURE[noun]] == whole
    train(noun, *places, interrupt=1)  # the finished one may be replaced
    assert train(noun, *places, "--restart")[MEASURE[noun]] == whole


def test_resume_to_fewer_passes_than_there_are_is_refused(text, tmp_path, train):
    for noun, sentence in (
        ("glove", "holds 3 iterations already, asked for are 2. Ask for more, or start again"),
        ("word2vec", "a training with epochs=3, asked for is 2"),
    ):
        train(noun, text, "--output", tmp_path / noun)
        assert sentence in train(noun, text, "--output", tmp_path / noun, "--resume", passes=2)


@BOTH
@pytest.mark.parametrize("broken", ["missing", "cut"])
def test_a_broken_corpus_speaks_and_is_not_read_as_text(noun, broken, text, tmp_path, train):
    encode([text], tmp_path / "ids", EncodingConfig())
    ids = tmp_path / "ids" / "ids.npy"
    if broken == "missing":
        ids.unlink()
    else:
        ids.write_bytes(ids.read_bytes()[:200])
    sentence = train(noun, tmp_path / "ids", "--output", tmp_path / "x")
    assert "is not a complete encoded corpus: ids.npy is missing, damaged" in sentence
    assert {file.name for file in tmp_path.iterdir()} == {"a.txt", "ids"}


@BOTH
@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("again again again\n", "600 words of a vocabulary of 1"),
        ("... !\n", "no words were found"),
        ("the cat sees the dog\nthe dog sees a cat\n", ""),
    ],
    ids=["one word", "no word", "good"],
)
def test_a_refused_corpus_leaves_no_folders(noun, line, sentence, tmp_path, train):
    text = tmp_path / "a.txt"
    text.write_text(line * 200)
    run = tmp_path / "deep" / "deeper"
    printed = train(noun, text, "--output", tmp_path / "x", "--run", run)
    if sentence:
        assert sentence in printed
        assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]
        run.mkdir(parents=True)
        train(noun, text, "--output", tmp_path / "x", "--run", run)
        assert run.is_dir()  # a folder that was there stays
    else:
        assert {file.name for file in run.iterdir()} >= {"corpus", "checkpoint.safetensors"}


@pytest.mark.parametrize("number", [-5, 20_001, 19_999])
def test_content_words_out_of_range_are_refused_before_any_work(
    number, text, tmp_path, train, no_work
):
    flags = ("--output", tmp_path / "x", "--examples", "dog,cat", "--content-words", number)
    sentence = train("glove", text, *flags)
    assert f"content_words={number} is out of range: it must lie between 0 and 19998" in sentence


def test_a_model_without_content_words_reads_back(text, tmp_path, train):
    train("glove", text, "--output", tmp_path / "x", "--content-words", 0)
    table = load_cooccurrence(tmp_path / "x")
    assert table.words == ()
    assert table.counts.shape == (0, 0)
    assert table.words_matrix.shape == (0, 8)
    assert len(Vectors.load(tmp_path / "x")) == 5


@BOTH
def test_resume_refuses_a_corpus_of_the_same_words_in_another_order(noun, tmp_path, train):
    lines = ["the cat sees the dog", "a dog sees the cat"]
    (tmp_path / "a.txt").write_text("\n".join(lines * 100))
    (tmp_path / "b.txt").write_text("\n".join(["cat the dog sees the", lines[1]] * 100))
    train(noun, tmp_path / "a.txt", "--output", tmp_path / "x")
    sentence = train(noun, tmp_path / "b.txt", "--output", tmp_path / "x", "--resume")
    assert "belongs to another corpus" in sentence
    again = train(noun, tmp_path / "a.txt", "--output", tmp_path / "x", "--resume")
    assert np.isfinite(again[MEASURE[noun]]).all()


# From text and from ids


@pytest.fixture
def make_cats(text, tmp_path, train):
    """Train a model called cats; return what the command printed, and its card, which says the same."""

    def make(noun, *flags, passes=3):
        output, measure = tmp_path / "cats", MEASURE[noun]
        printed = train(noun, text, "--output", output, "--language", "en", *flags, passes=passes)
        card = json.loads((output / "card.json").read_text(encoding="utf-8"))
        assert printed.pop("folder") == str(output)
        assert (printed["words"], len(printed[measure])) == (5, passes)
        assert card[measure] == printed[measure]
        assert card["command"].startswith(f"klyuch {noun} train ")
        vectors = Vectors.load(output)
        assert (vectors.name, vectors.method, vectors.language) == ("cats", card["method"], "en")
        return printed, card

    return make


def test_text_becomes_a_model_with_its_card(make_cats, tmp_path):
    printed, card = make_cats("word2vec", "--cbow", passes=2)
    assert printed["words_per_second"] > 0
    assert Vectors.load(tmp_path / "cats").words == ("the", "cat", "dog", "sees", "a")
    assert (card["method"], card["corpus"]["words"]) == ("cbow", 2000)
    assert card["settings"]["sg"] is False


@pytest.mark.parametrize(
    ("noun", "files", "more"),
    [
        ("word2vec", ["vectors.safetensors"], ()),
        ("glove", ["vectors.safetensors", "cooccurrence.safetensors"], ("--memory-mb", 64)),
    ],
)
def test_ids_text_resume_and_disk_give_the_same_model(text, tmp_path, train, noun, files, more):
    ids, places = tmp_path / "ids", [tmp_path / name for name in ("one", "two", "three")]
    encode([text], ids, EncodingConfig())
    told = [
        train(noun, source, "--output", place, *flags)[MEASURE[noun]]
        for source, place, flags in (
            (text, places[0], ()),
            (ids, places[1], ()),
            (ids, places[1], ("--resume",)),
            (ids, places[2], more),
        )
    ]
    assert told == [told[0]] * 4
    for name in files:
        assert len({(place / name).read_bytes() for place in places}) == 1


@pytest.mark.parametrize(
    ("noun", "flags", "passes", "sentence"),
    [
        ("word2vec", ["--alpha", 1e6], 60, "diverged in epoch"),
        ("word2vec", ["--min-count", 5000], 3, "min_count"),
        ("glove", ["--learning-rate", 1e6], 3, "learning_rate=1000000.0"),
    ],
    ids=["overflow", "too rare", "divergence"],
)
def test_misuse_ends_with_a_sentence_and_no_model(
    text, tmp_path, train, noun, flags, passes, sentence
):
    assert sentence in train(noun, text, "--output", tmp_path / "no", *flags, passes=passes)
    assert not (tmp_path / "no").exists()


def test_glove_makes_a_model_with_card_and_counts(make_cats, tmp_path):
    flags = ("--window", 2, "--examples", "dog,wolf", "--content-words", 2)
    printed, card = make_cats("glove", *flags)
    assert (printed["vector_size"], printed["pairs"]) == (8, 16)
    assert printed["pairs_per_second"] > 0
    assert card["method"] == "glove"
    assert card["settings"].items() >= {"window": 2, "x_max": 10}.items()
    assert "cooccurrence.safetensors" in card["files"]
    table = load_cooccurrence(tmp_path / "cats")
    assert set(table.words) == {"the", "cat", "dog"}  # the commonest two, and the example
    # within two places: "cat sees the" and "the dog sees a cat", 200 times each: 1/2 + 0 and 0
    cat, the = table.words.index("cat"), table.words.index("the")
    assert table.counts[cat, the] == 200 * (1 + 1 / 2)
