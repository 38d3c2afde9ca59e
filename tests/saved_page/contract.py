"""What a saved file carries, checked against the contract."""

import json
import re

import jsonschema

from embeddings.saved_page.html_page import SAVED_PAGE_FOLDER

SCHEMA = json.loads((SAVED_PAGE_FOLDER / "answer.schema.json").read_text(encoding="utf-8"))


def data_of(page):
    """The data of a file, as a browser reads it: up to the first </script>; it keeps the contract."""
    block = re.search(r'<script type="application/json" id="answer">(.*?)</script>', page, re.S)
    data = json.loads(block[1])
    jsonschema.Draft202012Validator(SCHEMA).validate(data)
    numbers = {point[0] for point in (data["figure"] or {"points": []})["points"]}
    for table in data["tables"]:
        for rows in (table["rows"], *table["walk"].values()):
            numbers |= {row[0] for row in rows}
            assert all(len(row[1]) == len(table["columns"]) for row in rows)
    assert numbers <= {*range(-1, len(data["items"]))}
    return data


def cells(data, rows):
    """Lines as a reader sees them."""
    return [[data["items"][row[0]] if cell is None else cell for cell in row[1]] for row in rows]
