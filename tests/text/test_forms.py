from pathlib import Path

import pytest

from embeddings.errors import InputError
from embeddings.text.lemmas import LANGUAGES, forms_among, lemma


@pytest.mark.parametrize(
    ("word", "language", "base"),
    [
        ("ключа", "ru", "ключ"),
        ("ключом", "ru", "ключ"),
        ("ключи", "ru", "ключ"),
        ("Schlosses", "de", "Schloss"),
        ("schlosses", "de", "Schloss"),
        ("schlösser", "de", "Schloss"),
        ("haus", "de", "Haus"),
        ("königs", "de", "König"),
        ("gehen", "de", "gehen"),
        ("ging", "de", "gehen"),
        ("füße", "de", "Fuß"),
        ("mice", "en", "mouse"),
        ("went", "en", "go"),
        ("qwxyz", "en", "qwxyz"),
    ],
)
def test_lemma_is_the_base_form(word, language, base):
    assert lemma(word, language) == base


@pytest.mark.parametrize(
    ("word", "language", "forms"),
    [
        ("ключ", "ru", ("ключом", "ключа", "ключи")),
        ("Schlosses", "de", ("schloß", "schloss", "schlösser")),
        ("mouse", "en", ("mice",)),
        ("unknown", "en", ()),
    ],
)
def test_forms_among_shares_the_lemma_in_the_given_order(word, language, forms):
    words = ["ключом", "schloß", "mice", "ключа", "schloss", "дом", "ключи", "schlösser", "haus"]
    assert forms_among(word, words, language) == forms


def test_an_unknown_language_is_refused():
    with pytest.raises(InputError, match=r"language=xx is not known\. Choose one of: en, ru, de"):
        lemma("mot", "xx")


def test_every_language_of_simplemma_is_offered():
    import simplemma

    data = Path(simplemma.__file__).parent / "strategies" / "dictionaries" / "data"
    assert set(LANGUAGES) == {path.stem for path in data.glob("*.plzma")}
    assert lemma("chevaux", "fr") == "cheval"
    assert lemma("замком", "uk") == "замок"
