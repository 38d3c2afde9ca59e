"""Settings and weights of wrong types and shapes: prepared corpora, translators, classifiers, networks."""

import json

import numpy as np

from tests.hostile.hostile_inputs import CASES, DEEP, case, put, safetensors
from tests.hostile.sound_inputs import MODEL, POST, sound_network

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


@case("training_checkpoint")
def progress_of_a_run_that_is_no_text(folder):
    import torch

    from embeddings.models.bert import new_network
    from embeddings.models.bert_config import NetworkConfig
    from embeddings.training.checkpoints import TrainingFolder
    from tests.hostile.readers import NETWORK

    network = new_network(NetworkConfig(**NETWORK))
    run = TrainingFolder(folder, {"a": 1})
    run.save(1, network, torch.optim.AdamW(network.parameters()), {})
    put(folder / "progress.jsonl", b'{"step": 1, "note": "\x80"}\n')
    return folder
