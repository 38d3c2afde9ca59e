"""Commands that build what ships, and commands that measure speed and quality; each is run by ``python -m benchmarks.NAME``.

Build: `build_models` (static models), `build_networks`, `build_derived` (contexts, senses, lenses and contextual vectors of these),
`build_data` (analogies, concordances, reports of change, spreads), `translation` (translators, and whether BERT helps them).

Measure against other programs: `bench` (all works in one run; `bench_works` has them), `text_speed`, `gensim_speed`, `glove_speed`,
`bert_speed`. They share `speed`.

Measure the app: `page_speed`, `clicks`, `stillness`, `load`. They share `servers` and `visits`.

Measure models: `quality`, `network_curves`.

Write pages: `report` (tables of documents), `licences`, `gallery`.

All results are files in ``results``, in the shape of `result_files`; `verdict_rules` gives the verdicts, `source_tree` the commit.
``research`` keeps the scripts of finished experiments.
"""
