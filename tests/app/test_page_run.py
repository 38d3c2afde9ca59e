"""A run of a page looks at the shelf once."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from app import answers
from app.answers import once_per_run, page_run
from app.server import multiply_on_one_core
from embeddings.shelf import Entry


def test_the_shelf_is_looked_at_once_a_run_and_anew_by_the_next(tmp_path):
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    entry = Entry("a", "static", "", "", tmp_path)
    with page_run():
        before = answers.model_key(entry)
        (tmp_path / "config.json").write_text('{"a": 1}', encoding="utf-8")
        assert answers.model_key(entry) == before
    after = answers.model_key(entry)
    assert after == entry.stamp != before
    with page_run():
        assert answers.model_key(entry) == after


def test_what_refuses_is_asked_again_in_the_same_run():
    asked = []

    @once_per_run
    def refuse(name):
        asked.append(name)
        raise ValueError(name)

    with page_run():
        for _ in range(2):
            with pytest.raises(ValueError, match="a"):
                refuse("a")
    assert asked == ["a", "a"]


def test_the_servers_numpy_multiplies_on_one_core():
    np.ones((2, 2)) @ np.ones((2, 2))
    before = {pool["filepath"]: pool["num_threads"] for pool in threadpool_info()}
    try:
        multiply_on_one_core()
        assert {p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas"} == {1}
    finally:
        from threadpoolctl import ThreadpoolController

        for pool in ThreadpoolController().lib_controllers:
            pool.set_num_threads(before[pool.filepath])
