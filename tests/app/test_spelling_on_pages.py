"""Explore reads a word by the spelling rule of the model and says so, and answers for a far commoner spelling too; three languages."""

import numpy as np
import pytest

from embeddings.vectors.table import Vectors
from tests.app.visits import listed_neighbours, open_page, page_text

WORDS = ("tür", "haus", "schloss", "burg", "thür", "tisch")
COUNTS = np.array([90, 80, 70, 60, 30, 20])
ANGLES = np.array([0.0, 0.1, 2.0, 2.1, 1.0, 1.1])
READ = {
    "en": "reads “Schloß” as “Schloss”",
    "ru": "читает «Schloß» как «Schloss»",
    "de": "liest „Schloß“ als „Schloss“",
}
COMMONER = {
    "en": "“thür” is rarer (30) than another spelling of the word, “tür” (90). Neighbours of “tür”: haus",
    "ru": "«thür» встречается реже (30), чем другое написание этого слова, «tür» (90). Соседи слова «tür»: haus",
    "de": "„thür“ seltener (30) als eine andere Schreibung des Wortes, „tür“ (90). Nachbarn von „tür“: haus",
}


@pytest.fixture
def german(put_first):
    """Return a function that puts a German model on the shelf, its text respelled by a rule or not."""

    def add(spelling):
        matrix = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1).astype(np.float32)
        about = {"name": "castles", "language": "de", "spelling": spelling}
        put_first(Vectors(WORDS, matrix, COUNTS, **about), dtype="float32")
        return "castles"

    return add


@pytest.mark.parametrize("language", ["en", "ru", "de"])
def test_a_word_is_read_by_the_rule_of_the_model_and_the_page_says_so(german, language):
    app = open_page(lang=language, text="de", models=german("de-1996"), word="Schloß")
    assert READ[language] in page_text(app)
    (words,) = listed_neighbours(app).values()
    assert words[0] == "burg"
    app.text_input(key="word").set_value("Schloß, Haus").run()
    assert READ[language] in page_text(app)
    app.text_input(key="word").set_value("Schloss").run()
    assert READ[language] not in page_text(app)


@pytest.mark.parametrize("language", ["en", "ru", "de"])
def test_a_word_that_the_model_has_far_more_often_in_another_spelling_is_answered_with_both(
    german, language
):
    app = open_page(lang=language, text="de", models=german(""), word="thür")
    assert COMMONER[language] in page_text(app).replace("\\", "")
    app.text_input(key="word").set_value("tür").run()
    assert "“tür”" not in page_text(app)
    assert "„tür“" not in page_text(app)
