"""Hostile `tokenizer.json` files."""

import json
import struct

from tests.hostile.hostile_inputs import CASES, DEEP, put
from tests.hostile.sound_inputs import MODEL, POST, tokenizer


def replace(pattern, content):
    return {"type": "Replace", "pattern": pattern, "content": content}


def charsmap(longest):
    import base64

    return base64.b64encode(struct.pack("<II", 4, 0) + b"x" * longest + b"\0").decode()


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
