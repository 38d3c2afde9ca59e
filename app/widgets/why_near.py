"""Why two words are near: the contexts that they share, how they stand together, and sentences from a concordance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from app.loaders import shelf_models, word_answers
from app.widgets import inputs, outputs, snippets, views
from app.widgets.frame import PageState
from app.widgets.inputs import corpus_labels, say_if_sample
from embeddings.analysis.shared_contexts import context_sentences
from embeddings.corpora.concordance import Concordance
from embeddings.errors import KlyuchError
from embeddings.results.sentence_answers import TRAINED, ContextSentence
from embeddings.results.vector_answers import SharedContexts
from embeddings.shelf import Entry
from embeddings.shelf.locations import concordances, concordances_of

SENTENCES = 3  # of each word


def show_why(page: PageState, near_by_word: Mapping[str, Sequence[str]]) -> None:
    """Let a word and one of its neighbours be chosen, and show which contexts the two share."""
    say = page.say
    words = [word for word, near in near_by_word.items() if near]
    entry = next(filter(shelf_models.holder_of_contexts, page.entries), None)
    if not words or entry is None:
        return
    st.header(say("why_near.title"), anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        word = words[0]
        if len(near_by_word) > 1:
            word = inputs.pick(say, "why_of", words, {name: name for name in words})
        near = list(dict.fromkeys(near_by_word[word]))
        other = inputs.pick(say, "why", near, {name: name for name in near})
    try:
        answer = word_answers.shared(entry, word, other)
    except KlyuchError as error:
        outputs.refuse(say, error)
        return
    first, second = outputs.plain(answer.first), outputs.plain(answer.second)
    st.markdown(say("why_near.lead", first=first, second=second))
    show_shared(page, entry, answer)
    _show_together(page, answer)
    _show_sentences(page, entry, answer)
    with views.footer():
        outputs.explain(say, "why_near", FORMULA)
        code = snippets.shared_contexts(entry.name, word, other)
        outputs.take_away(page, code, [entry])


FORMULA = (
    r"\cos(a, b) = \sum_c \frac{\mathrm{PPMI}(a, c)\,\mathrm{PPMI}(b, c)}{\lVert a \rVert \, \lVert b \rVert}, \qquad "
    r"\mathrm{PPMI}(w, c) = \max\left(0, \log \frac{n_{wc} \sum_k n_k^{0.75}}{n_w\, n_c^{0.75}}\right)"
)


def show_shared(page: PageState, entry: Entry, answer: SharedContexts) -> None:
    """Show the contexts with their shares and counts."""
    say, total = page.say, answer.ppmi_cosine or 1.0
    rows = pd.DataFrame(
        {
            say("why_near.context"): [shared.context for shared in answer.shared],
            say("why_near.share"): [shared.contribution / total for shared in answer.shared],
            say("why_near.beside", word=answer.first): [s.count_first for s in answer.shared],
            say("why_near.beside", word=answer.second): [s.count_second for s in answer.shared],
        }
    )
    if not len(rows):
        words = {"first": outputs.plain(answer.first), "second": outputs.plain(answer.second)}
        st.info(say("why_near.nothing", **words))
        return
    share = say("why_near.share")
    percent = {share: lambda value: f"{say.number(100 * value, 1)} %"}
    outputs.table(say, rows, "why", forms=percent, shares=[share])
    st.caption(
        say(
            "why_near.adds_up",
            model=outputs.plain(page.label(entry)),
            cosine=say.number(answer.cosine, 3),
            contexts=say.number(answer.ppmi_cosine, 3),
            listed=say.number(100 * (1 - answer.others_contribution / total), 0),
            window=answer.window,
            first=outputs.plain(answer.first),
            second=outputs.plain(answer.second),
            kept_first=say.number(100 * answer.kept[0], 0),
            kept_second=say.number(100 * answer.kept[1], 0),
        )
    )


def _show_together(page: PageState, answer: SharedContexts) -> None:
    """Say whether the two are next to each other: collocates, not only substitutes."""
    say, together = page.say, answer.first_order
    key = "why_near.apart"
    if together.pmi is not None:
        key = "why_near.together" if together.pmi > 0 else "why_near.seldom"
    st.markdown(
        say(
            key,
            first=outputs.plain(answer.first),
            second=outputs.plain(answer.second),
            window=answer.window,
            count=together.count,
            expected=say.number(together.expected, 1),
        )
    )


def _show_sentences(page: PageState, entry: Entry, answer: SharedContexts) -> None:
    """Show sentences of a concordance in which each word is next to a shared context."""
    say, usable = page.say, _usable_concordances(page, entry)
    if usable:
        _show_lines_of_both(page, entry, answer, usable)
    if not concordances():
        st.caption(say("why_near.no_sentences"))


def _show_lines_of_both(
    page: PageState,
    entry: Entry,
    answer: SharedContexts,
    usable: Mapping[str, tuple[Concordance, str]],
) -> None:
    """Let a concordance be chosen, and show its sentences with each of the two words."""
    say = page.say
    labels = corpus_labels(say, usable, page.language)
    concordance, text = usable[inputs.pick(say, "why_corpus", list(usable), labels)]
    if not say_if_sample(say, concordance.path):
        st.caption(say(f"why_near.text_{text}", model=outputs.plain(page.label(entry))))
    try:
        for word, column in zip((answer.first, answer.second), st.columns(2), strict=True):
            sentences = shelf_models.ask(
                context_sentences, concordance, answer, word, SENTENCES, page.language
            )
            with column:
                _show_lines(page, sentences, word)
    except KlyuchError as error:
        outputs.refuse(say, error)


def _usable_concordances(page: PageState, entry: Entry) -> dict[str, tuple[Concordance, str]]:
    """Return concordances with what their text is to the model, its training text first; say of others why they are not used."""
    usable: dict[str, tuple[Concordance, str]] = {}
    for name, path in concordances_of(page.language).items():
        try:
            usable[name] = word_answers.text_beside(entry, path)
        except KlyuchError as error:
            outputs.refuse(page.say, error)
    return dict(sorted(usable.items(), key=lambda item: item[1][1] != TRAINED))


def _show_lines(page: PageState, sentences: Sequence[ContextSentence], word: str) -> None:
    """Show some sentences of one word, its shared contexts in bold."""
    if not any(sentence.context for sentence in sentences):
        key = "why_near.word_alone" if sentences else "why_near.no_lines"
        st.caption(page.say(key, word=outputs.plain(word)))
    for sentence in sentences:
        st.markdown(outputs.marked(sentence.line.text, sentence.line.spans))
