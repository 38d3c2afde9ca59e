"""Named spelling rules: what they write, what they leave, that they do nothing twice and merge no two words of the reviewed list."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from embeddings.errors import InputError
from embeddings.static.word2vec import Word2VecConfig, train_word2vec
from embeddings.text.spelling_rules import RULES, respell
from embeddings.vectors.formats import read_native, write_native

# Written after the official rules of 1996 and the Duden, not after the code.
GERMAN = """
Schloß Schloss|schloß schloss|daß dass|muß muss|mußte musste|müßte müsste|müßt müsst|Fluß Fluss|Flüßchen Flüsschen|Einfluß Einfluss
Kuß Kuss|küßte küsste|Prozeß Prozess|Prozeßordnung Prozessordnung|läßt lässt|laß lass|gewiß gewiss|wußte wusste|bewußt bewusst
häßlich hässlich|gräßlich grässlich|Haß Hass|Faß Fass|Fäßchen Fässchen|blaß blass|naß nass|Paß Pass|Roß Ross|Rößlein Rösslein|biß biss
ißt isst|vergißt vergisst|Riß Riss|Nuß Nuss|Guß Guss|Schuß Schuss|Schluß Schluss|Genuß Genuss|Verdruß Verdruss|goß goss|Troß Tross
Rußland Russland|Elsaß Elsass|Geschoß Geschoss|floß floss|schoß schoss|Sprößling Sprössling|Schößling Schössling|Kongreß Kongress
Mißtrauen Misstrauen|Imbiß Imbiss|Amboß Amboss|Narziß Narziss|Geheimniß Geheimnis|geheimnißvoll geheimnisvoll|Verhältniß Verhältnis
verhältnißmäßig verhältnismäßig|dieß dies|deßhalb deshalb|indeß indes|Schooß Schoß|Maaß Maß
Thür Tür|Thal Tal|thun tun|gethan getan|Theil Teil|Urtheil Urteil|Thräne Träne|roth rot|Muth Mut|Gemüth Gemüt|nothwendig notwendig
Rath Rat|Räthsel Rätsel|Wirth Wirt|Thier Tier|Thurm Turm|Reichthum Reichtum|eigenthümlich eigentümlich|Athem Atem|giebt gibt|gieng ging
seyn sein|bey bei|Freyheit Freiheit|zwey zwei|todt tot
"""
LEFT = """
Maße Masse Maß Masse maßlos Buße Busse büßen Straße Straßen Straßburg groß größer Größe weiß Weiß weiße Fuß Füße barfuß Gruß grüßen süß
Spaß saß aß aßen vergaß besaß fraß Gefäß gemäß mäßig regelmäßig Muße müßig Müßiggang Ruß rußig Stoß stößt Kloß Klöße Floß Flöße Schoß Schöße
bloß entblößt fließt ließ hieß heiß außen draußen Preußen reißt dreißig Fleiß scheußlich äußern Voß
Theater Thron Thema Theorie Thüringen Luther Goethe Werther Dorothea Mathematik Rathaus Nothilfe Mithilfe Gasthaus Gutheit enthalten
achthundert entheiligt Posthorn Zarathustra Thomas Thierse Wuthenow Bey Frey Roth Theresa Bluthund Soße Soßen Bratensoße Thunfisch
"""
UNMOVED = "four hour advise improvise wise tyre cheque storey travel color Greyhound glamour"
PAIRS = [tuple(pair.split()) for line in GERMAN.split("\n") for pair in line.split("|") if pair]
APART = (  # two words each, that differ in ß and ss or in th and t alone
    "Maße Masse|Maßen Massen|Buße Busse|Floß floss|Schoß schoss|Muße Musse|weiße weisse|Ruße Russe|Fließe Fliesse|Geißel Geissel|"
    "всё все|нёбо небо|осёл осел|чёрт черт|берёг берег|tyre tire|cheque check|storey story|"
    "Spaße Spasse|saßen Sassen|aßen Assen|reißen reissen|Luther Luter|Rathaus Rataus"
)


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_old_german_spellings_become_those_of_1996(old, new):
    assert respell(old, "de-1996") == new


AMERICAN = (
    "colour color|Favourite Favorite|neighbours neighbors|dishonour dishonor|centre center|theatre theater|realised realized|"
    "organisation organization|analyse analyze|defence defense|travelling traveling|grey gray|plough plow|centred centered"
)
BRITISH = [*map(str.split, AMERICAN.split("|")), *((word, word) for word in UNMOVED.split())]


@pytest.mark.parametrize(("british", "american"), BRITISH)
def test_british_spellings_become_american(british, american):
    assert respell(british, "en-us") == american


DOTTED = "ёлка елка|Пётр Петр|ещё еще|всё всё|Нёбо Нёбо|йод йод"


@pytest.mark.parametrize("words", DOTTED.split("|"))
def test_the_dots_of_russian_words_go_where_they_distinguish_no_two_words(words):
    dotted, plain = words.split()
    assert respell(dotted, "ru-e") == plain


@pytest.mark.parametrize("word", LEFT.split())
def test_words_whose_spelling_is_the_same_today_are_left(word):
    assert respell(word, "de-1996") == word


@pytest.mark.parametrize("pair", APART.split("|"))
@pytest.mark.parametrize("rule", RULES)
def test_no_two_words_of_the_reviewed_list_become_one(pair, rule):
    first, second = pair.split()
    assert respell(first, rule).lower() != respell(second, rule).lower()


@pytest.mark.parametrize("rule", RULES)
@given(
    st.one_of(
        st.text(max_size=20),
        st.lists(
            st.sampled_from([*"aeiouäöüßstThflgmnry-' ", "th", "ey", "ieng", "niß", "ſ", "ﬁ", "ё"]),
            max_size=12,
        ).map("".join),
    )
)
def test_a_rule_does_nothing_twice(rule, word):
    once = respell(word, rule)
    assert respell(once, rule) == once


def test_capitals_hyphens_and_ligatures():
    assert respell("Schloß-Thür", "de-1996") == "Schloss-Tür"
    assert respell("THEIL", "de-1996") == "TEIL"
    assert [respell("ﬁnden", rule) for rule in RULES] == ["finden"] * len(RULES)
    assert respell("Schloß", "") == "Schloß"


def test_a_rule_that_there_is_not_and_one_of_another_language_are_refused(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("mot mot mot\n", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        encode([text], tmp_path / "ids", EncodingConfig(min_count=1, spelling="fr-1990"))
    assert refused.value.code == "spelling_unknown"
    assert "fr-1990" in str(refused.value)
    assert "de-1996" in str(refused.value)
    with pytest.raises(InputError) as refused:
        EncodingConfig(lemmas="ru", spelling="de-1996")
    assert refused.value.code == "spelling_language"


@pytest.fixture(scope="module")
def two_spellings(tmp_path_factory):
    """A text in which the castle is spelled in two ways, each among the same companions, and lap and shot."""
    folder = tmp_path_factory.mktemp("spellings")
    old = "Der König wohnt im Schloß . Er schoß . Ihr Schoß .\n"
    new = "Der König wohnt im Schloss . Er schoss . Ihr Schoß .\n"
    (folder / "text.txt").write_text(old * 30 + new * 10, encoding="utf-8")
    config = EncodingConfig(min_count=1, spelling="de-1996")
    return encode([folder / "text.txt"], folder / "ids", config)


def test_two_spellings_in_a_corpus_are_one_word_and_give_one_vector(two_spellings, tmp_path):
    words, counts = two_spellings.vocabulary.words, two_spellings.vocabulary.counts.tolist()
    assert dict(zip(words, counts, strict=True)) == {
        **{"der": 40, "könig": 40, "wohnt": 40, "im": 40, "schloss": 40},
        **{"er": 40, "schoss": 40, "ihr": 40, "schoß": 40},
    }
    config = Word2VecConfig(vector_size=8, epochs=1, workers=1)
    vectors = train_word2vec(two_spellings, config).vectors
    vectors.spelling = two_spellings.config.spelling
    write_native(vectors, tmp_path / "model", dtype="float32")
    again = read_native(tmp_path / "model")
    assert np.array_equal(again["Schloß"], again["schloss"])
    assert again.read_as("Schloß") == "Schloss"
    assert again.read_as("Schloss") == again.read_as("König") == ""
    assert not np.array_equal(again["schoß"], again["schoss"])
    assert EncodedCorpus.open(two_spellings.folder).config.spelling == "de-1996"
    again.spelling = ""
    assert "Schloß" not in again


def test_lemmas_of_respelled_words_are_respelled(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("die Flüsse , der Fluß , des Flusses\n", encoding="utf-8")
    config = EncodingConfig(min_count=1, lemmas="de", spelling="de-1996")
    corpus = encode([text], tmp_path / "ids", config)
    assert corpus.vocabulary.counts[corpus.vocabulary.index["fluss"]] == 3
