import streamlit as st

from app import shelf_models
from app.views.ratios import ratio_table
from app.widgets import footer, frame, inputs, outputs, snippets
from embeddings.errors import UnknownWordError

page = frame.page_state()
say = page.say
outputs.heading(page, "ratios")
counted = [
    candidate
    for candidate in frame.offered(page.language)
    if shelf_models.has_cooccurrence(candidate)
]
if not counted:
    outputs.end(say("ratios.no_counts", language=say(f"language.{page.language}")))
left, right = st.columns([1, 2])
with left:
    pair = inputs.split_list(inputs.line(say, "two", page.examples["two"]))
with right:
    probes = inputs.split_list(inputs.line(say, "probes", page.examples["probes"]))
pairs = dict(text.split(" = ") for text in page.examples["ratio_pairs"].split(" | "))
inputs.examples(say, "two", list(pairs), lambda two: {"two": two, "probes": pairs[two]})
entry = inputs.pick_model(say, "counts", counted, page.label)
if len(pair) != 2 or not probes:
    outputs.end(say("ratios.need"))
try:
    counts = shelf_models.cooccurrence(entry)
    word_ratios = shelf_models.vectors(entry).ratios(pair[0], pair[1], probes, counts=counts)
except UnknownWordError as error:
    swap = inputs.replaced("two", "probes")(error)
    outputs.refuse(say, error, swap, "ratios", models=[page.label(entry)])
    raise outputs.Halt from None
ratio_table.show_ratio_figure(page, word_ratios)
ratio_table.show_ratio_table(say, word_ratios)
words = {"first": pair[0], "second": pair[1], "probes": list(probes)}
code = snippets.code("ratios", model=entry.name, **words)
footer.draw_footer(page, "ratios", code=code, entries=(entry,), settings=[say("ratios.cited")])
