"""What the networks know, on tiny networks and a small mirror: whole, resumed, into the cards; tables and claims by hand."""

import json
import shutil

import pytest

from benchmarks import knowledge, knowledge_parts
from benchmarks.grammar_accuracy import grammar_measurements, measured_grammar
from benchmarks.knowledge import (
    Remaining,
    card_scores,
    knowledge_experiment,
    measure,
    write_scores,
)
from benchmarks.knowledge_parts import (
    PAIR_SETS,
    Part,
    languages_of,
    parts_of,
    prepared_folders,
    short_files,
)
from benchmarks.result_files import RESULTS
from embeddings.files import read_json, write_json
from embeddings.lab.experiment_files import parse, to_json
from embeddings.pretraining.prepared_corpus import prepare_corpus
from embeddings.results.experiment import Measured
from embeddings.shelf import Entry, data, find, model_scores
from embeddings.text.wordpiece_training import WordPieceConfig, train_wordpiece

PAIRS = (
    "paradigm\tphenomenon\tgood\tbad\n"
    "a\tnumber\tДверь открыта.\tДверь открыты.\n"
    "a\tnumber\tКлюч вынут.\tКлюч вынуты.\n"
    "b\tword_order\tБыл ключ.\tКлюч был был.\n"
)
WIC = (
    "lemma\tsame\tstart1\tend1\tsentence1\tstart2\tend2\tsentence2\n"
    "Tür\tT\t4\t7\tDie Tür ist offen.\t10\t13\tDurch die Tür.\n"
    "ключ\tF\t4\t8\tБил ключ.\t13\t17\tСтарик вынул ключ.\n"
)
LIMITS = {"blimp_en": 1, "rublimp_ru": 2, "clams_ru": 0, "clams_de": 0}


@pytest.fixture
def mirror(tmp_path):
    """Test sets of Russian and English alone."""
    folder = tmp_path / "mirror" / "evaluation"
    (folder / "grammar").mkdir(parents=True)
    (folder / "wic").mkdir()
    for name in ("rublimp_ru", "blimp_en"):
        (folder / "grammar" / f"{name}.tsv").write_text(PAIRS, encoding="utf-8")
    (folder / "wic" / "dev_ru.tsv").write_text(WIC, encoding="utf-8")
    return tmp_path / "mirror"


@pytest.fixture
def network(tmp_path, tiny_bert):
    """A copy of the tiny network whose card names its languages."""
    folder = tmp_path / "net"
    shutil.copytree(tiny_bert, folder)
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    card |= {"languages": ["en", "ru"], "scores": {"heldout_mlm_loss": 3.5, "note": 1.0}}
    write_json(folder / "card.json", card)
    return folder


@pytest.fixture
def short(tmp_path):
    file = tmp_path / "short-ru.tsv"
    file.write_text("Старик вынул [MASK].\tключ\tru_a\nЭто [MASK].\t匙\tru_b\n", encoding="utf-8")
    return {"ru": file}


def test_every_part_is_scored_once_and_kept(network, mirror, short, tmp_path, monkeypatch, capsys):
    work = tmp_path / "work"
    (first,) = measure([find(network)], mirror, work, short, LIMITS)
    assert list(first["parts"]) == ["everyday", "short_ru", "blimp_en", "rublimp_ru", "wic_ru"]
    assert first["parts"]["everyday"]["total"] == 40  # its two languages
    assert first["parts"]["blimp_en"]["total"] == 2  # one of each paradigm
    assert first["parts"]["rublimp_ru"]["total"] == 3
    assert first["parts"]["rublimp_ru"]["phenomena"]["number"]["total"] == 2
    assert first["parts"]["short_ru"]["covered"] == 1
    assert first["passages"] == {"heldout_mlm_loss": 3.5}
    assert "minutes left" in capsys.readouterr().out

    def refuse(*_):
        raise AssertionError("scored again")

    monkeypatch.setattr(knowledge_parts, "open_reader", refuse)
    assert measure([find(network)], mirror, work, short, LIMITS) == [first]


def test_parts_that_are_not_kept_can_be_left_out(network, mirror, short, tmp_path, monkeypatch):
    work = tmp_path / "work"
    measure([find(network)], mirror, work, {}, LIMITS)
    monkeypatch.setattr(knowledge_parts, "open_reader", None)  # nothing is scored
    (kept,) = measure(
        [find(network)], mirror, work, short, LIMITS | {"rublimp_ru": 1}, only_kept=True
    )
    assert list(kept["parts"]) == ["everyday", "blimp_en", "wic_ru"]
    knowledge_experiment({"command": "c", "networks": [kept]})


def test_another_sample_or_file_is_scored_anew_and_the_rest_kept(
    network, mirror, short, tmp_path, monkeypatch
):
    work, asked = tmp_path / "work", []
    measure([find(network)], mirror, work, short, LIMITS)
    evaluate = knowledge_parts.evaluate_pairs
    monkeypatch.setattr(
        knowledge_parts, "evaluate_pairs", lambda *a: asked.append(len(a[1])) or evaluate(*a)
    )
    measure([find(network)], mirror, work, short, LIMITS | {"rublimp_ru": 1})
    assert asked == [2]
    with (mirror / "evaluation" / "grammar" / "blimp_en.tsv").open("a", encoding="utf-8") as file:
        file.write("c\tnumber\tДверь.\tДвери.\n")
    measure([find(network)], mirror, work, short, LIMITS | {"rublimp_ru": 1})
    assert asked == [2, 3]


def test_the_result_can_be_shown_and_is_made_of_its_measurements_alone(
    network, mirror, short, tmp_path
):
    networks = measure([find(network)], mirror, tmp_path / "work", short, LIMITS)
    measured = json.loads(json.dumps({"command": "c", "networks": networks}))
    experiment = knowledge_experiment(measured)
    assert parse(json.loads(json.dumps(to_json(experiment, measured))))[0] == experiment
    tables = {table.name: table for table in experiment.tables}
    assert {"pairs", "short", "everyday", "passages", "wic", "wic_layers"} <= set(tables)
    assert {"blimp_en", "rublimp_ru"} <= set(tables)
    assert "clams_de" not in tables
    assert [row[:2] for row in tables["rublimp_ru"].rows] == [
        ("all_pairs", "net"),
        ("number", "net"),
        ("word order", "net"),
    ]
    published = [row for row in tables["pairs"].rows if row[4] is None]
    assert ("blimp_en", "system_5gram", 61.2, None, None) in published
    assert all(row[0] == "blimp_en" for row in published)  # RuBLiMP has none, CLAMS was not asked
    assert {drawing.name for drawing in experiment.drawings} == {"pairs", "short", "wic"}


def test_the_page_grammar_has_a_column_a_network_for_each_set(network, mirror, short, tmp_path):
    networks = measure([find(network)], mirror, tmp_path / "work", short, LIMITS)
    measured = grammar_measurements([*networks, {**networks[0], "name": "other"}], PAIR_SETS)
    assert measured["pairs"] == {"blimp_en": 2, "rublimp_ru": 3}
    experiment = measured_grammar(json.loads(json.dumps({"command": "c", **measured})))
    parts = networks[0]["parts"]
    for table in experiment.tables:
        assert [column.name for column in table.columns] == ["phenomenon", "net", "other"]
        overall = 100 * parts[table.name]["accuracy"]
        assert table.rows[0] == ("all", overall, overall)
    assert [row[0] for row in experiment.tables[1].rows] == ["all", "number", "word order"]


def blanks(**values):
    scores = {"top1": 0.2, "top3": 0.3, "top5": 0.4, "loss": 6.5, "copies": 0.1}
    return {**scores, "covered": 10, "total": 12, "groups": {}, **values}


def pair_scores(accuracy, total=400):
    error = (accuracy * (1 - accuracy) / total) ** 0.5
    return {"accuracy": accuracy, "standard_error": error, "total": total, "phenomena": {}}


def test_claims_are_held_against_what_is_published():
    parts = {
        "blimp_en": pair_scores(0.7),
        "clams_de": pair_scores(0.71),
        "clams_ru": pair_scores(0.86),
        "short_en": blanks(),
        "short_ru": blanks(copies=0.02, loss=3.0),
    }
    network = {
        "name": "net",
        "languages": [],
        "passages": {"heldout_mlm_loss": 3.25},
        "parts": parts,
    }
    experiment = knowledge_experiment({"command": "c", "networks": [network]})
    claims = {(claim.name, dict(claim.fields)["language"]): claim for claim in experiment.claims}
    outcomes = {key: claim.verdict for key, claim in claims.items()}
    assert outcomes == {
        ("blimp_over_ngrams", "en"): "yes",  # 8.8 points, standard error 2.3
        ("blimp_over_small_bert", "en"): "yes",
        ("clams_over_lstm", "de"): "no",
        ("clams_over_lstm", "ru"): "open",  # 1 point, standard error 1.7
        ("copies_rarely", "en"): "no",
        ("copies_rarely", "ru"): "yes",
        ("short_is_harder", "en"): "yes",
        ("short_is_harder", "ru"): "no",
    }
    ahead = claims["blimp_over_ngrams", "en"]
    assert dict(ahead.numbers)["gain"] == pytest.approx(8.8)
    assert dict(ahead.fields)["pairs"] == Measured(400)
    assert (ahead.published, ahead.ours) == (61.2, pytest.approx(70))


def test_scores_go_into_the_card_by_test_set_and_the_rest_of_the_card_stays(network):
    before = json.loads((network / "card.json").read_text(encoding="utf-8"))
    parts = {
        "rublimp_ru": pair_scores(0.75),
        "short_ru": blanks(),
        "everyday": {**blanks(), "groups": {"ru": blanks(top1=0.5)}},
    }
    write_scores(network, parts)
    write_scores(network, {"rublimp_ru": pair_scores(0.8)})
    after = json.loads((network / "card.json").read_text(encoding="utf-8"))
    changed = {key for key in before | after if before.get(key) != after.get(key)}
    assert changed <= {"scores", "self_sha256"}
    assert read_json(network / "card.json") == after  # and its checksum is right
    assert after["scores"]["heldout_mlm_loss"] == 3.5
    assert after["scores"]["RuBLiMP"]["accuracy"] == 0.8
    assert after["scores"]["short sentences ru"]["copies"] == 0.1
    assert after["scores"]["everyday sentences ru"]["accuracy"] == 0.5
    assert "everyday sentences en" not in after["scores"]
    shown = {(score.test_set, score.measure): score for score in model_scores([find(network)])}
    assert shown["RuBLiMP", "accuracy"].total == 400
    assert shown["short sentences ru", "accuracy"].covered == 10


def test_a_card_has_no_scores_of_parts_that_were_not_asked():
    assert card_scores({}) == {}


def test_the_languages_are_those_of_the_card(tmp_path, network):
    assert languages_of(find(network)) == ("en", "ru")
    assert languages_of(Entry("x", "network", "bert", "de", tmp_path)) == ("de",)
    assert languages_of(Entry("x", "network", "bert", "", tmp_path)) == ("en", "ru", "de")


def test_what_is_left_follows_the_parts_that_were_scored_now():
    ticks = iter([0.0, 0.0, 20.0, 30.0])
    parts = [Part(name, "", dict) for name in ("wic_en", "wic_en", "wic_en", "wic_ru")]
    remaining = Remaining(parts, lambda: next(ticks))
    expected = parts[0].seconds
    assert remaining.seconds(parts[0], False) == pytest.approx(2 * expected + parts[3].seconds)
    left = remaining.seconds(parts[1], True)  # took 20 seconds
    assert left == pytest.approx((expected + parts[3].seconds) * 20 / expected)
    left = remaining.seconds(parts[2], True)  # 30 seconds for two
    assert left == pytest.approx(parts[3].seconds * 30 / (2 * expected))


def test_short_sentences_are_drawn_once_from_held_out_documents(tmp_path, monkeypatch):
    names = ["".join(chr(97 + int(digit)) for digit in f"{n:04}") for n in range(40)]
    lines = [f"Behold the captain of the ship {name} who opened a heavy door." for name in names]
    corpora = tmp_path / "corpora"
    corpora.mkdir()
    (corpora / "en_ships.txt").write_text("\n\n".join(lines), encoding="utf-8")
    ids = tmp_path / "prepared" / "en" / "ids"
    wordpiece = train_wordpiece(lines, WordPieceConfig(vocab_size=200))
    prepare_corpus([corpora / "en_ships.txt"], wordpiece, ids)
    prepared = prepared_folders(tmp_path / "prepared")
    assert prepared == {"en": ids}
    files = short_files(tmp_path, prepared, corpora, each=5)
    assert list(files) == ["en"]
    text = files["en"].read_text(encoding="utf-8")
    assert text.count("[MASK]") == len(text.splitlines()) >= 1
    monkeypatch.setattr(knowledge_parts.short_sentences, "make", None)  # not called again
    assert short_files(tmp_path, prepared, corpora, each=5) == files
    assert short_files(tmp_path, {}, corpora) == files
    assert prepared_folders(None) == {}


def test_a_network_is_asked_in_its_languages_alone(mirror, short):
    names = [part.name for part in parts_of(("en",), mirror, short, knowledge.PAIRS)]
    assert names == ["everyday", "blimp_en"]


def test_what_lab_says_of_the_networks_that_ship_is_what_their_cards_say():
    """A network that is trained on has other scores: those of the one before are no longer its own."""
    _, measured = parse(read_json(RESULTS / "knowledge.json"))
    models = data() / "models"
    shipped = {
        path.parent.name
        for path in models.glob("*/card.json")
        if read_json(path)["kind"] == "network"
    }
    assert {network["name"] for network in measured["networks"]} == shipped
    for network in measured["networks"]:
        card, scores = read_json(models / network["name"] / "card.json"), network["parts"]
        assert network["tokens"] == card["tokens_seen"]
        for name, score in card_scores(scores).items():
            assert score == card["scores"][name], (network["name"], name)
