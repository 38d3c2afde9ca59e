from app import access
from app.views.shelf import corpus_tables, model_cards, model_import, model_table
from app.widgets import frame, inputs, outputs

PARTS = ("models", "bring", "scores", "corpora")

page = frame.page_state()
say = page.say
outputs.heading(page, "shelf", on_vectors=False)
model_table.show_outcome(say)
parts = [name for name in PARTS if name != "bring" or access.may_change()]
part = inputs.choice(say, "shelf_part", parts)
if part == "models":
    entry = model_table.choose_model(page)
    model_cards.show_card(page, entry)
    model_table.check_files(page, entry)
    model_table.offer_export(page, entry)
    model_table.offer_changes(page, entry)
    code = model_cards.card_code(entry)
    outputs.take_away(page, code, (entry,))
elif part == "bring":
    model_import.show_import(page)
    model_import.show_hub(page)
elif part == "scores":
    model_cards.show_all_scores(page)
else:
    corpus_tables.show_corpora(page)
outputs.explain(say, "shelf")
