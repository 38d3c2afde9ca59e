"""The attention view: lines, matrix and grid of all heads, drawn by plain JavaScript in a browser.

The page shows it as a component, `standalone` writes it as one HTML file that loads nothing from
anywhere, and `picture` draws one head as SVG without a browser. One head travels at a time; a file
holds as many as fit.
"""
