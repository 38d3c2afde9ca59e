import streamlit as st

from app.views.sections import inside_steps
from app.widgets import frame, inputs, networks, outputs, snippets
from app.wording import wording
from embeddings.errors import KlyuchError

here = frame.here()
say = here.say
outputs.heading(here, "inside", on_vectors=False)
entry = networks.pick(say)
text = inputs.line(say, "inside_text", wording(here.language)("inside.example"))
if not text:
    st.info(say("inside.empty"))
    raise outputs.Halt
step = inputs.choice(say, "inside_step", list(inside_steps.STEPS))
try:
    at = inside_steps.ask(here, entry, text, step)
    inside_steps.show(at, step)
except KlyuchError as error:
    outputs.refuse(say, error)
    raise outputs.Halt from error
inside_steps.onward(say, step)
outputs.explain(say, "inside")
code = snippets.inside(entry.name, text, at.found.layer, at.found.head)
outputs.take_away(here, code, (entry,), [f"layer {at.found.layer}", f"head {at.found.head}"])
