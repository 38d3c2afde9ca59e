from app import access
from app.views.change import chosen_report, compared_texts
from app.widgets import footer, frame, outputs, snippets, views

page = frame.page_state()
outputs.heading(page, "change", on_vectors=False)
compared_texts.show_running(page)
path, code = None, ""
view = views.open_view(page, without=() if access.may_change() else compared_texts.VIEWS_THAT_TRAIN)
if view == "report":
    name, path = chosen_report.choose_report(page)
    code = snippets.code("change_report", name=name)
elif view == "whatif":
    with outputs.refusals_said(page.say):
        code = compared_texts.show_what_if(page)
else:
    with outputs.refusals_said(page.say):
        code = compared_texts.show_compared_texts(page, view)
settings = chosen_report.provenance(path) if path else ()
footer.draw_footer(page, "change", code=code, settings=settings)
