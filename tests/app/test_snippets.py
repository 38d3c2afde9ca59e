"""The same in Python: pasted code runs and prints what the page shows."""

import json
import re
import shutil

import numpy as np
import pytest

import embeddings
from app.views.analogies import analogy_views
from app.widgets import footer, outputs, snippets
from app.widgets.inputs import split_list
from app.wording import wording
from embeddings import ConcordanceQuery, shelf
from embeddings.analysis.score_answers import AnalogyScore, SectionScore
from embeddings.corpora.concordance_search import collocates, search
from embeddings.files import write_json
from embeddings.lab import grammar_sets
from embeddings.shelf import Entry
from embeddings.shelf.change_reports import change_reports, read_report
from tests.app.conftest import store_text
from tests.app.visits import calls_of, forget_answers, open_page, pasted, printed
from tests.blocked import run_without


def ranking(text):
    """Model, word and similarity of each line that the code prints."""
    found, model = [], ""
    for line in text.splitlines():
        cells = line.split()
        if len(cells) == 1:
            model = cells[0]
        elif len(cells) > 1 and re.fullmatch(r"-?\d\.\d{4}", cells[1]):
            found.append((model, cells[0], cells[1]))
    return found


def answered(call, rows):
    """Model, word and similarity of what the page was answered."""
    return [(call.arguments[0].name, row.word, f"{row.similarity:.4f}") for row in rows]


def printed_coordinates(text):
    """Words with the coordinates printed behind them."""
    pairs = re.findall(r"^(\S+)((?: +-?\d+\.\d+)+)$", text, re.MULTILINE)
    return {word: [float(number) for number in numbers.split()] for word, numbers in pairs}


LIST = "wolf, dog, king, queen, music, nonsense, man"
MAPS = {
    "t-SNE in 3-D of the third model": {"method_map": "tsne", "dim": 3, "space": "small-en-glove"},
    "PCA in three dimensions, not standardised": {"standardize": 0, "dim": 3},
    "PCA of the second model": {"space": "small-en-cbow"},
}


@pytest.mark.parametrize(
    ("word", "settings"), [*zip(["music", LIST, LIST], MAPS.values(), strict=True)], ids=MAPS
)
def test_the_code_prints_the_map_of_the_page(small_shelf, monkeypatch, word, settings):
    forget_answers()
    calls = calls_of(monkeypatch, "app.views.explore.words_on_map.project")
    app = open_page("explore", lang="en", word=word, view="map", **settings)
    model, projection = calls[-1].arguments[0].name, calls[-1].value
    assert model == settings.get("space", "small-en-skipgram")
    coordinates = printed_coordinates(pasted(app)[0])
    assert tuple(coordinates) == projection.words
    np.testing.assert_allclose(list(coordinates.values()), projection.coordinates, atol=2e-4)
    cited = next(code.value for code in app.code if "sha256" in code.value)
    assert f"map of {model}: {settings.get('method_map', 'pca')}" in cited
    assert f"dimensions {settings.get('dim', 2)}" in cited


@pytest.mark.parametrize("filters", [{}, {"n": 4, "pattern": "o", "min": 2, "fold": 1}])
def test_the_code_prints_the_neighbours_of_every_model(small_shelf, monkeypatch, filters):
    calls = calls_of(monkeypatch, "embeddings.analysis.similarity.neighbours")
    app = open_page("explore", lang="en", word="music", **filters)
    expected = [line for call in calls[:3] for line in answered(call, call.value)]
    assert len(expected) == 3 * filters.get("n", 10)
    assert ranking(pasted(app)[0])[: len(expected)] == expected


@pytest.mark.parametrize(
    ("rule", "formula"), [("add", "König - Mann + Frau"), ("mul", "'könig' - \"mann\"")]
)
def test_the_code_prints_the_answers_of_every_model(small_shelf, monkeypatch, rule, formula):
    solved = calls_of(monkeypatch, "embeddings.analysis.analogies.solve")
    app = open_page("analogies", lang="de", rule=rule, formula=formula, drawn="small-de-cbow")
    text = pasted(app)[0]
    assert ranking(text) == [
        line for call in solved[:3] for line in answered(call, call.value.answers)
    ]
    steps = text[text.rindex("expression") :].splitlines()[1:]
    assert len(steps) == len(solved[-1].value.steps)


def test_steps_are_ranked_by_cosine_under_either_rule(small_shelf, monkeypatch):
    solved = calls_of(monkeypatch, "embeddings.analysis.analogies.solve")
    app = open_page("analogies", lang="en", rule="mul", formula="king - man + woman")
    vectors, analogy = solved[0].arguments[0], solved[0].value  # of the model that is drawn
    unit, words = vectors.unit, vectors.words
    total = unit[words.index("king")] - unit[words.index("man")]
    cosines = unit @ total / np.linalg.norm(total)
    best = [words[row] for row in np.argsort(-cosines) if words[row] not in ("king", "man")][:5]
    assert [row.word for row in analogy.steps[1].neighbours] == best
    lines = [line.split("  ") for line in pasted(app)[0].splitlines()]
    assert ["king - man", ", ".join(best)] in lines
    assert "3CosAdd" in wording("en")("steps.lead", model="")


def test_citation_names_the_corpus_by_title_and_the_seed(models, tmp_path):
    folder = tmp_path / "titled"
    shutil.copytree(models / "models" / "small-en-cbow", folder)
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    entry = Entry("titled", "static", "cbow", "en", folder)
    assert "titled (planted, vector_size 16, window 5, seed 1)" in footer.cited([entry])[1]
    card["corpus"] = {"name": "en", "title": "English Wikipedia"}
    card["seed"] = card["settings"].pop("seed") + 6
    write_json(folder / "card.json", card)
    assert (
        "titled (English Wikipedia, vector_size 16, window 5, seed 7)" in footer.cited([entry])[1]
    )


def test_a_set_says_its_rule_and_what_each_model_covers(small_shelf, monkeypatch):
    def score(entry, _):
        covered = 3 if entry.method == "glove" else 7
        return AnalogyScore(0.5, covered, 9, (SectionScore("family", 1, covered, 9),))

    monkeypatch.setattr(analogy_views, "analogy_score", score)
    app = open_page("analogies", lang="ru", rule="mul", view="sets")
    app.button(key="score").click().run()
    say = wording("ru")
    caption = next(c.value for c in app.caption if say("set.note") in c.value)
    seven, three = (say("set.covered", covered=n, total=9) for n in (7, 3))
    two_labels = "small-ru-skipgram, small-ru-cbow"
    assert outputs.plain(f"{two_labels}: {seven} small-ru-glove: {three}") in caption
    assert "3CosAdd" in caption


def test_ratios_run_when_pasted(small_shelf):
    asked = {"first": "ice", "second": "steam", "probes": ["solid", "gas"]}
    lines = prints("ratios", model="small-en-glove", **asked).splitlines()
    assert lines[2].split()[:4] == ["solid", "0.0080", "0.0010", "8.0000"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("wolf dog", ("wolf", "dog")),
        ("New York, Paris,,Paris", ("New York", "Paris")),
        ("a\tb\nc;d", ("a", "b", "c", "d")),
        ("  ", ()),
    ],
)
def test_lists_are_parted_by_commas_else_by_spaces(text, words):
    assert split_list(text) == words


FIRST_LOAD = """
from tests.app.visits import open_page
drawn = [len(open_page(page).get("plotly_chart")) for page in ("explore", "analogies", "ratios")]
print(all(drawn), {"sklearn", "umap", "gensim"} & set(sys.modules))
"""


def test_pages_need_no_torch_and_import_nothing_slow_on_first_load(models):
    home = {"KLYUCH_HOME": str(models), "KLYUCH_DATA": str(models)}
    out, errors = run_without({"torch", "transformers"}, FIRST_LOAD, **home)
    assert out.strip() == "True set()", errors[-2000:]


IMPORTS = re.compile(r"import embeddings|import numpy as np|from embeddings import [\w, ]+")


@pytest.mark.parametrize("name", snippets._templates())
def test_a_template_has_at_most_three_lines_and_imports_embeddings_alone(name):
    lines = [line for line in snippets._templates()[name].splitlines() if line.strip()]
    imports = [line for line in lines if line.startswith(("import ", "from "))]
    assert len(lines) - len(imports) <= 3
    assert all(map(IMPORTS.fullmatch, imports))


def prints(name, /, **values):
    """What the code of a name prints."""
    return printed(snippets.code(name, **values))


def test_code_about_a_shipped_model_prints_its_tables():
    vectors, pair = embeddings.load("en-skipgram"), {"first": "king", "second": "queen"}
    text = prints("shared_contexts", model="en-skipgram", **pair)
    assert text == f"{vectors.why_near(*pair.values())}\n"
    asked = {"word": "king", "near": ["queen", "throne"]}
    text = prints("neighbour_spread", model="en-skipgram", **asked).splitlines()
    assert [line.split()[0] for line in text] == ["word", "queen", "throne"]
    text = prints("senses", models=["en-skipgram"], word="bank", topn=2)
    for sense in vectors.senses_of("bank"):
        assert f"{sense.word}\n{sense.share}\n{vectors.neighbours(sense.word, 2)}\n" in text
    scored = prints("scores_of", models=["en-skipgram", "en-glove"]).splitlines()[1:]
    assert {line.split()[1] for line in scored} == {"en-skipgram", "en-glove"}
    assert len(scored) < len(prints("scores").splitlines())


def test_code_about_sentences_prints_lines_and_collocates():
    query = ConcordanceQuery("the", "en", limit=3)
    text = prints("sentences", name="sample-en", query=query)
    concordance = shelf.open_concordance("sample-en")
    lines = search(concordance, query).lines
    assert len(lines) == 3
    assert all(line.text in text for line in lines)
    (nearest, *_) = collocates(concordance, "the", "en", query.window)
    assert [nearest.word, str(nearest.together)] in [line.split()[:2] for line in text.splitlines()]


def test_code_about_several_question_files_counts_them_as_one_set(tmp_path):
    files = [tmp_path / "one.txt", tmp_path / "two.txt"]
    files[0].write_text(": family\nking queen man woman\n")
    files[1].write_text(": none\nking queen man zzz\nman woman king queen\n")
    code = snippets.analogy_set(["en-skipgram"], [str(path) for path in files])
    lines = printed(code).splitlines()
    assert lines[0] == "en-skipgram"
    assert lines[1] == "<accuracy 1.0000, 2 of 3 questions covered>"
    assert [line.split()[0] for line in lines[3:]] == ["family", "none"]


def test_code_about_reports_and_sets_prints_their_rows():
    (name, *_) = change_reports()
    report, _ = read_report(change_reports()[name])
    lines = prints("change_report", name=name).splitlines()
    shown = [line.split()[0] for line in lines[2:-1]]  # below a title and names of columns
    assert [*shown, lines[-1]] == [*(w.word for w in report.words[:50]), "… 150 more of 200"]
    text = prints("grammar_sets", language="ru")
    for table, pairs in grammar_sets("ru"):
        assert f"name {table.name}" in text
        assert f"{pairs} pairs" in text


def test_code_about_the_corpora_of_a_person_prints_each(own_home):
    store_text(own_home, "letters", "The key opens the door.")
    store_text(own_home, "novel", "The door opens.")
    app = open_page("shelf", lang="en", shelf_part="corpora")
    (code,) = [block.value for block in app.code if "shelf.corpora()" in block.value]
    assert [line.split()[0] for line in printed(code).splitlines()[1:]] == ["letters", "novel"]
