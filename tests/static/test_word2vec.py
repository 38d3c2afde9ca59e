"""Word2Vec as a whole: what it learns, that it repeats itself, that it resumes, what it refuses."""

import json
from dataclasses import replace

import numpy as np
import pytest
from gensim.models import Word2Vec
from safetensors import safe_open
from safetensors.numpy import save_file

from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import CheckpointError, InputError
from embeddings.files import SEAL
from embeddings.run_folder import CHECKPOINT
from embeddings.static.fasttext import FastTextConfig, train_fasttext
from embeddings.static.static_checkpoint import StaticCheckpoint, digest
from embeddings.static.word2vec import (
    Weights,
    Word2VecConfig,
    initial_weights,
    train_ids,
    train_word2vec,
)

SMALL = Word2VecConfig(vector_size=20, window=3, sample=0.0, epochs=3, workers=1)
SMALL_FASTTEXT = FastTextConfig(vector_size=20, window=3, workers=1, bucket=5000)
MARKS = {
    "royal": ("crown", "throne", "palace"),
    "plain": ("field", "street", "work"),
    "male": ("he", "beard", "father"),
    "female": ("she", "dress", "mother"),
}
ROLES = {
    "king": ("royal", "male"),
    "queen": ("royal", "female"),
    "man": ("plain", "male"),
    "woman": ("plain", "female"),
}


def grammar(sentences=3000):
    """Sentences of a role with two marks of its rank and two of its sex, in random order."""
    rng = np.random.default_rng(11)
    for _ in range(sentences):
        role = rng.choice(list(ROLES))
        words = [role, *(rng.choice(MARKS[kind]) for kind in ROLES[role] * 2)]
        yield [str(word) for word in rng.permutation(words)]


def topics(count=8, words=12, sentences=2500):
    """Sentences that stay within one of several topics, with some filler that all share."""
    rng = np.random.default_rng(12)
    for _ in range(sentences):
        topic = rng.integers(count)
        named = [f"t{topic}w{word}" for word in np.minimum(rng.geometric(0.2, 8) - 1, words - 1)]
        yield list(rng.permutation(named + [f"filler{n}" for n in rng.integers(6, size=4)]))


def random_ids(size=40, words=3000):
    """Ids with the bounds of sentences of ten and their counts."""
    ids = np.minimum(np.random.default_rng(5).geometric(0.1, words) - 1, size - 1).astype(np.int32)
    return ids, np.arange(0, words + 1, 10), np.bincount(ids, minlength=size)


@pytest.mark.parametrize("sg", [True, False], ids=["skip-gram", "CBOW"])
def test_king_minus_man_plus_woman_is_queen(sg):
    corpus = EncodedCorpus.from_sentences(list(grammar()))
    config = replace(SMALL, sg=sg, window=5, epochs=15, alpha=0.05)
    model = train_word2vec(corpus, config)
    assert model.vectors.most_similar(["king", "woman"], ["man"], topn=1)[0][0] == "queen"
    assert model.vectors.method == ("skipgram" if sg else "cbow")
    assert model.output.shape == (len(model.vectors), 20)
    assert model.losses[-1] < model.losses[0] - 0.1


def purity(words, matrix):
    """Share of topic words whose nearest other topic word is of the same topic."""
    rows = [row for row, word in enumerate(words) if word.startswith("t")]
    unit = matrix[rows] / np.linalg.norm(matrix[rows], axis=1, keepdims=True)
    cosines = unit @ unit.T - 2 * np.eye(len(rows))
    names = np.array([words[row].split("w")[0] for row in rows])
    return float((names[cosines.argmax(axis=1)] == names).mean())


@pytest.mark.parametrize("sg", [True, False], ids=["skip-gram", "CBOW"])
def test_topics_are_told_apart_as_well_as_by_gensim(sg):
    sentences = list(topics())
    options = {"vector_size": 24, "window": 4, "negative": 5, "epochs": 8, "seed": 1}
    theirs = Word2Vec(sentences, sg=int(sg), min_count=1, sample=1e-2, workers=1, **options)
    config = Word2VecConfig(sg=sg, sample=1e-2, workers=1, **options)
    ours = train_word2vec(EncodedCorpus.from_sentences(sentences), config).vectors
    reached = purity(ours.words, ours.matrix)
    assert reached >= purity(theirs.wv.index_to_key, theirs.wv.vectors) - 0.03
    assert reached > 0.9


@pytest.mark.parametrize("sg", [True, False], ids=["skip-gram", "CBOW"])
def test_one_worker_and_one_seed_give_the_same_bytes(sg):
    config = replace(SMALL, sg=sg, sample=1e-2)
    first, second = (train_ids(*random_ids(), config) for _ in range(2))
    other = train_ids(*random_ids(), replace(config, seed=2))
    assert first.inputs.tobytes() == second.inputs.tobytes() != other.inputs.tobytes()
    assert first.outputs.tobytes() == second.outputs.tobytes()
    assert first.losses == second.losses


def test_two_workers_learn_as_one_does(monkeypatch):
    monkeypatch.setattr("embeddings.static.word2vec.PIECE_WORDS", 500)
    one, two = (train_ids(*random_ids(), replace(SMALL, workers=n, epochs=5)) for n in (1, 2))
    assert np.isfinite(two.inputs).all()
    assert two.losses == pytest.approx(one.losses, rel=0.02)


@pytest.mark.parametrize(
    ("train", "config", "change", "sentence"),
    [
        (train_word2vec, SMALL, {"window": 4}, "a training with window=3, asked for is 4"),
        (train_fasttext, SMALL_FASTTEXT, {"max_n": 5}, "a training with max_n=6, asked for is 5"),
    ],
)
def test_resumed_after_a_kill_equals_unbroken_byte_for_byte(
    tmp_path, train, config, change, sentence
):
    corpus = EncodedCorpus.from_sentences(list(grammar(800)))
    config = replace(config, epochs=4, alpha=0.05, sample=1e-2, heldout=0.1)

    def kill_in_third_epoch(progress):
        if progress.epoch == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(corpus, config, run=tmp_path, report=kill_in_third_epoch)

    def refuse_other_settings():
        with pytest.raises(CheckpointError, match=sentence):
            train(corpus, replace(config, **change), run=tmp_path, resume=True)

    refuse_other_settings()
    epochs = []
    resumed = train(
        corpus, config, run=tmp_path, resume=True, report=lambda at: epochs.append(at.epoch)
    )
    refuse_other_settings()  # of a finished run too
    unbroken = train(corpus, config)
    assert min(epochs) == 3
    assert resumed.vectors.matrix.tobytes() == unbroken.vectors.matrix.tobytes()
    assert resumed.output.tobytes() == unbroken.output.tobytes()
    if train is train_fasttext:
        rows = unbroken.vectors.subwords.rows
        assert resumed.vectors.subwords.rows.tobytes() == rows.tobytes()
    assert resumed.losses == unbroken.losses
    assert resumed.heldout_losses == unbroken.heldout_losses
    assert len(unbroken.heldout_losses) == 4
    assert unbroken.losses[-1] < unbroken.losses[0] - 0.1


def test_without_resume_a_run_begins_anew_and_a_finished_one_is_returned_as_it_is(tmp_path):
    corpus = EncodedCorpus.from_sentences(list(grammar(200)))
    first = train_word2vec(corpus, SMALL, run=tmp_path)
    reports = []
    again = train_word2vec(corpus, SMALL, run=tmp_path, resume=True, report=reports.append)
    assert not reports
    assert again.vectors.matrix.tobytes() == first.vectors.matrix.tobytes()
    train_word2vec(corpus, replace(SMALL, epochs=1), run=tmp_path)
    assert json.loads((tmp_path / "run.json").read_text())["settings"]["epochs"] == 1
    assert {file.name for file in tmp_path.iterdir()} == {"run.json", CHECKPOINT}


def test_progress_counts_the_words_of_each_epoch(monkeypatch):
    monkeypatch.setattr("embeddings.static.word2vec.PIECE_WORDS", 1000)
    seen = []
    train_ids(*random_ids(), replace(SMALL, epochs=2), report=seen.append)
    assert [(at.epoch, at.done, at.total) for at in seen] == [
        (epoch, done, 3000) for epoch in (1, 2) for done in (1000, 2000, 3000)
    ]
    assert all(at.per_second > 0 and at.seconds_left >= 0 for at in seen)
    assert seen[-1].seconds_left == 0


def test_training_goes_on_from_given_vectors_and_takes_any_integer_ids():
    ids, bounds, counts = random_ids()
    config = replace(SMALL, alpha=1e-8, min_alpha=0.0)
    mine = np.random.default_rng(0).normal(size=(40, 20)).astype(np.float32)
    start = Weights(mine, np.zeros((40, 20), np.float32))
    result = train_ids(ids.astype(np.uint16), bounds, counts, config, start=start)
    np.testing.assert_allclose(result.inputs, mine, atol=1e-4)
    assert result.losses[0] == pytest.approx(np.log(2) * 5.7, rel=0.05)  # outputs are zeros


@pytest.mark.parametrize(("sg", "reach"), [(True, 0.05), (False, 0.2)])
def test_vectors_start_evenly_between_their_bounds_and_outputs_at_zero(sg, reach):
    start = initial_weights(500, replace(SMALL, sg=sg))
    assert 0.99 * reach < np.abs(start.inputs).max() <= reach
    assert start.inputs.dtype == np.float32
    assert start.inputs.std() == pytest.approx(reach / np.sqrt(3), rel=0.02)
    assert not start.outputs.any()


@pytest.mark.parametrize(
    ("sentences", "change", "sentence"),
    [
        ([], {}, "nothing to learn from: the corpus holds 0 words"),
        ([["alone", "alone"]], {}, "2 words of a vocabulary of 1"),
        ([["one"], ["two"]] * 9, {}, "No two words of the vocabulary, which has 2,"),
        (list(grammar(50)), {"alpha": 1e6}, "diverged in epoch 1.*alpha=1000000.0"),
    ],
    ids=["empty", "one word", "no pairs", "overflow"],
)
def test_a_corpus_that_teaches_nothing_and_an_overflow_are_refused(sentences, change, sentence):
    corpus = EncodedCorpus.from_sentences(sentences)
    with pytest.raises(InputError, match=sentence):
        train_word2vec(corpus, replace(SMALL, epochs=50, **change))


def test_digest_knows_words_numbers_order_and_lengths():
    ids = np.array([0, 1, 1, 0], np.int32)
    digests = {
        digest(["a", "b"], ids),
        digest(["a", "c"], ids),
        digest(["a", "b"], ids[:3]),
        digest(["a", "b"], np.array([1, 0, 1, 0], np.int32)),
        digest(["a", "b"], ids[:2], ids[2:]),
        digest(["a", "b"], np.empty(0, np.int32)),
    }
    assert len(digests) == 6
    assert digest(["a", "b"], ids[::-1].copy()) == digest(["a", "b"], ids[::-1])


def of_glove(run):
    train = StaticCheckpoint(run, "glove", {"iterations": 1})
    train.save("", [0.5], {"parameters": np.zeros(3, np.float32)})


def broken(run):
    (run / CHECKPOINT).write_bytes(b"not a checkpoint")


def without(*states):
    """What writes a checkpoint again that lacks its second matrix and some of its state, or only the matrix."""

    def spoil(run):
        with safe_open(run / CHECKPOINT, framework="numpy") as file:
            state, inputs = json.loads(file.metadata()["state"]), file.get_tensor("inputs")
        kept = {name: value for name, value in state.items() if name not in (*states, SEAL)}
        save_file({"inputs": inputs}, run / CHECKPOINT, metadata={"state": json.dumps(kept)})

    return spoil


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (broken, "checkpoint.safetensors cannot be read"),
        (of_glove, "a training with kind=glove, asked for is word2vec"),
        (without(), "checkpoint.safetensors cannot be read: .*outputs"),
        (without("kind", "settings", "losses"), "checkpoint.safetensors cannot be read: .*kind"),
        (without("losses"), "checkpoint.safetensors cannot be read: .*losses"),
    ],
    ids=["damaged", "GloVe's", "matrix gone", "state gone", "losses gone"],
)
def test_a_run_that_does_not_fit_is_refused(tmp_path, spoil, sentence):
    corpus = EncodedCorpus.from_sentences(list(grammar(100)))
    train_word2vec(corpus, SMALL, run=tmp_path)
    spoil(tmp_path)
    with pytest.raises(CheckpointError, match=sentence):
        train_word2vec(corpus, SMALL, run=tmp_path, resume=True)
