"""Folders of Hugging Face's library come in and go out again; what is damaged or foreign is refused."""

import json
import shutil

import pytest

from embeddings.errors import (
    CheckpointError,
)
from embeddings.files import write_json
from embeddings.shelf import About, import_model, read_card, verify_model
from tests.shelf.importing import left_behind


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

    from embeddings.shelf import export_model

    entry = import_model(theirs, "net", About(language="ru"))
    assert (entry.kind, entry.method, entry.language) == ("network", "bert", "ru")
    out = export_model("net", home / "out", "huggingface")
    text = AutoTokenizer.from_pretrained(out)("ключом дверь", return_tensors="pt")
    assert (
        text["input_ids"].tolist()
        == AutoTokenizer.from_pretrained(theirs)("ключом дверь", return_tensors="pt")[
            "input_ids"
        ].tolist()
    )
    with torch.no_grad():
        ours, original = (
            AutoModel.from_pretrained(place).eval()(input_ids=text["input_ids"])
            for place in (out, theirs)
        )
    assert torch.equal(ours.last_hidden_state, original.last_hidden_state)
    assert all(state.state == "sound" for state in verify_model(entry))


def test_an_older_vocabulary_gets_a_tokenizer_json(home, theirs):
    old = home / "old"
    shutil.copytree(theirs, old)
    words = json.loads((old / "tokenizer.json").read_text())["model"]["vocab"]
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (old / name).unlink()
    (old / "vocab.txt").write_text("".join(f"{word}\n" for word in words))
    entry = import_model(old, "old")
    from embeddings.probing.network import open_reader

    (entry.path / "vocab.txt").unlink()
    card = read_card(entry)
    card["files"].pop("vocab.txt")
    write_json(entry.path / "card.json", card)
    assert open_reader(entry.path).wordpiece.tokenizer.token_to_id("дверь") == 7


def test_weights_cut_short_are_refused_with_nothing_left(home, theirs):
    bad = home / "bad"
    shutil.copytree(theirs, bad)
    weights = bad / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match="cannot be read"):
        import_model(bad)
    assert left_behind(home) == ["models"]


def test_a_pickled_checkpoint_is_refused_with_how_to_convert(home, theirs):
    bad = home / "bad"
    shutil.copytree(theirs, bad)
    (bad / "model.safetensors").rename(bad / "pytorch_model.bin")
    with pytest.raises(CheckpointError, match="safetensors"):
        import_model(bad)


def test_a_network_of_another_family_is_refused_by_name(home, theirs):
    bad = home / "bad"
    shutil.copytree(theirs, bad)
    config = json.loads((bad / "config.json").read_text())
    (bad / "config.json").write_text(json.dumps({**config, "model_type": "gpt2"}))
    with pytest.raises(CheckpointError, match="gpt2"):
        import_model(bad)


def test_the_pooling_of_a_sentence_network_survives(home, theirs):
    from embeddings.shelf import export_model

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
    from embeddings.errors import InputError
    from embeddings.shelf import export_formats, export_model, find

    import_model(theirs, "odd")
    settings = json.loads((home / "home" / "models" / "odd" / "config.json").read_text())
    write_json(home / "home" / "models" / "odd" / "config.json", {**settings, part: False})
    assert export_formats(find("odd")) == ("native",)
    with pytest.raises(InputError, match=f"trained without {part}.*Export it as native"):
        export_model("odd", home / "out", "huggingface")
    assert not (home / "out").exists()
