"""RoBERTa's vocabulary of bytes: shown in letters, its pairs told apart, the blank filled as their library does, learned with."""

import shutil

import pytest
import tokenizers
import torch
import transformers
from tokenizers.models import WordPiece as WordPieceModel

from embeddings.errors import CheckpointError
from embeddings.networks.huggingface_folder import open_network
from embeddings.pretraining.prepared_corpus import prepare_corpus
from embeddings.probing.attention_weights import attention
from embeddings.probing.encoder_walk import walk
from embeddings.probing.fill_mask import fill
from embeddings.probing.network import open_reader
from embeddings.runtime import Machine
from embeddings.shelf import import_model
from embeddings.text.tokenizer import Tokenizer
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.pretraining.pretraining_run import initial_config, pretrain
from embeddings.training.tasks import Limits
from tests.parity.relatives import SIZES, their_network

TEXT = [
    "The key opens the old door, and the spring is cold.",
    "Старый ключ открывает дверь, а холодный ключ бьёт из земли.",
    "Der Schlüssel öffnet das Schloß, und die Bank steht am Fluß.",
] * 20
PAIR = ("the key", "the door")


@pytest.fixture(scope="module")
def roberta(tmp_path_factory):
    """A tiny RoBERTa with a vocabulary of bytes, as Hugging Face's library saves it."""
    from tokenizers import ByteLevelBPETokenizer
    from tokenizers.processors import RobertaProcessing

    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(TEXT, vocab_size=420, special_tokens=special, show_progress=False)
    tokenizer = tokenizers.Tokenizer.from_str(trained.to_str())
    tokenizer.post_processor = RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    folder = tmp_path_factory.mktemp("hf") / "roberta"
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        cls_token="<s>",
        eos_token="</s>",
        sep_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token=transformers.AddedToken("<mask>", lstrip=True, special=True),
    ).save_pretrained(folder)
    their_network("roberta", tokenizer.get_vocab_size()).save_pretrained(folder)
    return folder


def test_tokens_made_of_bytes_are_shown_in_letters(roberta):
    found = Tokenizer.load(roberta).encode("Старый ключ")
    assert "".join(found.tokens[1:-1]) == "Старый▁ключ"
    whole = Tokenizer.load(roberta).encode("the door")
    assert whole.tokens[1:-1] == ("the", "▁door")


def test_the_second_sentence_of_a_roberta_pair_is_told_apart(roberta):
    found = Tokenizer.load(roberta).encode(*PAIR)
    theirs = transformers.AutoTokenizer.from_pretrained(roberta)(*PAIR)["input_ids"]
    assert list(found.ids) == theirs
    place = found.covering(4, 8, segment=1)
    assert [found.tokens[i] for i in place] == ["▁door"]
    place = found.covering(4, 7, segment=0)
    assert [found.tokens[i] for i in place] == ["▁key"]


def test_a_roberta_fills_the_blank_as_their_library_does(roberta, tmp_path, monkeypatch):
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    entry = import_model(roberta, "roberta")
    reader = open_reader(entry.path)
    found = fill(reader, "The [MASK] opens the door", 5, words=("key",), only_words=False).masks[0]
    theirs = transformers.RobertaForMaskedLM.from_pretrained(roberta).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(roberta)
    asked = tokenizer("The <mask> opens the door", return_tensors="pt")
    at = asked["input_ids"][0].tolist().index(tokenizer.mask_token_id)
    with torch.no_grad():
        wanted = theirs(**asked).logits[0, at].softmax(-1)
    wanted[torch.tensor(tokenizer.all_special_ids)] = 0
    best = wanted.topk(5)
    names = reader.wordpiece.words
    assert [g.token for g in found.guesses] == [names[i] for i in best.indices]
    assert [g.probability for g in found.guesses] == pytest.approx(best.values.tolist(), abs=1e-6)
    key = tokenizer.convert_tokens_to_ids("Ġkey")
    assert found.requested[0].tokens == ("▁key",)
    assert found.requested[0].probability == pytest.approx(float(wanted[key]), abs=1e-6)


def test_a_word_at_the_beginning_of_a_text_is_asked_for_without_a_space(roberta):
    found = fill(open_reader(roberta), "[MASK] key opens the old [MASK].", words=("The", "door"))
    assert [one.requested[0].tokens for one in found.masks] == [("The",), ("▁", "The")]
    assert found.masks[1].requested[1].tokens == ("▁door",)


def test_only_words_at_the_beginning_are_words_without_a_space(roberta):
    found = fill(open_reader(roberta), "[MASK] key opens the old [MASK].", 5, only_words=True)
    first, last = ([guess.token for guess in one.guesses] for one in found.masks)
    assert all(token.isalpha() for token in first)
    assert all(token.startswith("▁") and token[1:].isalpha() for token in last)


@pytest.fixture
def copied(roberta, tmp_path):
    """A copy of its folder that a test may change."""
    return shutil.copytree(roberta, tmp_path / "copy")


def test_a_vocabulary_that_cannot_say_what_is_unknown_is_refused(copied):
    odd = tokenizers.Tokenizer(
        WordPieceModel({"<pad>": 0, "<s>": 1, "</s>": 2, "<mask>": 3}, unk_token="?")
    )
    odd.save(str(copied / "tokenizer.json"))
    with pytest.raises(CheckpointError):
        Tokenizer.load(copied)


def test_parts_of_letters_are_shown_as_bytes_and_no_two_tokens_look_alike(roberta):
    names = Tokenizer.load(roberta).words
    assert len(set(names)) == len(names)
    assert all(name.isprintable() for name in names)
    assert "<0xD0>" in names


def test_inside_names_guesses_as_people_read_them(roberta):
    found = walk(open_reader(roberta), "Старый ключ открывает дверь.", 1, 1)
    names = set(Tokenizer.load(roberta).words)
    assert {guess.token for layer in found.guesses for at in layer for guess in at} <= names


def test_special_tokens_that_the_folder_does_not_name_are_found(roberta, copied):
    (copied / "tokenizer_config.json").write_text('{"model_max_length": 512}')
    (copied / "special_tokens_map.json").unlink(missing_ok=True)
    bare, named = Tokenizer.load(copied), Tokenizer.load(roberta)
    assert bare.special == named.special == ("<pad>", "<unk>", "<s>", "</s>", "<mask>")


def test_a_tokenizer_that_cuts_and_pads_does_neither_here(roberta, copied):
    path = copied / "tokenizer.json"
    tokenizer = tokenizers.Tokenizer.from_file(str(path))
    tokenizer.enable_truncation(5)
    tokenizer.enable_padding(length=40, pad_id=1, pad_token="<pad>")
    tokenizer.save(str(path))
    text = "The key opens the old door"
    assert Tokenizer.load(copied).encode(text) == Tokenizer.load(roberta).encode(text)


def test_a_pair_that_a_tokenizer_does_not_tell_apart_is_not_told_apart_to_the_network(copied):
    """A BERT with RoBERTa's tokenizer, as sentence encoders have it."""
    words = Tokenizer.load(copied)
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=len(words), **SIZES, initializer_range=0.3, attn_implementation="eager"
    )
    theirs = transformers.BertForMaskedLM(config).eval()
    asked = transformers.AutoTokenizer.from_pretrained(copied)(*PAIR, return_tensors="pt")
    theirs.save_pretrained(copied)
    found = attention(open_reader(copied), *PAIR)
    assert set(found.from_side.segments) == {0, 1}
    with torch.no_grad():
        wanted = theirs(
            asked["input_ids"], token_type_ids=torch.zeros_like(asked["input_ids"]),
            output_attentions=True,
        ).attentions  # fmt: skip
    torch.testing.assert_close(
        torch.from_numpy(found.weights), torch.stack(wanted)[:, 0], atol=1e-5, rtol=1e-4
    )


def test_a_roberta_goes_on_learning_as_the_bert_that_it_is(roberta, tmp_path):
    texts = tmp_path / "en_x.txt"
    documents = ["\n".join(TEXT[:1] * 6) for _ in range(40)]
    texts.write_text("\n\n".join(documents), encoding="utf-8")
    prepare_corpus([texts], Tokenizer.load(roberta), tmp_path / "ids")
    assert Tokenizer.load(tmp_path / "ids").special == Tokenizer.load(roberta).special
    training = PretrainingConfig(steps=2, rows=2, row_length=64, max_tokens=32, heldout=0.2)
    done = pretrain(
        tmp_path / "ids", tmp_path / "run", initial_config(roberta, "bert"), training,
        Limits(), machine=Machine("cpu"), tensorboard=False, initial=roberta,
    )  # fmt: skip
    reader = open_reader(done.folder)
    assert reader.wordpiece.words == Tokenizer.load(roberta).words
    assert open_network(done.folder).config.model_type == "bert"
    theirs = transformers.AutoTokenizer.from_pretrained(done.folder)
    assert theirs.mask_token == "<mask>"
