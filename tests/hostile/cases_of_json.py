"""JSON that breaks who reads it later: cards and jobs."""

import json

import numpy as np

from tests.hostile.hostile_inputs import CASES, DEEP, NESTED, case, put, safetensors


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


CHANGES = {
    "format": "klyuch-change-1",
    "kind": "change",
    "first": "a",
    "second": "b",
    "measured": 1,
}
CHANGES |= {"documents": [1, 2], "tokens": [3, 4], "permutations": 5, "retrainings": 4}
CHANGES |= {"words": [], "settings": {}}
REPORTS = {
    "changes_infinite": json.dumps(CHANGES).replace("5", "1e999"),
    "changes_of_one_side": json.dumps({**CHANGES, "documents": [1]}),
    "changes_measured_infinite": json.dumps(CHANGES).replace('"measured": 1', '"measured": 1e999'),
}
for name, content in REPORTS.items():
    CASES[name] = ("change_report", lambda folder, text=content: put(folder / "a.json", text))


@case("associations")
def association_lists_nested_without_end(folder):
    return put(folder / "a.toml", "X = " + "[" * 100_000)
