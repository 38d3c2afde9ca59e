from app.views.sections import (
    shelf_bring,
    shelf_card,
    shelf_change,
    shelf_corpora,
    shelf_export,
    shelf_files,
    shelf_models,
    shelf_scores,
)
from app.widgets import frame, inputs, outputs

PARTS = ("models", "bring", "scores", "corpora")

here = frame.here()
say = here.say
outputs.heading(here, "shelf", on_vectors=False)
shelf_change.told(say)
part = inputs.choice(say, "shelf_part", PARTS)
if part == "models":
    entry = shelf_models.show(here)
    shelf_card.show(here, entry)
    shelf_files.show(here, entry)
    shelf_export.show(here, entry)
    shelf_change.show(here, entry)
    code = shelf_card.code(entry)
    outputs.take_away(here, code, (entry,))
elif part == "bring":
    shelf_bring.show(here)
elif part == "scores":
    shelf_scores.show(here)
else:
    shelf_corpora.show(here)
outputs.explain(say, "shelf")
