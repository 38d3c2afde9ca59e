import streamlit as st

from app import access
from app.views.shelf import model_cards, model_import, shelf_tables
from app.widgets import footer, frame, inputs, outputs, snippets

SHELF_PARTS = ("models", "bring", "scores", "corpora")

page = frame.page_state()
say = page.say
outputs.heading(page, "shelf", on_vectors=False)
shelf_tables.show_outcome(say)
parts = [name for name in SHELF_PARTS if name != "bring" or access.may_change()]
part = inputs.choice(say, "shelf_part", parts)
entries = []
if part == "models":
    entry = shelf_tables.choose_model(page)
    model_cards.show_card(page, entry)
    out, here = st.columns(2, gap="large")
    with out, outputs.refusals_said(say):
        shelf_tables.offer_export(say, entry)
    with here:
        shelf_tables.check_files(say, entry)
        shelf_tables.offer_changes(say, entry)
    opened = snippets.code(f"open_{entry.kind}", model=entry.name)
    code, entries = snippets.code("card", model=entry.name, opened=opened), [entry]
elif part == "bring":
    with outputs.refusals_said(say):
        model_import.show_import(say)
    code = model_import.import_code()
    model_import.show_hub(say)
elif part == "scores":
    model_cards.show_all_scores(say)
    code = snippets.code("scores")
else:
    shelf_tables.show_own_corpora(say)
    st.subheader(say("shelf_corpora.catalogue"), anchor=False)
    st.code("klyuch corpus list\nklyuch corpus get NAME", language=None)
    code = "from embeddings import shelf\n\nprint(shelf.corpora())\n"
footer.draw_footer(page, "shelf", code=code, entries=entries)
