"""Results turned into Plotly figures: no Streamlit, no arithmetic beyond placing marks."""
