"""A warm start begins as CBOW: the network guesses a token from its neighbours' vectors before any step."""

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from embeddings.errors import InputError
from embeddings.networks.bert import new_network
from embeddings.networks.bert_config import AlbertConfig, BertConfig, KazanConfig
from embeddings.pretraining.prepared_corpus import PreparedCorpus
from embeddings.results import Progress
from embeddings.static.settings import Word2VecConfig
from embeddings.text.tokenizer import Tokenizer
from embeddings.training.pretraining.warm_start import (
    add_identity,
    start_from_vectors,
    token_vectors,
    warm_matrix,
)
from embeddings.vectors.table import Vectors
from tests.training.small_runs import SMALL, small_run

TOPICS, MEMBERS, WIDTH = 6, 8, 32


TOKENS = tuple(f"t{number}" for number in range(TOPICS * MEMBERS))


SIZES = {
    "vocab_size": len(TOKENS),
    "hidden_size": WIDTH,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 40,
}


@pytest.fixture
def vectors():
    """Six topics of eight tokens: a topic's tokens point one way."""
    generator = np.random.default_rng(5)
    centres = np.repeat(generator.normal(size=(TOPICS, WIDTH)), MEMBERS, axis=0)
    matrix = centres + 0.2 * generator.normal(size=(len(TOKENS), WIDTH))
    counts = np.arange(len(TOKENS), 0, -1, dtype=np.int64) * 10
    return Vectors(TOKENS, matrix.astype(np.float32), counts, name="topics")


def warm_network(vectors, config):
    """A network that begins as these vectors."""
    network = new_network(config, 1)
    start_from_vectors(network, vectors, TOKENS, 0.04)
    return network


def guessed(network):
    """Share of hidden tokens whose topic scores highest, beyond what it scores in any context."""
    network.eval()
    generator = torch.Generator().manual_seed(3)
    rows = []
    for topic in range(TOPICS):
        ids = topic * MEMBERS + torch.randint(1, MEMBERS, (1, 9), generator=generator)
        ids[0, 4] = topic * MEMBERS  # hidden: the caller takes its vector away
        with torch.inference_mode():
            scores = network.tokens(network.encoder(ids).last[0, 4])
        rows.append(scores.view(TOPICS, MEMBERS).mean(1))
    scores = torch.stack(rows)
    return float(((scores - scores.mean(0)).argmax(1) == torch.arange(TOPICS)).float().mean())


@pytest.mark.parametrize(
    "config", [BertConfig(**SIZES), AlbertConfig(**SIZES, embedding_size=WIDTH)]
)
def test_a_warm_network_guesses_the_topic_of_its_neighbours_before_any_step(vectors, config):
    warm, cold = warm_network(vectors, config), new_network(config, 1)
    for network in (warm, cold):
        with torch.no_grad():  # the token in the middle says nothing of its own
            network.encoder.inputs.tokens.weight[::MEMBERS] = 0
    assert guessed(warm) == 1.0
    assert guessed(cold) < 0.7


def test_attention_begins_near_its_own_position(vectors):
    network = warm_network(vectors, BertConfig(**SIZES))
    ids = torch.full((1, 40), 7)  # all alike: positions alone decide
    with torch.inference_mode():
        first = network.encoder(ids, need_weights=True).attentions[0][0, 0]
    near = torch.stack([first[i, i - 2 : i + 3].mean() for i in range(10, 30)]).mean()
    far = torch.stack([first[i, i - 10 : i - 5].mean() for i in range(10, 30)]).mean()
    assert near > 1.5 * far


def test_the_bias_of_a_token_is_its_log_frequency(vectors):
    network = warm_network(vectors, BertConfig(**SIZES))
    expected = np.log(np.arange(len(TOKENS), 0, -1) * 10 + 1.0)
    found = network.tokens.decoder.bias.detach().numpy()
    np.testing.assert_allclose(found, expected - expected.mean(), rtol=1e-5)


def test_a_shared_layer_is_turned_once(vectors):
    shared = AlbertConfig(**{**SIZES, "num_hidden_layers": 6}, embedding_size=WIDTH)
    network = warm_network(vectors, shared)
    output = network.encoder.layers[0].attention.attention.output.weight.detach()
    assert float(torch.diagonal(output).mean()) == pytest.approx(0.5, abs=0.03)


def test_heads_that_do_not_divide_the_width_keep_their_fresh_attention(vectors):
    config = KazanConfig(vocab_size=len(TOKENS), hidden_size=WIDTH, num_attention_heads=3)
    warm, fresh = warm_network(vectors, config), new_network(config, 1)
    for mine, theirs in zip(warm.encoder.layers, fresh.encoder.layers, strict=True):
        weights = (layer.attention.attention.query_key_value.weight for layer in (mine, theirs))
        assert torch.equal(*weights)
    assert not torch.equal(warm.encoder.inputs.tokens.weight, fresh.encoder.inputs.tokens.weight)


def test_identity_is_added_to_a_map_that_is_not_square():
    weight = torch.zeros(3, 2)
    add_identity(weight, 0.5)
    assert weight.tolist() == [[0.5, 0.0], [0.0, 0.5], [0.0, 0.0]]


def test_a_narrow_table_gets_the_first_principal_components(vectors):
    found, known = warm_matrix(vectors, TOKENS, 1.0, 5)
    centred = vectors.matrix - vectors.matrix.mean(0)
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    expected = (left * values)[:, :5]
    assert known.all()
    np.testing.assert_allclose(
        np.abs(found), np.abs(expected / expected.std()), rtol=1e-3, atol=1e-4
    )


# A run whose token embedding matrix begins as vectors, and the phase that trains them


def test_warm_start_and_a_frozen_table(prepared, tmp_path):
    from embeddings.vectors.formats import write

    tokens = Tokenizer.load(prepared).words
    matrix = np.random.default_rng(2).normal(3.0, 2.0, (len(tokens), 16)).astype(np.float32)
    write(Vectors(tokens, matrix), tmp_path / "vectors")
    options = {"changes": {"freeze_steps": 12, "warm_scale": 0.05}, "warm": tmp_path / "vectors"}
    small_run(prepared, tmp_path / "run", **options)
    state = load_file(tmp_path / "run" / "checkpoints" / "step-00000012" / "model.safetensors")
    table = state["bert.embeddings.word_embeddings.weight"]
    assert table.std().item() == pytest.approx(0.05, rel=0.02)
    torch.testing.assert_close(table.mean(0), torch.zeros(16), atol=1e-3, rtol=0)
    wrong = BertConfig(**{**SMALL, "hidden_size": 32})
    with pytest.raises(
        InputError, match="have 16 dimensions, the token embedding matrix has 32 columns"
    ):
        small_run(prepared, tmp_path / "wrong", wrong, **options)


def test_vectors_for_a_warm_start_are_told_as_one_phase_of_their_own(prepared):
    """Else a page that watches would take their loss for the network's."""
    told: list[Progress] = []
    config = Word2VecConfig(vector_size=8, epochs=3, workers=1)
    found = token_vectors(
        PreparedCorpus.open(prepared), Tokenizer.load(prepared).words, config, told.append
    )
    assert found.vector_size == 8
    assert {at.phase for at in told} == {"vectors"}
    shares = [at.done / at.total for at in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len({at.total for at in told}) == 1
