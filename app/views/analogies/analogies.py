import streamlit as st

from app.views.analogies import formula_answers, formula_steps, question_set
from app.widgets import frame, inputs, outputs, vector_snippets

page = frame.page_state()
say = page.say
outputs.heading(page, "analogies")
examples = page.examples["formulas"].split(" | ")
formula = inputs.line(say, "formula", examples[0])
inputs.examples(say, "formula", examples)
with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
    rule = inputs.choice(say, "rule", ("add", "mul"))
    include = inputs.switch(say, "inputs")
if not formula:
    st.info(say("analogies.empty"))
    raise outputs.Halt
analogies = formula_answers.show_answers(page, formula, rule, include)
entry = formula_answers.show_plane(page, analogies)
formula_steps.show_formula_steps(page, entry, analogies[entry])
question_set.show_question_set(page)
outputs.explain(
    say,
    "analogies",
    r"\text{3CosAdd:}\quad \arg\max_{x}\; \cos(x,\; a - b + c)",
    r"\text{3CosMul:}\quad \arg\max_{x} \frac{\cos'(x, a)\cos'(x, c)}{\cos'(x, b) + \varepsilon},"
    r"\qquad \cos' = \tfrac{1 + \cos}{2}",
)
models = [model.name for model in analogies]
code = vector_snippets.analogy(models, entry.name, formula, rule, include)
outputs.take_away(page, code, page.entries, [say(f"rule.{rule}"), f"include_inputs {include}"])
