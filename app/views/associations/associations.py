from app.views.associations import association_tests, word_pairs
from app.widgets import frame, outputs, views
from app.widgets.model_refusals import warn_of_weak_vectors

page = frame.page_state()
outputs.heading(page, "associations")
warn_of_weak_vectors(page)
settings = {"list": {"related": word_pairs.example(page)}, "test": association_tests.former(page)}
view = views.open_view(page, ("axes", "list", "test"), settings)
if view == "axes":
    word_pairs.show_pair_questions(page)
elif view == "list":
    word_pairs.show_word_matrix(page)
else:
    association_tests.show_association_test(page)
