"""Associations, headless: word lists, tests, the code that it offers."""

from app.views.associations import association_views
from app.wording import wording
from embeddings.analysis.association import association_test
from embeddings.analysis.similarity import axis, odd_one_out, similarity
from embeddings.analysis.vector_answers import AssociationSets
from embeddings.shelf import load_vectors
from tests.app.visits import open_page, page_text, pasted

OWN_LISTS = {"weat": "own", "weat_x": "king, queen", "weat_y": "man, woman"}
OWN_LISTS |= {"weat_a": "wolf, dog", "weat_b": "cat, mouse"}


def test_the_code_of_each_view_prints_what_the_library_answers(small_shelf):
    pairs = {"pair": "king, queen", "odd": "king, queen, man", "ends": "man, woman"}
    frame = {"lang": "en", "models": "small-en-cbow"}
    code = pasted(open_page("associations", **frame, **pairs, between="king, queen"))[0]
    vectors = load_vectors("small-en-cbow")
    expected = (
        similarity(vectors, "king", "queen"),
        odd_one_out(vectors, ["king", "queen", "man"]),
        axis(vectors, "man", "woman", words=["king", "queen"]),
    )
    assert code.split("\n", 1)[1] == "".join(f"{answer}\n" for answer in expected)
    code = pasted(open_page("associations", **frame, view="list", related="king, queen, man"))[0]
    asked = ["king", "queen", "man"]
    unit = vectors.unit_rows([vectors.row(word) for word in asked])
    printed = [line.split() for line in code.strip().split("\n")]
    assert printed[0] == asked
    assert printed[1:] == [
        [word, *(f"{cosine:.4f}" for cosine in row)]
        for word, row in zip(asked, unit @ unit.T, strict=True)
    ]
    app = open_page("associations", **frame, view="test", **OWN_LISTS)
    words = (("king", "queen"), ("man", "woman"), ("wolf", "dog"), ("cat", "mouse"))
    answer = association_test(vectors, AssociationSets("own", ("X", "Y", "A", "B"), words))
    lines = pasted(app)[0].splitlines()
    assert f"d = {answer.effect_size:.2f}, p = {answer.one_sided.p:.3g} (one-sided)" in lines[1]
    assert [(line.split()[0], line.split()[-1]) for line in lines[3:]] == [
        (target.word, f"{target.association:.4f}") for target in answer.targets
    ]


def test_a_list_with_one_known_word_asks_for_another_and_a_matrix_cut_short_says_so(
    small_shelf, monkeypatch
):
    say = wording("en")
    app = open_page("associations", lang="en", view="list", related="king, zzz")
    assert say("pairs.need_list") in [info.value for info in app.info]
    assert "zzz" in app.info[0].value
    monkeypatch.setattr(association_views, "MAX_MATRIX_WORDS", 2)
    app.text_input(key="related").set_value("king, queen, man").run()
    assert say("listed.cut", shown=2, known=3) in page_text(app)
    assert "csv-matrix" in str([b.proto for b in app.get("download_button")])
    monkeypatch.setattr(association_views, "MAX_MATRIX_WORDS", 3)
    assert say("listed.cut", shown=3, known=3) not in page_text(app.run())


def test_an_association_test_shows_effect_and_p_of_every_model():
    say = wording("de")
    app = open_page("associations", lang="de", text="de", view="test")
    shown = next(t.value for t in app.table if say("association.effect") in t.value.columns)
    assert len(shown) == 3
    effects = [cell.split(" ")[0].replace(",", ".") for cell in shown[say("association.effect")]]
    assert all(0.3 < float(effect) < 2 for effect in effects)
    sets = (say("weat_set.insects"), say("weat_set.pleasant"))
    assert all(name in page_text(app) for name in sets)


def test_lists_of_ones_own_are_asked_and_an_empty_one_is_asked_for(small_shelf):
    say = wording("en")
    app = open_page("associations", lang="en", **OWN_LISTS)
    shown = next(t.value for t in app.table if say("association.effect") in t.value.columns)
    assert set(shown[say("association.partitions")]) == {say("association.all", n=6)}
    app.text_input(key="weat_x").set_value(" ").run()
    assert say("association.empty") in [info.value for info in app.info]
