"""A folder saved here gives AutoTokenizer our ids, for BERT and ALBERT.

Accents, й and case kept.
"""

import pytest

from embeddings.files import write_json
from embeddings.models.config import AlbertConfig, BertConfig
from embeddings.models.folders import save_network
from embeddings.models.heads import new_network
from embeddings.text.wordpiece import WordPieceConfig, train_wordpiece

transformers = pytest.importorskip("transformers")

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


def test_without_tokenizer_config_the_test_would_fail(tmp_path):
    """The companion file is what keeps the capital of Müssen.

    A BERT tokenizer class by itself lower-cases.
    """
    vocabulary = train_wordpiece(TEXT, WordPieceConfig(vocab_size=150, min_frequency=1))
    vocabulary.save(tmp_path)
    write_json(tmp_path / "config.json", {"model_type": "bert"})
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert theirs.tokenize("Müssen") == list(vocabulary.encode("Müssen").tokens[1:-1])
