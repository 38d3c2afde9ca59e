"""Explore: a pasted list of words as a table, a long one word by word, and addresses written for the list."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from app import shelf_models
from app.streamlit_private import DeltaGenerator
from app.views.explore import words_on_map
from app.views.explore.words_on_map import LIST_WORD, LONG_LIST, MappedWords, ModelsByWord
from app.widgets import inputs, outputs, snippets, views
from app.widgets.frame import PageState
from app.widgets.model_answers import frequency_of, offer_other_language, say_missing, say_reading
from embeddings.corpora.text_extraction import detect_encoding
from embeddings.errors import UnknownWordError
from embeddings.shelf import Entry, association_tests
from embeddings.shelf.locations import sample_name
from embeddings.verbs import VectorVerbs

NEIGHBOURS_A_WORD = 3  # neighbours of each word in the table
WITH_NEIGHBOURS = 200  # words of a table that come with their neighbours
MAX_NAME_WORDS = 3  # words without a comma that may be one name
MAX_EXPLAINED = 8  # unknown words that are explained one by one


def read_words(page: PageState, text: str) -> tuple[str, ...]:
    """Return the words that are asked for: one, or those of a list.

    Two or three words with nothing but spaces between them may be a name: where no model has it as one
    word, the page asks which is meant, and ends.
    """
    if any(text in shelf_models.vectors(entry) for entry in page.entries):
        return (text,)
    words = inputs.split_list(text)
    if 1 < len(words) <= MAX_NAME_WORDS and words == tuple(text.split()):
        _ask_whether_name(page, text, words)
        raise outputs.Halt
    return words


def _ask_whether_name(page: PageState, text: str, words: tuple[str, ...]) -> None:
    """Ask whether words are one name or a list; offer what the models have for either."""
    say = page.say
    labels = ", ".join(page.label(entry) for entry in page.entries)
    st.info(outputs.plain(say("word.name_or_list", text=text, models=labels)))
    joined = [sign.join(words) for sign in ("_", "-", "")]
    known = [word for word in joined if any(word in shelf_models.vectors(e) for e in page.entries)]
    with st.container(horizontal=True):
        for number, meant in enumerate([*known, ", ".join(words)]):
            key = "word.as_list" if number == len(known) else "word.as_name"
            inputs.put_button(
                outputs.plain(say(key, words=meant)), f"meant-{number}", {"word": meant}
            )


def list_words(page: PageState, words: tuple[str, ...]) -> MappedWords:
    """Return the known words of a list with the models that know them; the page ends here where there are none."""
    models_by_word: ModelsByWord = {}
    for entry in page.entries:
        vectors = shelf_models.vectors(entry)
        for word in words:
            if vectors.has_vector(word):
                models_by_word[word] = (*models_by_word.get(word, ()), entry)
    _list_unknown(page, words)
    say_reading(page, words)
    if not models_by_word:
        offer_other_language(page, words, "word")
        raise outputs.Halt
    known = {entry for entries in models_by_word.values() for entry in entries}
    names = [entry.name for entry in page.entries if entry in known]
    code = partial(snippets.listed, names, tuple(models_by_word))
    return MappedWords(models_by_word, (), code)


def show_word_list(page: PageState, listed: MappedWords, more: DeltaGenerator) -> None:
    """Show the words as a table next to their map: what is selected in one is marked in the other."""
    say, known = page.say, listed.models_by_word
    selected = words_on_map.selected_words(known)
    left, right = st.columns(words_on_map.WIDTHS, gap="medium")
    rows = []
    for number, (word, entries) in enumerate(known.items()):
        row: dict[str, object] = {say("common.word"): word}
        for entry in entries if number < WITH_NEIGHBOURS else ():
            nearest = shelf_models.ask(VectorVerbs.neighbours, entry, word, NEIGHBOURS_A_WORD)
            row[say("listed.nearest", model=page.label(entry))] = ", ".join(
                neighbour.word for neighbour in nearest
            )
        rows.append(row | frequency_of(say, word, shelf_models.vectors(entries[0])))
    table = pd.DataFrame(rows)
    shown = [word for word in known if not selected or word in selected]
    with left:
        lines = table[[word in shown for word in known]]
        outputs.table(say, lines, "list", on_row=lambda line: words_on_map.choose_word(shown[line]))
        note = say("listed.walk")
        if len(known) > WITH_NEIGHBOURS:
            note += f" {say('listed.near_first', shown=WITH_NEIGHBOURS)}"
        st.caption(note)
        chosen = words_on_map.chosen_word(known)
        if picked := [chosen] if chosen else selected:
            words_on_map.offer_words(picked, page, "map-selected")
    with right:
        drawn = words_on_map.show_map_beside(page, listed, more, chosen)
    listed.draw_footer(page, drawn, "map")


def _list_unknown(page: PageState, words: tuple[str, ...]) -> None:
    """List the words without a vector, once for all models that lack the same."""
    say_missing(page, words, page.entries, composed=True)
    model_without = {
        word: entry
        for entry in reversed(page.entries)
        for word in words
        if not shelf_models.vectors(entry).has_vector(word)
    }
    for word in [word for word in words if word in model_without][:MAX_EXPLAINED]:
        _explain_unknown(page, words, word, model_without[word])


def _explain_unknown(page: PageState, words: tuple[str, ...], word: str, entry: Entry) -> None:
    """Explain why one word has no vector, and offer close spellings for its place in the list."""

    def replace(other: str) -> dict[str, object]:  # of a list that was taken, the field has nothing
        return {"word": ", ".join(other if each == word else each for each in words)}

    try:
        shelf_models.vectors(entry).row(word)
    except UnknownWordError as error:
        quoted = page.say("common.quoted", text=outputs.plain(word))
        st.caption(f"{quoted}: {outputs.why(page.say, error)}")
        outputs.instead(page.say, error.suggestions, replace, f"list-{word}")


MOST = 10_000  # words of a list
LARGEST = 4 << 20  # bytes of a file


def ask_long_list(page: PageState) -> None:
    """Offer a field and a file for a long list."""
    say = page.say
    if st.session_state.get(LIST_WORD, st.session_state["word"]) != st.session_state["word"]:
        _drop()  # something else was asked for in the field above
    with st.popover(say("listed.long"), icon=":material/list_alt:", type="tertiary"):
        st.markdown(say("listed.long_lead", most=MOST))
        typed = st.text_area(say("listed.long_field"), key="long_list", height=120)
        upload = st.file_uploader(say("listed.long_file"), ["txt", "csv", "tsv"], key="list_file")
        if st.button(say("listed.long_take"), key="take-list", type="primary"):
            _take(page, typed or "", None if upload is None else upload.getvalue())


def taken_list(page: PageState) -> tuple[str, ...]:
    """Return the list that was taken, with a way back to the field; () for none."""
    say, taken = page.say, tuple(st.session_state.get(LONG_LIST, ()))
    if taken:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(say("listed.long_taken", words=len(taken)))
            st.button(say("listed.long_drop"), key="drop-list", on_click=_drop)
    return taken


def _take(page: PageState, typed: str, file: bytes | None) -> None:
    """Keep the words of the field and the file; what is too much or no text is said."""
    say, text = page.say, typed
    if file is not None:
        if len(file) > LARGEST:
            st.warning(say("listed.long_large", bound=LARGEST >> 20))
            return
        try:
            text = f"{typed}\n{file.decode('utf-8-sig')}"
        except UnicodeDecodeError:
            guess = detect_encoding(file)[0] or "?"
            st.warning(outputs.plain(say("listed.long_encoding", guess=guess.upper())))
            return
    words = inputs.split_list(text)
    if not words:
        st.info(say("listed.long_nothing"))
        return
    if words[MOST:]:
        st.warning(say("listed.long_cut", most=MOST, words=len(words)))
    st.session_state[LONG_LIST] = words[:MOST]
    st.session_state[LIST_WORD] = st.session_state["word"]


def _drop() -> None:
    """Return to the words of the field above."""
    st.session_state.pop(LONG_LIST, None)
    st.session_state.pop(LIST_WORD, None)


ASSOCIATIONS = "views/associations/associations.py"


def lead_on(page: PageState) -> None:
    """Open Associations where an address without a view changes its settings; offer it where the address also names a word."""
    examples = page.examples
    defaults = {name: examples[name] for name in ("pair", "odd", "ends", "between")}
    defaults["weat"] = next(iter(association_tests(page.language)), "own")
    word = {"word": examples["words"].split(" | ")[0]}
    views.lead_on(ASSOCIATIONS, defaults, word, page.say("explore.moved"))


def former(page: PageState) -> dict[str, dict[str, str]]:
    """Return the settings, with their former defaults, that open another view than the first where an address changes them."""
    return {
        "map": {"method_map": "pca", "dim": "2", "vocabulary_shown": "0"},
        "sentences": {
            "sentences_corpus": sample_name(page.language),
            "sentences_near": "",
            "sentences_pattern": "",
            "sentences_window": "5",
            "sentences_order": "text",
        },
    }
