"""Where texts come from: the catalogue, downloads, unpacking, Wikipedia, what a person brings."""
