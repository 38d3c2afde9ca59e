"""The frame around every page: screen language, models' language, chosen models."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from app.loaders import shelf_models
from app.widgets import address, inputs
from app.wording import LANGUAGES, Wording, examples, wording
from embeddings.errors import KlyuchError
from embeddings.shelf import Entry

METHODS = ("skipgram", "cbow", "glove", "bert")
ON_VECTORS = ("explore", "analogies", "compare", "ratios")  # pages that ask static models


@dataclass(frozen=True)
class PageState:
    """What every page is given: the sentences of the screen, the models' language, the chosen models.

    ``offered`` are the models that could be chosen, as the shelf stood when the page was drawn.
    """

    say: Wording
    language: str
    entries: tuple[Entry, ...]
    offered: tuple[Entry, ...]

    @property
    def examples(self) -> dict[str, str]:
        """What pages show before anybody types."""
        return examples(self.language)

    def label(self, entry: Entry) -> str:
        """Return the method's name, or the model's own where that would be ambiguous."""
        twins = [other for other in self.offered if other.method == entry.method]
        named = entry.method in METHODS and len(twins) == 1
        return self.say(f"method.{entry.method}") if named else entry.name


def screen_language() -> Wording:
    """Return the sentences of the screen's language; at first the browser's own."""
    locale = (st.context.locale or "en")[:2]
    return wording(address.keep("lang", locale if locale in LANGUAGES else "en", list(LANGUAGES)))


def offered(language: str) -> list[Entry]:
    """Return models of a language and those without one, the known methods first."""
    fitting = [entry for entry in shelf_models.static_models() if entry.language in (language, "")]
    order = {method: rank for rank, method in enumerate(METHODS)}
    return sorted(fitting, key=lambda entry: (order.get(entry.method, 9), entry.name))


def draw(say: Wording, page_name: str) -> None:
    """Draw the switches in the sidebar and keep the answer for `page_state`."""
    language = address.keep("text", say.language, list(LANGUAGES))
    models = tuple(offered(language))
    names = [entry.name for entry in models]
    address.keep("models", names[:3], names)
    with st.sidebar:
        st.segmented_control(
            say("frame.text"),
            list(LANGUAGES),
            format_func=LANGUAGES.__getitem__,
            key="text",
            help=say("frame.text_help"),
            required=True,
            on_change=_switched,
        )
        if names and page_name in ON_VECTORS:
            guide = PageState(say, language, models, models)
            label = {entry.name: guide.label(entry) for entry in models}
            st.pills(
                say("frame.models"),
                names,
                selection_mode="multi",
                format_func=label.__getitem__,
                key="models",
                help=say("frame.models_help"),
                on_change=_hold,
            )
        st.segmented_control(
            say("frame.lang"),
            list(LANGUAGES),
            format_func=LANGUAGES.__getitem__,
            key="lang",
            required=True,
            on_change=_follow,
            args=(say.language,),
        )
    chosen = tuple(entry for entry in models if entry.name in st.session_state.get("models", []))
    st.session_state["_page_state"] = PageState(say, language, chosen, models)


def page_state() -> PageState:
    """Return the state of the page that `draw` has kept."""
    state: PageState = st.session_state["_page_state"]
    return state


def _follow(before: str) -> None:
    """Let the models' language follow the screen's as long as nothing has been asked."""
    if st.session_state["text"] == before and address.is_untouched():
        st.session_state["text"] = st.session_state["lang"]
        _switched()


def _switched() -> None:
    """Forget what pages hold, but for a word that the models of the new language know too."""
    language = st.session_state["text"]
    word = str(address.held("word", "")).strip()
    starts = {examples(each)["words"].split(" | ")[0] for each in LANGUAGES}
    is_known = False
    if word and word not in starts and (models := offered(language)):
        try:
            table = shelf_models.vectors(models[0])
        except KlyuchError:  # the page will say what is wrong with the model
            pass
        else:
            is_known = word in table or all(w in table for w in inputs.split_list(word))
    address.forget_pages(*(["word"] if is_known else []))


def _hold() -> None:
    """Keep the last chosen model: without any, there would be nothing to show."""
    if not st.session_state["models"]:
        st.session_state["models"] = address.held("models", [])
