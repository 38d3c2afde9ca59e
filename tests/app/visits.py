"""A page as a link opens it, and its text."""

import contextlib
import io
from pathlib import Path
from pkgutil import resolve_name
from types import SimpleNamespace

import numpy as np
import pytest
from streamlit import runtime
from streamlit.testing.v1 import AppTest

from app import answers

MAIN = str(Path(__file__).resolve().parents[2] / "app/main.py")
PAGES = ("explore", "analogies", "ratios")
LANGUAGES = ("en", "ru", "de")


def in_turn(values):
    """Each value with each language: one of the three in turn in the default run, the other two in the long one."""
    return [
        pytest.param(value, language, marks=() if at == number % 3 else pytest.mark.slow)
        for number, value in enumerate(values)
        for at, language in enumerate(LANGUAGES)
    ]


QUEEN = {"en": "queen", "ru": "королева", "de": "königin"}


BOXES = (
    "analogy",
    "grammar-tokens",
    "contexts",
    "contexts-tree",
    "compare-words",
    "attention-heads",
    "attribution-words",
    "classify-words",
    "translate-sums",
)


def open_page(page="explore", *, timeout=60, boxes=BOXES, **address):
    """Return the page as a link opens it, once its boxes of tables and trees are opened too."""
    app = AppTest.from_file(MAIN, default_timeout=timeout)
    for box in boxes:
        app.session_state[f"box-{box}"] = True
    app.query_params.update({name: str(value) for name, value in address.items()})
    if page != "explore":  # the page that opens where a link names none
        app.switch_page(f"views/{page}/{page}.py")
    app.run()
    assert not app.exception, [error.message for error in app.exception]
    return app


def listed_neighbours(app):
    """Return the words of Explore's lists of neighbours, by the label of the model."""
    table = app.dataframe[0].value
    return {
        label: [cell.lstrip("○● ").rsplit(" ", 1)[0] for cell in table[label] if cell]
        for label in table
    }


def page_text(app):
    """Return all sentences on the page in one string."""
    kinds = (app.title, app.header, app.subheader, app.markdown, app.caption, app.info, app.metric)
    texts = [str(item.value) for kind in (*kinds, app.success, app.warning) for item in kind]
    return "\n".join([*texts, *(code.value for code in app.code)])


def printed(code):
    """Return what Python code prints."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(code, "<pasted>", "exec"), {})
    return output.getvalue()


def pasted(app, *entries):
    """Return what the Python code of a page prints, its models opened from their folders, and the same as cells of lines."""
    code = next(block.value for block in app.code if block.value.startswith("import embeddings"))
    for entry in entries:
        code = code.replace(f"({entry.name!r})", f"({str(entry.path)!r})")
    output = printed(code)
    return output, [line.split() for line in output.splitlines()]


def assert_words_moved(app, shares, entry):
    """Hold the first table of a page to what each word added, and the code of the page to print the same."""
    rows = app.dataframe[0].value
    words, gradients, occlusions, attention = (list(rows[name]) for name in rows.columns)
    count = len(shares)
    assert words[:count] == [share.word for share in shares]
    np.testing.assert_allclose(gradients[:count], [s.attribution for s in shares], atol=1e-5)
    np.testing.assert_allclose(occlusions[:count], [s.occlusion for s in shares], atol=1e-5)
    assert sum(gradients[:-1]) == pytest.approx(gradients[-1], abs=1e-5)
    assert np.nansum(np.array(attention[:-1], float)) == pytest.approx(1, abs=1e-5)
    _, lines = pasted(app, entry)
    for share in shares:
        numbers = (share.attribution, share.attention, share.occlusion)
        cells = [share.word, str(share.start), str(share.end), *(f"{n:.4f}" for n in numbers)]
        assert cells in lines


def value(app, name):
    """Return a parameter of the address."""
    parameter = app.query_params[name]
    return parameter[0] if isinstance(parameter, list) else parameter


def deferred_files(monkeypatch):
    """Return what makes each file that a download button offers, by Streamlit's identifier, from now on."""
    made = {}
    manager = runtime.media_file_manager.MediaFileManager
    kept = manager.add_deferred

    def noted(self, make, *args, **options):
        file_id = kept(self, make, *args, **options)
        made[file_id] = make
        return file_id

    monkeypatch.setattr(manager, "add_deferred", noted)
    return made


def calls_of(patch, function):
    """Return the calls of a function, named with its module or class, from now on: arguments and value of each."""
    module, _, name = function.rpartition(".")
    place, calls = resolve_name(module), []
    called = getattr(place, name)

    def spy(*arguments, **named):
        value = called(*arguments, **named)
        calls.append(SimpleNamespace(arguments=arguments, named=named, value=value))
        return value

    patch.setattr(place, name, spy)
    return calls


def forget_answers(*spared):
    """Forget the answers of all functions but some, and what they take: a trace of either would count against later ones."""
    with answers._lock:
        for key in [key for key in answers._kept if key[0] not in spared]:
            del answers._kept[key]
