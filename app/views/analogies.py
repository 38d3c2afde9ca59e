import streamlit as st

from app.views.sections import answers, plane, question_set, steps
from app.widgets import frame, inputs, outputs, snippets

here = frame.here()
say = here.say
outputs.heading(here, "analogies")
examples = here.examples["formulas"].split(" | ")
formula = inputs.line(say, "formula", examples[0])
inputs.examples(say, "formula", examples)
with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
    rule = inputs.choice(say, "rule", ("add", "mul"))
    include = inputs.switch(say, "inputs")
if not formula:
    st.info(say("analogies.empty"))
    raise outputs.Halt
solved = answers.show(here, formula, rule, include)
entry = plane.show(here, solved)
steps.show(here, entry, solved[entry])
question_set.show(here)
outputs.explain(
    say,
    "analogies",
    r"\text{3CosAdd:}\quad \arg\max_{x}\; \cos(x,\; a - b + c)",
    r"\text{3CosMul:}\quad \arg\max_{x} \frac{\cos'(x, a)\cos'(x, c)}{\cos'(x, b) + \varepsilon},"
    r"\qquad \cos' = \tfrac{1 + \cos}{2}",
)
models = [chosen.name for chosen in solved]
code = snippets.analogy(models, entry.name, formula, rule, include)
outputs.take_away(here, code, here.entries, [say(f"rule.{rule}"), f"include_inputs {include}"])
