from app.views.associations import association_views
from app.widgets import frame, outputs, views
from app.widgets.model_answers import warn_of_weak_vectors

page = frame.page_state()
outputs.heading(page, "associations")
warn_of_weak_vectors(page)
settings = {
    "list": {"related": association_views.example(page)},
    "test": association_views.former(page),
}
view = views.open_view(page, former=settings)
if view == "axes":
    association_views.show_pair_questions(page)
elif view == "list":
    association_views.show_word_matrix(page)
else:
    association_views.show_association_test(page)
