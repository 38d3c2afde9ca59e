"""Fill: what a network puts in the blank."""
