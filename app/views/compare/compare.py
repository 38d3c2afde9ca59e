import streamlit as st

from app.views.compare import compared_models
from app.widgets import footer, frame, inputs, outputs, snippets, views
from embeddings.analysis.model_comparison import NEIGHBOURHOOD

page = frame.page_state()
say = page.say
compared_models.lead_on(page)
outputs.heading(page, "compare")
if len(page.entries) < 2:
    outputs.end(say("compare.need_two"))
with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
    typed = inputs.split_list(inputs.line(say, "compared", page.examples["compared"]))
    pair = compared_models.choose_pair(page)
with st.container(horizontal=True, vertical_alignment="center"):
    view = views.open_view(page)
    with st.popover(say("common.examples"), icon=":material/list:", type="tertiary"):
        inputs.examples(say, "compared", page.examples["compared_lists"].split(" | "))
    if view != "sets":
        with st.popover(say("common.more_settings"), icon=":material/tune:", type="tertiary"):
            topn = inputs.number(say, "compared_n", NEIGHBOURHOOD, 1, 50)
if view == "sets":
    compared_models.show_scores_by_set(page)
    models, sizes = page.entries, []
    code = snippets.code("scores_of", models=[entry.name for entry in models])
else:
    if view == "words":
        words = compared_models.show_word_by_word(page, pair, typed, topn)
    else:
        words = compared_models.show_most_moved(page, pair, topn)
    models, (first, second) = pair, pair
    code = snippets.code(
        "compare", first=first.name, second=second.name, words=list(words), topn=topn
    )
    sizes = [f"topn {topn}", f"{len(compared_models.aligned(*pair).words)} common words"]
footer.draw_footer(page, "compare", code=code, entries=models, settings=sizes)
