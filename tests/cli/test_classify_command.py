"""``klyuch classify`` and the shelf: trained, brought to the shelf, asked, scored, renamed, exported, deleted."""

import json
import re
import shutil

import pytest

TRAINING = "classify train --model tiny-bert --output made --epochs 1 --device cpu"


@pytest.fixture
def ask(run, planted_classifier, monkeypatch, tmp_path):
    """Run a command on a shelf with the tiny BERT; returns exit code, output, errors."""
    bert = planted_classifier.folder.parent / "tiny-bert"
    shutil.copytree(bert, tmp_path / "home" / "models" / "tiny-bert")
    monkeypatch.chdir(tmp_path)

    return run


@pytest.fixture
def weather(ask, planted_classifier):
    """The planted classifier on that shelf."""
    assert ask("models", "import", planted_classifier.folder, "--name", "weather")[0] == 0
    return "weather"


@pytest.fixture
def train(ask, planted_files):
    """Train on the planted sentences with these flags, of which later ones replace earlier ones."""
    files = ("--train", planted_files[0], "--validation", planted_files[1])
    return lambda *flags: ask(*TRAINING.split(), *files, *flags)


def test_a_classifier_is_trained_and_lands_on_the_shelf(ask, train, tmp_path):
    ended = train("--language", "en", "--names", "frost,heat", "--json")
    told = ended.json
    assert ended.err == ""
    assert told["complete"]
    assert told["overlap"] == 0
    assert sum(map(sum, told["confusion"]["counts"])) == 100
    assert told["stored"] < told["parameters"]
    card = json.loads((tmp_path / "made" / "card.json").read_text(encoding="utf-8"))
    assert card["command"].startswith("klyuch classify train --model tiny-bert")
    assert ask("models", "import", "made", "--name", "mine")[0] == 0
    listed = ask("models", "list", "--json").json
    assert {"mine": "classifier"}.items() <= {one["name"]: one["kind"] for one in listed}.items()


def test_labels_come_a_line_each_and_empty_lines_stay(ask, weather, tmp_path):
    like = "the dog walks {} over the old garden"  # eight words, as those that were learned from
    lines = f"{like.format('snow')}\n\n{like.format('SUN')}\r\n"
    (tmp_path / "in.txt").write_text(lines, encoding="utf-8")
    predict = ("classify", "predict", "--model", weather, "in.txt")
    assert ask(*predict) == (0, "cold\n\nwarm\n", "")
    one, empty, two = map(json.loads, ask(*predict, "--json").out.splitlines())
    assert (one["label"], empty, two["text"]) == ("cold", {}, like.format("SUN"))
    assert sum(one["probabilities"].values()) == pytest.approx(1)


def test_lines_that_were_cut_are_named_and_counted(ask, weather, tmp_path):
    (tmp_path / "in.txt").write_text("snow\n" + "snow " * 100, encoding="utf-8")
    err = ask("classify", "predict", "--model", weather, "in.txt").err
    assert re.fullmatch(r"Line 2: its end was not read: \d+ tokens\.\n", err)
    (tmp_path / "in.txt").write_text("cold snow\ncold " + "snow " * 100, encoding="utf-8")
    said = ask("classify", "evaluate", "in.txt", "--model", weather, "--json")
    assert said.json["truncated"] == 1
    assert said.err.startswith("Of 1 of the 2 sentences the end was not read")


def test_scores_are_those_of_the_card(ask, weather, planted_classifier, planted_files):
    told = ask("classify", "evaluate", planted_files[1], "--model", weather, "--json").json
    assert told["accuracy"] == planted_classifier.confusion.accuracy
    assert told["counts"] == planted_classifier.confusion.counts.tolist()
    listed = ask("models", "scores", "--json").json
    (score,) = [one for one in listed if one["model"] == weather]
    assert (score["test_set"], score["measure"], score["total"]) == ("dev.txt", "accuracy", 100)


def test_the_shelf_verifies_renames_exports_and_deletes_it(ask, weather, tmp_path):
    assert ask("models", "verify", weather)[0] == 0
    assert ask("models", "rename", weather, "climate")[0] == 0
    assert ask("models", "export", "climate", tmp_path / "out")[0] == 0
    assert {p.name for p in (tmp_path / "out").iterdir()} == {
        *("card.json", "config.json", "model.safetensors"),
    }
    export = ("models", "export", "climate", tmp_path / "hub", "--format", "huggingface")
    assert "native" in ask(*export).refusal
    assert ask("models", "delete", "climate", "--yes")[0] == 0
    assert "climate" in ask("classify", "predict", "--model", "climate").refusal


def test_validation_sentences_in_training_are_counted_and_told(train, planted_files):
    ended = train("--validation", planted_files[0], "--json")
    assert ended.code == 0
    assert ended.err.startswith(
        "Warning: the training file has 200 of the 200 validation sentences"
    )


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        ("--dtype float8", "dtype=float8 is not known"),
        ("--names a,a", "The names “a, a” do not fit the labels “cold, warm”"),
        ("--train both.txt --validation other.txt", "has the label “2”"),
    ],
)
def test_what_cannot_be_trained_is_refused_and_leaves_no_folder(train, tmp_path, flags, sentence):
    files = {"both": "1 fine\n0 bad\n", "other": "2 so\n"}
    for name, text in files.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    assert sentence in train(*flags.split()).refusal
    assert list(tmp_path.glob("made*")) == []


def test_an_older_classifier_is_replaced_as_the_help_says(ask, train, planted_classifier, tmp_path):
    shutil.copytree(planted_classifier.folder, tmp_path / "made")
    before = (tmp_path / "made" / "model.safetensors").read_bytes()
    assert train("--run", "run").code == 0
    assert (tmp_path / "made" / "model.safetensors").read_bytes() != before
    said = " ".join(ask("classify", "train", "--help")[1].replace("│", " ").split())
    assert "Folder of the classifier; an older one is replaced." in said


def test_a_folder_that_holds_more_than_a_classifier_is_left_alone(
    train, planted_classifier, tmp_path
):
    shutil.copytree(planted_classifier.folder, tmp_path / "made")
    (tmp_path / "made" / "notes.txt").write_text("mine", encoding="utf-8")
    bert = tmp_path / "home" / "models" / "tiny-bert"
    for output in (tmp_path / "made", bert):
        before = sorted(output.iterdir())
        assert "which writing would delete" in train("--output", output).refusal
        assert sorted(output.iterdir()) == before


def test_a_checkpoint_without_tokenizer_and_a_model_of_another_kind_are_refused(
    train, weather, tmp_path
):
    bert = tmp_path / "home" / "models" / "tiny-bert"
    assert "of kind classifier" in train("--model", weather).refusal
    (bert / "tokenizer.json").unlink()
    assert "has no tokenizer" in train("--model", bert).refusal
