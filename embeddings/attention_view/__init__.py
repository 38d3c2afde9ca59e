"""The attention view: lines, matrix and grid of all heads, drawn by plain JavaScript in a browser.

The page shows it as a component, `html_page.standalone` writes it as one HTML file that loads nothing from anywhere and saves
the picture as SVG or PNG, and `svg_picture.picture` draws it as SVG without a browser. One head travels at a time; a file holds
as many as fit.
"""
