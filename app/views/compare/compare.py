import streamlit as st

from app.loaders import model_comparisons
from app.views.compare import (
    changed_words,
    model_pairs,
    neighbour_ranges,
    scores_by_set,
    word_movement,
)
from app.widgets import frame, inputs, outputs, vector_snippets, why_near
from embeddings.errors import KlyuchError

page = frame.page_state()
say = page.say
outputs.heading(page, "compare")
if len(page.entries) < 2:
    st.info(say("compare.need_two"))
    raise outputs.Halt
words = inputs.split_list(inputs.line(say, "compared", page.examples["compared"]))
inputs.examples(say, "compared", page.examples["compared_lists"].split(" | "))
with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
    first, second = model_pairs.choose_pair(page)
    topn = inputs.number(say, "compared_n", 10, 1, 50)
if not words:
    st.info(say("compare.empty"))
    raise outputs.Halt
try:
    comparison = model_pairs.show_agreement(page, (first, second), words, topn)
except KlyuchError as error:
    outputs.refuse(say, error)
    raise outputs.Halt from error
word_movement.show_compared_words(page, comparison, (first, second))
neighbour_ranges.show_ranges(page, comparison, (first, second))
word_movement.show_movement_map(page, comparison, (first, second))
word_movement.show_most_moved(page, (first, second), topn)
why_near.show_why(
    page,
    {word.word: [*word.shared, *word.first_only, *word.second_only] for word in comparison.words},
)
scores_by_set.show_scores_by_set(page)
outputs.explain(
    say,
    "compare",
    r"J(w) = \frac{|N_1(w) \cap N_2(w)|}{|N_1(w) \cup N_2(w)|}",
    r"R = \arg\min_{R^\top R = I} \lVert X_1 R - X_2 \rVert, \qquad"
    r" X_1^\top X_2 = U \Sigma Q^\top,\quad R = U Q^\top",
    r"\text{movement}(w) = 1 - \cos(x_1 R,\; x_2), \qquad"
    r"\text{error} = \frac{1}{|V|} \sum_{w \in V} \text{movement}(w)",
)
changed_words.show_change_reports(page)
code = vector_snippets.compare(
    (first.name, second.name), [word.word for word in comparison.words], topn
)
sizes = [f"topn {topn}", f"{len(model_comparisons.alignment(first, second).words)} common words"]
outputs.take_away(page, code, (first, second), sizes)
