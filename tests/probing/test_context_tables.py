"""Tables of type-averaged vectors: averages by hand, sampling, reduction, folders, neighbours, refusals."""

import json
from dataclasses import replace

import numpy as np
import pytest

from embeddings.corpora.sentence_sampling import Sample, TableConfig, sample_sentences
from embeddings.errors import CheckpointError, InputError
from embeddings.files import WEIGHTS, sha256, write_json
from embeddings.probing.context_states import word_states
from embeddings.probing.contextual_neighbours import (
    build_table,
    check_network,
    near,
    open_table,
    parse_layers,
    table_baselines,
    table_card,
    write_table,
)
from embeddings.probing.sentence_answers import Reduction
from embeddings.vectors.table import Vectors
from tests.probing.conftest import cosine

TEXT = """Старик вынул ключ и отпер дверь. Ключ скрипел в замке. Дверь была стара!

Холодный ключ бил из-под камня. Вода в реке была холодна. Камень лежал у воды.
Старик пил воду у камня. В реке плавала рыба, и старик её видел. Он видел воду."""
CONFIG = TableConfig(words=12, sentences=2, layers="1-2", vector_size=0)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "ru_x.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def sample(source):
    return sample_sentences([source], CONFIG, extra=["рыба", "слон"])


@pytest.fixture(scope="module")
def table(reader, sample):
    return build_table(reader, sample, CONFIG, "abc")[0]


def test_the_commonest_words_are_kept_with_their_counts(sample):
    counts = dict(zip(sample.words, sample.counts, strict=True))
    assert counts["старик"] == 3
    assert counts["ключ"] == 3
    assert counts["рыба"] == 1  # asked for
    assert "слон" not in counts  # asked for and not there
    assert "скрипел" not in counts  # once
    assert list(sample.counts) == sorted(sample.counts, reverse=True)


def test_every_word_has_its_sentences_as_far_as_the_text_goes(sample):
    met = np.zeros(len(sample.words), int)
    for text, spans in sample.sentences:
        for row, start, end in spans:
            assert text[start:end].lower() == sample.words[row]
            met[row] += 1
    assert (met >= np.minimum(2, sample.counts)).all()


def test_case_is_kept_on_request_and_a_large_corpus_is_read_in_part(source):
    kept = sample_sentences([source], replace(CONFIG, lower=False, words=100))
    assert "Старик" in kept.words  # twice with a capital
    assert "старик" not in kept.words  # once without
    little = sample_sentences([source], replace(CONFIG, megabytes=60e-6, words=100), ["ключ"])
    assert little.read < kept.read


def test_rows_are_averages_over_occurrences_and_layers(reader, sample, table):
    found = []
    for row in range(len(sample.words)):
        places = [
            (text, (start, end))
            for text, spans in sample.sentences
            for own, start, end in spans
            if own == row
        ]
        found.append(word_states(reader, places).vectors[:, [1, 2]].mean((0, 1)))
    expected = np.array(found) - np.mean(found, 0)
    assert table.vectors.words == sample.words
    assert table.layers == (1, 2)
    size = min(len(found), 24)
    assert table.vectors.vector_size == size == table.components.shape[0]
    np.testing.assert_allclose(table.components @ table.components.T, np.eye(size), atol=1e-4)
    np.testing.assert_allclose(table.vectors.matrix, expected @ table.components.T, atol=1e-4)
    back = table.vectors.matrix @ table.components
    np.testing.assert_allclose(back, expected, atol=1e-4)  # nothing is lost with all components


def test_fewer_components_keep_less_and_say_how_much(reader, sample):
    whole, all_of_it = build_table(reader, sample, CONFIG)
    small, part = build_table(reader, sample, replace(CONFIG, vector_size=3))
    assert small.vectors.vector_size == 3
    assert all_of_it.variance == pytest.approx(1, abs=1e-5)
    spread = whole.vectors.matrix.var(0)
    assert part.variance == pytest.approx(spread[:3].sum() / spread.sum(), rel=1e-4)
    np.testing.assert_allclose(small.vectors.matrix, whole.vectors.matrix[:, :3], atol=1e-4)


def test_a_word_in_context_is_mapped_as_the_table_was(reader, sample, table):
    text, spans = next(one for one in sample.sentences if "замке" in one[0])
    _, start, end = next(span for span in spans if sample.words[span[0]] == "ключ")
    states = word_states(reader, [(text, (start, end))]).vectors[0]
    query = table.vector(states)
    np.testing.assert_allclose(
        query, table.components @ (states[[1, 2]].mean(0) - table.mean), atol=1e-5
    )
    cosines = table.vectors.unit @ (query / np.linalg.norm(query))
    order = np.argsort(-cosines)
    found = near(table, states, (0, 0), 3)
    assert [one.word for one in found] == [table.vectors.words[i] for i in order[:3]]
    np.testing.assert_allclose([one.centred for one in found], cosines[order[:3]], atol=1e-5)
    without = near(table, states, (0, 0), 20, without=["ключ", "нету"])
    assert len(without) == len(table.vectors) - 1
    assert "ключ" not in [one.word for one in without]


def written(table, sample, tmp_path):
    table.vectors.name, table.vectors.language = "ru-bert", "ru"
    reduction = Reduction(3, 24, 0.5)
    card = table_card(table, reduction, sample, CONFIG, {"name": "x", "licence": "CC0"})
    write_table(table, tmp_path / "ru-bert", {"layers": "1-2"}, card)
    return tmp_path / "ru-bert"


def test_a_folder_gives_the_table_back_and_opens_as_any_static_model(table, sample, tmp_path):
    folder = written(table, sample, tmp_path)
    again = open_table(folder)
    assert again.layers == (1, 2)
    assert again.network == "abc"
    np.testing.assert_array_equal(again.mean, table.mean)
    np.testing.assert_allclose(again.components, table.components, atol=1e-3)
    static = Vectors.load(folder)
    assert (static.method, static.language, static.words) == ("bert", "ru", table.vectors.words)
    np.testing.assert_allclose(static.unit, table.vectors.unit, atol=0.02)
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    assert card["kind"] == "static"
    assert card["network"] == {"layers": [1, 2], "sha256": "abc"}
    assert card["reduction"] == {"vector_size": 3, "before": 24, "variance": 0.5}
    assert card["corpus"]["sentences"] == len(sample.sentences)
    assert set(card["files"]) >= {"projection.safetensors", "vectors.safetensors"}


def test_a_damaged_map_and_a_model_without_one_are_refused(table, sample, tmp_path):
    folder = written(table, sample, tmp_path)
    data = bytearray((folder / "projection.safetensors").read_bytes())
    data[-1] ^= 1
    (folder / "projection.safetensors").write_bytes(bytes(data))
    with pytest.raises(CheckpointError, match=r"projection.safetensors is damaged"):
        open_table(folder)
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    del card["network"]
    write_json(folder / "card.json", card)
    with pytest.raises(CheckpointError, match="no table of contextual vectors"):
        open_table(folder)


def test_another_network_is_refused(table, tiny_bert):
    with pytest.raises(CheckpointError, match="made from another network"):
        check_network(table, tiny_bert)
    check_network(replace(table, network=sha256(tiny_bert / WEIGHTS)), tiny_bert)
    with pytest.raises(InputError, match="made from a network of hidden_size 24"):
        near(table, np.zeros((3, 16), np.float32), (0, 0))
    with pytest.raises(InputError, match="too few layers"):
        near(table, np.zeros((2, 24), np.float32), (0, 0))


@pytest.mark.parametrize(
    ("layers", "expected"), [("0", (0,)), ("-1", (2,)), (" 0-2 ", (0, 1, 2)), ("1-1", (1,))]
)
def test_layers_are_read(reader, layers, expected):
    assert parse_layers(reader, layers) == expected


@pytest.mark.parametrize("layers", ["", "two", "2-1", "1,2"])
def test_what_is_no_layer_is_refused(reader, layers):
    with pytest.raises(InputError, match="is no layer or range of layers"):
        parse_layers(reader, layers)


def test_text_without_words_and_sentences_that_are_too_long_are_refused(reader, tmp_path):
    path = tmp_path / "ru_short.txt"
    path.write_text("12345 67890 12345 67890 12345.\n", encoding="utf-8")
    with pytest.raises(InputError, match="too few words that occur twice"):
        sample_sentences([path], CONFIG)
    long = "ключ " * 100
    spans = tuple((0, 5 * i, 5 * i + 4) for i in range(100))
    with pytest.raises(InputError, match="too few words"):
        build_table(reader, Sample(("ключ",), (100,), ((long, spans),), 100), CONFIG)


def test_beside_the_centred_cosine_stand_the_plain_one_and_those_of_random_pairs(reader, table):
    texts = [line for line in TEXT.split("\n") if line]
    states = word_states(reader, [(texts[0], (13, 17)), (texts[1], (0, 8)), (texts[2], (0, 6))])
    compared = near(table, states.vectors[0], table_baselines(table, states.vectors[1:]), 4)

    rows = {w: table.vectors.matrix[i].astype(float) for i, w in enumerate(table.vectors.words)}
    whole = {w: row @ table.components + table.mean for w, row in rows.items()}
    points = [table.components @ (v[1:].mean(0) - table.mean) for v in states.vectors]
    raw = [point @ table.components + table.mean for point in points]
    pairs = [cosine(raw[i], row) for i in (1, 2) for row in whole.values()]
    centred = [cosine(points[i], row) for i in (1, 2) for row in rows.values()]
    for one in compared:
        assert one.centred == pytest.approx(cosine(points[0], rows[one.word]), abs=1e-5)
        assert one.cosine == pytest.approx(cosine(raw[0], whole[one.word]), abs=1e-5)
        assert one.baseline == pytest.approx(np.mean(pairs), abs=1e-5)
        assert one.centred_baseline == pytest.approx(np.mean(centred), abs=1e-5)
