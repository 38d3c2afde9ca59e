"""A folder saved here gives AutoTokenizer our ids, for BERT and ALBERT.

Accents, й and case kept.
"""

import sys

import pytest
import transformers

from embeddings.errors import InputError
from embeddings.files import write_json
from embeddings.networks.bert import new_network
from embeddings.networks.bert_config import AlbertConfig, BertConfig
from embeddings.networks.huggingface_folder import save_network
from embeddings.text.wordpiece import WordPiece
from embeddings.text.wordpiece_training import WordPieceConfig, train_wordpiece

TEXT = [
    "йод и ёж, ключ от замка, ключом бьёт ключ",
    "Müssen wir schön müssen? Straße, König",
    "The key of the lock; the spring of water.",
] * 3
SENTENCES = [
    "йод",
    "Müssen",
    "ключ",
    "За\u0301мок — ключо\u0301м, e\u0301 cafe\u0301, сло\u00adво",
    "Ёжик[MASK]  König,\tStraße",
]


@pytest.mark.parametrize("config", [BertConfig, AlbertConfig])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_auto_tokenizer_gives_our_ids_and_offsets(config, sentence, tmp_path):
    vocabulary = train_wordpiece(TEXT, WordPieceConfig(vocab_size=150, min_frequency=1))
    network = new_network(
        config(vocab_size=150, hidden_size=8, num_hidden_layers=1, num_attention_heads=2)
    )
    save_network(network, tmp_path)
    vocabulary.save(tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    found = theirs(sentence, "ключ", return_offsets_mapping=True)
    wanted = vocabulary.encode(sentence, "ключ")
    assert tuple(found["input_ids"]) == wanted.ids
    assert tuple(found["token_type_ids"]) == wanted.segments
    assert tuple(found["offset_mapping"]) == wanted.offsets
    assert theirs.mask_token_id == vocabulary.mask_id
    assert theirs.pad_token_id == vocabulary.pad_id


def test_an_older_folder_with_vocab_txt_alone_opens_by_transformers(tmp_path):
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "key", "##s", "the"]
    (tmp_path / "vocab.txt").write_text("".join(f"{w}\n" for w in words))
    write_json(tmp_path / "config.json", {"model_type": "bert"})
    found = WordPiece.load(tmp_path).encode("the keys")
    assert found.tokens == ("[CLS]", "the", "key", "##s", "[SEP]")


def test_an_older_folder_without_transformers_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "vocab.txt").write_text("[PAD]\n")
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(InputError, match=r'pip install "\.\[hub\]"'):
        WordPiece.load(tmp_path)


def test_special_tokens_of_other_names_are_read(tmp_path):
    vocabulary = train_wordpiece(TEXT, WordPieceConfig(vocab_size=150, min_frequency=1))
    text = vocabulary.tokenizer.to_str().replace("[PAD]", "<pad>").replace("[UNK]", "<unk>")
    (tmp_path / "tokenizer.json").write_text(text)
    named = {"pad_token": "<pad>", "unk_token": {"content": "<unk>"}}
    write_json(tmp_path / "special_tokens_map.json", named)
    again = WordPiece.load(tmp_path)
    assert (again.pad_id, again.unk_id) == (0, 1)


def test_without_tokenizer_config_the_test_would_fail(tmp_path):
    """The companion file is what keeps the capital of Müssen.

    A BERT tokenizer class by itself lower-cases.
    """
    vocabulary = train_wordpiece(TEXT, WordPieceConfig(vocab_size=150, min_frequency=1))
    vocabulary.save(tmp_path)
    write_json(tmp_path / "config.json", {"model_type": "bert"})
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert theirs.tokenize("Müssen") == list(vocabulary.encode("Müssen").tokens[1:-1])
