"""Words of a line, their lemmas, and words in the letters of another language."""

from pathlib import Path

import pytest

from embeddings.errors import InputError
from embeddings.text.lemmas import LEMMA_LANGUAGES, foreign, forms_among, lemma
from embeddings.text.words import normalize, split_words

STRESS, GRAVE, SOFT = "\u0301", "\u0300", "\u00ad"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The cat, the CAT.", ["the", "cat", "the", "cat"]),
        ("Йод, ёж; подъём", ["йод", "ёж", "подъём"]),
        ("Straße Öl MÜSSEN schön", ["straße", "öl", "müssen", "schön"]),
        ("STRASSE ẞ", ["strasse", "ß"]),
        (f"за{STRESS}мок и замо{STRESS}к", ["замок", "и", "замок"]),
        (f"ё{STRESS}лка И{GRAVE} \u045d", ["ёлка", "и", "и"]),
        (f"caf\u00e9 na{STRESS}ïve r{STRESS}", ["café", "náïve", "ŕ"]),
        (f"Donau{SOFT}dampf{SOFT} {SOFT}schiff", ["donaudampf", "schiff"]),
        ("don’t don't donʼt d’you", ["don't", "don't", "don't", "d'you"]),
        ("L’homme qu'on n'a d’être", ["l", "homme", "qu", "on", "n", "a", "d", "être"]),
        ("aujourd'hui quelqu’un c'hoar", ["aujourd'hui", "quelqu'un", "c'hoar"]),
        ("dell'amore un’altra l'Égypte", ["dell", "amore", "un", "altra", "l", "égypte"]),
        ("col·legi COL·LEGI co\u0140legi a·b l·a", ["col·legi"] * 3 + ["a", "b", "l", "a"]),
        ("п`ять п´ять п＇ять", ["п'ять"] * 3),
        ("ΣΊΣΥΦΟΣ Σίσυφος Σ’ ΠΑΛΑΙΌΣ-ΝΈΟΣ", ["σίσυφος", "σίσυφος", "σ", "παλαιός-νέος"]),
        ("'quoted' dogs' ’tis rock-'n'-roll", ["quoted", "dogs", "tis", "rock", "n", "roll"]),
        ("кто-то well\u2010known non\u2011breaking", ["кто-то", "well-known", "non-breaking"]),
        ("-edge edge- a--b a - b –dash—dash", ["edge", "edge", "a", "b", "a", "b", "dash", "dash"]),
        ("1914 3.14 1,000 1,000.50", ["1914", "3.14", "1,000", "1,000.50"]),
        (
            "1914-1918, 10-летний B-52 5. 6, .7",
            ["1914", "1918", "10-летний", "b-52", "5", "6", "7"],
        ),
        ("e.g. U.S. a,b x.1 1.x", ["e", "g", "u", "s", "a", "b", "x", "1", "1", "x"]),
        ("90's h2o m² ½ _a_b_", ["90's", "h2o", "m", "a", "b"]),
        ("и\u0306од mu\u0308ssen", ["йод", "müssen"]),
        ("J\u030c ΟΔΟΣ İstanbul", ["ǰ", "οδος", "istanbul"]),
        ("\ufeffBOM word\u2060joined", ["bom", "wordjoined"]),
        ("\u0301 \u0308a x-\u0301y", ["a", "x", "y"]),
        ("", []),
        (" \n\t … — !", []),
    ],
)
def test_words_are_split_as_documented(text, words):
    assert split_words(text) == words


def test_case_is_kept_on_demand():
    text = f"König За{STRESS}мок NATO"
    assert split_words(text, lower=False) == ["König", "Замок", "NATO"]


def test_stress_accents_leave_latin_letters_alone():
    assert normalize(f"e{STRESS} е{STRESS} е{GRAVE} E{GRAVE}") == "é е е è"


def test_a_letter_behind_a_soft_hyphen_still_composes():
    assert normalize(f"и{SOFT}\u0306") == "й"


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
    assert set(LEMMA_LANGUAGES) == {path.stem for path in data.glob("*.plzma")}
    assert lemma("chevaux", "fr") == "cheval"
    assert lemma("замком", "uk") == "замок"


# Words in the letters of another language


@pytest.mark.parametrize(
    ("words", "language", "found"),
    [
        *((["2024", "50-60", "...", "€", ""], language, ()) for language in ("en", "ru", "de")),
        (["Т-34", "B2", "2-й"], "en", ("Т-34", "2-й")),
        (["Т-34", "B2", "2-й"], "ru", ("B2",)),
        (["銀行", "кλ", "é"], "de", ("銀行", "кλ")),  # scripts that no language here has
    ],
)
def test_a_word_of_letters_of_other_scripts_alone_is_foreign(words, language, found):
    assert foreign(words, language) == found
