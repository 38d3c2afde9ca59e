"""Questions asked of vectors, answered with numpy."""
