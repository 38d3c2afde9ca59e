from app.views.analogies import formula_answers, formula_steps, question_set
from app.widgets import frame, outputs, run_spreads, vector_snippets, why_near

page = frame.page_state()
say = page.say
outputs.heading(page, "analogies")
question = formula_answers.ask_formula(page)
analogies = formula_answers.show_answers(page, question)
run_spreads.show_answer_spread(page, analogies)
entry = formula_answers.show_plane(page, analogies)
formula_steps.show_formula_steps(page, entry, analogies[entry])
answers = dict.fromkeys(row.word for analogy in analogies.values() for row in analogy.answers)
terms = dict.fromkeys(term.word for term in analogies[entry].terms)
why_near.show_why(page, {term: [word for word in answers if word != term] for term in terms})
question_set.show_question_set(page)
outputs.explain(
    say,
    "analogies",
    r"\text{3CosAdd:}\quad \arg\max_{x}\; \cos(x,\; a - b + c)",
    r"\text{3CosMul:}\quad \arg\max_{x} \frac{\cos'(x, a)\cos'(x, c)}{\cos'(x, b) + \varepsilon},"
    r"\qquad \cos' = \tfrac{1 + \cos}{2}",
)
models = [model.name for model in analogies]
code = vector_snippets.analogy(
    models,
    entry.name,
    question.formula,
    question.rule,
    question.include_inputs,
    question.language,
)
settings = [
    say(f"rule.{question.rule}"),
    f"include_inputs {question.include_inputs}",
    *([f"fold {question.language}"] if question.language else []),
]
outputs.take_away(page, code, list(analogies), settings)
