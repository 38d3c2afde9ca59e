from app.views.shelf import corpus_tables, model_cards, model_files, model_import, model_table
from app.widgets import frame, inputs, outputs

PARTS = ("models", "bring", "scores", "corpora")

here = frame.here()
say = here.say
outputs.heading(here, "shelf", on_vectors=False)
model_table.told(say)
part = inputs.choice(say, "shelf_part", PARTS)
if part == "models":
    entry = model_table.show_models(here)
    model_cards.show_card(here, entry)
    model_files.show_files(here, entry)
    model_files.show_export(here, entry)
    model_table.show_change(here, entry)
    code = model_cards.card_code(entry)
    outputs.take_away(here, code, (entry,))
elif part == "bring":
    model_import.show(here)
elif part == "scores":
    model_cards.show_scores(here)
else:
    corpus_tables.show(here)
outputs.explain(say, "shelf")
