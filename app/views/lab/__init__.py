"""Lab: measurements, compared with their sources."""
