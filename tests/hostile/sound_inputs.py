"""A sound tokenizer and a sound network, small, which hostile inputs change."""

import json

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors


def put(path, content):
    """Write text, bytes or JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
    return path


VOCABULARY = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4, "ab": 5}


def tokenizer(**changes):
    """A small tokenizer of BERT's kind, some parts replaced."""
    made = Tokenizer(models.WordPiece(VOCABULARY, unk_token="[UNK]"))
    made.add_special_tokens([token for token in VOCABULARY if token.startswith("[")])
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    made.decoder = decoders.WordPiece()
    return json.loads(made.to_str()) | changes


SOUND = tokenizer()
POST = SOUND["post_processor"]
MODEL = SOUND["model"]


def sound_network(folder):
    """A small BERT with the tokenizer above."""
    from embeddings.networks.bert import new_network
    from embeddings.networks.bert_config import NetworkConfig
    from embeddings.networks.huggingface_folder import save_network

    sizes = {"vocab_size": 6, "hidden_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2}
    folder.mkdir(parents=True)
    config = NetworkConfig(**sizes, intermediate_size=24, max_position_embeddings=512)
    save_network(new_network(config), folder)
    put(folder / "tokenizer.json", tokenizer())
    return folder
