"""A sound tokenizer and a sound network, small, which hostile inputs change."""

import json


def put(path, content):
    """Write text, bytes or JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
    return path


def tokenizer(**changes):
    """A small tokenizer of BERT's kind, some parts replaced."""
    vocab = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4, "ab": 5}
    template = [
        {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
    ]
    second = [
        {"Sequence": {"id": "B", "type_id": 1}},
        {"SpecialToken": {"id": "[SEP]", "type_id": 1}},
    ]
    special = {
        token: {"id": token, "ids": [vocab[token]], "tokens": [token]}
        for token in ("[CLS]", "[SEP]")
    }
    added = [
        {
            **{"id": number, "content": token, "special": token.startswith("[")},
            **dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False),
        }
        for token, number in vocab.items()
        if token.startswith("[")
    ]
    sound = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": template,
            "pair": template + second,
            "special_tokens": special,
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": False},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocab,
        },
    }
    return sound | changes


SOUND = tokenizer()
POST = SOUND["post_processor"]
MODEL = SOUND["model"]


def sound_network(folder, **changes):
    """A small BERT with the tokenizer above."""
    from embeddings.networks.bert import new_network
    from embeddings.networks.bert_config import NetworkConfig
    from embeddings.networks.huggingface_folder import save_network

    sizes = {"vocab_size": 6, "hidden_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2}
    folder.mkdir(parents=True)
    config = NetworkConfig(**sizes, intermediate_size=24, max_position_embeddings=512)
    save_network(new_network(config), folder)
    put(folder / "tokenizer.json", tokenizer(**changes))
    return folder
