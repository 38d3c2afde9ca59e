"""Inputs that live in the address: choices, switches, numbers, lines of text (completed as one types), lists, sample sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice, zip_longest
from operator import attrgetter
from pathlib import Path
from typing import Any

import streamlit as st

from app import shelf_models
from app.answers import cached
from app.components import component
from app.widgets import address
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.corpora.concordance_search import text_language
from embeddings.corpora.sense_contexts import evident_language
from embeddings.corpora.text_files import paragraphs, text_files
from embeddings.errors import KlyuchError
from embeddings.shelf import Entry
from embeddings.shelf.locations import (
    concordances_of,
    find_concordance,
    sample_concordance,
    sample_name,
)

MAX_LINE_LENGTH = 2000  # characters of a line
LONGEST_LINES = 6000  # characters of several lines: what a link can hold


def named(say: Wording, key: str) -> dict[str, Any]:
    """Return label, key and help of a widget, which the wording has under its key."""
    return {"label": say(f"{key}.label"), "key": key, "help": say(f"{key}.help")}


def choice(
    say: Wording, key: str, options: Sequence[str], default: str | None = None, names: str = ""
) -> str:
    """Let one of ``options`` be chosen; labels stand under ``{names}.{option}``, by default those of ``key``."""
    address.keep(key, default or options[0], options)
    value = st.segmented_control(
        **named(say, key),
        options=options,
        format_func=lambda option: say(f"{names or key}.{option}"),
        required=True,
    )
    return value or options[0]


def switch(say: Wording, key: str, default: bool = False) -> bool:
    """Switch something on or off."""
    address.keep(key, default)
    return st.toggle(**named(say, key))


def number(say: Wording, key: str, default: int, low: int, high: int) -> int:
    """Choose a whole number on a slider."""
    address.keep(key, default, (low, high))
    return int(st.slider(**named(say, key), min_value=low, max_value=high))


def line(say: Wording, key: str, default: str) -> str:
    """Ask for a line of text; one that is too long is cut, and said to be."""
    with _bounded(say, key, default, MAX_LINE_LENGTH):
        text = st.text_input(**named(say, key), placeholder=say.get(f"{key}.placeholder") or None)
    return str(text).strip()


@contextmanager
def _bounded(say: Wording, key: str, default: str, longest: int) -> Iterator[None]:
    """Keep a text, and say below its field if it was cut."""
    address.keep(key, default)
    was_cut = address.shorten(key, longest)
    yield
    if was_cut:
        st.warning(say("common.cut", bound=say.number(longest)))


def proposed(label: str, key: str, proposal: str, help: str, **look: Any) -> str:
    """Ask for a line of text; one that is left empty is ``proposal``, which the field shows in grey."""
    typed = st.text_input(label, key=key, placeholder=proposal, help=help, **look)
    return (typed or "").strip() or proposal


def lines(say: Wording, key: str, default: str, *, height: int) -> list[str]:
    """Ask for several lines of text; what is too long is cut, and said to be."""
    with _bounded(say, key, default, LONGEST_LINES):
        text = st.text_area(**named(say, key), height=height)
    return [line.strip() for line in text.splitlines() if line.strip()]


def several(say: Wording, key: str, options: Sequence[str], labels: Mapping[str, str]) -> list[str]:
    """Choose any number of ``options`` by name; none to begin with."""
    address.keep(key, [], options)
    return st.multiselect(
        **named(say, key),
        options=options,
        format_func=labels.__getitem__,
        placeholder=say(f"{key}.placeholder"),
    )


NARROWEST, WIDEST = 220, 480  # pixels of a list of choices
LETTER_PIXELS, ARROW_PIXELS = 8, 64  # pixels of a letter in it, and of what else is in it


def pick(
    say: Wording,
    key: str,
    options: Sequence[str],
    labels: Mapping[str, str] | None = None,
    default: str | None = None,
) -> str:
    """Choose one of many by name, or by its label."""
    address.keep(key, default or options[0], options)
    labels = labels or {option: option for option in options}
    longest = max(len(labels[option]) for option in options)
    width = min(WIDEST, max(NARROWEST, LETTER_PIXELS * longest + ARROW_PIXELS))
    form = labels.__getitem__
    return str(st.selectbox(**named(say, key), options=options, format_func=form, width=width))


def pick_model(
    say: Wording,
    key: str,
    entries: Iterable[Entry],
    label: Callable[[Entry], str] = attrgetter("name"),
) -> Entry:
    """Choose a model; if there is only one, it goes into the address without a widget."""
    by_name = {entry.name: entry for entry in entries}
    names, labels = list(by_name), {name: label(entry) for name, entry in by_name.items()}
    if len(names) > 1:
        return by_name[pick(say, key, names, labels)]
    return by_name[address.keep(key, names[0], names)]


def button(
    label: str,
    key: str,
    icon: str = "",
    action: Callable[..., Any] | None = None,
    *args: object,
    **look: Any,
) -> bool:
    """Draw a button; return whether it was clicked, which calls ``action`` before the page is drawn. ``icon`` is one of Material's."""
    symbol = f":material/{icon}:" if icon else None
    return st.button(label, key=key, icon=symbol, on_click=action, args=args, **look)


def put_button(label: str, key: str, values: Mapping[str, object], **look: Any) -> None:
    """Draw a button that gives widgets values, by their keys."""
    st.button(label, key=key, on_click=address.put, kwargs=dict(values), **look)


def examples(
    say: Wording,
    key: str,
    texts: Sequence[str],
    fill: Callable[[str], dict[str, object]] | None = None,
) -> None:
    """Offer examples as small buttons that fill the field ``key``, or the widgets that ``fill`` gives values to."""
    with st.container(horizontal=True, gap="small"):
        for number, text in enumerate(texts):
            put_button(
                text,
                f"example-{key}-{number}",
                fill(text) if fill else {key: text},
                type="tertiary",
                help=say("common.example"),
            )


def split_list(text: str) -> tuple[str, ...]:
    """Return distinct words of a list separated by commas, semicolons, lines, or else spaces."""
    parts = re.split(r"[,;\t\n]+", text) if re.search(r"[,;\t\n]", text) else text.split()
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def replaced(*keys: str) -> Callable[[KlyuchError], Callable[[str], dict[str, object]]]:
    """Return what gives, for an error, what puts a close spelling in the unknown word's place in some fields.

    Only the whole word goes: in ``mna + mnafoo`` and ``mna + mna's`` the second stays.
    """

    def replace(error: KlyuchError) -> Callable[[str], dict[str, object]]:
        unknown = re.escape(str(error.fields.get("word", "")))
        whole = re.compile(rf"(?<!\w)(?<!\w['’]){unknown}(?!\w)(?!['’]\w)")
        texts = {key: str(st.session_state[key]) for key in keys}
        return lambda other: {key: whole.sub(lambda _: other, text) for key, text in texts.items()}

    return replace


OFFERED = 10
LONGEST_COMPLETED = 100  # letters of what is completed


@st.fragment
def offer_words(page: PageState, key: str) -> None:
    """Offer words under the text field ``key``: while somebody types, this alone runs again.

    A field with ``live`` cannot do this (tried): an unfinished word becomes its value after each pause, and Enter then asks nothing more.
    With ``on_change="ignore"`` as well, letters reach the server with the next click only.
    """
    letters = str((st.session_state.get("typeahead") or {}).get("letters") or "")
    component("typeahead")(
        key="typeahead",
        data={"field": key, "words": complete(page.entries, letters)},
        default={"letters": ""},
        on_letters_change=lambda: None,  # the letters are kept
    )


def complete(entries: tuple[Entry, ...], text: str) -> list[str]:
    """Return up to `OFFERED` texts that complete the last word of ``text``, a word or several between commas.

    The commonest of each model in turn; of a vocabulary of millions that is two binary searches in a sorted file.
    """
    before, comma, last = text.rpartition(",")
    letters = last.lstrip()
    if not letters or len(letters) > LONGEST_COMPLETED:
        return []
    offers = []
    for entry in entries:
        try:
            offers.append(shelf_models.vectors(entry).beginning_with(letters, OFFERED))
        except KlyuchError:  # damaged: the page says so
            continue
    words = dict.fromkeys(filter(None, chain.from_iterable(zip_longest(*offers))))
    start = before + comma + last[: len(last) - len(letters)]
    return [start + word for word in words][:OFFERED]


def corpus_labels(say: Wording, names: Iterable[str], language: str) -> dict[str, str]:
    """Return what each concordance is called: the one that ships by its kind, others by their names."""
    labels = {name: name for name in names}
    sample = sample_name(language)
    if sample in labels and find_concordance(sample) == sample_concordance(sample):
        labels[sample] = say("sample_sentences.name")
    return labels


def say_if_sample(say: Wording, path: Path) -> None:
    """Say of a concordance that ships whose sentences it holds."""
    if path == sample_concordance(path.stem):
        st.caption(say("sample_sentences.note"))


SNIFFED_PARAGRAPHS = 50  # of a corpus: enough function words


def in_language_first(language: str, corpora: Iterable[Path] = ()) -> dict[str, Path]:
    """Return the concordances for a language, and the folders of ``corpora`` that have none, by name.

    Those whose text is in the language come first, the user's own before what ships.
    """
    paths = {folder.name: folder for folder in corpora} | concordances_of(language)
    return dict(sorted(paths.items(), key=lambda item: _text_language(item[1]) != language))


@cached(64)
def _text_language(path: Path) -> str:
    """Return the language of a concordance, or of a folder's first text; "" where it cannot be read."""
    try:
        if path.is_dir():
            return evident_language(islice(paragraphs(text_files([path])[0]), SNIFFED_PARAGRAPHS))
        return text_language(shelf_models.concordance(path))
    except KlyuchError:  # the page says what is wrong once it is chosen
        return ""
