import streamlit as st

from app.views.analogies import analogy_views
from app.widgets import footer, frame, inputs, near_words, outputs, snippets, views

page = frame.page_state()
say = page.say
outputs.heading(page, "analogies")
formula, expected = analogy_views.ask_formula(page)
with st.container(horizontal=True, vertical_alignment="center"):
    view = views.open_view(page)
    if view != "sets":
        more = st.popover(say("common.more_settings"), icon=":material/tune:", type="tertiary")
if view == "sets":
    analogy_views.show_question_set(page)
    files = list(analogy_views.question_files(page))
    code = snippets.analogy_set([model.name for model in page.entries], files)
    models, settings = [*page.entries], []
else:
    question = analogy_views.ask_question(page, formula, expected, more)
    analogies, refused = analogy_views.solve_formula(page, question)
    entry = next(iter(analogies))
    if view != "reliability":
        with more:
            entry = inputs.pick_model(say, "drawn", analogies, page.label)
    if view == "answer":
        analogy_views.show_answers(page, question, analogies, refused, entry)
    elif view == "steps":
        analogy_views.show_formula_steps(page, entry, analogies[entry])
    elif not near_words.show_answer_spread(page, analogies):
        st.info(say("analogies.unmeasured"))
    models = list(analogies)
    code = snippets.analogy(
        [model.name for model in models],
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
if view == "reliability":
    footer.draw_footer(page, "spread", code=code, entries=models, settings=settings)
else:
    footer.draw_footer(page, "analogies", code=code, entries=models, settings=settings)
