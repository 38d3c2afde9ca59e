"""Hostile `tokenizer.json` files."""

import json

from tests.hostile.hostile_inputs import CASES, DEEP, put
from tests.hostile.sound_inputs import MODEL, POST, tokenizer

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
