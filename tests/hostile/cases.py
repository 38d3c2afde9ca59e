"""Small hostile inputs, each of which once broke a reader: a name, the reader, and what writes the input into a folder.

Kept as seeds: a fuzzer begins from these.
"""

import gzip
import json
import lzma
import struct
import zipfile
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

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


def kept(reader, name):
    """Register a file that is kept as it is."""
    CASES[name] = (reader, lambda folder: FILES / name)  # noqa: ARG005


def safetensors(path, tensors, metadata=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(tensors, path, metadata=metadata)


def put(path, content):
    """Write text, bytes or JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
    return path


# memory that does not follow from the size

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


# JSON that breaks who reads it later


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


def job_with(name, content, **about):
    """What writes a home with one job, one file of which is given."""

    def write(folder):
        job = folder / "jobs" / "20260101-000000-ab"
        put(job / "job.json", {"title": "t", "steps": [["word2vec", "train"]], **about})
        put(job / "ended.json", {"code": 1})
        put(job / name, content)
        return folder

    return write


LINE = {"phase": "train", "epoch": 1, "done": 1, "total": 2, "loss": 1.0}
LINE |= {"per_second": 1.0, "seconds_left": 1.0}
JOBS = {
    "deep": ("job.json", DEEP),
    "types": ("job.json", {"steps": [1, {"a": 2}], "passes": "many", "watched": 5, "title": []}),
    "ended": ("ended.json", {"code": "x", "name": []}),
    "finished": ("finished.json", {"steps": "x"}),
    "turn": ("turn.json", {"before": [{"a": 1}, "../../x", "a\0"], "group": "x"}),
    "error_without_fields": ("error.json", {"code": "file_missing", "fields": {}}),
    "error_of_other_fields": ("error.json", {"code": "file_missing", "fields": {"code": "x"}}),
    "error_deep": ("error.json", DEEP),
    "progress_deep": ("progress-0.jsonl", DEEP),
    "progress_types": ("progress-0.jsonl", json.dumps({**LINE, "epoch": "x"})),
    "progress_lacks": ("progress-0.jsonl", json.dumps({"phase": "train"})),
    "progress_infinite": ("progress-0.jsonl", json.dumps(LINE).replace("1.0", "1e999")),
    "progress_large": ("progress-0.jsonl", json.dumps(LINE).replace(": 2", ": " + "9" * 400)),
    "not_utf8": ("progress-0.jsonl", b"\xff\xfe"),
}
for name, (file, content) in JOBS.items():
    CASES[f"job_{name}"] = ("shelf", job_with(file, content))


@case("shelf")
def job_of_a_damaged_checkpoint(folder):
    job_with("ended.json", {"code": 1})(folder)
    run = folder / "jobs" / "20260101-000000-ab" / "run"
    safetensors(run / "checkpoint.safetensors", {"a": np.zeros(1)}, {"state": DEEP})
    put(folder / "jobs" / "20260101-000000-ab" / "progress-0.jsonl", json.dumps(LINE) + "\n")
    return folder


# tokenizer.json


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


def replace(pattern, content):
    return {"type": "Replace", "pattern": pattern, "content": content}


def charsmap(longest):
    import base64

    return base64.b64encode(struct.pack("<II", 4, 0) + b"x" * longest + b"\0").decode()


SOUND = tokenizer()
POST = SOUND["post_processor"]
MODEL = SOUND["model"]
TOKENIZERS = {
    "of_a_template_that_lacks_a_token": {"post_processor": POST | {"special_tokens": {}}},
    "that_goes_back_for_ever": {"normalizer": replace({"Regex": "(a|a|ab|b| )*c"}, "x")},
    "that_splits_for_ever": {
        "pre_tokenizer": {
            **{"type": "Split", "pattern": {"Regex": "(a|a|ab|b| )*c"}},
            **{"behavior": "Isolated", "invert": False},
        }
    },
    "that_grows_a_thousandfold": {"normalizer": replace({"String": "a"}, "a" * 1000)},
    "that_grows_step_by_step": {
        "normalizer": {"type": "Sequence", "normalizers": [replace({"String": "a"}, "aa")] * 30}
    },
    "that_grows_by_bytes": {
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "ByteLevel"}] * 40}
    },
    "that_grows_by_a_table": {
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": charsmap(5000)}
    },
    "of_a_damaged_table": {
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA////"}
    },
    "of_an_unknown_step": {"normalizer": {"type": "Shell"}},
    "of_nothing": {"normalizer": replace({"String": ""}, "")},
    "of_deep_steps": {
        "normalizer": json.loads('{"type":"Sequence","normalizers":[' * 400 + "]}" * 400)
    },
    "of_long_words": {"model": MODEL | {"max_input_chars_per_word": 10**9}},
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


# damage, types and numbers


@case("text")
def utf16_without_mark(folder):
    return put(folder / "utf-16.txt", "The key.\n".encode("utf-16-le"))


def member(name, content, kind=zipfile.ZIP_DEFLATED):
    """What writes a zip of one member."""

    def write(folder, file="packed.zip"):
        with zipfile.ZipFile(folder / file, "w", kind) as archive:
            archive.writestr(name or zipfile.ZipInfo(name), content, kind)
        return folder / file

    return write


@case("text")
def zip_of_damaged_lzma(folder):
    path = member("a.txt", b"The key was cold. " * 999, zipfile.ZIP_LZMA)(folder)
    data = bytearray(path.read_bytes())
    start = 30 + len("a.txt") + 4
    data[start : start + 5] = b"\xff" * 5
    return put(path, bytes(data))


@case("text")
def zip_of_an_lzma_dictionary_without_end(folder):
    path = member("a.txt", b"The key was cold. " * 999, zipfile.ZIP_LZMA)(folder)
    data = bytearray(path.read_bytes())
    start = 30 + len("a.txt") + 4 + 1
    data[start : start + 4] = b"\xff" * 4
    return put(path, bytes(data))


@case("text")
def xz_of_a_dictionary_without_end(folder):
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}]
    packer = lzma.LZMACompressor(lzma.FORMAT_XZ, filters=[{**filters[0], "dict_size": 1 << 16}])
    data = bytearray(packer.compress(b"The key was cold. " * 999) + packer.flush())
    data[12 + 4] = 40  # the header of the block: a dictionary of 4 GiB - 1
    import zlib

    size = 4 * (data[12] + 1)
    data[12 + size - 4 : 12 + size] = struct.pack("<I", zlib.crc32(data[12 : 12 + size - 4]))
    return put(folder / "text.txt.xz", bytes(data))


@case("text")
def zip_of_a_name_that_is_no_utf8(folder):
    path = member("ключ.txt", b"The key.")(folder)
    return put(
        path, path.read_bytes().replace("ключ".encode(), b"\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8")
    )


@case("text")
def zip_of_an_empty_name(folder):
    return member("", b"The key.")(folder)


@case("model")
def zip_of_an_empty_name_as_a_model(folder):
    return member("", b"1 1\na 1\n")(folder)


@case("model")
def zip_of_something_that_is_no_model(folder):
    return member("card.json", '{"kind": "whatever"}')(folder)


@case("model")
def zip_of_a_classifier_of_nothing(folder):
    return member("card.json", '{"kind": "classifier"}')(folder)


@case("model")
def zip_of_a_nested_card(folder):
    return member("card.json", NESTED)(folder)


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
    "objects": "{'descr': '|O', 'fortran_order': False, 'shape': (2, 2)}",
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


@case("encoded")
def encoded_counts_of_20_digits(folder):
    put(folder / "config.json", {"config": {}})
    put(folder / "words.txt", f"key\t{COUNT}\n")
    np.save(folder / "ids.npy", np.zeros(2, np.int32))
    np.save(folder / "sentences.npy", np.array([0, 2], np.int64))
    np.save(folder / "documents.npy", np.array([0, 1], np.int64))
    return folder


@case("encoded")
def encoded_config_of_wrong_types(folder):
    put(folder / "config.json", {"config": {"min_count": "x"}})
    return folder


@case("seen")
def seen_count_of_5000_digits(folder):
    put(folder / "seen.txt.xz", lzma.compress(b"key\t" + b"9" * 5000 + b"\n"))
    put(folder / "card.json", {"corpus": {"folder": str(folder)}})
    return folder


@case("seen")
def seen_words_that_are_none(folder):
    put(folder / "seen.txt.xz", b"\xfd7zXZ\0" + bytes(range(40)))
    put(folder / "card.json", {"corpus": {"folder": str(folder)}})
    return folder


SOURCE = {"name": "a", "language": "en", "tokens": 1, "sentences": 1, "documents": 1}
PREPARED = {"dtype": "<u2", "vocab_size": 6, "files": [SOURCE]}
PREPARATIONS = {
    "files": {**PREPARED, "files": [1]},
    "keys": {**PREPARED, "files": [{"name": "a"}]},
    "types": {**PREPARED, "files": [SOURCE | {"tokens": "x"}]},
    "name": {**PREPARED, "files": [SOURCE | {"name": "../a"}]},
    "dtype": {**PREPARED, "dtype": "V1000000000"},
    "no_dtype": {"vocab_size": 6, "files": [SOURCE]},
    "vocab_size": {**PREPARED, "vocab_size": "x"},
    "ids": {**PREPARED, "vocab_size": 1},
    "deep": DEEP,
}
for name, about in PREPARATIONS.items():

    def write_prepared(folder, about=about):
        put(folder / "prepared.json", about)
        for ending, kind in (("ids", "<u2"), ("sentences", "<u2"), ("documents", "<u4")):
            put(folder / f"a.{ending}", np.ones(1, kind).tobytes())
        return folder

    CASES[f"prepared_{name}"] = ("prepared", write_prepared)

TRANSLATORS = {
    "text": {"vocab_size": "many"},
    "list": {"hidden_size": [128]},
    "null": {"dropout": None},
    "truth": {"norm_first": "yes"},
    "large": {"vocab_size": 10**30},
    "unknown": {"colour": 1},
    "nan": {"dropout": float("nan")},
}
for name, changes in TRANSLATORS.items():

    def write_translator(folder, changes=changes):
        put(folder / "config.json", {"model_type": "translation", **changes})
        safetensors(folder / "model.safetensors", {"a": np.zeros(1, np.float32)})
        return folder

    CASES[f"translator_{name}"] = ("translator", write_translator)

CLASSIFIERS = {
    "no_labels": {},
    "labels_of_lists": {"labels": [["a"], ["b"]]},
    "labels_of_numbers": {"labels": [1, 2]},
    "names": {"labels": ["a", "b"], "names": [1, 2]},
    "longest": {"labels": ["a", "b"], "longest": "x"},
    "pooling": {"labels": ["a", "b"], "pooling": ["mean"]},
    "many_labels": {"labels": [f"{number:x}" for number in range(400_000)]},
}
for name, changes in CLASSIFIERS.items():

    def write_classifier(folder, changes=changes):
        sound_network(folder / "base")
        put(folder / "head" / "config.json", {"model_type": "classification", **changes})
        head = {
            "output.weight": np.zeros((2, 24), np.float16),
            "output.bias": np.zeros(2, np.float16),
        }
        safetensors(folder / "head" / "model.safetensors", head)
        return folder

    CASES[f"classifier_{name}"] = ("classifier", write_classifier)


def sound_network(folder, **changes):
    """A small BERT with the tokenizer above."""
    from embeddings.models.bert import new_network
    from embeddings.models.bert_config import NetworkConfig
    from embeddings.models.huggingface_folder import save_network

    sizes = {"vocab_size": 6, "hidden_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2}
    folder.mkdir(parents=True)
    config = NetworkConfig(**sizes, intermediate_size=24, max_position_embeddings=512)
    save_network(new_network(config), folder)
    put(folder / "tokenizer.json", tokenizer(**changes))
    return folder


TYPES = json.loads(json.dumps(POST).replace('"type_id": 1', '"type_id": 7'))


@case("network")
def network_of_a_type_past_its_table(folder):
    return sound_network(folder / "net", post_processor=TYPES)


@case("network")
def network_of_an_id_past_its_table(folder):
    vocab = MODEL["vocab"] | {"ab": 999}
    return sound_network(folder / "net", model=MODEL | {"vocab": vocab})


@case("network")
def network_of_a_special_id_past_its_table(folder):
    special = POST["special_tokens"] | {"[SEP]": {"id": "[SEP]", "ids": [77], "tokens": ["[SEP]"]}}
    return sound_network(folder / "net", post_processor=POST | {"special_tokens": special})


def with_weights(change):
    """What writes a sound network, its weights changed."""

    def write(folder):
        from safetensors.numpy import load_file

        net = sound_network(folder / "net")
        safetensors(net / "model.safetensors", change(load_file(net / "model.safetensors")))
        return net

    return write


QUERY = "bert.encoder.layer.0.attention.self.query.weight"
WEIGHTS = {
    "of_no_dimension": lambda w: w | {QUERY: np.array(1, np.float32)},
    "of_other_columns": lambda w: w | {QUERY: np.zeros((24, 7), np.float32)},
    "of_no_rows": lambda w: w | {QUERY: np.zeros((0, 24), np.float32)},
}
for name, change in WEIGHTS.items():
    CASES[f"network_{name}"] = ("network", with_weights(change))


@case("network")
def network_of_positions_without_dimension(folder):
    net = sound_network(folder / "net")
    config = json.loads((net / "config.json").read_text()) | {"model_type": "roberta"}
    put(net / "config.json", config)
    safetensors(
        net / "model.safetensors",
        {
            "roberta.embeddings.position_embeddings.weight": np.array(1, np.float32),
            "roberta.embeddings.token_type_embeddings.weight": np.array(1, np.float32),
        },
    )
    return net
