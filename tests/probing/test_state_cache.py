"""States of texts on disk: given back to the bit, missed by another network, bounded, damage dropped and computed anew."""

import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from embeddings.networks.bert import new_network
from embeddings.networks.huggingface_folder import open_network, save_network
from embeddings.probing import state_cache
from embeddings.probing import text_states as module
from embeddings.probing.anisotropy import blanked
from embeddings.probing.context_states import word_states
from embeddings.probing.network import open_reader
from embeddings.probing.state_cache import NAME, StateCache, network_key, text_key
from embeddings.probing.substitutes import substitutes
from embeddings.probing.text_states import keep_states, text_states, with_cache

TEXTS = ["She sat on the bank of the river.", "He turned the key.", "The old man opened the door."]
OCCURRENCES = [
    (text, (text.index(word), text.index(word) + len(word)))
    for text, word in zip(TEXTS, ("bank", "key", "door"), strict=True)
]
GENERATOR = np.random.default_rng(3)


def states_of(texts, tokens=5, layers=3):
    return {text: GENERATOR.random((layers, tokens, 8), np.float32) for text in texts}


@pytest.fixture
def cache(tmp_path):
    return StateCache(tmp_path / NAME, "network", 8)


@pytest.fixture
def large(tiny_bert, tmp_path, monkeypatch):
    """The tiny network, counted as a large one, in float32 so that it can be held to the others."""
    monkeypatch.setattr(module, "LARGE", 0)
    monkeypatch.setattr(module, "bfloat16_is_faster", lambda: False)
    return with_cache(open_reader(tiny_bert), tiny_bert, tmp_path)


def run(cache, statement, *values):
    with closing(sqlite3.connect(cache.path)) as base, base:
        return base.execute(statement, values).fetchall()


def test_states_come_back_to_the_bit_in_the_layers_that_are_asked_for(cache):
    states = states_of([b"a", b"b"])
    cache.write(states, [0, 1, 2])
    back = StateCache(cache.path, "network", 8).read([b"b", b"c", b"a"], [2, 0])
    assert set(back) == {b"a", b"b"}
    for text, layers in back.items():
        np.testing.assert_array_equal(layers, states[text][[2, 0]])
    assert cache.read([b"a"], [0, 3]) == {}
    assert cache.has(b"a", [2, 0])
    assert not cache.has(b"a", [0, 3])
    assert not cache.has(b"c", [0])


def test_another_network_misses_and_so_does_another_text_or_segment(cache):
    cache.write(states_of([text_key([5, 6], [0, 0])]), [0, 1, 2])
    assert StateCache(cache.path, "other", 8).read([text_key([5, 6], [0, 0])], [0]) == {}
    assert cache.read([text_key([6, 5], [0, 0]), text_key([5, 6], [0, 1])], [0]) == {}


def test_a_network_is_another_one_once_a_weight_a_setting_or_the_number_format_changes(
    tiny_bert, tmp_path
):
    folder = tmp_path / "net"
    shutil.copytree(tiny_bert, folder)
    keys = [network_key(folder, "float32"), network_key(folder, "bfloat16")]
    network = open_network(tiny_bert)
    save_network(new_network(network.config, seed=9), folder)
    keys.append(network_key(folder, "float32"))
    config = folder / "config.json"
    config.write_text(config.read_text().replace("1e-12", "1e-05"))
    keys.append(network_key(folder, "float32"))
    assert len(set(keys)) == 4
    assert network_key(tiny_bert, "float32") == keys[0]  # of the files, not of their place


def test_past_its_bound_what_was_not_asked_for_longest_goes_and_the_file_shrinks(cache):
    cache.bound = 40 * 5 * 8 * 4  # forty rows of five tokens
    for number in range(13):
        cache.write(states_of([bytes([number])]), [0, 1, 2])
    size = cache.path.stat().st_size
    assert set(cache.read([b"\x00"], [0, 1, 2])) == {b"\x00"}  # asked for now
    cache.write(states_of([b"new"]), [0, 1, 2])
    kept = run(cache, "SELECT DISTINCT text FROM states")
    assert (b"\x00",) in kept
    assert (b"new",) in kept
    assert (b"\x01",) not in kept
    assert run(cache, "SELECT SUM(size) FROM states")[0][0] <= cache.bound
    for number in range(60):
        cache.write(states_of([b"more%d" % number]), [0, 1, 2])
    assert cache.path.stat().st_size <= size + (64 << 10)


def test_a_damaged_row_is_dropped_and_told(cache, caplog):
    cache.write(states_of([b"a", b"b"]), [0, 1, 2])
    run(cache, "UPDATE states SET numbers = zeroblob(size) WHERE text = ? AND layer = 1", b"a")
    assert set(cache.read([b"a", b"b"], [0, 1, 2])) == {b"b"}
    assert "damaged and computed anew" in caplog.text
    assert run(cache, "SELECT layer FROM states WHERE text = ?", b"a") == [(0,), (2,)]


@pytest.mark.parametrize("damage", [b"no database at all, but text", b""])
def test_a_damaged_file_is_begun_anew(cache, damage, caplog):
    cache.write(states_of([b"a"]), [0, 1, 2])
    whole = cache.path.read_bytes()
    cache.path.write_bytes(damage or whole[:100] + b"\xff" * (len(whole) - 100))
    assert cache.read([b"a"], [0]) == {}
    assert "damaged" in caplog.text
    cache.write(states_of([b"a"]), [0, 1, 2])
    assert set(cache.read([b"a"], [0, 1, 2])) == {b"a"}


def test_a_cache_that_cannot_be_written_is_as_none(tmp_path):
    (tmp_path / "file").write_text("in the way")
    cache = StateCache(tmp_path / "file" / NAME, "network", 8)
    cache.write(states_of([b"a"]), [0, 1, 2])
    assert cache.read([b"a"], [0]) == {}


def test_a_full_disk_costs_what_is_kept_and_nothing_else(large, tiny_bert, monkeypatch, caplog):
    connect = sqlite3.connect

    def connect_to_full_disk(*args, **settings):
        base = connect(*args, **settings)
        base.execute("PRAGMA max_page_count = 2")  # SQLite then says that the disk is full
        return base

    large.cache.path.unlink()
    monkeypatch.setattr(sqlite3, "connect", connect_to_full_disk)
    got = word_states(large, OCCURRENCES)
    wanted = word_states(open_reader(tiny_bert), OCCURRENCES)
    np.testing.assert_allclose(got.vectors, wanted.vectors, atol=2e-6)
    assert "full" in caplog.text


def test_a_file_that_another_process_holds_is_waited_for_once_and_then_left_alone(
    cache, monkeypatch, caplog
):
    monkeypatch.setattr(state_cache, "PATIENCE", 0.2)
    cache.write(states_of([b"a"]), [0, 1, 2])
    with closing(sqlite3.connect(cache.path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert cache.read([b"a"], [0]) == {}
        assert "locked" in caplog.text
        monkeypatch.setattr(state_cache, "PATIENCE", 60)
        begun = time.monotonic()
        cache.write(states_of([b"b"]), [0, 1, 2])
        assert cache.read([b"b"], [0]) == {}
        assert time.monotonic() - begun < 30
    assert set(StateCache(cache.path, "network", 8).read([b"a"], [0])) == {b"a"}


WRITER = """
import sys
from pathlib import Path
import numpy as np
from embeddings.probing.state_cache import StateCache
cache = StateCache(Path(sys.argv[1]), "network", 8)
for number in range(40):
    key = f"{sys.argv[2]} {number}".encode()
    cache.write({key: np.full((3, 5, 8), number, np.float32)}, [0, 1, 2])
    assert set(cache.read([key], [0, 1, 2])) == {key}
"""


def test_two_processes_write_the_same_file_at_once(cache):
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(cache.path), name]) for name in "ab"
    ]
    assert [writer.wait(120) for writer in writers] == [0, 0]
    keys = [f"{name} {number}".encode() for name in "ab" for number in range(40)]
    kept = cache.read(keys, [0, 1, 2])
    assert set(kept) == set(keys)
    assert all((kept[key] == int(key.split()[1])).all() for key in keys)


def test_the_file_holds_no_text_and_is_its_owners_alone(large):
    word_states(large, OCCURRENCES)
    substitutes(large, OCCURRENCES, 5)
    stored = large.cache.path.read_bytes().lower()
    for word in ("river", "turned", "opened"):
        assert not any(word.encode(coding) in stored for coding in ("utf-8", "utf-16-le"))
    for text in TEXTS:
        ids = np.array(large.wordpiece.encode(text).ids)
        assert not any(ids.astype(kind).tobytes() in stored for kind in ("<i8", "<i4", "<u2"))
    assert large.cache.path.stat().st_mode & 0o077 == 0


def test_vectors_and_substitutes_through_the_cache_are_those_without_it(
    large, tiny_bert, monkeypatch
):
    plain = open_reader(tiny_bert)
    wanted = word_states(plain, OCCURRENCES)
    best = substitutes(plain, OCCURRENCES, 5)
    first = word_states(large, OCCURRENCES)
    np.testing.assert_allclose(first.vectors, wanted.vectors, atol=2e-6)
    found = substitutes(large, OCCURRENCES, 5)
    np.testing.assert_array_equal(found.ids, best.ids)
    np.testing.assert_allclose(found.probabilities, best.probabilities, rtol=1e-4)
    monkeypatch.setattr(module, "_computed", None)  # from here on nothing is computed
    np.testing.assert_array_equal(word_states(large, OCCURRENCES).vectors, first.vectors)
    np.testing.assert_array_equal(substitutes(large, OCCURRENCES, 5).ids, best.ids)


def test_what_was_read_before_is_not_read_again_and_progress_counts_all(large, monkeypatch):
    read = [large.wordpiece.encode(text) for text in TEXTS]
    text_states(large, read[:1], [0, 1, 2])
    computed = []
    real = module._computed
    monkeypatch.setattr(
        module,
        "_computed",
        lambda r, texts, layers: computed.append(len(texts)) or real(r, texts, layers),
    )
    told = []
    blanks = [large.wordpiece.encode(text) for text, _ in blanked(large, OCCURRENCES)]
    asked = [(tokens, (0, 1, 2)) for tokens in read] + [(tokens, (2,)) for tokens in blanks]
    keep_states(large, asked, told.append)
    assert sum(computed) == 5
    assert (told[-1].done, told[-1].total) == (6, 6)
    word_states(large, OCCURRENCES)
    assert sum(computed) == 5


def test_a_small_network_keeps_nothing(tiny_bert, tmp_path):
    assert with_cache(open_reader(tiny_bert), tiny_bert, tmp_path).cache is None
    assert (
        module.products_a_token(
            replace(
                open_reader(tiny_bert).config,
                hidden_size=768,
                num_hidden_layers=12,
                num_attention_heads=12,
                intermediate_size=3072,
            )
        )
        == 84_934_656
    )
