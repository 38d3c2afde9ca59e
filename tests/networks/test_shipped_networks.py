"""The networks that ship open here and in Hugging Face's library, say the same, and have learned something."""

from pathlib import Path

import pytest
import torch

from embeddings.files import read_json
from embeddings.probing.fill_mask import fill
from embeddings.probing.network import open_reader

MODELS = Path(__file__).resolve().parents[2] / "data" / "models"
SHIPPED = sorted(
    path.parent for path in MODELS.glob("*/card.json") if read_json(path)["kind"] == "network"
)
TEXTS = {
    "en": (
        "The keys open its door.",
        "A naïve idea, isn\u2019t it?",
        "In 1914 they left for Vienna - and lost.",
    ),
    "ru": ("Ключ и ёлка: йод, Йод!", "Он открыл дверь - и вышел."),
    "de": ("Sie müssen auf die Straße: der Schlüssel!", "Über Österreich, im Jahr 1914."),
    "": ("Der йод und müssen: ключ!", "Naïve Straße, ёлка и Йод"),  # several languages at once
}
BLANKS = {
    "bert-en": {
        "The key opens the [MASK].": {"door", "lock", "gate"},
        "He drank a cup of [MASK].": {"tea", "coffee"},
    },
    "bert-de": {
        "Sie öffnete die Tür und trat in das [MASK].": {"Zimmer", "Haus"},
        "Der Schlüssel öffnet die [MASK].": {"Tür", "Türe", "Thür"},
    },
    "bert-ru": {
        "Он открыл глаза и [MASK] на нее.": {"посмотрел", "взглянул", "глядел", "поглядел"},
    },
}


@pytest.fixture(scope="module", params=SHIPPED, ids=lambda folder: folder.name)
def folder(request):
    return request.param


@pytest.fixture(scope="module")
def reader(folder):
    return open_reader(folder)


def test_a_bert_ships():
    assert set(BLANKS) <= {folder.name for folder in SHIPPED}


@pytest.mark.filterwarnings("ignore")
def test_transformers_opens_it_with_our_ids_and_states(folder, reader):
    from transformers import AutoModel, AutoTokenizer

    theirs = AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    languages = read_json(folder / "card.json")["languages"]
    mixed = [""] if len(languages) > 1 else []
    for text in (text for language in [*languages, *mixed] for text in TEXTS[language]):
        ids = reader.wordpiece.encode(text).ids
        assert tuple(tokenizer(text)["input_ids"]) == ids
        assert reader.wordpiece.unk_id not in ids
        with torch.inference_mode():
            mine = reader.network.encoder(torch.tensor([ids])).last
            other = theirs(torch.tensor([ids])).last_hidden_state
        torch.testing.assert_close(mine, other, atol=1e-4, rtol=1e-4)


def test_a_shipped_bert_fills_blanks_with_sense(reader):
    for text, expected in BLANKS.get(reader.name, {}).items():
        guesses = [guess.token for guess in fill(reader, text, 3).masks[0].guesses]
        assert expected & set(guesses), guesses
