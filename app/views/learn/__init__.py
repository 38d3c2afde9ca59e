"""Learn: lessons that ask for a guess before the models answer."""
