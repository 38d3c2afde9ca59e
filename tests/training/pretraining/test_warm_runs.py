"""A run whose token embedding matrix begins as vectors, and the phase that trains them."""

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from embeddings.errors import InputError
from embeddings.networks.bert_config import BertConfig
from embeddings.pretraining.prepared_corpus import PreparedCorpus
from embeddings.results import Progress
from embeddings.static.settings import Word2VecConfig
from embeddings.text.wordpiece import WordPiece
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.pretraining.pretraining_run import pretrain
from embeddings.training.pretraining.warm_start import token_vectors
from embeddings.training.tasks import Limits
from embeddings.vectors.table import Vectors
from tests.training.small_runs import QUIETLY, SETTINGS, SMALL


def test_warm_start_and_a_frozen_table(prepared, tmp_path):
    from embeddings.vectors.formats import write

    tokens = WordPiece.load(prepared).words
    matrix = np.random.default_rng(2).normal(3.0, 2.0, (len(tokens), 16)).astype(np.float32)
    write(Vectors(tokens, matrix), tmp_path / "vectors")
    config = BertConfig(**SMALL)
    settings = PretrainingConfig(**{**SETTINGS, "freeze_steps": 12, "warm_scale": 0.05})
    pretrain(
        prepared,
        tmp_path / "run",
        config,
        settings,
        Limits(),
        **QUIETLY,
        warm=tmp_path / "vectors",
    )
    state = load_file(tmp_path / "run" / "checkpoints" / "step-00000012" / "model.safetensors")
    table = state["bert.embeddings.word_embeddings.weight"]
    assert table.std().item() == pytest.approx(0.05, rel=0.02)
    torch.testing.assert_close(table.mean(0), torch.zeros(16), atol=1e-3, rtol=0)
    wrong = BertConfig(**{**SMALL, "hidden_size": 32})
    with pytest.raises(
        InputError, match="have 16 dimensions, the token embedding matrix has 32 columns"
    ):
        pretrain(
            prepared,
            tmp_path / "wrong",
            wrong,
            settings,
            Limits(),
            **QUIETLY,
            warm=tmp_path / "vectors",
        )


def test_vectors_for_a_warm_start_are_told_as_one_phase_of_their_own(prepared):
    """Else a page that watches would take their loss for the network's."""
    told: list[Progress] = []
    config = Word2VecConfig(vector_size=8, epochs=3, workers=1)
    found = token_vectors(
        PreparedCorpus.open(prepared), WordPiece.load(prepared).words, config, told.append
    )
    assert found.vector_size == 8
    assert {at.phase for at in told} == {"vectors"}
    shares = [at.done / at.total for at in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len({at.total for at in told}) == 1
