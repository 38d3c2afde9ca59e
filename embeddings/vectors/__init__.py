"""The table that every static method produces, its formats, and search in it."""
