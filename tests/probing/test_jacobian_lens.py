"""The Jacobian lens: exact for a linear network, the derivative of torch for a real one, kept by weights, damaged files."""

import dataclasses
import shutil

import numpy as np
import pytest
import torch
from torch import nn

from embeddings.errors import CheckpointError, InputError
from embeddings.networks.bert import EncoderOutput, new_network
from embeddings.networks.bert_config import NetworkConfig
from embeddings.networks.huggingface_folder import LENS, save_network
from embeddings.probing import jacobian_lens
from embeddings.probing.fill_mask import fill, layer_logits, read_masks
from embeddings.probing.jacobian_lens import fit_lens, own_path, stored_lens
from embeddings.probing.network import Network, open_reader
from embeddings.probing.sentence_scoring import score
from embeddings.shelf import companions

TEXTS = ["The old key opens the door.", "Старик вынул ключ.", "Das Schloss ist alt.", "A bank."]
TEXT = "The [MASK] opens the door."


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(jacobian_lens, "POSITIONS", 9)
    monkeypatch.setattr(jacobian_lens, "HELDOUT_POSITIONS", 4)
    return tmp_path / "home"


@pytest.fixture
def folder(tiny_bert, tmp_path):
    """A copy of the tiny BERT that a test may change."""
    return shutil.copytree(tiny_bert, tmp_path / "copy")


class LinearEncoder(nn.Module):
    """Layers that multiply each state by a matrix and add a vector."""

    def __init__(self, config, matrices, shifts):
        super().__init__()
        self.embedding = nn.Embedding(config.vocab_size, config.hidden_size)
        self.position = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        self.matrices, self.shifts = matrices, shifts

    def forward(self, ids, _segments, _real, *, need_states, keep):
        hidden = self.embedding(ids) + self.position.weight[: ids.shape[1]]
        states = [hidden]
        for matrix, shift in zip(self.matrices, self.shifts, strict=True):
            states.append(states[-1] @ matrix.T + shift)
        last = states[-1].flatten(0, 1)[keep]
        return EncoderOutput(last, tuple(states) if need_states else ())

    def as_last(self, hidden):
        return hidden


@pytest.fixture
def linear(tiny_bert):
    """A network of three linear layers over the tiny vocabulary, and its matrices."""
    torch.manual_seed(5)
    real = open_reader(tiny_bert)
    config = dataclasses.replace(real.config, num_hidden_layers=3, hidden_size=12)
    matrices = [torch.randn(12, 12) / 4 for _ in range(3)]
    encoder = LinearEncoder(config, matrices, [torch.randn(12) for _ in range(3)])
    network = nn.Module()
    network.config, network.encoder = config, encoder
    network.tokens = nn.Linear(12, config.vocab_size)
    return Network("linear", network, real.wordpiece), matrices


def test_the_lens_of_a_linear_network_is_the_product_of_its_matrices_and_says_the_same(linear):
    reader, matrices = linear
    lens = fit_lens(reader, TEXTS, TEXTS[::-1])
    products = [matrices[2] @ matrices[1] @ matrices[0], matrices[2] @ matrices[1], matrices[2]]
    stored = np.stack(products).astype(np.float16)  # numbers are those of the file
    np.testing.assert_allclose(lens.jacobians, stored, atol=1e-3)
    slopes, _ = jacobian_lens._summed_jacobians(reader, jacobian_lens._masked(reader, TEXTS, 1))
    np.testing.assert_allclose(slopes, np.stack(products), atol=1e-5)

    assert lens.kl[1].max() < 1e-4 < lens.kl[0].min()
    np.testing.assert_array_equal(lens.same[1], 1)
    logits = layer_logits(reader, [read_masks(reader, TEXT, "")[0]], lens=lens)
    for layer in logits:
        np.testing.assert_allclose(layer, logits[-1], atol=0.02)


def test_jacobians_and_means_are_torchs_averaged_over_masked_positions(tiny_bert):
    reader = open_reader(tiny_bert)
    masked = jacobian_lens._masked(reader, TEXTS, 3)
    slopes, states = jacobian_lens._summed_jacobians(reader, masked)
    expected, means = np.zeros_like(slopes), np.zeros_like(states)
    encoder = reader.network.encoder
    for text in masked:
        (at,) = text.positions
        assert text.tokens.ids[at] == reader.wordpiece.mask_id
        with torch.no_grad():
            hidden = encoder(torch.tensor([text.tokens.ids]), need_states=True).hidden_states
        means += np.stack([h[0, at].numpy() for h in hidden])
        for number, below in enumerate(hidden[:-1]):

            def above(state, number=number, below=below, at=at):
                """The last state at the mask as a function of a lower one there."""
                row = torch.cat([below[0, :at], state[None], below[0, at + 1 :]])[None]
                for layer in encoder.layers[number:]:
                    row, _ = layer(row)
                return row[0, at]

            expected[number] += torch.autograd.functional.jacobian(above, below[0, at]).numpy()
    np.testing.assert_allclose(slopes, expected, atol=1e-4)
    np.testing.assert_allclose(states, means, atol=1e-4)


def test_fill_and_grammar_read_the_mapped_state_with_the_head(tiny_bert):
    reader = open_reader(tiny_bert)
    lens = fit_lens(reader, TEXTS, TEXTS)
    position = read_masks(reader, TEXT, "")[0]
    at = position.positions[0]
    with torch.inference_mode():
        ids = torch.tensor([position.tokens.ids])
        hidden = [h[0, at] for h in reader.network.encoder(ids, need_states=True).hidden_states]
        mapped = [
            torch.tensor(lens.jacobians[n] @ (hidden[n].numpy() - lens.means[n]) + lens.means[-1])
            for n in range(len(hidden) - 1)
        ]
        probabilities = [
            reader.network.tokens(h).softmax(-1).numpy() for h in [*mapped, hidden[-1]]
        ]
    filled = fill(reader, TEXT, 3, lens=lens).masks[0]
    ids = [reader.wordpiece.words.index(guess.token) for guess in filled.guesses]
    np.testing.assert_allclose(filled.trace, [p[ids] for p in probabilities], rtol=1e-3)
    key = reader.score_sentences(["The key opens the door."], lens=lens)[0]
    where = key.tokens.index("key")
    target = [np.log(p[reader.wordpiece.words.index("key")]) for p in probabilities]
    np.testing.assert_allclose(key.log_probabilities[:, where], target, rtol=1e-3)
    assert score(reader, "The key opens the door.").total == pytest.approx(key.total)


def test_a_lens_is_computed_once_and_kept_for_the_user_while_its_file_is_whole(
    folder, home, monkeypatch
):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    reader = open_reader(folder)
    with pytest.raises(InputError, match="klyuch fill lens"):
        stored_lens(reader)
    made = reader.lens()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    path = own_path(made.weights)
    assert path.is_relative_to(home)
    whole = path.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(companions, "build_lens", None)  # a call would fail
        again = open_reader(folder).lens()
        for name in ("jacobians", "means", "kl", "same"):
            np.testing.assert_array_equal(getattr(again, name), getattr(made, name))
        assert (again.positions, again.heldout_positions) == (9, 4)
        jacobian_lens.write_lens(dataclasses.replace(made, means=made.means[:1]), path)
        for damaged in (path.read_bytes(), whole[:-100], b"no tensors"):
            path.write_bytes(damaged)
            with pytest.raises(CheckpointError) as caught:
                open_reader(folder).lens()
            assert str(path) in str(caught.value)
    path.unlink()
    assert open_reader(folder).lens().positions == 9


def test_a_lens_of_other_weights_is_recomputed(folder, home):
    old = open_reader(folder).lens()
    jacobian_lens.write_lens(old, folder / LENS)
    network = new_network(NetworkConfig(**dataclasses.asdict(open_reader(folder).config)), seed=2)
    save_network(network, folder)
    (folder / "card.json").unlink()
    reader = open_reader(folder)
    with pytest.raises(InputError, match="klyuch fill lens"):
        stored_lens(reader)
    new = reader.lens()
    assert new.weights == jacobian_lens.weights_digest(reader) != old.weights
    assert np.abs(new.jacobians - old.jacobians).max() > 0.01


def test_a_lens_of_another_shape_is_refused(tiny_bert, network_folder):
    lens = fit_lens(open_reader(tiny_bert), TEXTS, TEXTS)
    other = open_reader(network_folder("three", num_hidden_layers=3))
    with pytest.raises(CheckpointError, match="three"):
        fill(other, TEXT, lens=lens)


def test_the_work_is_bounded(tiny_bert, monkeypatch):
    reader = open_reader(tiny_bert)
    products = jacobian_lens.products_a_token(reader.config)
    cost = jacobian_lens.TEXT_TOKENS * reader.config.hidden_size * products
    monkeypatch.setattr(jacobian_lens, "WORK", 9.5 * cost)
    assert fit_lens(reader, TEXTS * 5, TEXTS).positions == 9
    monkeypatch.setattr(jacobian_lens, "WORK", 7.5 * cost)
    with pytest.raises(InputError, match="7 positions"):
        fit_lens(reader, TEXTS * 5, TEXTS)
