"""Save as a file: the file holds the numbers of the page."""

from html import unescape

import pytest
from streamlit import runtime

from app.wording import wording
from tests.app import visits
from tests.saved_page.contract import cells, data_of


@pytest.fixture
def saved(monkeypatch):
    """Return a function that opens a page and gives it and the file that it offers."""
    made = {}
    manager = runtime.media_file_manager.MediaFileManager
    kept = manager.add_deferred

    def noted(self, make, *args, **options):
        file_id = kept(self, make, *args, **options)
        made[file_id] = make
        return file_id

    monkeypatch.setattr(manager, "add_deferred", noted)

    def save(page, **asked):
        app = visits.open_page(page, boxes=(), **asked)
        label = wording(asked["lang"])("common.save_file")
        (button,) = [b for b in app.get("download_button") if b.proto.label == label]
        return app, made[button.proto.deferred_file_id]()

    return save


@pytest.mark.parametrize("lang", visits.LANGUAGES)
@pytest.mark.parametrize("fold", [0, 1])
def test_a_file_of_explore_has_the_numbers_of_the_page_to_the_last_digit(
    small_shelf, saved, lang, fold
):
    app, page = saved("explore", lang=lang, text=lang, fold=fold, n=4)
    data, say = data_of(page), wording(lang)
    assert f'<html lang="{lang}">' in page
    shown = app.dataframe[0].value
    assert [table["title"] for table in data["tables"]] == list(shown.columns)
    for table in data["tables"]:
        rows = cells(data, table["rows"])
        listed = [cell.split(" ", 1)[1] for cell in shown[table["title"]] if cell]
        written = []
        for word, cosine in rows[: len(listed)]:
            value = float(cosine.replace(",", ".").replace("−", "-"))
            written.append(f"{word} {say.number(value, 2)}")
        assert written == listed
        assert len(rows) > len(listed)
    cited = [line for code in app.code for line in code.value.splitlines() if "sha256" in line]
    assert cited
    assert all(line in unescape(page) for line in cited)
