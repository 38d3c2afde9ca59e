"""Large networks: weights stay in their file, and one that does not fit into memory is refused before it is read."""

import sys
from pathlib import Path

import pytest
import torch

from embeddings import machine_memory
from embeddings.errors import InputError
from embeddings.files import WEIGHTS
from embeddings.networks import huggingface_folder
from embeddings.networks.bert import new_network
from embeddings.networks.huggingface_folder import open_network, save_network
from tests.networks.test_networks import CONFIGS, ids

IDS = ids()


@pytest.fixture(params=["bert", "albert"])
def saved(request, tmp_path):
    network = new_network(CONFIGS[request.param]).eval()
    save_network(network, tmp_path)
    return tmp_path, network


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_weights_of_a_large_file_stay_mapped_and_give_the_same_states(saved, monkeypatch):
    folder, network = saved
    monkeypatch.setattr(huggingface_folder, "MAPPED_PAST", 0)
    mapped = open_network(folder)
    address = mapped.encoder.inputs.tokens.weight.data_ptr()
    ranges = [
        tuple(int(end, 16) for end in line.split()[0].split("-"))
        for line in Path("/proc/self/maps").read_text().splitlines()
        if line.endswith(str(folder / WEIGHTS))
    ]
    assert any(start <= address < end for start, end in ranges)
    with torch.no_grad():
        torch.testing.assert_close(mapped.encoder(IDS).last, network.encoder(IDS).last)
        found, wanted = (net.tokens(net.encoder(IDS).last) for net in (mapped, network))
    torch.testing.assert_close(found, wanted)
    (folder / "new").write_bytes(b"another file")
    (folder / "new").replace(folder / WEIGHTS)  # weights that are open stay as they were
    with torch.no_grad():
        torch.testing.assert_close(mapped.encoder(IDS).last, network.encoder(IDS).last)


def test_training_a_mapped_network_leaves_its_file_as_it_is(saved, monkeypatch):
    folder, _ = saved
    monkeypatch.setattr(huggingface_folder, "MAPPED_PAST", 0)
    before = (folder / WEIGHTS).read_bytes()
    network = open_network(folder).train()
    table = network.encoder.inputs.tokens.weight
    assert network.tokens.decoder.weight is table
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    network.tokens(network.encoder(IDS).last).square().sum().backward()
    old = table.detach().clone()
    optimizer.step()
    assert not torch.equal(table, old)
    assert (folder / WEIGHTS).read_bytes() == before


def test_a_network_that_needs_more_memory_than_is_free_is_refused_unread(saved, monkeypatch):
    folder, network = saved
    numbers = sum(p.numel() for p in network.parameters())
    needed = (4 * numbers + huggingface_folder.WORKING) >> 20
    monkeypatch.setattr(huggingface_folder, "free_memory", lambda: None)  # the system does not say
    assert open_network(folder).config == network.config
    monkeypatch.setattr(huggingface_folder, "free_memory", lambda: 100 << 20)
    monkeypatch.setattr(huggingface_folder, "load_file", None)  # a call of it would be no refusal
    with pytest.raises(InputError, match=rf"about {needed} MB of memory, 100 MB are free"):
        open_network(folder)


def test_free_memory_is_what_the_container_leaves_where_that_is_less(tmp_path, monkeypatch):
    monkeypatch.setattr(machine_memory, "_SYSTEM", tmp_path / "meminfo")
    monkeypatch.setattr(machine_memory, "_GROUP", tmp_path)
    assert machine_memory.free_memory() is None
    (tmp_path / "meminfo").write_text("MemTotal: 9000 kB\nMemAvailable:    5000 kB\n")
    assert machine_memory.free_memory() == 5000 * 1024
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("3000000\n")
    assert machine_memory.free_memory() == 5000 * 1024
    (tmp_path / "memory.max").write_text("4000000\n")
    (tmp_path / "memory.stat").write_text("anon 7\ninactive_file 500000\n")
    assert machine_memory.free_memory() == 1_500_000
