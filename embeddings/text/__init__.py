"""Strings to ids; knows no torch."""
