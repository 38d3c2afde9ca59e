"""A translation training from files to a folder: it learns, resumes where it stopped, and says what is wrong."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from embeddings.corpora.labelled import SentencePairs
from embeddings.errors import CheckpointError, FormatError, InputError, KlyuchError
from embeddings.files import read_json
from embeddings.networks.encoder_decoder import (
    START,
    TranslationConfig,
    bert_memory,
    find_bert,
    open_translation,
)
from embeddings.run_folder import read_progress
from embeddings.text.subwords import train_subwords
from embeddings.text.tokenizer import Tokenizer
from embeddings.training.tasks import Limits
from embeddings.training.translation.translation_pairs import (
    PairIds,
    SourceBert,
    make_translation_batch,
    plan_batches,
    prepare_pairs,
)
from embeddings.training.translation.translation_run import (
    PairFiles,
    PlainStart,
    TranslationTraining,
    train_translation,
)

WORDS = {
    "a man": "ein Mann", "a dog": "ein Hund", "two girls": "zwei Mädchen", "some boys": "einige Jungen",
    "sees": "sieht", "likes": "mag", "hears": "hört", "the house": "das Haus", "a tree": "einen Baum",
    "the sea": "das Meer", "in summer": "im Sommer", "at night": "bei Nacht",
}  # fmt: skip
TINY = TranslationConfig(
    vocab_size=120,
    hidden_size=24,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=32,
    dropout=0.0,
    max_position_embeddings=32,
)


def settings(**given):
    values = {"steps": 12, "learning_rate": 1e-2, "batch_tokens": 160, "log_every": 4}
    values |= {"evaluate_every": 0, "heldout_sentences": 8, **given}
    return TranslationTraining(**values)


def sentence(generator):
    names = list(WORDS)
    parts = [names[generator.integers(*low)] for low in ((0, 4), (4, 7), (7, 10), (10, 12))]
    english = " ".join(parts).capitalize() + "."
    german = " ".join(WORDS[part] for part in parts)
    return english, german[0].upper() + german[1:] + "."


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pairs")
    generator = np.random.default_rng(1)
    for name, count in (("train", 120), ("val", 12)):
        english, german = zip(*(sentence(generator) for _ in range(count)), strict=True)
        (folder / f"{name}.en").write_text("\n".join(english) + "\n", encoding="utf-8")
        (folder / f"{name}.de").write_text("\n".join(german) + "\n", encoding="utf-8")
    return PairFiles(*(folder / f"{n}.{k}" for n in ("train", "val") for k in ("en", "de")))


@pytest.fixture(scope="module")
def plain(files, tmp_path_factory):
    run = tmp_path_factory.mktemp("runs") / "plain"
    return train_translation(files, run, TINY, settings(steps=250), Limits())


def test_a_small_language_is_learned(plain):
    lines = read_progress(plain.folder.parent)
    assert lines[0]["loss"] > 3.0
    assert plain.finished.scores["heldout_bleu"] > 90
    assert plain.finished.scores["heldout_accuracy"] > 0.95
    assert plain.left_out == 0


def test_the_card_says_where_the_weights_come_from(plain, files):
    card = json.loads((plain.folder / "card.json").read_text(encoding="utf-8"))
    assert card["kind"] == "translation"
    assert card["language"] == "en-de"
    assert card["method"] == "transformer"
    assert set(card["files"]) == {"config.json", "model.safetensors", "tokenizer.json"}
    assert card["settings"]["pairs"] == files.checksums
    assert (
        load_file(plain.folder / "model.safetensors")["source_tokens.weight"].dtype is torch.float16
    )


def test_a_run_that_was_stopped_ends_as_one_that_was_not(files, tmp_path):
    config = settings(steps=12, log_every=1)
    whole = train_translation(files, tmp_path / "whole", TINY, config, Limits())
    for minutes in (1e-9, 1e-9, 1e-9, 0.0):  # three times one step, then the rest
        limits = Limits(minutes=minutes)
        parts = train_translation(files, tmp_path / "parts", TINY, config, limits)
    assert parts.finished.complete
    assert parts.tokens == whole.tokens
    ours, theirs = (load_file(r.folder / "model.safetensors") for r in (parts, whole))
    for name, tensor in theirs.items():
        torch.testing.assert_close(ours[name], tensor, rtol=0, atol=0)


def test_each_pass_sees_every_pair_once_in_batches_that_fit():
    generator = np.random.default_rng(2)
    sizes = generator.integers(1, 40, (300, 2)).tolist()
    pairs = PairIds([[9] * a for a, _ in sizes], [[9] * b for _, b in sizes])
    batches = plan_batches(pairs, 200, generator)
    assert sorted(np.concatenate(batches).tolist()) == list(range(300))
    for rows in batches:
        widest = max(max(sizes[i]) + 1 for i in rows)
        assert widest * len(rows) <= 200 or len(rows) == 1
    assert sum(map(len, batches)) / len(batches) > 4


def test_the_target_stands_behind_its_start_token():
    batch = make_translation_batch(
        PairIds([[5], [6, 7]], [[8, 9], [4]]), [0, 1], torch.device("cpu")
    )
    assert batch.source.tolist() == [[5, 3, 0], [6, 7, 3]]
    assert batch.target.tolist() == [[START, 8, 9], [START, 4, 3]]
    assert batch.keep.tolist() == [0, 1, 2, 3, 4]
    assert batch.answers.tolist() == [8, 9, 3, 4, 3]


def test_the_two_cuts_of_a_source_stay_side_by_side(tiny_bert, files, tmp_path):
    """BERT's states of row i are those of sentence i, also after sorting, dropping and batching."""
    lines = files.source.read_text(encoding="utf-8").splitlines()[:30]
    lines[3] = " ".join(["a man"] * 40)  # too long: left out
    pairs = SentencePairs(tuple(lines), tuple(line.lower() for line in lines))
    reader = SourceBert.open(tiny_bert)
    vocabulary = train_subwords(lines, 60)
    ready = prepare_pairs(pairs, vocabulary, 32, reader, tmp_path / "states.npy")
    assert ready.left_out == 1
    assert len(ready.ids) == len(ready.ids.states.bounds) - 1 == len(ready.texts) == 29
    rows = [17, 3, 28, 0]
    memory = ready.ids.states.memory(rows, torch.device("cpu"))
    for place, row in enumerate(rows):
        text = ready.texts.source[row]
        assert vocabulary.decode(ready.ids.source[row]) == text
        tokens = reader.wordpiece.encode(text)
        alone = bert_memory(
            reader.network, torch.tensor([tokens.ids]), torch.ones(1, len(tokens.ids))
        )
        size = len(tokens.ids)
        assert memory.mask[place, 0, 0].sum() == size
        torch.testing.assert_close(
            memory.states[place, :size], alone.states[0], rtol=2e-3, atol=2e-3
        )
        assert memory.states[place, size:].abs().sum() == 0
        pieces = vocabulary.encode(text)
        letters = ["".join(text[a:b] for a, b in one.offsets) for one in (tokens, pieces)]
        assert letters[0] == letters[1] == text.replace(" ", "")


def test_a_fused_training_starts_warm_and_names_its_bert(files, plain, tiny_bert, tmp_path):
    warm = PlainStart(plain.folder, tiny_bert)
    config = settings(steps=30, learning_rate=3e-3)
    found = train_translation(files, tmp_path / "run", TINY, config, Limits(), warm=warm)
    lines = read_progress(tmp_path / "run")
    assert lines[0]["loss"] < 2.5  # a fresh network begins above 4
    assert found.finished.scores["heldout_bleu"] > 55  # warm; the last digits follow the threads
    network = open_translation(found.folder)
    assert network.config.bert_size == 24
    assert read_json(found.folder / "card.json")["bert"]["name"] == tiny_bert.name
    assert find_bert(found.folder, [plain.folder, tiny_bert]) == tiny_bert
    names = load_file(found.folder / "model.safetensors")
    assert not any("embeddings" in name or "pooler" in name for name in names)
    with pytest.raises(CheckpointError, match="which is not on the shelf"):
        find_bert(found.folder, [plain.folder])
    assert find_bert(plain.folder, []) is None


def test_a_plain_model_can_go_on_plain_and_a_foreign_file_beside_it_is_not_lost(
    files, plain, tmp_path
):
    config, warm = settings(steps=4, learning_rate=1e-4), PlainStart(plain.folder)
    for _ in range(2):  # its own model is written again
        found = train_translation(files, tmp_path / "run", TINY, config, Limits(), warm=warm)
    assert read_progress(tmp_path / "run")[0]["loss"] < 2.5
    assert open_translation(found.folder).config.bert_size == 0
    (found.folder / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(FormatError, match=r"holds notes\.txt, which writing would delete"):
        train_translation(files, tmp_path / "run", TINY, config, Limits(), warm=warm)
    assert (found.folder / "notes.txt").exists()


def test_a_wrong_warm_start_is_an_error(files, plain, tiny_bert, tmp_path):
    run = tmp_path / "run"
    for warm, match in (
        (PlainStart(tmp_path / "nowhere", tiny_bert), "does not exist"),
        (PlainStart(tiny_bert, tiny_bert), "model_type bert"),
        (PlainStart(plain.folder, tmp_path / "nowhere"), "does not exist"),
    ):
        with pytest.raises(KlyuchError, match=match):
            train_translation(files, run, TINY, settings(), Limits(), warm=warm)
    assert not run.exists()


def test_files_that_do_not_pair_are_refused_before_any_work(files, tmp_path):
    wrong = PairFiles(
        files.source, files.heldout_target, files.heldout_source, files.heldout_target
    )
    with pytest.raises(FormatError, match=r"has 120 lines.*has 12"):
        train_translation(wrong, tmp_path / "run", TINY, settings(), Limits())
    assert not (tmp_path / "run").exists()


def test_pairs_that_are_all_too_long_are_refused():
    vocabulary = train_subwords(["a b c"], 20)
    pairs = SentencePairs(("a b c " * 20,), ("a",))
    with pytest.raises(InputError, match=r"Every sentence pair \(1\) is longer than the 8 tokens"):
        prepare_pairs(pairs, vocabulary, 8)


def test_wordpiece_and_subwords_are_not_taken_for_each_other(tiny_bert, plain):
    with pytest.raises(CheckpointError, match=r"no \[MASK\]"):
        Tokenizer.load(plain.folder)
    with pytest.raises(CheckpointError, match="translat"):
        open_translation(tiny_bert)
