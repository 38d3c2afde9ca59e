"""Inputs that would take memory or time far beyond their size."""

import gzip

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
