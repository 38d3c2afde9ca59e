from app.shelf_models import ask
from app.views.grammar import score_sections
from app.widgets import footer, frame, network_inputs, outputs, snippets, views
from embeddings.lab import grammar_sets
from embeddings.verbs import NetworkVerbs

page = frame.page_state()
say = page.say
outputs.heading(page, "grammar", on_vectors=False)
scored = grammar_sets(page.language)
texts, more = score_sections.ask_pair(page)
with more:
    entry = network_inputs.pick_network(page)
view = views.open_view(page, without=() if scored else ("benchmarks",))
settings, entries = [], [entry]
if view == "benchmarks":
    score_sections.show_benchmarks(say, scored)
    entries = []
    code = snippets.code("grammar_sets", language=page.language)
elif view == "own":
    pairs: tuple[score_sections.Pair, ...] = ()
    with outputs.refusals_said(say):
        pairs = score_sections.show_own_pairs(page, entry)
    settings = [f"pairs {len(pairs)}"]
    code = snippets.code(
        "grammar", model=entry.name, texts=[text for pair in pairs for text in pair]
    )
else:
    if not all(texts):
        outputs.end(say("grammar.empty"))
    lens = network_inputs.choose_lens(say, entry) if view == "layers" else None
    scores = ask(NetworkVerbs.score_sentences, entry, texts, lens=lens)
    score_sections.show_verdict(say, scores)
    if view == "tokens":
        score_sections.show_tokens(say, scores)
    else:
        score_sections.show_layers(say, scores)
        network_inputs.show_agreement(say, entry)
    settings = [f"sentences {texts[0]!r} / {texts[1]!r}"]
    given = snippets.options(lens=snippets.LENS if lens is not None else "")
    code = snippets.code("grammar", model=entry.name, texts=list(texts), options=given)
footer.draw_footer(page, "grammar", code=code, entries=entries, settings=settings)
