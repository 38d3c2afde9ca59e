import streamlit as st

from app.figures.ratio_scale import ratios_figure
from app.loaders import shelf_models
from app.views.ratios import ratio_table
from app.widgets import frame, inputs, outputs, vector_snippets
from embeddings.analysis.cooccurrence_ratios import ratios
from embeddings.errors import KlyuchError, UnknownWordError

page = frame.page_state()
say = page.say
outputs.heading(page, "ratios")
counted = [e for e in frame.offered(page.language) if shelf_models.has_cooccurrence(e)]
if not counted:
    st.info(say("ratios.no_counts", language=say(f"language.{page.language}")))
    raise outputs.Halt
left, right = st.columns([1, 2])
with left:
    two = inputs.split_list(inputs.line(say, "two", page.examples["two"]))
with right:
    probes = inputs.split_list(inputs.line(say, "probes", page.examples["probes"]))
names = {entry.name: page.label(entry) for entry in counted}
entry = counted[0]
if len(counted) > 1:
    name = inputs.pick(say, "counts", list(names), names)
    entry = next(e for e in counted if e.name == name)
if len(two) != 2 or not probes:
    st.info(say("ratios.need"))
    raise outputs.Halt
try:
    found = ratios(shelf_models.cooccurrence(entry), two[0], two[1], probes)
except UnknownWordError as error:
    ratio_table.uncounted(say, entry, error, inputs.swapped({"two": two, "probes": probes}, error))
    raise outputs.Halt from None
except KlyuchError as error:
    outputs.refuse(say, error)
    raise outputs.Halt from error
source = ratio_table.source_of(two, probes)
drawn = ratios_figure(
    found,
    names=(say("ratios.corpus"), say("ratios.predicted"), say("ratios.source")),
    title=say("ratios.axis", first=two[0], second=two[1]),
    source=source,
    separators=say.separators,
)
outputs.figure(say, drawn, "ratios", say("ratios.alt", first=two[0], second=two[1]))
st.caption(say("ratios.note", first=two[0], second=two[1]))
ratio_table.show(say, found, source)
outputs.explain(
    say,
    "ratios",
    r"P(k \mid i) = \frac{X_{ik}}{X_i}, \qquad X_i = \sum_k X_{ik}",
    r"w_i \cdot \tilde w_k + b_i + \tilde b_k \approx \log X_{ik}",
    r"\frac{P(k \mid i)}{P(k \mid j)} \approx"
    r" \exp\big((w_i - w_j) \cdot \tilde w_k + b_i - b_j\big)\, \frac{X_j}{X_i}",
)
outputs.take_away(
    page, vector_snippets.ratios(entry.name, two, probes), (entry,), [say("ratios.cited")]
)
