"""Word2Vec by averaged parts: the average by hand, the same bytes whatever the workers, planted words learned."""

import numpy as np
import pytest

from embeddings.cluster.averaging import Average, ClusterEpochs
from embeddings.cluster.connection import connected, local_cluster
from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import EncodingConfig
from embeddings.errors import CheckpointError, InputError
from embeddings.static.settings import AveragingConfig
from embeddings.static.word2vec import Word2VecConfig, train_word2vec

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
SMALL = Word2VecConfig(vector_size=16, window=3, epochs=3, sample=0, workers=1)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Two topics whose words never meet."""
    folder = tmp_path_factory.mktemp("corpus")
    draw = np.random.default_rng(1)
    lines = [
        " ".join(f"{topic}{number}" for number in draw.integers(0, 20, 12))
        for topic in draw.choice(["a", "b"], 2500)
    ]
    (folder / "t.txt").write_text("\n".join(lines))
    return encode([folder / "t.txt"], folder / "ids", EncodingConfig(min_count=1))


def train(corpus, cluster, parts, rounds, **options):
    epochs = ClusterEpochs(corpus, AveragingConfig(parts, rounds), cluster)
    return train_word2vec(corpus, SMALL, epochs=epochs, **options)


def test_the_average_of_rows_by_hand():
    average = Average(np.array([[0.0, 0.0], [1.0, 1.0], [5.0, 5.0]], np.float32))
    average.add(np.array([[4.0, 8.0], [2.0, 1.0], [9.0, 9.0]], np.float32), np.array([3.0, 0, 0]))
    average.add(np.array([[0.0, 4.0], [7.0, 1.0], [9.0, 9.0]], np.float32), np.array([1.0, 2, 0]))
    np.testing.assert_array_equal(average.result(), [[3, 7], [7, 1], [5, 5]])


def test_one_part_and_one_round_are_one_machine_but_for_the_random_numbers(corpus, cluster):
    alone = train_word2vec(corpus, SMALL)
    one = train(corpus, cluster, 1, 1)
    assert one.losses == pytest.approx(alone.losses, rel=0.02)


def test_words_of_two_topics_are_kept_apart(corpus, cluster):
    model = train(corpus, cluster, 3, 2)
    unit = model.vectors.matrix / np.linalg.norm(model.vectors.matrix, axis=1, keepdims=True)
    topic = np.array([word[0] == "a" for word in model.vectors.words])
    cosines = unit @ unit.T
    assert cosines[topic][:, topic].mean() > cosines[topic][:, ~topic].mean() + 0.3
    assert model.losses[-1] < model.losses[0]


def test_the_result_does_not_depend_on_the_workers_and_resumes(corpus, cluster, tmp_path):
    whole = train(corpus, cluster, 3, 2)
    with local_cluster(1, processes=False) as lone, connected(lone.scheduler_address) as fewer:
        again = train(corpus, fewer, 3, 2)
    assert whole.vectors.matrix.tobytes() == again.vectors.matrix.tobytes()
    assert whole.losses == again.losses

    def stop(done, _):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(corpus, cluster, 3, 2, run=tmp_path / "run", after=stop)
    resumed = train(corpus, cluster, 3, 2, run=tmp_path / "run", resume=True)
    assert whole.vectors.matrix.tobytes() == resumed.vectors.matrix.tobytes()
    with pytest.raises(CheckpointError):
        train(corpus, cluster, 2, 2, run=tmp_path / "run", resume=True)


def test_sentences_held_out_are_refused(corpus, cluster):
    epochs = ClusterEpochs(corpus, AveragingConfig(), cluster)
    config = Word2VecConfig(heldout=0.1)
    with pytest.raises(InputError, match=r"heldout=0\.1"):
        train_word2vec(corpus, config, epochs=epochs)
