"""Speed and quality, measured; the recipes and trials of the shipped models."""
