"""A large network reads the contexts of a question once, with its progress, before the page asks anything of them."""

import pytest

from app.loaders import context_answers
from app.loaders.context_answers import Question
from embeddings.probing import contexts as context_module
from embeddings.probing import network
from tests.app.visits import forget_answers

WORD = "spring"


@pytest.fixture
def large(networks, monkeypatch):
    """A network of the shelf that counts as a large one."""
    monkeypatch.setattr(network, "LARGE", 0)
    monkeypatch.setattr(network, "bfloat16_is_faster", lambda: False)
    forget_answers()
    yield networks[0]
    forget_answers()


def test_once_a_question_is_read_with_its_progress_its_contexts_are_not_read_again(
    large, monkeypatch
):
    contexts = tuple(c for c in context_answers.shipped("en") if c.word == WORD)
    question = Question(large, "en", contexts, "word")
    reports = []
    context_answers.prepare(question, lambda progress: reports.append(progress))
    done = [report.done for report in reports]
    assert done == sorted(set(done))
    assert reports[-1].done == reports[-1].total == len({context.text for context in contexts})
    context_answers.reader(question).random_words()
    monkeypatch.setattr(context_module, "word_states", None)  # from here on nothing is read
    answer = context_answers.answer(question, tuple(range(len(contexts))))
    assert len(answer.maps[0].coordinates) == len(contexts)
    context_answers.prepare(question, lambda _: pytest.fail("read a second time"))
