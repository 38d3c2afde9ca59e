"""``klyuch cluster``, and ``--cluster`` of the commands that take it."""

import pytest

from embeddings.cluster.connection import local_cluster
from embeddings.corpora.encoded_corpus import FILES

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(scope="module")
def address():
    with local_cluster(1, processes=False) as started:
        yield started.scheduler_address


def test_a_corpus_encoded_on_a_cluster_is_that_of_one_machine(run, tmp_path, address):
    text = tmp_path / "text.txt"
    text.write_text("the key and the door\n\nthe key of the garden\n" * 50, encoding="utf-8")
    encode = ("corpus", "encode", text, "--json", "--output")
    alone = run(*encode, tmp_path / "one").json
    together = run(*encode, tmp_path / "many", "--cluster", address).json
    assert alone == together | {"folder": str(tmp_path / "one")}
    assert all(
        (tmp_path / "one" / name).read_bytes() == (tmp_path / "many" / name).read_bytes()
        for name in FILES
    )


@pytest.mark.parametrize("options", [(), ("--keep-case", "--min-count", 2), ("--lemmas", "en")])
def test_a_text_counted_on_a_cluster_is_counted_as_on_one_machine(run, tmp_path, address, options):
    text = tmp_path / "text.txt"
    text.write_text("The keys and the door\n\nthe key of the garden\n" * 50, encoding="utf-8")
    count = ("corpus", "count", text, "--json")
    sizes = [run(*count), run(*count, "--cluster", address)]
    for name, spread in (("one", ()), ("many", ("--cluster", address))):
        sizes.append(run(*count, "--frequencies", tmp_path / f"{name}.tsv", *options, *spread))
    expected = {"words": 500, "sentences": 100, "documents": 51}
    assert [said.json for said in sizes] == [expected] * 4
    listed = (tmp_path / "one.tsv").read_bytes()
    assert listed == (tmp_path / "many.tsv").read_bytes()
    first = {"": b"the\t200\n", "--keep-case": b"the\t150\n", "--lemmas": b"the\t200\n"}
    assert listed.startswith(first["".join(map(str, options[:1]))])
    assert (b"\nkey\t100\n" in listed) == ("--lemmas" in options)


def test_a_port_that_is_taken_is_one_sentence(run, address):
    said = run("cluster", "local", "--port", address.rpartition(":")[2]).refusal
    assert said.startswith("Port ")
