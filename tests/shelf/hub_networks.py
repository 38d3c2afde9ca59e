"""A tiny BERT as a repository of the Hub holds it, made without another library."""

import json

from embeddings.files import write_json

CARD = """---
language:
- ru
- en
license: mit
tags:
- test
---
# Tiny

A network of a test.
"""
NAME = "someone/tiny-bert"


def tiny_files(folder):
    """Return the files of a network of 2 layers of 8 columns, by name."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    from embeddings.networks.bert import PretrainingNetwork
    from embeddings.networks.bert_config import BertConfig
    from embeddings.networks.huggingface_folder import save_network

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = {word: number for number, word in enumerate([*special, "ключ", "##ом", "дверь"])}
    tokenizer = Tokenizer(models.WordPiece(words, unk_token="[UNK]"))
    tokenizer.add_special_tokens(special)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    sizes = {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2}
    save_network(
        PretrainingNetwork(BertConfig(vocab_size=8, intermediate_size=16, **sizes)), folder
    )
    write_json(folder / "tokenizer_config.json", {"tokenizer_class": "BertTokenizerFast"})
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    files["tokenizer.json"] = tokenizer.to_str().encode()
    files["README.md"] = CARD.encode()
    files["pytorch_model.bin"] = b"a pickle, which nobody asks for"
    files["flax_model.msgpack"] = b"other weights"
    return files


def changed(content, **settings):
    """Return a JSON file with some keys changed."""
    return json.dumps({**json.loads(content), **settings}).encode()
