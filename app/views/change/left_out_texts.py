"""Change: documents, or the lines of a word, left out of a text or swapped; trainings in a process of their own say what moved."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app.loaders import training_answers
from app.views.change import running_comparison
from app.views.change.running_comparison import free_report
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from app.widgets.text_intake import brought_text
from embeddings.corpora.text_files import text_files
from embeddings.errors import InputError, KlyuchError
from embeddings.jobs import recipes
from embeddings.shelf import corpus_names, home

DEMONSTRATION = "demonstration"
SWAPS = ("nothing", "paste", "upload", "corpus")  # what takes the place of what is left out


def show_what_if(page: PageState) -> None:
    """Ask for a text and what is left out of it."""
    say = page.say
    st.markdown(say("whatif.lead"))
    own = corpus_names("text")
    names = [DEMONSTRATION, *own]
    labels = {DEMONSTRATION: say("whatif.demonstration"), **{name: name for name in own}}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = inputs.pick(say, "whatif_corpus", names, labels)
        word = inputs.line(say, "whatif_word", "")
        documents = inputs.line(say, "whatif_documents", "")
    swap = inputs.choice(say, "whatif_swap", SWAPS if own else SWAPS[:-1])
    folder = None if swap == "nothing" else brought_text(page, "whatif_swap", swap, own)
    if not st.button(
        say("whatif.start"), key="whatif-start", icon=":material/play_arrow:", type="primary"
    ):
        return
    try:
        if swap != "nothing" and folder is None:
            raise InputError("whatif_no_swap")
        _start_without(page.language, name, documents, word, folder)
    except KlyuchError as error:
        if error.code == "whatif_nothing":  # its own sentence names options of the command
            st.info(say("whatif.nothing"))
        else:
            outputs.refuse(say, error)


def _start_without(language: str, name: str, documents: str, word: str, swapped: Path | None) -> None:
    """Start the training of a text with and without some of it, and choose the report that it will write."""
    is_demonstration = name == DEMONSTRATION
    folder = recipes.demonstration(language) if is_demonstration else home() / "corpora" / name
    files = text_files([folder])
    words = training_answers.text_preview(files).words
    text = recipes.Text(files, folder.name, language)
    running_comparison.start(
        "whatif",
        lambda: free_report(folder.name),
        lambda report: recipes.whatif_plan(text, words, report, documents, word, swapped),
    )
