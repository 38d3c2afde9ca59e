"""The twenty tasks: told in notes/tasks.md as they were measured, and all of them done."""

from collections import Counter

from benchmarks.result_files import read_results
from benchmarks.tasks import DOCUMENT, MARKS, TASKS, task_table


def test_the_document_tells_the_tasks_as_they_were_measured():
    text = DOCUMENT.read_text(encoding="utf-8")
    told = text[text.index(MARKS[0]) + len(MARKS[0]) : text.index(MARKS[1])].strip()
    assert told == task_table(read_results("tasks")["rows"])


def test_every_task_was_done():
    rows = read_results("tasks")["rows"]
    assert [row["task"] for row in rows] == list(TASKS)
    assert [row["task"] for row in rows if not row["done"]] == []


def test_a_pupil_a_researcher_and_a_linguist_have_their_tasks():
    assert len(TASKS) == 20
    assert set(Counter(who for who, _, _ in TASKS.values())) == {"pupil", "researcher", "linguist"}
