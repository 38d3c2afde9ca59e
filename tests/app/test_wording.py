"""Every sentence in every language, with the same fields; every refusal translated."""

import re
import string
from pathlib import Path

import pytest

from app.wording import LANGUAGES, examples, wording
from embeddings.errors import SENTENCES, InputError, UnknownWordError
from tests.app.wording_keys import is_asked_for

ROOT = Path(__file__).resolve().parents[2]
OTHERS = [language for language in LANGUAGES if language != "en"]
OWN = {"errors"}  # English refusals are the library's own sentences


def fields(template):
    """Names that a sentence wants filled in."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def on_screen(language):
    return {k: v for k, v in wording(language).sentences.items() if k.split(".")[0] not in OWN}


@pytest.mark.parametrize("language", OTHERS)
def test_each_language_has_the_same_keys_and_fields(language):
    english, other = on_screen("en"), on_screen(language)
    assert set(english) == set(other)
    assert {k: fields(v) for k, v in english.items()} == {k: fields(v) for k, v in other.items()}


@pytest.mark.parametrize("language", OTHERS)
def test_each_refusal_has_a_translation_with_its_fields(language):
    prefix = "errors."
    translated = {
        key.removeprefix(prefix): text
        for key, text in wording(language).sentences.items()
        if key.startswith(prefix)
    }
    assert set(translated) == set(SENTENCES)
    assert {c: fields(t) for c, t in translated.items()} == {
        c: fields(t) for c, t in SENTENCES.items()
    }


@pytest.mark.bookkeeping
@pytest.mark.parametrize("code", SENTENCES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_refusal_can_be_said(language, code):
    values = {name: f"<{name}>" for name in fields(SENTENCES[code])}
    sentence = wording(language).error(InputError(code, **values))
    assert all(value in sentence for value in values.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_unknown_words_bring_their_close_spellings_in_the_language(language):
    sentence = wording(language).error(UnknownWordError("qeen", 9, ("queen", "green"), 0))
    assert "queen, green" in sentence
    assert ("Close spellings" in sentence) == (language == "en")


@pytest.mark.parametrize(
    ("language", "size"), [("en", "2,015"), ("ru", "2\N{NO-BREAK SPACE}015"), ("de", "2.015")]
)
def test_the_number_of_words_is_grouped_as_the_language_does(language, size):
    assert size in wording(language).error(UnknownWordError("the", 2015, code="word_uncounted"))


def test_sentences_differ_between_languages():
    english = on_screen("en")
    names = {"common.model", "map.cluster"}  # Modell, модель
    for language in OTHERS:
        same = [k for k, v in on_screen(language).items() if v == english[k] and len(v) > 30]
        assert not same, (language, same, names)


def test_every_key_that_the_code_asks_for_exists():
    known = set(on_screen("en"))
    for path in (ROOT / "app").rglob("*.py"):
        for key in re.findall(r'say\(\s*"([a-z_]+\.[a-z_]+)"', path.read_text(encoding="utf-8")):
            assert key in known, f"{path.name} asks for {key}"


def test_every_key_is_asked_for():
    assert [key for key in on_screen("en") if not is_asked_for(key)] == []


def test_a_made_up_key_is_asked_for_in_no_section():
    sections = {key.split(".")[0] for key in on_screen("en")}
    assert [name for name in sorted(sections) if is_asked_for(f"{name}.zzqx")] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_examples_are_there_for_each_language(language):
    assert set(examples(language)) == set(examples("en"))
    assert all(examples(language).values())


@pytest.mark.parametrize(
    ("language", "written"),
    [("en", "1,234.50"), ("ru", "1\N{NO-BREAK SPACE}234,50"), ("de", "1.234,50")],
)
def test_numbers_follow_the_language(language, written):
    assert wording(language).number(1234.5, 2) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "–"),
        (float("nan"), "–"),
        (float("inf"), "∞"),
        (float("-inf"), "−∞"),
        (-1, "−1"),
        (-0.4, "0"),
    ],
)
def test_numbers_that_are_none_are_said(value, written):
    assert wording("de").number(value) == written


def test_a_table_writes_its_numbers_as_the_language_does_and_keeps_them_numbers():
    from io import BytesIO

    import pyarrow as pa
    from streamlit.testing.v1 import AppTest

    def script():
        import pandas as pd

        from app.widgets import outputs
        from app.wording import wording

        say = wording("de")
        rows = pd.DataFrame({"word": ["a", "b"], "share": [0.0488, 0.5], "cosine": [-0.25, 1.0]})
        percent = {"share": lambda share: f"{say.number(100 * share, 2)} %"}
        outputs.table(say, rows, "shown", forms=percent)

    shown = AppTest.from_function(script).run().dataframe[0]
    assert list(shown.value["share"]) == [0.0488, 0.5]
    written = pa.ipc.open_stream(
        BytesIO(shown.proto.arrow_data.styler.display_values)
    ).read_pandas()
    assert list(written.iloc[:, 1]) == ["4,88 %", "50,00 %"]
    assert list(written.iloc[:, 2]) == ["−0,2500", "1,0000"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_test_set_is_called_by_its_title(language):
    from app.widgets import outputs

    say = wording(language)
    assert outputs.title_of_test_set(say, "EN-WS-353-ALL.txt") == "WordSim-353"
    assert outputs.title_of_test_set(say, "ru.txt") == say("testset.ru")
    assert outputs.title_of_test_set(say, "mine.txt") == "mine.txt"


@pytest.mark.parametrize(
    ("values", "is_count"),
    [([30_000.0, None], True), ([0.5, 2.0], False), ([1.0, 0.0], False), ([None, None], False)],
)
def test_counts_are_written_without_a_fraction(values, is_count):
    import pandas as pd

    from app.widgets.outputs import _is_count

    assert _is_count(pd.Series(values, dtype=float)) == is_count
