"""What a large network has read is kept for the pages: read once, with its progress; not for visitors nor on a disk that refuses."""

import pytest

from app.loaders import context_answers, shelf_models
from app.loaders.context_answers import Question
from embeddings.probing import text_states
from embeddings.results.sentence_answers import INDUCTION_METHODS
from tests.app import visits

WORD = "spring"


@pytest.fixture
def home(networks, tmp_path, monkeypatch):
    """A home of its own; the tiny network counts as a large one."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    monkeypatch.setattr(text_states, "LARGE", 0)
    monkeypatch.setattr(text_states, "bfloat16_is_faster", lambda: False)
    kept = (shelf_models.reader, context_answers.answer)
    kept += (context_answers._in_contexts, context_answers._context_reader)
    for loader in kept:
        loader.clear()
    context_answers._prepared.clear()
    yield tmp_path
    for loader in kept:
        loader.clear()


def asked(networks, vector):
    contexts = tuple(c for c in context_answers.shipped("en") if c.word == WORD)
    return Question(networks[0], "en", contexts, vector)


def test_once_a_question_is_read_with_its_progress_its_answer_reads_nothing(
    home, networks, monkeypatch
):
    question = asked(networks, "word")
    reports = []
    context_answers.prepare(question, reports.append)
    done = [report.done for report in reports]
    assert len(done) > 2
    assert done == sorted(set(done))
    assert reports[-1].done == reports[-1].total > 2 * len(question.contexts)
    monkeypatch.setattr(text_states, "_computed", None)  # from here on nothing is computed
    rows = tuple(range(len(question.contexts)))
    answer = context_answers.answer(question, rows, INDUCTION_METHODS[0])
    assert answer.states.vectors.shape[0] == len(rows)
    context_answers.prepare(question, lambda _: pytest.fail("read a second time"))


@pytest.mark.parametrize("reason", ["public", "in the way"])
def test_nothing_is_kept_for_visitors_nor_where_nothing_can_be_written(
    home, networks, monkeypatch, reason
):
    if reason == "public":
        monkeypatch.setenv("KLYUCH_PUBLIC", "1")
    else:
        (home / "cache").write_text("a file where the folder should be")
    assert shelf_models.reader(networks[0]).cache is None
    app = visits.open_page("contexts", lang="en", contexts_word=WORD, timeout=180)
    assert not app.exception
    assert len(app.get("plotly_chart")) == 1
    assert not (home / "cache" / "states.sqlite").exists()


def test_the_page_keeps_what_it_reads(home, networks):
    app = visits.open_page("contexts", lang="en", contexts_word=WORD, timeout=180)
    assert not app.exception
    reader = shelf_models.reader(networks[0])
    tokens = reader.wordpiece.encode(asked(networks, "word").contexts[0].text)
    key = text_states.text_key(tokens.ids, tokens.segments)
    assert reader.cache.has(key, range(reader.config.num_hidden_layers + 1))
