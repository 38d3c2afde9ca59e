"""Parts of a page that Streamlit does not have, drawn by JavaScript of our own."""
