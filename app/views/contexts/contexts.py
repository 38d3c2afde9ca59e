import streamlit as st

from app.views.contexts import (
    chosen_contexts,
    layer_maps,
    one_context,
    sense_groups,
    sense_reports,
    word_in_contexts,
)
from app.widgets import footer, frame, outputs, snippets, views
from embeddings.analysis.projection import LEAST_CONTEXTS

page = frame.page_state()
say = page.say
outputs.heading(page, "contexts", on_vectors=False)
chosen = chosen_contexts.choose_contexts(page)
with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
    tabs = st.container(width="content")
    more = st.popover(say("common.more_settings"), icon=":material/tune:", type="tertiary")
read, colour, number = chosen_contexts.ask_settings(page, chosen, more)
question, static = read.question, read.question.static
is_map = len(chosen.contexts) >= LEAST_CONTEXTS
columns = sense_reports.columns(chosen) if is_map else []
with tabs:
    view = views.open_view(page, without=() if columns else ("documents",)) if is_map else ""
with st.spinner(say("contexts.running"), show_time=False):
    with outputs.progress_bar(say, "contexts.reading") as report:
        word_in_contexts.prepare(question, report)
    if is_map:
        answer = word_in_contexts.answer(question, chosen.attested_rows)
    states = read.word.states(question.vector)
layer_maps.warn_about_contexts(read, states)
best = answer.best_layer if is_map else states.layers
with more:
    layer = layer_maps.choose_layer(page, best, states.layers)
if not is_map:
    one_context.show_few_contexts(read, layer)
elif view == "one":
    one_context.show_one_context(read)
else:
    with st.spinner(say("contexts.running"), show_time=False):
        found = sense_groups.found_grouping(answer.induction)
        agreement = answer.induction.agreement
        grouping = sense_reports.arrangement(chosen, found, agreement, number)
        senses = sense_groups.name_senses(read, answer.induction, grouping)
        groups = sense_groups.group_contexts(read, senses, colour)
        separation = sense_groups.measure_separation(read, groups, colour)
    marks = sense_groups.mark_contexts(read, groups)
    drawn = sense_groups.ShownSenses(read, senses, marks)
    by_hand = sense_reports.is_by_hand(chosen) or number != "found"
    if view == "senses":
        left, right = st.columns([3, 2], gap="medium")
        with left:
            selected = layer_maps.show_context_map(
                read, answer.maps[layer], marks, layer, has_legend=colour != "found"
            )
            layer_maps.explain_map(read, layer, best)
            layer_maps.say_if_not_apart(say, separation, layer)
        with right:
            sense_groups.show_senses(drawn, by_hand=by_hand, only=selected)
        layer_maps.show_coordinates(read, groups, answer.maps[layer])
    elif view == "layers":
        layer_maps.show_layer_maps(read, answer.maps, marks, separation)
        layer_maps.show_curves(read, separation)
    elif view == "pairs":
        layer_maps.show_separation(say, separation, layer)
        layer_maps.show_context_matrix(read, groups, layer)
    elif view == "documents":
        with outputs.refusals_said(say):
            sense_reports.show_frequencies(drawn, columns)
    else:
        left, right = st.columns([3, 2], gap="medium")
        with left:
            sense_reports.show_bench(drawn)
            sense_reports.show_agreement(drawn)
            sense_reports.show_tree(drawn)
            sense_reports.offer_files(drawn)
        with right:
            sense_groups.show_senses(drawn, by_hand=by_hand)
models, about, code = [question.entry], [], ""
if is_map:
    rows = chosen.attested_rows
    code = snippets.code(
        "contexts",
        model=question.entry.name,
        word=chosen.contexts[0].word,
        sentences=[(context.text, context.positions[0]) for context in chosen.contexts],
        language=page.language,
        companion=static.name if static else "none",
        layer=layer,
        vector=question.vector,
        options=snippets.options(rows=list(rows) if len(rows) < len(chosen.contexts) else ()),
    )
    about = [
        f"vector {question.vector!r}, layer {layer}",
        f"contexts of {chosen.word}: {len(chosen.contexts)}",
    ]
    models += [static] if static else []
footer.draw_footer(page, "contexts", code=code, entries=models, settings=about)
