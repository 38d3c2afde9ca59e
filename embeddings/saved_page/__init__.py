"""An answer as one HTML file that opens from disk, asks no network for anything and prints.

`answer` has what a file holds, `html_page` writes it, and `drawing.js` shows it: a figure of points, linked tables, a search
within what was saved. The contract between the two is ``answer.schema.json``. `questions` turns answers of the library into files.
"""
