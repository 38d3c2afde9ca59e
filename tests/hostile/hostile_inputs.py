"""Hostile inputs, each of which once broke a reader: a name, the reader, and what writes the input into a folder."""

import gzip
import json
import lzma
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from tests.hostile.sound_inputs import MODEL, POST, put, tokenizer

FILES = Path(__file__).parent / "files"
DEEP = "[" * 2000 + "]" * 2000
NESTED = '{"a":' * 975 + "1" + "}" * 975
CASES = {}


def case(reader):
    """Register what writes an input, under its name."""

    def register(write):
        CASES[write.__name__] = (reader, write)
        return write

    return register


# Damaged archives and arrays, numbers past all bounds


@case("text")
def utf16_without_mark(folder):
    return put(folder / "utf-16.txt", "The key.\n".encode("utf-16-le"))


def member(name, content):
    """What writes a zip of one member."""

    def write(folder):
        with zipfile.ZipFile(folder / "packed.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name or zipfile.ZipInfo(name), content)
        return folder / "packed.zip"

    return write


@case("text")
def xz_of_a_dictionary_without_end(folder):
    data = bytearray(lzma.compress(b"The key was cold. " * 999))
    data[12 + 4] = 40  # the header of the block: a dictionary of 4 GiB - 1
    size = 4 * (data[12] + 1)
    data[12 + size - 4 : 12 + size] = struct.pack("<I", zlib.crc32(data[12 : 12 + size - 4]))
    return put(folder / "text.txt.xz", bytes(data))


@case("text")
def zip_of_a_name_that_is_no_utf8(folder):
    path = member("ключ.txt", b"The key.")(folder)
    return put(
        path, path.read_bytes().replace("ключ".encode(), b"\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8")
    )


CASES |= {
    "zip_of_an_empty_name": ("text", member("", b"The key.")),
    "zip_of_an_empty_name_as_a_model": ("model", member("", b"1 1\na 1\n")),
    "zip_of_something_that_is_no_model": ("model", member("card.json", '{"kind": "whatever"}')),
    "zip_of_a_classifier_of_nothing": ("model", member("card.json", '{"kind": "classifier"}')),
    "zip_of_a_nested_card": ("model", member("card.json", NESTED)),
}


def npy(header):
    """What writes an array with a header of one's own."""

    def write(folder):
        text = header.encode().ljust(118) + b"\n"
        data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(64)
        put(folder / "v.npy", data)
        put(folder / "v.txt", "a\nb\n")
        return folder / "v.npy"

    return write


HEADERS = {
    "brackets": "(((2, 2), ",
    "shape_of_1e20": "{'descr': '<f4', 'fortran_order': False, 'shape': (10**20, 2)}",
    "shape_of_20_digits": f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({10**20}, 2)}}",
    "shape_past_64_bits": f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({1 << 32}, {1 << 32})}}",
    "shape_below_0": "{'descr': '<f4', 'fortran_order': False, 'shape': (-2, -2)}",
    "minus": "{'descr': '<f4', 'fortran_order': False, 'shape': " + "-" * 60 + "(2, 2)}",
}
for name, header in HEADERS.items():
    CASES[f"npy_{name}"] = ("vectors", npy(header))

COUNT = "9" * 20


@case("vectors")
def npy_of_counts_of_20_digits(folder):
    np.save(folder / "v.npy", np.ones((2, 2), np.float32))
    put(folder / "v.txt", f"a\t{COUNT}\nb\t1\n")
    return folder / "v.npy"


@case("vectors")
def gensim_counts_of_20_digits(folder):
    put(folder / "vectors.bin", b"1 1\na " + struct.pack("<f", 1))
    put(folder / "counts.txt", f"a {COUNT}\n")
    return folder


# Cards and lists that break who reads them later


def shelf_with(card):
    """What writes a home with one model whose card is given, and a sound one."""

    def write(folder):
        put(folder / "models" / "hostile" / "card.json", card)
        return folder

    return write


CARDS = {
    "deep": '{"kind": "static", "corpus": ' + DEEP + "}",
    "nested_975": NESTED,
    "list": "[]",
    "number": "9" * 5000,
    "large_number": '{"kind": "static", "settings": {"words": %s}}' % ("9" * 30),
    "surrogate": '{"kind": "static", "method": "\\ud800"}',
    "not_utf8": b'{"kind": "\xff"}',
    "empty": b"",
    "types": {
        "kind": "static",
        "corpus": [[]],
        "origin": "x",
        "scores": {"a": {"accuracy": "x", "covered": []}, "b": [], "c": 1e400},
        "settings": "x",
        "files": {"../x": 1, "": None, "a\0b": [], ".": {}, "..": 1},
        "language": {"a": 1},
        "created": [1],
        "method": ["x"] * 1000,
        "network": [],
    },
    "kind": {"kind": ["static"]},
    "whatever": {"kind": "whatever"},
    "large": '{"a": "' + "x" * (5 << 20) + '"}',
}
for name, card in CARDS.items():
    CASES[f"card_{name}"] = ("shelf", shelf_with(card))


@case("shelf")
def card_that_is_a_folder(folder):
    (folder / "models" / "hostile" / "card.json").mkdir(parents=True)
    return folder


@case("associations")
def association_lists_nested_without_end(folder):
    return put(folder / "a.toml", "X = " + "[" * 100_000)


# What would take memory or time far beyond its size

CASES |= {
    name: ("vectors", lambda _, name=name: FILES / name)
    for name in ("equal-rows.parquet", "long-words.parquet")
}


@case("network")
def network_that_claims_more_than_it_holds(folder):
    config = {"model_type": "bert", "vocab_size": 200_000, "hidden_size": 4096}
    config |= {"num_attention_heads": 32, "intermediate_size": 4096, "num_hidden_layers": 2}
    put(folder / "config.json", config)
    table = np.zeros((96, 96), np.float32)
    save_file({"bert.embeddings.word_embeddings.weight": table}, folder / "model.safetensors")
    put(folder / "tokenizer.json", tokenizer())
    return folder


@case("network")
def network_of_waves_without_end(folder):
    config = {"model_type": "s1", "vocab_size": 6, "hidden_size": 65_536}
    config |= {"num_attention_heads": 1, "max_position_embeddings": 1_000_000}
    put(folder / "config.json", config)
    save_file({"a": np.zeros(1, np.float32)}, folder / "model.safetensors")
    return folder


@case("vectors")
def short_rows(folder):
    lines = (f"{number:x} 1\n" for number in range(800_000))
    return put(folder / "short.txt", "".join(lines).encode())


@case("vectors")
def equal_rows_packed(folder):
    return put(folder / "equal.txt.gz", gzip.compress(b"a 1\n" * 8_000_000, 1))


@case("contexts")
def quotes(folder):
    header = "context_id\tword\tpositions\tcontext\n"
    return put(folder / "quotes.tsv", header + "1\tkey\t\t" + '"' * 6_000_000 + "\n")


@case("contexts")
def columns_without_end(folder):
    names = [f"c{number}" for number in range(100_000)]
    return put(
        folder / "columns.tsv", "\t".join(["context_id", "word", "positions", "context", *names])
    )


# tokenizer.json

TOKENIZERS = {
    "of_a_template_that_lacks_a_token": {"post_processor": POST | {"special_tokens": {}}},
    "of_an_unknown_step": {"normalizer": {"type": "Shell"}},
    "of_deep_steps": {
        "normalizer": json.loads('{"type":"Sequence","normalizers":[' * 400 + "]}" * 400)
    },
    "of_an_id_past_all_tables": {"model": MODEL | {"vocab": MODEL["vocab"] | {"ab": 2**31}}},
    "of_an_id_below_0": {"model": MODEL | {"vocab": MODEL["vocab"] | {"ab": -1}}},
    "of_a_unigram_without_unknown": {
        "model": {
            "type": "Unigram",
            "unk_id": 10**6,
            "vocab": [["ab", -1.0]],
            "byte_fallback": False,
        }
    },
    "of_many_special_tokens": {"post_processor": POST | {"single": POST["single"] * 2000}},
    "of_no_model": {"model": None},
}
for name, changes in TOKENIZERS.items():

    def write_tokenizer(folder, changes=changes):
        put(folder / "tokenizer.json", json.dumps(tokenizer(**changes)))
        return folder

    CASES[f"tokenizer_{name}"] = ("wordpiece", write_tokenizer)

CASES["tokenizer_deep"] = ("wordpiece", lambda folder: put(folder / "tokenizer.json", DEEP).parent)
