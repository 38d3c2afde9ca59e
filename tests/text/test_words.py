import pytest

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
