import streamlit as st

from app import resources
from app.views.sections import (
    compare_map,
    compare_moved,
    compare_pairs,
    compare_sets,
    compare_words,
)
from app.widgets import frame, inputs, outputs, snippets
from embeddings.errors import KlyuchError

here = frame.here()
say = here.say
outputs.heading(here, "compare")
if len(here.entries) < 2:
    st.info(say("compare.need_two"))
    raise outputs.Halt
words = inputs.split_list(inputs.line(say, "compared", here.examples["compared"]))
with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
    first, second = compare_pairs.pick(here)
    topn = inputs.number(say, "compared_n", 10, 1, 50)
if not words:
    st.info(say("compare.empty"))
    raise outputs.Halt
try:
    found = compare_pairs.show(here, (first, second), words, topn)
except KlyuchError as error:
    outputs.refuse(say, error)
    raise outputs.Halt from error
compare_words.show(here, found, (first, second))
compare_map.show(here, found, (first, second))
compare_moved.show(here, (first, second), topn)
compare_sets.show(here)
outputs.explain(
    say,
    "compare",
    r"J(w) = \frac{|N_1(w) \cap N_2(w)|}{|N_1(w) \cup N_2(w)|}",
    r"R = \arg\min_{R^\top R = I} \lVert X_1 R - X_2 \rVert, \qquad"
    r" X_1^\top X_2 = U \Sigma V^\top,\quad R = U V^\top",
    r"\text{movement}(w) = 1 - \cos(x_1 R,\; x_2), \qquad"
    r"\text{error} = \frac{1}{|V|} \sum_{w \in V} \text{movement}(w)",
)
code = snippets.compare((first.name, second.name), [word.word for word in found.words], topn)
sizes = [f"topn {topn}", f"{len(resources.alignment(first, second).words)} common words"]
outputs.take_away(here, code, (first, second), sizes)
