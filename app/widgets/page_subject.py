"""What a page is about: the word or sentence asked for, and the settings that name models."""

from __future__ import annotations

from collections.abc import Mapping

from app.wording import Wording

SUBJECTS = {  # settings that say what a page is about, the first that the page has
    "learn": ("learn_lesson",),
    "explore": ("word",),
    "associations": ("pair", "related"),
    "analogies": ("formula",),
    "compare": ("compared",),
    "change": ("change_report",),
    "ratios": ("two",),
    "contexts": ("contexts_word", "contexts_file_word", "contexts_asked"),
    "attention": ("attention_first",),
    "fill": ("fill_first",),
    "grammar": ("grammar_first",),
    "translate": ("translate_text",),
    "classify": ("classify_text",),
    "inside": ("inside_text", "decoder_text"),
    "lab": ("lab_experiment",),
    "shelf": ("shelf_part",),
}
LONGEST = 60  # characters of a subject in a title


MODELS = (
    "network",
    "translate_model",
    "classify_model",
    "decoder_model",
    "counts",
)  # their settings


def subject(say: Wording, page: str, settings: Mapping[str, str]) -> str:
    """Return what a page is about, in a few words; "" where that is nothing."""
    key = next((key for key in SUBJECTS.get(page, ()) if settings.get(key, "").strip()), "")
    if not key:
        return ""
    text = say.get(f"{key}.{settings[key]}", settings[key]).strip()
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 2].rstrip()} …"
