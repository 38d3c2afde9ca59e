"""The frame around every page: screen language, models' language, chosen models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from app import shelf_models, streamlit_private
from app.components import component
from app.figures.palette import method_colour, model_colours
from app.widgets import address
from app.wording import LANGUAGES, TEXT_LANGUAGES, Wording, examples, wording
from embeddings import shelf
from embeddings.errors import KlyuchError
from embeddings.method_registry import METHODS
from embeddings.shelf import Entry

DEFAULTS = 3  # models that answer at first
SIDEBAR = 240  # pixels of its width
# Pages that ask the chosen static models.
ON_VECTORS = ("explore", "associations", "analogies", "compare")
# Pages on which no text has the chosen language.
WITHOUT_LANGUAGE = ("translate", "classify", "lab")


@dataclass(frozen=True)
class PageState:
    """What every page is given: the sentences of the screen, the models' language, the chosen models.

    ``offered`` are the models that could be chosen, as the shelf stood when the page was drawn;
    ``unreadable`` those that were chosen but could not be opened, with the reason; ``name`` is the page's.
    """

    say: Wording
    language: str
    entries: tuple[Entry, ...]
    offered: tuple[Entry, ...]
    unreadable: tuple[tuple[Entry, KlyuchError], ...] = ()
    name: str = ""

    @property
    def examples(self) -> dict[str, str]:
        """What pages show before anybody types."""
        return examples(self.language)

    def colour(self, entry: Entry) -> str:
        """Return the colour of a model on this page: no two of the chosen models share one."""
        colours = model_colours([chosen.method for chosen in self.entries])
        by_name = {model.name: hue for model, hue in zip(self.entries, colours, strict=True)}
        return by_name.get(entry.name) or method_colour(entry.method)

    def label(self, entry: Entry) -> str:
        """Return the method's name, or the model's own where that would be ambiguous, and for every model that a user brought."""
        if entry.method not in METHODS or shelf.is_own(entry):
            return entry.name
        rivals = [e for e in self.offered if e.method == entry.method and not shelf.is_own(e)]
        return self.say(f"method.{entry.method}") if len(rivals) == 1 else entry.name


def screen_language() -> Wording:
    """Return the sentences of the screen's language; at first the browser's own."""
    locale = (st.context.locale or "en")[:2]
    return wording(address.keep("lang", locale if locale in LANGUAGES else "en", list(LANGUAGES)))


def offered(language: str) -> list[Entry]:
    """Return models of a language and those without one: those that ship, then the user's own.

    Within each the known methods come first.
    """
    fitting = [entry for entry in shelf_models.static_models() if entry.language in (language, "")]
    order = {method: rank for rank, method in enumerate(METHODS)}
    return sorted(fitting, key=lambda e: (shelf.is_own(e), order.get(e.method, 9), e.name))


def default_models(models: Sequence[Entry]) -> list[str]:
    """Return the names of the models that answer until somebody chooses others.

    They are the first three that ship; the user's own only where none does.
    """
    shipped = [entry.name for entry in models if not shelf.is_own(entry)]
    return (shipped or [entry.name for entry in models])[:DEFAULTS]


def draw(say: Wording, page_name: str) -> None:
    """Draw the screen's language in the sidebar and keep languages and models for `page_state`."""
    first = say.language if say.language in TEXT_LANGUAGES else TEXT_LANGUAGES[0]
    language = address.keep("text", first, list(TEXT_LANGUAGES))
    models = tuple(offered(language))
    names = [entry.name for entry in models]
    address.keep("models", default_models(models), names)
    with st.sidebar:
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
    unreadable = _unreadable(chosen) if page_name in ON_VECTORS else ()
    damaged = [entry for entry, _ in unreadable]
    readable = tuple(entry for entry in chosen if entry not in damaged)
    st.session_state["_page_state"] = PageState(
        say, language, readable, models, unreadable, page_name
    )


def choose_models(page: PageState) -> None:
    """Let the language of the models and, on pages that ask static vectors, the models be chosen."""
    say = page.say
    if page.name not in WITHOUT_LANGUAGE:
        st.segmented_control(
            say("frame.text"),
            list(TEXT_LANGUAGES),
            format_func=LANGUAGES.__getitem__,
            key="text",
            help=say("frame.text_help"),
            required=True,
            on_change=address.forget_pages,
        )
    if page.offered and page.name in ON_VECTORS:
        label = {entry.name: page.label(entry) for entry in page.offered}
        st.pills(
            say("frame.models"),
            list(label),
            selection_mode="multi",
            format_func=label.__getitem__,
            key="models",
            help=say("frame.models_help"),
            on_change=_hold,
        )


def _unreadable(entries: Sequence[Entry]) -> tuple[tuple[Entry, KlyuchError], ...]:
    """Return the models that cannot be opened, with the reason."""
    refusals = []
    for entry in entries:
        try:
            shelf_models.vectors(entry)
        except KlyuchError as error:
            refusals.append((entry, error))
    return tuple(refusals)


def page_state() -> PageState:
    """Return the state of the page that `draw` has kept."""
    state: PageState = st.session_state["_page_state"]
    return state


def _follow(before: str) -> None:
    """Let the models' language follow the screen's as long as nothing has been asked."""
    language = st.session_state["lang"]
    has_texts = language in TEXT_LANGUAGES
    if has_texts and st.session_state["text"] == before and address.is_untouched():
        st.session_state["text"] = language
        address.forget_pages()


def switch_language(language: str, *spared: str) -> None:
    """Ask the models of another language, from a button; widgets ``spared`` keep what they hold."""
    st.session_state["text"] = language
    address.forget_pages(*spared)


def _hold() -> None:
    """Keep the last chosen model: without any, there would be nothing to show."""
    if not st.session_state["models"]:
        st.session_state["models"] = address.held("models", [])


# Settings of other pages.
MODELS = ("network", "translate_model", "classify_model", "decoder_model", "counts")


def draw_document(say: Wording) -> None:
    """Tell the document its language, give it a link that skips the sidebar, and say under fields in that language what to press."""
    with st.sidebar:
        component("browser_document")(
            key="browser-document",
            data={
                "language": say.language,
                "style": streamlit_private.STYLE,
                "skip": [streamlit_private.SAID["skip_link"], say("frame.skip")],
                "hints": _hints(say),
            },
            on_theme_change=lambda: None,  # the run that it asks for draws in the other ink
        )


def _hints(say: Wording) -> dict[str, str]:
    """Return what Streamlit says under a field that was changed, in English alone, with the sentence of the screen."""
    keys = {"Enter": "Enter", "Ctrl+Enter": f"{say('frame.control')}+Enter", "⌘+Enter": "⌘+Enter"}
    return {
        f"Press {name} to apply": say("frame.apply", keys=shown) for name, shown in keys.items()
    }
