"""Inputs that would take memory or time far beyond their size."""

import gzip
import json
import lzma

import numpy as np

from tests.hostile.hostile_inputs import FILES, case, kept, put, safetensors
from tests.hostile.sound_inputs import tokenizer

kept("model", "bz2-member-of-a-gibibyte.zip")
kept("model", "lzma-member-of-128-mebibytes.zip")
kept("vectors", "equal-rows.parquet")
kept("vectors", "long-words.parquet")


@case("text")
def text_in_a_bz2_member(folder):
    return FILES / "bz2-member-of-a-gibibyte.zip"


@case("network")
def network_that_claims_more_than_it_holds(folder):
    config = {"model_type": "bert", "vocab_size": 200_000, "hidden_size": 4096}
    config |= {"num_attention_heads": 32, "intermediate_size": 4096, "num_hidden_layers": 2}
    put(folder / "config.json", config)
    table = np.zeros((96, 96), np.float32)
    safetensors(folder / "model.safetensors", {"bert.embeddings.word_embeddings.weight": table})
    put(folder / "tokenizer.json", tokenizer())
    return folder


@case("network")
def network_of_waves_without_end(folder):
    config = {"model_type": "s1", "vocab_size": 6, "hidden_size": 65_536}
    config |= {"num_attention_heads": 1, "max_position_embeddings": 1_000_000}
    put(folder / "config.json", config)
    safetensors(folder / "model.safetensors", {"a": np.zeros(1, np.float32)})
    return folder


@case("translator")
def translator_that_claims_more_than_it_holds(folder):
    put(folder / "config.json", {"model_type": "translation", "vocab_size": 9_000_000})
    safetensors(folder / "model.safetensors", {"a": np.zeros(1, np.float32)})
    return folder


@case("translator")
def translator_of_waves_without_end(folder):
    config = {"model_type": "translation", "hidden_size": 65_536, "num_attention_heads": 1}
    put(folder / "config.json", {**config, "max_position_embeddings": 1_000_000})
    safetensors(folder / "model.safetensors", {"a": np.zeros(1, np.float32)})
    return folder


@case("cooccurrence")
def counts_of_words_without_end(folder):
    import zlib

    size, pairs = 20_000, 20_000 * 20_001 // 2
    packer = zlib.compressobj(9)
    block = bytes(1 << 20)
    plane = b"".join(packer.compress(block) for _ in range(pairs >> 20))
    plane += packer.compress(bytes(pairs % (1 << 20))) + packer.flush()
    rows = {name: np.zeros(size, np.float32) for name in ("sums", "word_bias", "context_bias")}
    matrices = {f"{side}_matrix": np.zeros((size, 1), np.float16) for side in ("words", "context")}
    words = "\n".join(f"{number:x}" for number in range(size)).encode()
    tensors = {
        "words": np.frombuffer(words, np.uint8),
        "levels": np.zeros(1, np.float32),
        "codes_0": np.frombuffer(plane, np.uint8),
    }
    about = json.dumps({"format": "klyuch-cooccurrence-1", "lower": True})
    safetensors(folder / "cooccurrence.safetensors", tensors | rows | matrices, {"about": about})
    return folder


@case("vectors")
def short_rows(folder):
    lines = (f"{number:x} 1\n" for number in range(2_000_000))
    return put(folder / "short.txt", "".join(lines).encode())


@case("vectors")
def equal_rows_packed(folder):
    return put(folder / "equal.txt.gz", gzip.compress(b"a 1\n" * 8_000_000, 9))


@case("contexts")
def quotes(folder):
    header = "context_id\tword\tpositions\tcontext\n"
    return put(folder / "quotes.tsv", header + "1\tkey\t\t" + '"' * 6_000_000 + "\n")


@case("contexts")
def columns_without_end(folder):
    names = [f"c{number}" for number in range(400_000)]
    return put(
        folder / "columns.tsv", "\t".join(["context_id", "word", "positions", "context", *names])
    )


@case("seen")
def seen_words_of_a_gibibyte(folder):
    packed = lzma.compress(bytes(1 << 24), preset=0) * 40
    put(folder / "seen.txt.xz", packed)
    put(folder / "card.json", {"corpus": {"folder": str(folder)}})
    return folder


@case("encoded")
def frequent_words_of_a_gibibyte(folder):
    put(folder / "config.json", {"config": {}})
    put(folder / "words.txt", "key\t2\n")
    np.save(folder / "ids.npy", np.zeros(2, np.int32))
    for name in ("sentences.npy", "documents.npy"):
        last = 2 if name == "sentences.npy" else 1
        np.save(folder / name, np.array([0, last], np.int64))
    from embeddings.corpora.encoded_corpus import FREQUENT_WORDS

    put(folder / FREQUENT_WORDS, lzma.compress(bytes(1 << 24), preset=0) * 40)
    return folder
