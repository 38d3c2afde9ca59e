"""Every sentence in every language, with the same fields; every refusal translated."""

import ast
import json
import re
import shutil
import string
from functools import cache, partial

import pandas as pd
import pytest
from babel import UnknownLocaleError

from app.figures.shares import share_bars
from app.views.lab.experiment_sections import cell
from app.widgets import outputs, saved_files
from app.wording import LANGUAGES, TEXT_LANGUAGES, WORDING_FOLDER, Wording, examples, wording
from embeddings.errors import (
    CheckpointError,
    FormatError,
    InputError,
    MissingFileError,
    UnknownWordError,
    clause,
    clauses,
    messages,
)
from embeddings.lab.experiment import Column
from tests.app.plotly_figures import checked
from tests.app.wording_keys import is_asked_for
from tests.product_sources import nodes
from tests.wording_check import fields, main, problems

OTHERS = [language for language in LANGUAGES if language != "en"]


def nouned(template):
    """Names of the fields behind which the forms of a noun stand."""
    return {name for _, name, noun, _ in string.Formatter().parse(template) if noun}


def on_screen(language):
    """What the pages show, by key: a sentence with a count by its last form."""
    say = wording(language)
    counted = {key: list(by_category.values())[-1] for key, by_category in say.plurals.items()}
    return say.sentences | counted


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_refusal_can_be_said(language):
    say, unsaid = wording(language), []
    for code, message in messages().items():
        counted = say.plurals.get(f"errors.{code}", {})
        texts = [message, say.sentences.get(f"errors.{code}", ""), *counted.values()]
        numbers = {counted.get("by"), *set().union(*map(nouned, texts))}
        values = {name: 7 if name in numbers else f"<{name}>" for name in fields(message)}
        sentence = say.error(InputError(code, **values))
        unsaid += [code for value in values.values() if str(value) not in sentence]
    assert unsaid == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_file_claims_at_length_is_cut_in_the_reason(language):
    claim = clause("number_type", name="9" * 5000, type="I8")
    error = FormatError("file_unreadable", path="a.json", reason=claim)
    say = wording(language)
    sentence = say.error(error)
    template = say.get("clauses.number_type", clauses()["number_type"])
    assert template.format(name="", type="I8").strip() in sentence
    assert "9…" in sentence
    assert len(sentence) < 1200


@cache
def calls(top):
    """Every call below a folder: file, name of what is called, node."""
    return [
        (path, getattr(node.func, "id", getattr(node.func, "attr", "")), node)
        for path, node in nodes(top)
        if isinstance(node, ast.Call)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_clause_that_the_library_names_has_a_text_with_its_fields(language):
    known = clauses(language)
    named = {
        (ast.literal_eval(node.args[0]), frozenset(word.arg for word in node.keywords))
        for _, called, node in calls("embeddings")
        if called == "clause"
    }
    assert named == {(code, frozenset(fields(text))) for code, text in known.items()}


@pytest.mark.parametrize(
    ("language", "reason"),
    [("en", "sums is missing in it"), ("ru", "в нём нет sums"), ("de", "darin fehlt sums")],
)
def test_a_part_that_a_file_lacks_is_named(language, reason):
    error = FormatError("file_unreadable", path="a", reason=KeyError("sums"))
    assert wording(language).error(error).endswith(reason)


def given(name):
    """Every value that a call in the library gives a keyword."""
    words = [word for *_, node in calls("embeddings") for word in node.keywords]
    return [word.value for word in words if word.arg == name]


def test_no_reason_is_an_english_text():
    """A check raises ``ValueError(clause(...))``; an English text is only for programmers."""
    checks = [node for _, called, node in calls("embeddings") if called == "ValueError"]
    reasons = [*given("reason"), *(text for node in checks for text in node.args)]
    english = {node.value for node in reasons if isinstance(node, ast.Constant | ast.JoinedStr)}
    assert english == {"the numbers of a table of bytes are always made anew"}  # numpy asks for it


def test_every_way_out_is_a_clause():
    """Given by name, as a clause or as a parameter that mypy knows as one; functions that take one are checked by mypy."""
    assert {ast.unparse(node).split("(")[0] for node in given("way_out")} == {"clause", "way_out"}
    functions = [node for _, node in nodes("embeddings") if isinstance(node, ast.FunctionDef)]
    parameters = [item for node in functions for item in node.args.args if item.arg == "way_out"]
    assert {ast.unparse(item.annotation) for item in parameters} == {"Clause"}


NBSP, NARROW = "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}"
NOT_UTF8 = UnicodeDecodeError("utf-8", b"caf\xe9", 3, 4, "unexpected end of data")
UNREADABLE = FormatError("file_unreadable", path="a.txt", reason=NOT_UTF8)
DAMAGED = CheckpointError("checkpoints_damaged", path="r", reason=UNREADABLE)
NO_WEIGHTS = MissingFileError(
    "file_missing", path="m/model.safetensors", way_out=clause("get_model_again")
)
NO_SHARD = MissingFileError(
    "file_missing", path="m/2", way_out=clause("get_indexed_files", index="model.index.json")
)
UNKNOWN = UnknownWordError("qeen", 2015, ("queen", "green"), code="word_uncounted")


@pytest.mark.parametrize(
    ("write", "written"),
    [
        (lambda say: say.number(1234.5, 2), ("1,234.50", f"1{NBSP}234,50", "1.234,50")),
        (lambda say: say.size(1234), ("1.2 kB", "1,2 КБ", "1,2 kB")),
        (
            lambda say: cell(say, Column("n", digits=1), 1234.5),
            ("1,234.5", f"1{NBSP}234,5", "1.234,5"),
        ),
        (lambda say: cell(say, Column("n", digits=1), None), ("–", "–", "–")),
        (lambda say: say.list(["a", "b"]), ("a and b", "a и b", "a und b")),
        (lambda say: say.list(["a", "b", "c"]), ("a, b and c", "a, b и c", "a, b und c")),
        (lambda say: say.list(["a"]), ("a", "a", "a")),
        (lambda say: say.list([]), ("", "", "")),
        (
            lambda say: say.date("2026-11-22"),
            ("22 Nov 2026", f"22 нояб. 2026{NARROW}г.", "22.11.2026"),
        ),
        (
            lambda say: say.date("2026-11-22T13:05:59+00:00"),
            ("22 Nov 2026, 13:05", f"22 нояб. 2026{NARROW}г., 13:05", "22.11.2026, 13:05"),
        ),
        (lambda say: say.date("last week"), ("last week", "last week", "last week")),
        (
            lambda say: say.error(DAMAGED).partition(". ")[2],
            (
                "Start again in another --run. What is wrong: a.txt cannot be read: it is not UTF-8 (byte 0xE9)",
                "Начните заново в другой папке --run. Что не так: a.txt не читается: это не UTF-8 (байт 0xE9)",
                "Beginnen Sie in einem anderen --run neu. Was nicht stimmt: a.txt lässt sich nicht lesen: sie ist kein UTF-8 (Byte 0xE9)",
            ),
        ),
        (
            lambda say: say.error(NO_WEIGHTS),
            (
                "m/model.safetensors does not exist. Get the model again.",
                "Файла m/model.safetensors нет. Загрузите модель ещё раз.",
                "m/model.safetensors gibt es nicht. Laden Sie das Modell erneut herunter.",
            ),
        ),
        (
            lambda say: say.error(NO_SHARD),
            (
                "m/2 does not exist. model.index.json names it: get all of its files.",
                "Файла m/2 нет. Его называет model.index.json: загрузите все его файлы.",
                "m/2 gibt es nicht. model.index.json nennt sie: Laden Sie alle Dateien daraus herunter.",
            ),
        ),
        (  # the number of words that there are, and close spellings of an unknown one
            lambda say: re.findall(r"2\D?015|\w+ \w+: queen .* green", say.error(UNKNOWN)),
            (
                ["2,015", "Close spellings: queen and green"],
                [f"2{NBSP}015", "Похожие написания: queen и green"],
                ["2.015", "Ähnliche Schreibungen: queen und green"],
            ),
        ),
    ],
)
def test_numbers_lists_dates_and_reasons_are_written_as_the_language_does(write, written):
    assert tuple(map(write, map(wording, LANGUAGES))) == written


def test_sentences_differ_between_languages():
    english = on_screen("en")
    for language in OTHERS:
        same = [k for k, v in on_screen(language).items() if v == english[k] and len(v) > 30]
        assert not same, (language, same)


def test_every_key_is_asked_for():
    assert [
        key for key in on_screen("en") if not key.startswith("clauses.") and not is_asked_for(key)
    ] == []


def test_a_made_up_key_is_asked_for_in_no_section():
    sections = {key.split(".")[0] for key in on_screen("en")}
    assert [name for name in sorted(sections) if is_asked_for(f"{name}.zzqx")] == []


@pytest.mark.parametrize("language", TEXT_LANGUAGES)
def test_examples_are_there_for_each_language(language):
    assert set(examples(language)) == set(examples("en"))
    assert all(examples(language).values())


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


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_test_set_is_called_by_its_title(language):
    say = wording(language)
    assert outputs.title_of_test_set(say, "EN-WS-353-ALL.txt") == "WordSim-353"
    assert outputs.title_of_test_set(say, "ru.txt") == say("testset.ru")
    assert outputs.title_of_test_set(say, "mine.txt") == "mine.txt"
    assert outputs.title_of_test_set(say, "my sentences") == "my sentences"
    assert outputs.title_of_test_set(say, "CLAMS ru") == f"CLAMS, {say('language.ru')}"
    titled = outputs.title_of_test_set(say, "short sentences ru")
    assert titled == f"{say('testset.short_sentences')}, {say('language.ru')}"


@pytest.mark.parametrize(
    ("values", "is_count"),
    [([30_000.0, None], True), ([0.5, 2.0], False), ([1.0, 0.0], False), ([None, None], False)],
)
def test_counts_are_written_without_a_fraction(values, is_count):
    column = pd.Series(values, dtype=float)
    form = saved_files.forms_of(wording("en"), column.to_frame("n"), {})["n"]
    assert (form(2.0) == "2") == is_count


@pytest.mark.parametrize(
    ("language", "count", "written"),
    [
        ("en", 1, "1 model"),
        ("en", 21, "21 models"),
        ("en", 1200, "1,200 models"),
        ("ru", 1, "1 модель"),
        ("ru", 2, "2 модели"),
        ("ru", 5, "5 моделей"),
        ("ru", 11, "11 моделей"),
        ("ru", 21, "21 модель"),
        ("ru", 1222, "1\N{NO-BREAK SPACE}222 модели"),
        ("de", 1, "1 Modell"),
        ("de", 2, "2 Modelle"),
    ],
)
def test_a_count_agrees_with_its_noun(language, count, written):
    assert wording(language)("count.models", n=count) == written


@pytest.mark.parametrize(
    ("language", "documents", "written"),
    [
        ("en", 1, "(1 token, 1 document)"),
        ("en", 1200, "(1,200 tokens, 1,200 documents)"),
        ("de", 1, "(1 Token, 1 Dokument)"),
        ("de", 3, "(3 Token, 3 Dokumente)"),
    ],
)
def test_each_of_several_numbers_in_a_sentence_agrees_with_its_noun(language, documents, written):
    names = ("tokens_first", "tokens_second", "documents_first", "documents_second")
    counts = dict.fromkeys((*names, "permutations", "retrainings"), documents)
    said = wording(language)("change.change", first="a", second="b", **counts)
    assert said.count(written) == 2


@pytest.mark.parametrize(
    ("least", "written"),
    [(1, "1 раз"), (2, "2 раза"), (5, "5 раз"), (21, "21 раз"), (34, "34 раза")],
)
@pytest.mark.parametrize("kept_as", [int, str])
def test_a_number_of_a_refusal_agrees_also_where_a_job_wrote_it_down_as_text(
    least, written, kept_as
):
    said = wording("ru").error(InputError("change_common", least=kept_as(least)))
    assert f"хотя бы {written}." in said


@pytest.mark.parametrize(
    ("before", "after", "written"),
    [(1, 0, "1 text lies before 1900 and 0 from"), (2, 1, "2 texts lie before 1900 and 1 from")],
)
def test_the_library_counts_in_english(before, after, written):
    error = InputError("dates_side", path="a.csv", year=1900, before=before, after=after)
    assert written in str(error)
    assert written in wording("en").error(error)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_form_differs_from_the_others_only_where_the_count_is_said(language):
    """A form that lacks a field of the others would hide it for some counts; the count itself may be a word."""
    for key, by_category in wording(language).plurals.items():
        texts = [text for category, text in by_category.items() if category != "by"]
        kept = {frozenset(fields(text) - {by_category["by"]}) for text in texts}
        assert len(kept) == 1, key


def test_a_locale_that_cldr_does_not_know_is_refused(tmp_path):
    with pytest.raises(UnknownLocaleError):
        Wording("zq", tmp_path)


@cache
def calls_of_sentences():
    """Every call with a key: place, key or pattern of keys, names of the fields; None for fields that come in a dictionary."""
    found = []
    for path, called, node in calls("app"):
        key = node.args[0] if node.args else None
        if called == "say" and isinstance(key, ast.Constant | ast.JoinedStr):
            values = [key] if isinstance(key, ast.Constant) else key.values
            parts = [re.escape(v.value) if isinstance(v, ast.Constant) else ".+" for v in values]
            names = {word.arg for word in node.keywords}
            found.append((f"{path.name}:{node.lineno}", re.compile("".join(parts)), names))
    return found


def test_every_key_that_the_code_asks_for_exists():
    known = set(on_screen("en")) | {f"errors.{code}" for code in messages()}
    asked = [(place, pattern.pattern) for place, pattern, _ in calls_of_sentences()]
    whole = [(place, re.sub(r"\\(.)", r"\1", key)) for place, key in asked if "+" not in key]
    assert [f"{place} asks for {key}" for place, key in whole if key not in known] == []


def test_every_sentence_with_a_count_is_given_its_count():
    counted = {key: by["by"] for lang in LANGUAGES for key, by in wording(lang).plurals.items()}
    places = [
        f"{place} says {key} without {field}"
        for place, pattern, names in calls_of_sentences()
        for key, field in counted.items()
        if "+" not in pattern.pattern  # a key that the code has whole
        and pattern.fullmatch(key)
        and field not in names
        and None not in names
    ]
    assert places == []
    asked = {k for _, pattern, _ in calls_of_sentences() for k in counted if pattern.fullmatch(k)}
    assert {key for key in counted if not key.startswith("errors.")} - asked == set()


# Shares on axes and bars, written as the screen's language writes them


share_bars = checked(share_bars)


def test_bars_of_shares_are_in_percent_in_their_order_with_the_comma_of_the_language():
    figure = share_bars([("the", 0.012), ("cat", 0.004), ("the", 1e-7)], (), "p", ",.")
    assert list(figure.data[0].x) == pytest.approx([1.2, 0.4, 1e-5])
    assert list(figure.data[0].text) == ["1,2 %", "0,4 %", "< 0,0001 %"]
    assert list(figure.layout.yaxis.ticktext) == ["the", "cat", "the"]
    assert figure.layout.xaxis.ticksuffix == f"{NBSP}%"


def test_shares_of_a_table_are_written_in_the_language_and_shaded(monkeypatch):
    tables = []
    monkeypatch.setattr(outputs.st, "dataframe", lambda rows, **_: tables.append(rows))
    monkeypatch.setattr(outputs, "csv", lambda *_: None)
    say = wording("ru")
    rows = pd.DataFrame({"a": [0.5], "b": [-2.25]})
    outputs.table(say, rows, "t", forms={"a": partial(say.number, digits=2)}, shares=["a"])
    (table,) = tables
    assert table.data.to_numpy().tolist() == [[0.5, -2.25]]  # still numbers, by which it is ordered
    table._compute()
    drawn = table._translate(False, False)
    cells = [cell for cell in drawn["body"][0] if cell["type"] == "td"]
    assert [cell["display_value"] for cell in cells] == ["0,50", "−2,2500"]
    (cell,) = drawn["cellstyle"]
    assert cell["props"] == [("background-color", "rgba(0, 114, 178, 0.250)")]
    assert cell["selectors"] == ["row0_col0"]


# A language is one folder: what is missing in it is named, and the languages that ship lack nothing


def edit(folder, name, old, new):
    path = folder / f"{name}.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_further_language_is_one_folder_with_its_error_messages(tmp_path):
    folder = shutil.copytree(WORDING_FOLDER / "en", tmp_path / "nl")
    assert any(
        problem.startswith("errors.json_large is missing") for problem in problems("nl", folder)
    )
    sections = {"errors": messages(), "clauses": clauses()}
    text = "\n".join(
        f"[{name}]\n" + "\n".join(f"{code} = {json.dumps(said)}" for code, said in table.items())
        for name, table in sections.items()
    )
    (folder / "errors.toml").write_text(text, encoding="utf-8")
    assert not [problem for problem in problems("nl", folder) if "missing" in problem]
    assert Wording("nl", folder)("errors.json_large", path="a", bound=9).startswith("a ")


FORMS = 'models.few = "{n} модели"\n'


WRONG = {
    "a missing key": (
        "fill",
        'title = "Какое слово здесь пропущено?"\n',
        "",
        "fill.title is missing: What word belongs here?",
    ),
    "a translated placeholder": (
        "fill",
        "слой {number}",
        "слой {номер}",
        "fill.layer has the placeholders ['номер'] instead of ['number'].",
    ),
    "a missing form": ("common", FORMS, "", "count.models lacks the forms ['few']."),
    "a form too many": (
        "common",
        FORMS,
        'models.two = "{n} модели"\n' + FORMS,
        "count.models has the forms ['two'], which no whole number of this language takes.",
    ),
    "a noun without a form": (
        "explore",
        "обучена {runs:раз|раза|раз}",
        "обучена {runs:раз|раза}",
        "spread.lead gives 2 forms behind {runs} instead of 3: раз|раза.",
    ),
}


@pytest.mark.parametrize(("file", "old", "new", "problem"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_a_translation_is_named(tmp_path, file, old, new, problem):
    folder = shutil.copytree(WORDING_FOLDER / "ru", tmp_path / "ru")
    edit(folder, file, old, new)
    assert problems("ru", folder) == [problem]


@pytest.mark.parametrize(
    ("language", "quoted", "wrong"),
    [
        ("ru", '\\"{}\\"', '"'),
        ("ru", "«{}»", ""),
        ("de", "«{}»", "«»"),
        ("de", "„{}“", ""),
        ("en", "«{}»", "«»"),
        ("en", "“{}”", ""),
    ],
)
def test_quotes_of_another_language_are_named(tmp_path, language, quoted, wrong):
    title = wording(language)("fill.nav")
    folder = shutil.copytree(WORDING_FOLDER / language, tmp_path / language)
    edit(folder, "fill", f'nav = "{title}"', f'nav = "{quoted.format(title)}"')
    shown = quoted.format(title).replace("\\", "")
    named = [f"fill.nav has wrong quotes, {wrong}: {shown}"] if wrong else []
    assert problems(language, folder) == named


def test_the_command_prints_the_number_of_problems(capsys):
    assert main([]) == 0
    assert capsys.readouterr().out.split() == ["en:", "0", "ru:", "0", "de:", "0"]
