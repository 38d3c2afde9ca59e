"""What is imported, from where, with which card; what is refused, with nothing left behind."""

import io
import json
import pickle
import shutil
import zipfile
from unittest.mock import Mock

import pytest

from embeddings import archives
from embeddings.errors import (
    CheckpointError,
    FormatError,
    InputError,
    KlyuchError,
)
from embeddings.files import sha256, write_json
from embeddings.shelf import (
    About,
    export_formats,
    export_model,
    find,
    import_model,
    importing,
    load_vectors,
    read_card,
    verify_model,
)
from embeddings.vectors.formats import write, write_native
from tests.shelf.importing import TABLE, TEXT, left_behind, zipped


def test_the_card_says_origin_checksum_and_day(home):
    (home / "glove.6B.txt").write_bytes(b"a 1 2\nb 3 4\na 5 6\n")
    entry = import_model(home / "glove.6B.txt", about=About("en", "glove", "PDDL"))
    assert (entry.name, entry.language, entry.method) == ("glove", "en", "glove")
    card = read_card(entry)
    origin = card["origin"]
    assert origin.pop("imported").startswith("20")
    assert origin.pop("klyuch")
    assert origin == {
        "source": "glove.6B.txt",
        "format": "glove",
        "sha256": {"glove.6B.txt": sha256(home / "glove.6B.txt")},
        "words": 2,
        "rows_dropped": 1,
    }
    assert card["corpus"] == {"licence": "PDDL"}
    assert set(card["files"]) == {"config.json", "vectors.safetensors", "words.txt"}
    assert str(home) not in json.dumps(card)


def test_a_second_import_takes_the_next_free_name(home):
    (home / "v.txt").write_bytes(TEXT)
    assert [import_model(home / "v.txt").name for _ in range(3)] == ["v", "v-2", "v-3"]


def test_a_taken_name_is_refused_before_anything_is_read(home):
    (home / "v.txt").write_bytes(TEXT)
    import_model(home / "v.txt")
    (home / "other.txt").write_bytes(b"damaged")
    with pytest.raises(InputError, match=r"called “V” on the shelf already.* as V-2"):
        import_model(home / "other.txt", "V")


def test_a_native_folder_keeps_its_card_and_all_its_files(home):
    extra = lambda folder: (folder / "more.bin").write_bytes(b"1")  # noqa: E731
    card = {"corpus": {"name": "c", "folder": "/elsewhere"}, "seed": 7, "language": "ru"}
    write_native(TABLE, home / "made", card=card, extra=extra)
    (home / "made" / "stray.txt").write_text("x")
    kept = read_card(import_model(home / "made", "new", About(language="de")))
    assert (kept["seed"], kept["language"], kept["corpus"]) == (7, "de", {"name": "c"})
    assert sorted(path.name for path in find("new").path.iterdir()) == [
        *("card.json", "config.json", "more.bin", "vectors.safetensors", "words.txt")
    ]


def test_a_damaged_native_folder_is_refused(home):
    write_native(TABLE, home / "made")
    (home / "made" / "words.txt").write_text("a\nc\n")
    with pytest.raises(CheckpointError, match="is damaged"):
        import_model(home / "made")
    assert left_behind(home) == ["models"]


def test_a_card_that_names_a_file_elsewhere_is_refused(home):
    (home / "made").mkdir()
    card = {"kind": "classifier", "files": {"../secret": "0"}}
    write_json(home / "made" / "card.json", card)
    with pytest.raises(InputError, match="outside its folder"):
        import_model(home / "made")
    assert left_behind(home) == ["models"]


def test_a_folder_of_loose_files_is_searched_for_its_one_model(home):
    place = home / "download" / "inner"
    place.mkdir(parents=True)
    write(TABLE, place / "v.npy")
    (place / "README.md").write_text("about")
    (place / "LICENSE").write_text("mine")
    assert load_vectors(import_model(home / "download").name).words == ("a", "b")


def test_tensor_and_metadata_of_gensims_converter_are_one_model(home):
    place = home / "tsv"
    place.mkdir()
    (place / "x_tensor.tsv").write_text("1\t0.1\n0\t2\n")
    (place / "x_metadata.tsv").write_text("a\nb\n")
    entry = import_model(place)
    origin = read_card(entry)["origin"]
    assert origin["format"] == "projector"
    assert load_vectors(entry.name)[["a", "b"]].tolist() == TABLE.matrix.tolist()
    assert set(origin["sha256"]) == {"x_tensor.tsv", "x_metadata.tsv"}


def test_several_models_in_one_folder_are_told_apart(home):
    (home / "two").mkdir()
    for name in ("a.txt", "b.txt"):
        (home / "two" / name).write_bytes(TEXT)
    with pytest.raises(InputError, match=r"it holds: a\.txt, b\.txt"):
        import_model(home / "two")


def saved_by_torch():
    """What ``torch.save`` writes."""
    import torch

    target = io.BytesIO()
    torch.save({"weight": torch.ones(2)}, target)
    return target.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "way_out"),
    [
        ("word2vec.model", pickle.dumps({"a": 1}, protocol=4), "save_word2vec_format"),
        ("vectors.pkl", pickle.dumps([1.0], protocol=2), "save_word2vec_format"),
        ("cc.en.300.bin", b"\xba\x16\x4f\x2f" + b"\0" * 100, "or use the .vec file next to it"),
        ("latin.txt", "schön 1 2\nb 3 4\n".encode("latin-1"), "corpus convert"),
        ("x.pt", saved_by_torch, r"PyTorch checkpoint.*numpy\.save"),
    ],
)
def test_what_is_not_opened_is_refused_with_how_to_convert(home, name, content, way_out):
    (home / name).write_bytes(content() if callable(content) else content)
    with pytest.raises(FormatError, match=way_out):
        import_model(home / name)
    assert left_behind(home) == ["models"]


@pytest.mark.parametrize(("errors", "word"), [("replace", "ключ\ufffd"), ("ignore", "ключ")])
def test_words_cut_inside_a_character_are_imported_on_request(home, errors, word):
    cut = "ключи".encode()[:-1]  # too short for the C tool to have cut it
    (home / "v.txt").write_bytes(b"2 2\n" + cut + b" 1 2\nb 3 4\n")
    with pytest.raises(FormatError, match="klyuch models import --unicode-errors replace"):
        import_model(home / "v.txt")
    entry = import_model(home / "v.txt", unicode_errors=errors)
    assert load_vectors(entry.name).words[:2] == (word, "b")
    with pytest.raises(InputError, match="unicode_errors"):
        import_model(home / "v.txt", unicode_errors="nothing")


def test_a_full_disk_is_a_sentence_and_leaves_nothing(home, monkeypatch):
    (home / "v.txt").write_bytes(TEXT)
    full = OSError(28, "No space left on device", str(home / "x"))
    monkeypatch.setattr(importing, "write_stream", Mock(side_effect=full))
    with pytest.raises(InputError, match="the disk is full"):
        import_model(home / "v.txt")
    assert left_behind(home) == ["models"]


def test_a_shelf_that_cannot_be_written_is_a_sentence(home):
    (home / "v.txt").write_bytes(TEXT)
    (home / "home").write_text("a file stands in the way")
    with pytest.raises(InputError, match="a file stands where a folder is needed"):
        import_model(home / "v.txt")


# Zips are searched for their one model, bounded before they are unpacked, and believed in nothing


def test_a_zip_of_a_folder_is_imported(home):
    write_native(TABLE, home / "made")
    with zipfile.ZipFile(home / "m.zip", "w") as archive:
        for file in (home / "made").iterdir():
            archive.write(file, f"made/{file.name}")
        archive.writestr("__MACOSX/made/._words.txt", "x")
    entry = import_model(home / "m.zip")
    assert load_vectors(entry.name).words == ("a", "b")
    origin = read_card(entry)["origin"]
    assert origin["source"] == "m.zip"
    assert origin["sha256"] == {"m.zip": sha256(home / "m.zip")}


def test_a_refusal_names_the_file_in_the_zip_and_not_where_it_was_unpacked(home):
    zipped(home / "v.zip", **{"inner__v.txt": b"a 1 2\nb 3\nc 4 5\n"})
    with pytest.raises(
        FormatError, match=r"^v\.zip/inner/v\.txt, line 2: numbers found: 1; expected are 2"
    ):
        import_model(home / "v.zip")


def cut(path):
    whole = zipped(path, digits=b"0123456789" * 1000)
    whole.write_bytes(whole.read_bytes().replace(b"digits", b"zigits", 1))
    return whole


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda path: zipped(path, **{"a__data.pkl": b""}), "PyTorch checkpoint"),
        (lambda path: zipped(path), "it holds: nothing"),
        (cut, r"not valid \.zip data"),
    ],
)
def test_a_zip_that_cannot_be_trusted_is_refused_with_nothing_left(home, make, sentence):
    make(home / "bad.zip")
    with pytest.raises(KlyuchError, match=sentence):
        import_model(home / "bad.zip")
    assert left_behind(home) == ["models"]


def test_a_zip_whose_header_lies_about_its_size_is_bounded(home, monkeypatch):
    monkeypatch.setattr(archives, "FREE_BYTES", 1000)
    zipped(home / "v.zip", **{"v.txt": b"0" * 300_000})
    data = bytearray((home / "v.zip").read_bytes())
    claimed = (300_000).to_bytes(4, "little")
    (home / "v.zip").write_bytes(bytes(data).replace(claimed, (10).to_bytes(4, "little")))
    with pytest.raises(KlyuchError):
        import_model(home / "v.zip")
    assert left_behind(home) == ["models"]


# Folders of Hugging Face's library come in and go out again; what is damaged or foreign is refused


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """A tiny BERT as Hugging Face's library saves it."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import BertConfig, BertForPreTraining, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("hf") / "tiny"
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = {word: number for number, word in enumerate([*special, "ключ", "##ом", "дверь"])}
    tokenizer = Tokenizer(models.WordPiece(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    names = dict(zip(("pad", "unk", "cls", "sep", "mask"), special, strict=True))
    named = {f"{name}_token": token for name, token in names.items()}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **named).save_pretrained(folder)
    sizes = {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = BertConfig(vocab_size=8, intermediate_size=16, max_position_embeddings=16, **sizes)
    BertForPreTraining(config).save_pretrained(folder)
    return folder


def test_a_hugging_face_folder_is_imported_and_exported_again(home, theirs):
    import torch
    from transformers import AutoModel, AutoTokenizer

    entry = import_model(theirs, "net", About(language="ru"))
    assert (entry.kind, entry.method, entry.language) == ("network", "bert", "ru")
    out = export_model("net", home / "out", "huggingface")
    ids, states = [], []
    for place in (out, theirs):
        text = AutoTokenizer.from_pretrained(place)("ключом дверь", return_tensors="pt")
        ids.append(text["input_ids"])
        with torch.no_grad():
            network = AutoModel.from_pretrained(place).eval()
            states.append(network(input_ids=ids[-1]).last_hidden_state)
    assert torch.equal(*ids)
    assert torch.equal(*states)
    assert all(state.state == "sound" for state in verify_model(entry))


def test_an_older_vocabulary_gets_a_tokenizer_json(home, theirs):
    old = home / "old"
    from embeddings.probing.network import open_reader

    shutil.copytree(theirs, old)
    words = json.loads((old / "tokenizer.json").read_text())["model"]["vocab"]
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (old / name).unlink()
    (old / "vocab.txt").write_text("".join(f"{word}\n" for word in words))
    entry = import_model(old, "old")
    (entry.path / "vocab.txt").unlink()
    card = read_card(entry)
    card["files"].pop("vocab.txt")
    write_json(entry.path / "card.json", card)
    assert open_reader(entry.path).wordpiece.tokenizer.token_to_id("дверь") == 7


def cut_short(folder):
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])


def pickled(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


@pytest.mark.parametrize(
    ("damage", "sentence"), [(cut_short, "cannot be read"), (pickled, "safetensors")]
)
def test_a_network_that_cannot_be_opened_is_refused_with_nothing_left(
    home, theirs, damage, sentence
):
    damage(shutil.copytree(theirs, home / "bad"))
    with pytest.raises(CheckpointError, match=sentence):
        import_model(home / "bad")
    assert left_behind(home) == ["models"]


def test_the_pooling_of_a_sentence_network_survives(home, theirs):
    folder = home / "minilm"
    shutil.copytree(theirs, folder)
    modules = [{"idx": 1, "name": "1", "path": "1_Pooling", "type": "Pooling"}]
    (folder / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": 16})
    (folder / "1_Pooling").mkdir()
    write_json(folder / "1_Pooling" / "config.json", {"pooling_mode_mean_tokens": True})
    import_model(folder, "minilm")
    out = export_model("minilm", home / "out", "huggingface")
    for name in ("modules.json", "sentence_bert_config.json", "1_Pooling/config.json"):
        assert (out / name).read_bytes() == (folder / name).read_bytes()


@pytest.mark.parametrize("part", ["embedding_norm", "prediction_transform"])
def test_a_network_that_theirs_would_complete_at_random_is_not_exported(home, theirs, part):
    import_model(theirs, "odd")
    settings = json.loads((home / "home" / "models" / "odd" / "config.json").read_text())
    write_json(home / "home" / "models" / "odd" / "config.json", {**settings, part: False})
    assert export_formats(find("odd")) == ("native",)
    with pytest.raises(InputError, match=f"trained without {part}.*Export it as native"):
        export_model("odd", home / "out", "huggingface")
    assert not (home / "out").exists()
