"""Shares of the server's time: read from what faulthandler writes, grouped by library."""

import faulthandler
import json

from benchmarks.clicks_profile import profile_experiment, shares
from benchmarks.profiled_server import read_samples
from benchmarks.source_tree import ROOT
from embeddings.lab.experiment_files import parse, to_json

PACKAGES = "/home/x/.venv/lib/python3.11/site-packages"
SEARCH = f"{ROOT}/embeddings/vectors/search.py", "_cosines"
DRAW = f"{ROOT}/app/figures/points.py", "scatter"
FIGURE = f"{PACKAGES}/plotly/basedatatypes.py", "__setitem__"
COLOUR = f"{PACKAGES}/_plotly_utils/colors.py", "validate"
MESSAGE = f"{PACKAGES}/google/protobuf/message.py", "CopyFrom"
MODULE = f"{PACKAGES}/threadpoolctl.py", "info"
WRITE = "/usr/lib/python3.11/selectors.py", "select"
FROZEN = "<frozen genericpath>", "isfile"


def test_the_innermost_function_of_each_sample_is_read(tmp_path):
    def take_sample(file):
        faulthandler.dump_traceback(file, all_threads=False)

    with (tmp_path / "samples").open("wb", buffering=0) as file:
        take_sample(file)
        take_sample(file)
    text = (tmp_path / "samples").read_text()
    assert text.count("File") > 4  # the callers are written, too
    assert read_samples(text) == [(__file__, "take_sample")] * 2


def test_samples_count_to_the_library_of_their_file_and_own_code_lies_in_the_checkout():
    samples = [SEARCH] * 5 + [DRAW] * 3 + [FIGURE, COLOUR] + [MESSAGE, MODULE] + [WRITE] * 7
    rows = shares([*samples, FROZEN])["libraries"]
    assert [(row["library"], row["samples"], row["percent"]) for row in rows] == [
        ("own code", 8, 40.0),
        ("Python", 8, 40.0),
        ("plotly", 2, 10.0),
        ("protobuf", 1, 5.0),
        ("threadpoolctl", 1, 5.0),
    ]


def test_a_virtual_environment_in_the_checkout_is_no_own_code():
    inside = str(ROOT / ".venv/lib/python3.11/site-packages/numpy/linalg/_linalg.py")
    (row,) = shares([(inside, "eigh")])["libraries"]
    assert row["library"] == "numpy"


def test_functions_that_took_most_are_named_with_their_path_in_the_library():
    others = [(f"{PACKAGES}/pandas/core/x.py", f"f{number}") for number in range(30)]
    rows = shares([FIGURE] * 4 + [SEARCH] * 6 + [WRITE] * 10 + others)["functions"]
    assert [(row["library"], row["function"], row["percent"]) for row in rows[:3]] == [
        ("Python", "selectors.py: select", 20.0),
        ("own code", "embeddings/vectors/search.py: _cosines", 12.0),
        ("plotly", "plotly/basedatatypes.py: __setitem__", 8.0),
    ]
    assert len(rows) == 12
    assert {row["percent"] for row in rows[3:]} == {2.0}


def test_the_shares_of_pages_are_an_experiment_that_can_be_read():
    pages = [
        {kind: [{"page": page, **row} for row in rows] for kind, rows in shares(samples).items()}
        for page, samples in (("explore", [SEARCH, WRITE]), ("contexts", [FIGURE]))
    ]
    experiment = profile_experiment({"command": "x", "commit": "abc", "pages": pages})
    assert parse(json.loads(json.dumps(to_json(experiment, {}))))[0] == experiment
    assert [table.name for table in experiment.tables] == ["clicks_libraries", "clicks_functions"]
    assert [row[:2] for row in experiment.tables[0].rows] == [
        ("explore", "own code"),
        ("explore", "Python"),
        ("contexts", "plotly"),
    ]
